// SPDX-License-Identifier: Apache-2.0
//
// From a ModelSpec to a module: a function per distinct layer, and @main that
// calls them between embedding and loss.

#include "ModelGraph.h"

#include "GraphOps.h"
#include "LayerParts.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/Smith.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith::huggingface {
namespace {

using stablehlo::ComparisonDirection;

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

TensorValue feedForwardPart(FunctionBuilder &function, const LayerSpec &spec,
                            TensorValue x) {
  return std::visit(
      [&](const auto &part) { return feedForward(function, part, x); },
      spec.feedForward);
}

/// `memory` is the encoder's output, for layers with cross attention.
TensorValue layerBody(FunctionBuilder &function, const LayerSpec &spec,
                      TensorValue x, std::optional<TensorValue> memory) {
  auto norm = [&](const NormSpec &norm, TensorValue value) {
    return normalize(function, norm, value);
  };
  switch (spec.arrangement) {
  case Arrangement::NormFirst: {
    TensorValue input = norm(spec.attentionNorm, x);
    x = x + attend(function, spec.attention, input, input);
    if (spec.cross)
      x = x + attend(function, spec.cross->attention, norm(spec.cross->norm, x),
                     *memory);
    return x + feedForwardPart(function, spec, norm(spec.feedForwardNorm, x));
  }
  case Arrangement::NormLast:
    x = norm(spec.attentionNorm, x + attend(function, spec.attention, x, x));
    return norm(spec.feedForwardNorm, x + feedForwardPart(function, spec, x));
  case Arrangement::Parallel: {
    TensorValue input = norm(spec.attentionNorm, x);
    TensorValue attended = attend(function, spec.attention, input, input);
    return x + attended +
           feedForwardPart(function, spec, norm(spec.feedForwardNorm, x));
  }
  }
  llvm_unreachable("all arrangements are listed");
}

struct LayerFunction {
  func::FuncOp function;
  std::vector<Parameter> parameters;
};

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// One argument of @main that holds data of a step.
struct BatchArgument {
  const char *name;
  /// Exclusive upper bound, for integers.
  std::optional<int64_t> limit;
};

class GraphBuilder {
public:
  GraphBuilder(ModuleOp module, const ModelSpec &spec, const GraphShape &shape)
      : module(module), spec(spec), shape(shape),
        main(module, "main", FunctionBuilder::Order::ParametersFirst,
             shape.elementType) {}

  void run() {
    TensorValue loss = buildLoss();
    func::FuncOp function = main.finish(loss.value());
    describeArguments(function);
  }

private:
  TensorValue buildLoss() {
    switch (spec.task) {
    case Task::NextToken:
    case Task::MaskedToken: {
      TensorValue tokens = tokenArgument("batch.tokens");
      TensorValue labels = tokenArgument("batch.labels");
      TensorValue x = callAll(spec.layers, embed(tokens), std::nullopt);
      return crossEntropy(scores(x), labels);
    }
    case Task::SequenceToSequence: {
      TensorValue tokens = tokenArgument("batch.tokens");
      TensorValue decoderTokens = tokenArgument("batch.decoder_tokens");
      TensorValue labels = tokenArgument("batch.labels");
      TensorValue memory = callAll(spec.encoder, embed(tokens), std::nullopt);
      if (spec.encoderNorm)
        memory = normalize(main, *spec.encoderNorm, memory);
      TensorValue x = callAll(spec.layers, embed(decoderTokens), memory);
      return crossEntropy(scores(x), labels);
    }
    case Task::ImageClass: {
      const auto &patches = std::get<PatchEmbedding>(spec.embedding);
      TensorValue images = batchArgument(
          {"batch.images", std::nullopt},
          {shape.batch, patches.channels, patches.imageSize, patches.imageSize},
          shape.elementType);
      TensorValue labels =
          batchArgument({"batch.labels", spec.head.outputs}, {shape.batch},
                        main.builder().getI32Type());
      TensorValue x =
          callAll(spec.layers, embedImages(patches, images), std::nullopt);
      if (spec.head.norm)
        x = normalize(main, *spec.head.norm, x);
      TensorValue first =
          reshape(slice(x, 1, 0, 1), {shape.batch, spec.hidden});
      return crossEntropy(project(first), labels);
    }
    }
    llvm_unreachable("all tasks are listed");
  }

  //===--- Arguments --------------------------------------------------------===

  TensorValue batchArgument(const BatchArgument &argument,
                            ArrayRef<int64_t> shape, Type elementType) {
    batchArguments.push_back(argument);
    return main.input(shape, elementType);
  }

