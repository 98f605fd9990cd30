// SPDX-License-Identifier: Apache-2.0
//
// From a ModelSpec to a module: a function per distinct layer, and @main that
// calls them between embedding and loss.

#include "ModelGraph.h"

#include "LayerParts.h"
#include "ModelParts.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/Smith.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith::huggingface {
namespace {

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
    TensorValue attended = x + attend(function, spec.attention, input, input);
    return attended +
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
  GraphBuilder(ModuleOp module, const ModelSpec &spec, const GraphShape &shape,
               smith::RepeatedCalls *repeated)
      : module(module), spec(spec), shape(shape), repeated(repeated),
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
      TensorValue x =
          callAll(spec.layers, embedTokens(main, spec, tokens), std::nullopt);
      return crossEntropy(scoreTokens(main, spec, x), labels);
    }
    case Task::SequenceToSequence: {
      TensorValue tokens = tokenArgument("batch.tokens");
      TensorValue decoderTokens = tokenArgument("batch.decoder_tokens");
      TensorValue labels = tokenArgument("batch.labels");
      TensorValue memory =
          callAll(spec.encoder, embedTokens(main, spec, tokens), std::nullopt);
      if (spec.encoderNorm)
        memory = normalize(main, *spec.encoderNorm, memory);
      TensorValue x =
          callAll(spec.layers, embedTokens(main, spec, decoderTokens), memory);
      return crossEntropy(scoreTokens(main, spec, x), labels);
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
          callAll(spec.layers, embedImages(main, spec, images), std::nullopt);
      return crossEntropy(scoreImages(main, spec, x), labels);
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

  //===--- Layers -----------------------------------------------------------===

  TensorValue callAll(ArrayRef<LayerRun> runs, TensorValue x,
                      std::optional<TensorValue> memory) {
    for (const LayerRun &run : runs) {
      auto [entry, isNew] = layers.try_emplace(run.layer.name);
      if (isNew)
        entry->second = buildLayer(run.layer, x, memory);
      const LayerFunction &layer = entry->second;
      auto call = [&](int64_t i) {
        x = callLayer(layer, fmt::format("{}.{}.", run.prefix, run.first + i),
                      x, memory);
      };
      constexpr int64_t few = 3;
      bool isRepeated = repeated && run.count > few;
      for (int64_t i = 0; i < run.count; ++i) {
        call(i);
        if (!isRepeated || i != 1)
          continue;
        // Neither the first, of which extraction takes names, nor the last.
        i = run.count - 2;
        repeated->push_back(
            {x.value().getDefiningOp(), i, run.prefix + '.', run.first + 1});
      }
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

  ModuleOp module;
  const ModelSpec &spec;
  GraphShape shape;
  smith::RepeatedCalls *repeated;
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
                                 const GraphShape &shape,
                                 smith::RepeatedCalls *repeated) {
  context.loadDialect<chlo::ChloDialect, func::FuncDialect,
                      stablehlo::StableHLODialect, smith::SmithDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&context), asSymbol(spec.name));
  (*module)->setAttr(smith::kWeightNamesAttributeName,
                     smith::toAttribute(&context, spec.weightNames));
  GraphBuilder(*module, spec, shape, repeated).run();
  return module;
}

} // namespace shardsmith::huggingface
