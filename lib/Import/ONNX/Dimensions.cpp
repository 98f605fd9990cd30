// SPDX-License-Identifier: Apache-2.0

#include "Dimensions.h"

#include "shardsmith/Import/BuildModel.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/ranges.h>

#include <set>

namespace shardsmith::onnx {
namespace {

/// Sizes above this are mistakes, as for options of other models.
constexpr int64_t largestSize = int64_t(1) << 32;

std::map<std::string, int64_t> parseSizes(const std::string &text) {
  std::map<std::string, int64_t> sizes;
  llvm::SmallVector<llvm::StringRef> items;
  llvm::StringRef(text).split(items, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef item : items) {
    auto [name, number] = item.rsplit('=');
    int64_t size = 0;
    if (name.trim().empty() || number.trim().getAsInteger(10, size) ||
        size < 1 || size > largestSize)
      throw Failure{ExitCode::Usage,
                    fmt::format("--dim takes NAME=SIZE with a size from 1 to "
                                "{}, got '{}'",
                                largestSize, item.str())};
    sizes[name.trim().str()] = size;
  }
  return sizes;
}

/// What a dimension without a size is called: unnamed ones by their place.
std::string nameOf(const format::Dimension &dimension, const std::string &input,
                   int index) {
  return dimension.dim_param().empty() ? fmt::format("{}.{}", input, index)
                                       : dimension.dim_param();
}

const format::TensorType &tensorTypeOf(const format::Value &input) {
  if (!input.has_type() || !input.type().has_tensor_type())
    unsupported("input '{}': it is no tensor", input.name());
  const format::TensorType &type = input.type().tensor_type();
  if (!type.has_shape())
    unsupported("input '{}': the file does not say how many dimensions it has; "
                "export the model with shapes",
                input.name());
  return type;
}

class Resolver {
public:
  explicit Resolver(const OnnxRequest &request)
      : request(request), given(parseSizes(request.dimensions)) {}

  std::vector<BatchInput> run(const format::Graph &graph) {
    std::set<std::string> initializers;
    for (const format::Tensor &tensor : graph.initializer())
      initializers.insert(tensor.name());
    std::vector<BatchInput> inputs;
    for (const format::Value &input : graph.input())
      if (!initializers.contains(input.name()))
        inputs.push_back(resolve(input));
    if (!missing.empty())
      badInput("the sizes of the dimensions {} are open; give them with --dim "
               "{}=SIZE",
               fmt::join(missing, ", "), fmt::join(missing, "=SIZE,"));
    for (const auto &[name, size] : given)
      if (!used.contains(name))
        throw Failure{ExitCode::Usage,
                      fmt::format("--dim {}={}: no input has an open dimension "
                                  "of that name",
                                  name, size)};
    if (request.globalBatch && batchSize && batchSize != request.globalBatch)
      throw Failure{
          ExitCode::Usage,
          fmt::format("--global-batch {}: the file fixes the batch at "
                      "{}; export it with a symbolic dimension",
                      *request.globalBatch, *batchSize)};
    return inputs;
  }

private:
  BatchInput resolve(const format::Value &input) {
    const format::TensorType &type = tensorTypeOf(input);
    BatchInput result{input.name(), type.elem_type(), {}, -1};
    const auto &dimensions = type.shape().dim();
    if (!hasBatch && !dimensions.empty())
      chooseBatch(dimensions[0], input.name());
    for (int i = 0; i < dimensions.size(); ++i) {
      const format::Dimension &dimension = dimensions[i];
      result.shape.push_back(sizeOf(dimension, input.name(), i));
      bool isOpen = !dimension.has_dim_value();
      bool countsSamples = isOpen
                               ? nameOf(dimension, input.name(), i) == batchName
                               : i == 0 && batchName.empty() &&
                                     dimension.dim_value() == batchSize;
      if (countsSamples && result.batchDimension < 0)
        result.batchDimension = i;
    }
    return result;
  }

  void chooseBatch(const format::Dimension &dimension,
                   const std::string &input) {
    hasBatch = true;
    if (dimension.has_dim_value()) {
      batchSize = dimension.dim_value();
      return;
    }
    batchName = nameOf(dimension, input, 0);
    batchSize = request.globalBatch.value_or(defaultGlobalBatch);
    if (auto found = given.find(batchName);
        found != given.end() && !request.globalBatch) {
      batchSize = found->second;
      used.insert(batchName);
    }
    if (*batchSize < 1 || *batchSize > largestSize)
      badInput("the global batch must be from 1 to {}, got {}", largestSize,
               *batchSize);
  }

  int64_t sizeOf(const format::Dimension &dimension, const std::string &input,
                 int index) {
    if (dimension.has_dim_value()) {
      if (dimension.dim_value() < 0)
        badInput("input '{}' has a dimension of size {}", input,
                 dimension.dim_value());
      return dimension.dim_value();
    }
    std::string name = nameOf(dimension, input, index);
    if (name == batchName)
      return *batchSize;
    if (auto found = given.find(name); found != given.end()) {
      used.insert(name);
      return found->second;
    }
    missing.insert(name);
    return 1;
  }

  const OnnxRequest &request;
  std::map<std::string, int64_t> given;
  std::set<std::string> used, missing;
  bool hasBatch = false;
  std::string batchName;
  std::optional<int64_t> batchSize;
};

} // namespace

std::vector<BatchInput> batchInputs(const format::Graph &graph,
                                    const OnnxRequest &request) {
  return Resolver(request).run(graph);
}

} // namespace shardsmith::onnx
