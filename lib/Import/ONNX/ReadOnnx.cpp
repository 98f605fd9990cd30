// SPDX-License-Identifier: Apache-2.0
//
// From a file to a module: arguments, the graph's nodes, the loss.

#include "shardsmith/Import/ONNX/ReadOnnx.h"

#include "Dimensions.h"
#include "Loss.h"
#include "Translator.h"
#include "Weights.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/Smith/WeightNames.h"
#include "shardsmith/Interpreter/TensorAttributes.h"
#include "shardsmith/Interpreter/TensorMemory.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <fmt/ranges.h>

#include <optional>

using namespace mlir;

namespace shardsmith {
namespace onnx {
namespace {

/// Initializers of at most so many elements are looked at for what they hold.
constexpr int64_t mostInspectedElements = 1 << 16;

std::string folderOf(const std::string &path) {
  return llvm::sys::path::parent_path(path).str();
}

/// How synthetic runs begin with a parameter: layer norms with ones, biases
/// with zeros, as the file does. Empty for the default.
std::string initOf(const format::Tensor &tensor, const TensorHeader &header,
                   const std::string &folder) {
  if (header.elements == 0 || header.elements > mostInspectedElements ||
      header.shape.size() > 1)
    return "";
  Tensor values = readTensor(tensor, folder);
  double first = values.asDouble(0);
  for (int64_t i = 1; i < values.size(); ++i)
    if (values.asDouble(i) != first)
      return "";
  if (first == 0)
    return "zeros";
  return first == 1 ? "ones" : fmt::format("constant:{}", first);
}

class ModelReader {
public:
  ModelReader(MLIRContext &context, const OnnxRequest &request)
      : context(context), request(request), file(readModelFile(request.path)),
        folder(folderOf(request.path)), choice(parseLoss(request.loss)),
        module(
            ModuleOp::create(FileLineColLoc::get(&context, request.path, 1, 1),
                             symbolOf(llvm::sys::path::stem(request.path)))) {}

  OwningOpRef<ModuleOp> run() {
    const format::Graph &graph = file.graph();
    int64_t opset = opsetOf(file.opset_import());
    if (graph.sparse_initializer_size() > 0)
      unsupported("sparse initializer: store it as a dense tensor");
    createMain();
    Translator translator(file, folder, main);
    translator.requireSupported(graph);
    addInitializers(translator, graph);
    addBatch(translator, graph);
    translator.translate(graph.node(), opset);
    finish(translator, graph);
    return std::move(module);
  }

private:
  static std::string symbolOf(StringRef name) {
    std::string symbol;
    for (char c : name)
      symbol += llvm::isAlnum(c) ? c : '_';
    return symbol.empty() ? "model" : symbol;
  }

  void createMain() {
    OpBuilder builder(&context);
    builder.setInsertionPointToEnd(module->getBody());
    main = func::FuncOp::create(builder, module->getLoc(), "main",
                                builder.getFunctionType({}, {}));
    main.addEntryBlock();
  }

  //===--- Arguments --------------------------------------------------------===

  Value addArgument(const std::string &name, RankedTensorType type,
                    std::vector<NamedAttribute> attributes, StringRef role) {
    if (!names.insert(name).second)
      badInput("'{}' is the name of two inputs or tensors", name);
    mlir::Builder builder(&context);
    attributes.push_back(builder.getNamedAttr(smith::kNameAttributeName,
                                              builder.getStringAttr(name)));
    attributes.push_back(builder.getNamedAttr(smith::kRoleAttributeName,
                                              builder.getStringAttr(role)));
    descriptions.push_back(builder.getDictionaryAttr(attributes));
    return main.getBody().front().addArgument(type, main.getLoc());
  }

  /// Floats of at least one dimension are trained, all else is constant.
  void addInitializers(Translator &translator, const format::Graph &graph) {
    llvm::StringSet<> frozen = frozenNames(graph);
    for (const format::Tensor &tensor : graph.initializer()) {
      TensorHeader header = headerOf(tensor);
      if (!isFloat(header.type) || header.shape.empty() ||
          frozen.contains(tensor.name())) {
        translator.define(tensor.name(), translator.constantOf(tensor));
        continue;
      }
      mlir::Builder builder(&context);
      std::vector<NamedAttribute> attributes;
      if (std::string init = initOf(tensor, header, folder); !init.empty())
        attributes.push_back(builder.getNamedAttr(smith::kInitAttributeName,
                                                  builder.getStringAttr(init)));
      RankedTensorType type = translator.builder().tensorType(
          header.shape, toMLIR(header.type, &context));
      translator.defineArgument(
          addArgument(tensor.name(), type, std::move(attributes), "param"),
          tensor);
      ++parameters;
    }
  }

