// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Import/BuildModel.h"

#include "Architectures.h"
#include "BuiltinModels.h"
#include "ModelGraph.h"
#include "SizeChecks.h"

#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/ReadFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {

namespace {

using namespace huggingface;

/// Configurations are a few kilobytes.
constexpr size_t largestConfiguration = 1 << 24;
constexpr int64_t usualLength = 4096;

template <typename... Args>
llvm::Error badInput(fmt::format_string<Args...> format, Args &&...args) {
  return makeError(ExitCode::BadInput,
                   fmt::format(format, std::forward<Args>(args)...));
}

/// The text of a configuration and what messages call it.
struct Description {
  std::string source;
  std::string text;
  /// Length that the built-in table gives.
  std::optional<int64_t> length = std::nullopt;
  std::optional<std::string> name = std::nullopt;
};

llvm::Expected<Description> readConfiguration(StringRef path) {
  std::string error;
  std::optional<std::string> text =
      readFile(path.str(), error, largestConfiguration);
  if (!text)
    return badInput("{}; a configuration has a few kilobytes", error);
  return Description{.source = path.str(), .text = std::move(*text)};
}

llvm::Expected<Description> findDescription(StringRef model) {
  if (const BuiltinModel *builtin = findBuiltinModel(model))
    return Description{.source = model.str(),
                       .text = builtin->config.str(),
                       .length = builtin->sequenceLength,
                       .name = model.str()};
  if (model.ltrim().starts_with("{"))
    return Description{.source = "model", .text = model.str()};
  if (!llvm::sys::fs::is_directory(model))
    return readConfiguration(model);
  llvm::SmallString<128> path(model);
  llvm::sys::path::append(path, "config.json");
  if (!llvm::sys::fs::exists(path))
    return badInput("the folder '{}' holds no config.json", model.str());
  return readConfiguration(path);
}

llvm::Expected<nlohmann::json> parse(const Description &description) {
  std::string error;
  std::optional<nlohmann::json> json = parseJson(description.text, error);
  if (!json)
    return badInput("{}: {}", description.source, error);
  return std::move(*json);
}

llvm::Expected<FloatType> readElementType(MLIRContext &context,
                                          const std::string &name) {
  if (name.empty() || name == "bf16")
    return FloatType(BFloat16Type::get(&context));
  if (name == "f16")
    return FloatType(Float16Type::get(&context));
  if (name == "f32")
    return FloatType(Float32Type::get(&context));
  return makeError(
      ExitCode::Usage,
      fmt::format("the type must be bf16, f16 or f32, got '{}'", name));
}

llvm::Error checkRange(const char *what, int64_t value) {
  if (value >= 1 && value <= largestSize)
    return llvm::Error::success();
  return badInput("{} must be from 1 to {}, got {}", what, largestSize, value);
}

/// Batch and length, checked against what the model can do.
llvm::Expected<GraphShape> chooseShape(const Description &description,
                                       const ModelSpec &spec,
                                       const ModelRequest &request) {
  GraphShape shape;
  shape.batch = request.globalBatch.value_or(defaultGlobalBatch);
  if (llvm::Error error = checkRange("the global batch", shape.batch))
    return error;
  if (spec.task == Task::ImageClass) {
    if (request.sequenceLength)
      return badInput("{}: a model of images has no sequence length",
                      description.source);
  } else {
    int64_t usual =
        description.length.value_or(std::min(spec.maxPositions, usualLength));
    shape.length = request.sequenceLength.value_or(usual);
    if (llvm::Error error = checkRange("the sequence length", shape.length))
      return error;
  }
  if (spec.positionsAreLimited && shape.length > spec.maxPositions)
    return badInput("{}: a sequence length of {} is more than the {} positions "
                    "the model has",
                    description.source, shape.length, spec.maxPositions);
  if (spec.window && shape.length > *spec.window)
    return makeError(
        ExitCode::Unsupported,
        fmt::format("{}: /sliding_window: windows of {} positions are not "
                    "supported for sequences of {}; use a sequence length of "
                    "at most {}",
                    description.source, *spec.window, shape.length,
                    *spec.window));
  std::string overflow = findOverflow(spec, shape.batch, shape.length);
  if (!overflow.empty())
    return badInput("{}: {}", description.source, overflow);
  return shape;
}

} // namespace

llvm::Expected<OwningOpRef<ModuleOp>>
buildModel(MLIRContext &context, const ModelRequest &request,
           smith::RepeatedCalls *repeated) {
  llvm::Expected<FloatType> elementType =
      readElementType(context, request.elementType);
  if (!elementType)
    return elementType.takeError();
  llvm::Expected<Description> description = findDescription(request.model);
  if (!description)
    return description.takeError();
  llvm::Expected<nlohmann::json> json = parse(*description);
  if (!json)
    return json.takeError();
  ConfigObject config(*json, description->source);
  if (config.failed())
    return config.takeError();
  llvm::Expected<ModelSpec> spec = readModel(config);
  if (!spec)
    return spec.takeError();
  if (description->name)
    spec->name = *description->name;
  llvm::Expected<GraphShape> shape = chooseShape(*description, *spec, request);
  if (!shape)
    return shape.takeError();
  shape->elementType = *elementType;
  return buildGraph(context, *spec, *shape, repeated);
}

std::vector<std::string> builtinModelNames() {
  std::vector<std::string> names;
  for (const BuiltinModel &model : builtinModels())
    names.push_back(model.name.str());
  return names;
}

bool isBuiltinModel(StringRef name) { return findBuiltinModel(name); }

bool isModelDescription(StringRef model) {
  return isBuiltinModel(model) || model.ends_with(".json") ||
         model.ltrim().starts_with("{") || llvm::sys::fs::is_directory(model);
}

std::string suggestBuiltinModel(StringRef model) {
  std::string nearest = closestWord(model, builtinModelNames());
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

} // namespace shardsmith
