// SPDX-License-Identifier: Apache-2.0
//
// Losses of classes: minus the logarithm of the probability of each label.
// Scores are [samples, classes, …], labels [samples, …].

#include "../Registry.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {
namespace {

using Direction = stablehlo::ComparisonDirection;

Value lossOf(Node &node, Value logs) {
  Builder &build = node.build;
  Value labels = node.input(1);
  Sizes shape(shapeOf(logs)), kept;
  bool fits = rankOf(logs) >= 2 && rankOf(labels) == rankOf(logs) - 1;
  for (int64_t i = 0, next = 0; fits && i < rankOf(logs); ++i)
    if (i != 1) {
      fits = shapeOf(labels)[next++] == shape[i];
      kept.push_back(i);
    }
  if (!fits)
    badInput("labels of shape {} do not fit scores of shape {}",
             text(shapeOf(labels)), text(shape));
  node.limitIntegers(1, shape[1]);
  Value isLabel =
      build.compare(build.broadcastInDim(labels, shape, kept), Direction::EQ,
                    build.iota(shape, elementOf(labels), 1));
  auto atLabel = [&](Value values) {
    return build.sum(build.select(isLabel, values, build.like(values, 0.0)),
                     {1}, false);
  };
  Value losses = build.negate(atLabel(logs)), weights;
  if (node.hasInput(2)) {
    if (rankOf(node.input(2)) != 1 || shapeOf(node.input(2))[0] != shape[1])
      badInput("weights of shape {} do not fit {} classes",
               text(shapeOf(node.input(2))), shape[1]);
    weights = atLabel(build.broadcastInDim(node.frozen(2), shape, {1}));
  }
  if (node.hasAttribute("ignore_index")) {
    Value counts =
        build.compare(labels, Direction::NE,
                      static_cast<double>(node.integer("ignore_index")));
    Value base = weights ? weights : build.like(losses, 1.0);
    weights = build.select(counts, base, build.like(base, 0.0));
  }
  if (weights)
    losses = build.multiply(losses, weights);
  std::string reduction = node.text("reduction", "mean");
  if (reduction == "none")
    return losses;
  Sizes all = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(losses)));
  Value total = build.sum(losses, all, false);
  if (reduction == "sum")
    return total;
  if (reduction != "mean")
    badInput("its reduction is '{}', not none, sum or mean", reduction);
  return weights ? build.divide(total, build.sum(weights, all, false))
                 : build.divide(total, static_cast<double>(countOf(labels)));
}

void negativeLogLikelihood(Node &node) {
  node.result(lossOf(node, node.input(0)));
}

void softmaxCrossEntropy(Node &node) {
  if (rankOf(node.input(0)) < 2)
    badInput("scores of shape {} have no classes",
             text(shapeOf(node.input(0))));
  Value logs = node.build.logSoftmax(node.input(0), {1});
  node.result(0, lossOf(node, logs));
  if (node.wantsOutput(1))
    node.result(1, logs);
}

} // namespace

void registerLosses(Registry &registry) {
  registry.add("NegativeLogLikelihoodLoss", negativeLogLikelihood);
  registry.add("SoftmaxCrossEntropyLoss", softmaxCrossEntropy);
}

} // namespace shardsmith::onnx
