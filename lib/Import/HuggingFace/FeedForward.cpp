// SPDX-License-Identifier: Apache-2.0
//
// Feed-forward parts: one MLP for all tokens, or experts that a router
// chooses per token.
//
//     tokens [n, hidden] ─ router ─ top k ─▶ experts, weights [n, k]
//       │                                       │
//       │             sort by expert ◀──────────┘
//       ▼               │ order, group sizes
//     rows in expert order ─ products per expert ─▶ rows [n·k, hidden]
//                                                    · weights │
//     [n, hidden] ◀──────── add the rows of each token ────────┘

#include "GraphOps.h"
#include "LayerParts.h"

#include <limits>

using namespace mlir;

namespace shardsmith::huggingface {
namespace {

using stablehlo::ComparisonDirection;

/// Experts of each token and their weights, both [tokens, k].
struct Routing {
  TensorValue experts, weights;
};

/// Scores outside the best groups of each token become the least number. A
/// group is as good as its two best experts together.
TensorValue keepBestGroups(TensorValue scores, const GroupedRouting &spec) {
  ImplicitLocOpBuilder &builder = scores.builder();
  int64_t tokens = scores.shape()[0], experts = scores.shape()[1];
  int64_t perGroup = experts / spec.groups;
  TensorValue grouped = reshape(scores, {tokens, spec.groups, perGroup});
  TensorValue quality = sumOfLast(topK(grouped, 2).values);
  TensorValue kept = topK(quality, spec.groupsKept).indices;

  auto type = RankedTensorType::get({tokens, spec.groups, spec.groupsKept},
                                    kept.elementType());
  kept = broadcastInDim(kept, type.getShape(), {0, 2});
  TensorValue isKept =
      compare(kept, ComparisonDirection::EQ, iota(builder, type, 1));
  TensorValue count = sumOfLast(convert(isKept, kept.elementType()));
  TensorValue mask =
      compare(repeatLast(count, perGroup), ComparisonDirection::GT, 0.0);
  TensorValue least = grouped.filled(std::numeric_limits<float>::lowest());
  return reshape(select(mask, grouped, least), {tokens, experts});
}

/// `scores[i, indices[i, j]]` for every token i and choice j.
TensorValue scoresAt(TensorValue scores, TensorValue indices) {
  ImplicitLocOpBuilder &builder = scores.builder();
  int64_t tokens = scores.shape()[0], experts = scores.shape()[1];
  SmallVector<int64_t, 3> shape = {tokens, indices.shape()[1], experts};
  auto type = RankedTensorType::get(shape, indices.elementType());
  TensorValue chosen = repeatLast(indices, experts);
  TensorValue isChosen =
      compare(chosen, ComparisonDirection::EQ, iota(builder, type, 2));
  TensorValue spread = broadcastInDim(scores, shape, {0, 2});
  return sumOfLast(select(isChosen, spread, spread.filled(0.0)));
}

Routing route(FunctionBuilder &function, const ExpertsSpec &spec,
              TensorValue tokens) {
  Type wide = function.builder().getF32Type();
  TensorValue logits = convert(linear(function, spec.router, tokens), wide);
  auto choose = [&]() -> Routing {
    if (!spec.grouped) {
      Largest best = topK(softmax(logits), spec.perToken);
      return {best.indices, best.values};
    }
    TensorValue scores = logistic(logits);
    TensorValue correction = convert(
        function.parameter(spec.grouped->correction, {spec.count}, Init::Zeros),
        wide);
    TensorValue preference =
        scores + broadcastInDim(correction, scores.shape(), {1});
    if (spec.grouped->groupsKept < spec.grouped->groups)
      preference = keepBestGroups(preference, *spec.grouped);
    TensorValue experts = topK(preference, spec.perToken).indices;
    return {experts, scoresAt(scores, experts)};
  };
  Routing routing = choose();
  if (spec.normalizes)
    routing.weights =
        routing.weights / repeatLast(sumOfLast(routing.weights), spec.perToken);
  if (spec.weightFactor != 1.0)
    routing.weights = routing.weights * spec.weightFactor;
  return routing;
}

/// Positions 0, 1, … of `keys`, in the order of ascending keys.
TensorValue sortedPositions(TensorValue keys) {
  ImplicitLocOpBuilder &builder = keys.builder();
  TensorValue positions = iota(builder, keys.type(), 0);
  auto op = stablehlo::SortOp::create(
      builder, TypeRange{keys.type(), keys.type()},
      ValueRange{keys.value(), positions.value()}, /*dimension=*/0,
      /*is_stable=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto scalarType = RankedTensorType::get({}, keys.elementType());
  SmallVector<Type> types(4, scalarType);
  SmallVector<Location> locations(4, builder.getLoc());
  Block *body = builder.createBlock(&op.getComparator(), {}, types, locations);
  Value isLess = stablehlo::CompareOp::create(builder, body->getArgument(0),
                                              body->getArgument(1),
                                              ComparisonDirection::LT);
  stablehlo::ReturnOp::create(builder, isLess);
  return {builder, op->getResult(1)};
}

/// How often each of 0 … `count` - 1 occurs in `values`.
TensorValue countEach(TensorValue values, int64_t count) {
  ImplicitLocOpBuilder &builder = values.builder();
  auto type =
      RankedTensorType::get({values.shape()[0], count}, values.elementType());
  TensorValue repeated = repeatLast(values, count);
  TensorValue isEqual =
      compare(repeated, ComparisonDirection::EQ, iota(builder, type, 1));
  return sum(convert(isEqual, values.elementType()), {0});
}

/// What the experts make of rows in expert order.
TensorValue applyExperts(FunctionBuilder &function, const ExpertsSpec &spec,
                         TensorValue rows, TensorValue groupSizes) {
  auto matrices = [&](const std::string &name, int64_t inputs,
                      int64_t outputs) {
    return function.parameter(name + ".weight", {spec.count, inputs, outputs},
                              Init::Normal);
  };
  TensorValue up = groupedProduct(
      rows, matrices(spec.up, spec.hidden, spec.inner), groupSizes);
  if (spec.gate) {
    TensorValue gate = groupedProduct(
        rows, matrices(*spec.gate, spec.hidden, spec.inner), groupSizes);
    up = activate(gate, spec.activation) * up;
  } else {
    up = activate(up, spec.activation);
  }
  return groupedProduct(up, matrices(spec.down, spec.inner, spec.hidden),
                        groupSizes);
}

} // namespace

TensorValue feedForward(FunctionBuilder &function, const MlpSpec &spec,
                        TensorValue x) {
  if (!spec.gate)
    return linear(function, spec.down,
                  activate(linear(function, spec.up, x), spec.activation));
  TensorValue gate = activate(linear(function, *spec.gate, x), spec.activation);
  return linear(function, spec.down, gate * linear(function, spec.up, x));
}

TensorValue feedForward(FunctionBuilder &function, const ExpertsSpec &spec,
                        TensorValue x) {
  int64_t count = x.shape()[0] * x.shape()[1];
  TensorValue tokens = reshape(x, {count, spec.hidden});
  Routing routing = route(function, spec, tokens);

  int64_t rowCount = count * spec.perToken;
  TensorValue expertOfRow = reshape(routing.experts, {rowCount});
  TensorValue order = sortedPositions(expertOfRow);
  TensorValue tokenOfRow = order / static_cast<double>(spec.perToken);
  TensorValue rows = lookUp(tokens, tokenOfRow);
  TensorValue made =
      applyExperts(function, spec, rows, countEach(expertOfRow, spec.count));

  TensorValue weights = convert(
      lookUp(reshape(routing.weights, {rowCount}), order), x.elementType());
  TensorValue weighted = made * broadcastInDim(weights, made.shape(), {0});
  TensorValue y = reshape(addRows(weighted, tokenOfRow, count), x.shape());
  return spec.shared ? y + feedForward(function, *spec.shared, x) : y;
}

} // namespace shardsmith::huggingface