  llvm::StringSet<> frozenNames(const format::Graph &graph) const {
    llvm::StringSet<> known, frozen;
    for (const format::Tensor &tensor : graph.initializer())
      known.insert(tensor.name());
    SmallVector<StringRef> list;
    StringRef(request.constants).split(list, ',', -1, /*KeepEmpty=*/false);
    for (StringRef name : list) {
      if (!known.contains(name.trim()))
        throw Failure{ExitCode::Usage,
                      fmt::format("--constants {}: the file has no tensor of "
                                  "that name",
                                  name.trim().str())};
      frozen.insert(name.trim());
    }
    return frozen;
  }

  void addBatch(Translator &translator, const format::Graph &graph) {
    mlir::Builder builder(&context);
    for (const BatchInput &input : batchInputs(graph, request)) {
      RankedTensorType type = translator.builder().tensorType(
          input.shape,
          toMLIR(elementTypeOf(input.elementType, "input '" + input.name + "'"),
                 &context));
      translator.define(
          input.name,
          addArgument(input.name, type,
                      {builder.getNamedAttr(
                          smith::kBatchDimAttributeName,
                          builder.getI64IntegerAttr(input.batchDimension))},
                      "batch"));
    }
  }

  //===--- Results ----------------------------------------------------------===

  struct Output {
    std::string name;
    Value value;
  };

  std::vector<Output> outputsOf(Translator &translator,
                                const format::Graph &graph) const {
    std::vector<Output> outputs;
    for (const format::Value &output : graph.output()) {
      Value value = translator.lookUp(output.name());
      if (!value)
        badInput("the output '{}' is no result of a node", output.name());
      outputs.push_back({output.name(), value});
    }
    if (outputs.empty())
      badInput("the graph has no outputs");
    return outputs;
  }

  static bool isScalarLoss(const Output &output) {
    return isFloat(output.value) && countOf(output.value) == 1 &&
           llvm::all_of(shapeOf(output.value),
                        [](int64_t size) { return size == 1; });
  }

  static std::string describe(const std::vector<Output> &outputs) {
    std::vector<std::string> texts;
    for (const Output &output : outputs)
      texts.push_back(
          fmt::format("'{}' {}", output.name, text(shapeOf(output.value))));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  static const Output &named(const std::vector<Output> &outputs,
                             const std::string &name) {
    size_t position = 0;
    for (const Output &output : outputs)
      if (output.name == name)
        return output;
    if (!StringRef(name).getAsInteger(10, position) &&
        position < outputs.size())
      return outputs[position];
    throw Failure{
        ExitCode::Usage,
        fmt::format("--loss: there is no output '{}'; the outputs are "
                    "{}",
                    name, describe(outputs))};
  }

  /// The output that holds logits: the one asked for, or the only one of
  /// floats with classes.
  const Output &logitsOf(const std::vector<Output> &outputs) const {
    if (!choice.output.empty())
      return named(outputs, choice.output);
    std::vector<const Output *> found;
    for (const Output &output : outputs)
      if (isFloat(output.value) && rankOf(output.value) > 1)
        found.push_back(&output);
    if (found.size() != 1)
      badInput("--loss cross-entropy: which of the outputs {} are the logits? "
               "say it as --loss cross-entropy:{}:OUTPUT",
               describe(outputs), choice.labels);
    return *found.front();
  }

  Value crossEntropyOf(Translator &translator, const Output &logits) {
    if (!isFloat(logits.value) || rankOf(logits.value) < 2)
      badInput(
          "--loss cross-entropy: the output '{}' has a shape of {}; logits "
          "are floats of at least two dimensions",
          logits.name, text(shapeOf(logits.value)));
    int64_t classes = classDimension(rankOf(logits.value));
    Sizes shape(shapeOf(logits.value));
    int64_t limit = shape[classes];
    shape.erase(shape.begin() + classes);
    mlir::Builder builder(&context);
    Value labels = addArgument(
        choice.labels, RankedTensorType::get(shape, builder.getI64Type()),
        {builder.getNamedAttr(smith::kBatchDimAttributeName,
                              builder.getI64IntegerAttr(0)),
         builder.getNamedAttr(smith::kLimitAttributeName,
                              builder.getI64IntegerAttr(limit))},
        "batch");
    return crossEntropy(translator.builder(), logits.value, labels);
  }

  Value lossOf(Translator &translator, const std::vector<Output> &outputs) {
    if (choice.kind == LossChoice::Kind::CrossEntropy)
      return crossEntropyOf(translator, logitsOf(outputs));
    const Output *loss = nullptr;
    if (choice.kind == LossChoice::Kind::Output) {
      loss = &named(outputs, choice.output);
      if (!isScalarLoss(*loss))
        badInput("--loss {}: the output has a shape of {}; a loss is one float",
                 choice.output, text(shapeOf(loss->value)));
    } else {
      for (const Output &output : outputs)
        if (isScalarLoss(output)) {
          if (loss)
            badInput("which of the outputs {} is the loss? say it with --loss "
                     "NAME",
                     describe(outputs));
          loss = &output;
        }
      if (!loss)
        badInput("there is no loss: none of the outputs {} is one float; name "
                 "one with --loss cross-entropy:LABELS, which takes an output "
                 "as logits and adds an input LABELS",
                 describe(outputs));
    }
    return translator.builder().reshape(loss->value, {});
  }

  void finish(Translator &translator, const format::Graph &graph) {
    std::vector<Output> outputs = outputsOf(translator, graph);
    mlir::Builder builder(&context);
    SmallVector<Value> results;
    std::vector<Output> kept;
    if (choice.kind == LossChoice::Kind::None) {
      kept = outputs;
    } else {
      kept = {{"loss", lossOf(translator, outputs)}};
    }
    for (const Output &output : kept)
      results.push_back(output.value);
    func::ReturnOp::create(translator.builder().ops(), results);
    setLimits(translator);
    setSignature(kept);
    eraseUnused();
    recordIgnored(graph);
  }

  void setLimits(const Translator &translator) {
    mlir::Builder builder(&context);
    for (const auto &[value, limit] : translator.limits()) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getArgNumber() < parameters)
        continue;
      DictionaryAttr &description = descriptions[argument.getArgNumber()];
      NamedAttrList attributes(description);
      attributes.set(smith::kLimitAttributeName,
                     builder.getI64IntegerAttr(limit));
      description = attributes.getDictionary(&context);
    }
  }

