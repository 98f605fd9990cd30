// SPDX-License-Identifier: Apache-2.0
//
// What a pass reads, and who makes it.

#ifndef SHARDSMITH_LIB_SCHEDULE_DEPENDENCIES_H
#define SHARDSMITH_LIB_SCHEDULE_DEPENDENCIES_H

#include "shardsmith/Schedule/Schedule.h"

#include <array>

namespace shardsmith::schedule {

/// Results that other passes wait for. B makes an InputGradient and a
/// WeightGradient, I and W make one each.
enum class Product { Activation, InputGradient, WeightGradient };

struct Value {
  Product product;
  int64_t stage;
  int64_t microBatch;

  auto operator<=>(const Value &) const = default;
};

/// At most two.
struct Values {
  std::array<Value, 2> items;
  size_t count = 0;

  void push(Product product, int64_t stage, int64_t microBatch) {
    items[count++] = {product, stage, microBatch};
  }
  const Value *begin() const { return items.data(); }
  const Value *end() const { return items.data() + count; }
};

inline bool makesInputGradient(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::BackwardInput;
}
inline bool makesWeightGradient(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::BackwardWeight;
}

inline std::vector<Product> productsOf(ActionKind kind) {
  std::vector<Product> products;
  if (kind == ActionKind::Forward)
    products.push_back(Product::Activation);
  if (makesInputGradient(kind))
    products.push_back(Product::InputGradient);
  if (makesWeightGradient(kind))
    products.push_back(Product::WeightGradient);
  return products;
}

/// What an action needs in a pipeline of `stageCount` stages; nothing unless
/// it computes.
inline Values needs(const Action &pass, int64_t stageCount) {
  Values values;
  if (!isCompute(pass.kind))
    return values;
  if (pass.kind == ActionKind::Forward) {
    if (pass.stage > 0)
      values.push(Product::Activation, pass.stage - 1, pass.microBatch);
    return values;
  }
  if (pass.kind == ActionKind::BackwardWeight) {
    values.push(Product::InputGradient, pass.stage, pass.microBatch);
    return values;
  }
  values.push(Product::Activation, pass.stage, pass.microBatch);
  if (pass.stage + 1 < stageCount)
    values.push(Product::InputGradient, pass.stage + 1, pass.microBatch);
  return values;
}

/// The stage that reads the value `pass` hands on, or nothing.
inline std::optional<int64_t> readerOf(const Action &pass, int64_t stageCount) {
  if (pass.kind == ActionKind::Forward && pass.stage + 1 < stageCount)
    return pass.stage + 1;
  if (makesInputGradient(pass.kind) && pass.stage > 0)
    return pass.stage - 1;
  return std::nullopt;
}

/// Calls `visit` with the one or two actions of a step.
template <typename Visitor>
void forEachAction(const Step &step, Visitor visit) {
  visit(step.action);
  if (step.partner)
    visit(*step.partner);
}

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_DEPENDENCIES_H