  TensorValue tokenArgument(const char *name) {
    return batchArgument({name, spec.vocabulary}, {shape.batch, shape.length},
                         main.builder().getI32Type());
  }

  /// Roles, names and initial values, as exporters write them.
  void describeArguments(func::FuncOp function) {
    Builder builder(module.getContext());
    auto named = [&](StringRef name, Attribute value) {
      return builder.getNamedAttr(name, value);
    };
    auto text = [&](StringRef name, const Twine &value) {
      return named(name, builder.getStringAttr(value));
    };
    const NamedAttribute parameterRole =
        text(smith::kRoleAttributeName, "param");
    const NamedAttribute inits[] = {
        text(smith::kInitAttributeName, "normal:0.02"),
        text(smith::kInitAttributeName, "zeros"),
        text(smith::kInitAttributeName, "ones")};

    SmallVector<DictionaryAttr> descriptions;
    for (const Parameter &parameter : main.parameters())
      descriptions.push_back(builder.getDictionaryAttr(
          {inits[static_cast<unsigned>(parameter.init)],
           text(smith::kNameAttributeName, parameter.name), parameterRole}));
    for (const BatchArgument &argument : batchArguments) {
      SmallVector<NamedAttribute> attributes = {
          named(smith::kBatchDimAttributeName, builder.getI64IntegerAttr(0)),
          text(smith::kNameAttributeName, argument.name),
          text(smith::kRoleAttributeName, "batch")};
      if (argument.limit)
        attributes.push_back(named(smith::kLimitAttributeName,
                                   builder.getI64IntegerAttr(*argument.limit)));
      descriptions.push_back(builder.getDictionaryAttr(attributes));
    }
    function.setAllArgAttrs(descriptions);
    function.setResultAttrs(
        0, builder.getDictionaryAttr(text(smith::kRoleAttributeName, "loss")));
  }

  //===--- Embeddings -------------------------------------------------------===

  TensorValue embed(TensorValue tokens) {
    const auto &embedding = std::get<TokenEmbedding>(spec.embedding);
    TensorValue table = main.parameter(
        embedding.tokens, {spec.vocabulary, spec.hidden}, Init::Normal);
    TensorValue x = lookUp(table, tokens);
    if (embedding.positions) {
      TensorValue positions = main.parameter(
          *embedding.positions, {spec.maxPositions, spec.hidden}, Init::Normal);
      x = x + broadcastInDim(slice(positions, 0, 0, shape.length), x.shape(),
                             {1, 2});
    }
    if (embedding.types) {
      TensorValue types = main.parameter(
          *embedding.types, {embedding.typeCount, spec.hidden}, Init::Normal);
      x = x + broadcastInDim(reshape(slice(types, 0, 0, 1), {spec.hidden}),
                             x.shape(), {2});
    }
    return spec.embeddingNorm ? normalize(main, *spec.embeddingNorm, x) : x;
  }

  /// Each patch is a vector of its pixels, [channel, row, column], times a
  /// matrix.
  TensorValue embedImages(const PatchEmbedding &embedding, TensorValue images) {
    int64_t side = embedding.patchesPerSide(), patch = embedding.patchSize;
    int64_t pixels = embedding.channels * patch * patch;
    TensorValue cut = reshape(
        images, {shape.batch, embedding.channels, side, patch, side, patch});
    TensorValue patches = reshape(transpose(cut, {0, 2, 4, 1, 3, 5}),
                                  {shape.batch, side * side, pixels});
    TensorValue kernel = main.parameter(
        embedding.projection + ".weight",
        {spec.hidden, embedding.channels, patch, patch}, Init::Normal);
    TensorValue x = product(patches, reshape(kernel, {spec.hidden, pixels}),
                            {.lhsContracted = {2}, .rhsContracted = {1}});
    if (embedding.bias)
      x = x + broadcastInDim(main.parameter(embedding.projection + ".bias",
                                            {spec.hidden}, Init::Zeros),
                             x.shape(), {2});
    TensorValue classToken =
        main.parameter(embedding.classToken, {1, 1, spec.hidden}, Init::Zeros);
    x = concatenate(
        {broadcastInDim(classToken, {shape.batch, 1, spec.hidden}, {0, 1, 2}),
         x},
        1);
    TensorValue positions = main.parameter(
        embedding.positions, {1, side * side + 1, spec.hidden}, Init::Normal);
    x = x + broadcastInDim(positions, x.shape(), {0, 1, 2});
    return spec.embeddingNorm ? normalize(main, *spec.embeddingNorm, x) : x;
  }

  //===--- Layers -----------------------------------------------------------===