  void setSignature(const std::vector<Output> &kept) {
    mlir::Builder builder(&context);
    SmallVector<Type> resultTypes;
    SmallVector<DictionaryAttr> results;
    bool isLoss = choice.kind != LossChoice::Kind::None;
    for (const Output &output : kept) {
      resultTypes.push_back(output.value.getType());
      results.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(smith::kNameAttributeName,
                                builder.getStringAttr(output.name)),
           builder.getNamedAttr(
               smith::kRoleAttributeName,
               builder.getStringAttr(isLoss ? "loss" : "output"))}));
    }
    main.setFunctionType(builder.getFunctionType(
        main.getBody().front().getArgumentTypes(), resultTypes));
    main.setAllArgAttrs(descriptions);
    main.setAllResultAttrs(results);
  }

  /// Ops that only served to know shapes, and tensors that only they read.
  void eraseUnused() {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    llvm::BitVector unused(main.getNumArguments());
    for (unsigned i = 0; i < parameters; ++i)
      if (main.getArgument(i).use_empty())
        unused.set(i);
    (void)main.eraseArguments(unused);
  }

  /// Tensors of floats in the file that are no parameters, such as statistics.
  void recordIgnored(const format::Graph &graph) {
    llvm::StringSet<> arguments;
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      arguments.insert(
          main.getArgAttrOfType<StringAttr>(i, smith::kNameAttributeName));
    smith::WeightNames weights;
    for (const format::Tensor &tensor : graph.initializer())
      if (TensorHeader header = headerOf(tensor);
          isFloat(header.type) && !header.shape.empty() &&
          !arguments.contains(tensor.name()))
        weights.ignored.push_back(tensor.name());
    if (!weights.ignored.empty())
      (*module)->setAttr(smith::kWeightNamesAttributeName,
                         smith::toAttribute(&context, weights));
  }

  MLIRContext &context;
  const OnnxRequest &request;
  format::Model file;
  std::string folder;
  LossChoice choice;
  OwningOpRef<ModuleOp> module;
  func::FuncOp main;
  llvm::StringSet<> names;
  SmallVector<DictionaryAttr> descriptions;
  unsigned parameters = 0;
};

llvm::Error toError(const Failure &failure, const std::string &path) {
  return makeError(failure.code, failure.code == ExitCode::Usage
                                     ? failure.message
                                     : path + ": " + failure.message);
}

} // namespace
} // namespace onnx

bool isOnnxFile(StringRef path) { return path.ends_with(".onnx"); }

llvm::Expected<OwningOpRef<ModuleOp>> readOnnx(MLIRContext &context,
                                               const OnnxRequest &request) {
  context.loadDialect<chlo::ChloDialect, func::FuncDialect,
                      stablehlo::StableHLODialect, smith::SmithDialect>();
  try {
    return onnx::ModelReader(context, request).run();
  } catch (const onnx::Failure &failure) {
    return onnx::toError(failure, request.path);
  } catch (const OutOfMemory &problem) {
    return makeError(ExitCode::Environment,
                     request.path + ": " + problem.what());
  }
}

} // namespace shardsmith
