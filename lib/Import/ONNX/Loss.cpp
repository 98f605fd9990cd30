// SPDX-License-Identifier: Apache-2.0

#include "Loss.h"

#include "llvm/ADT/Sequence.h"

namespace shardsmith::onnx {

LossChoice parseLoss(const std::string &text) {
  LossChoice choice;
  llvm::StringRef rest = text;
  if (rest.empty())
    return choice;
  if (rest == "none") {
    choice.kind = LossChoice::Kind::None;
    return choice;
  }
  if (!rest.consume_front("cross-entropy")) {
    choice.kind = LossChoice::Kind::Output;
    choice.output = text;
    return choice;
  }
  choice.kind = LossChoice::Kind::CrossEntropy;
  if (!rest.consume_front(":") || rest.empty())
    throw Failure{ExitCode::Usage,
                  fmt::format("--loss {}: give the labels a name, as in --loss "
                              "cross-entropy:labels",
                              text)};
  auto [labels, output] = rest.split(':');
  choice.labels = labels.str();
  choice.output = output.str();
  return choice;
}

Value crossEntropy(Builder &build, Value logits, Value labels) {
  if (elementOf(logits).getIntOrFloatBitWidth() < 32)
    logits = build.convert(logits, build.f32());
  int64_t classes = classDimension(rankOf(logits));
  Value logs = build.logSoftmax(logits, {classes});
  Sizes shape(shapeOf(logits));
  Value positions = build.iota(shape, elementOf(labels), classes);
  Sizes kept;
  for (int64_t i = 0; i < rankOf(logits); ++i)
    if (i != classes)
      kept.push_back(i);
  Value isLabel = build.compare(build.broadcastInDim(labels, shape, kept),
                                stablehlo::ComparisonDirection::EQ, positions);
  Value chosen = build.select(isLabel, logs, build.like(logs, 0.0));
  Sizes all = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(logits)));
  return build.negate(build.divide(build.sum(chosen, all, false),
                                   static_cast<double>(countOf(labels))));
}

} // namespace shardsmith::onnx