  TensorValue callAll(ArrayRef<LayerRun> runs, TensorValue x,
                      std::optional<TensorValue> memory) {
    for (const LayerRun &run : runs) {
      auto [entry, isNew] = layers.try_emplace(run.layer.name);
      if (isNew)
        entry->second = buildLayer(run.layer, x, memory);
      const LayerFunction &layer = entry->second;
      for (int64_t i = 0; i < run.count; ++i)
        x = callLayer(layer, fmt::format("{}.{}.", run.prefix, run.first + i),
                      x, memory);
    }
    return x;
  }

  LayerFunction buildLayer(const LayerSpec &layer, TensorValue like,
                           std::optional<TensorValue> memory) {
    FunctionBuilder function(module, layer.name,
                             FunctionBuilder::Order::InputsFirst,
                             shape.elementType);
    TensorValue x = function.input(like.shape(), like.elementType());
    std::optional<TensorValue> source;
    if (memory)
      source = function.input(memory->shape(), memory->elementType());
    TensorValue y = layerBody(function, layer, x, source);
    func::FuncOp finished = function.finish(y.value());
    return {finished, function.parameters().vec()};
  }

  TensorValue callLayer(const LayerFunction &layer, const std::string &prefix,
                        TensorValue x, std::optional<TensorValue> memory) {
    SmallVector<Value> operands = {x.value()};
    if (memory)
      operands.push_back(memory->value());
    for (const Parameter &parameter : layer.parameters) {
      std::string name =
          parameter.isShared ? parameter.name : prefix + parameter.name;
      operands.push_back(
          main.parameter(name, parameter.type.getShape(), parameter.init));
    }
    auto call = func::CallOp::create(main.builder(), layer.function, operands);
    return {main.builder(), call.getResult(0)};
  }

  //===--- Loss -------------------------------------------------------------===

  TensorValue scores(TensorValue x) {
    if (spec.head.norm)
      x = normalize(main, *spec.head.norm, x);
    if (spec.head.transform)
      x = normalize(main, *spec.head.transformNorm,
                    activate(linear(main, *spec.head.transform, x),
                             spec.head.activation));
    return project(x);
  }

  /// Scores of all tokens or classes, in f32.
  TensorValue project(TensorValue x) {
    TensorValue weight = main.parameter(
        spec.head.weight, {spec.head.outputs, spec.hidden}, Init::Normal);
    if (spec.head.scale != 1.0)
      x = x * spec.head.scale;
    TensorValue y = product(
        x, weight, {.lhsContracted = {x.rank() - 1}, .rhsContracted = {1}});
    if (spec.head.bias)
      y = y + broadcastInDim(main.parameter(*spec.head.bias,
                                            {spec.head.outputs}, Init::Zeros),
                             y.shape(), {y.rank() - 1});
    return convert(y, main.builder().getF32Type());
  }

  /// Mean over all labels of log(sum(exp(scores))) - scores[label].
  TensorValue crossEntropy(TensorValue scores, TensorValue labels) {
    int64_t classes = scores.shape().back();
    TensorValue shifted = scores - repeatLast(largest(scores), classes);
    TensorValue total = logarithm(sumOfLast(exponential(shifted)));
    auto indexType =
        RankedTensorType::get(scores.shape(), labels.elementType());
    TensorValue isLabel =
        compare(repeatLast(labels, classes), ComparisonDirection::EQ,
                iota(main.builder(), indexType, scores.rank() - 1));
    TensorValue atLabel =
        sumOfLast(select(isLabel, shifted, shifted.filled(0.0)));
    double count = static_cast<double>(labels.type().getNumElements());
    return sumAll(total - atLabel) / count;
  }

  ModuleOp module;
  const ModelSpec &spec;
  GraphShape shape;
  FunctionBuilder main;
  SmallVector<BatchArgument> batchArguments;
  /// By name: layers of one name are equal.
  llvm::StringMap<LayerFunction> layers;
};

/// A symbol may hold letters, digits and underscores without quotes.
std::string asSymbol(StringRef name) {
  std::string symbol;
  for (char c : name)
    symbol += llvm::isAlnum(c) ? c : '_';
  return symbol;
}

} // namespace

OwningOpRef<ModuleOp> buildGraph(MLIRContext &context, const ModelSpec &spec,
                                 const GraphShape &shape) {
  context.loadDialect<chlo::ChloDialect, func::FuncDialect,
                      stablehlo::StableHLODialect, smith::SmithDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&context), asSymbol(spec.name));
  GraphBuilder(*module, spec, shape).run();
  return module;
}

} // namespace shardsmith::huggingface
