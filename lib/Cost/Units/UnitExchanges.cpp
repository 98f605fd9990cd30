// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Units/UnitExchanges.h"

#include "shardsmith/Cost/Units/UnitCosts.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

namespace {

/// Where in a block an exchange stands.
struct Place {
  OpIndex op = 0;
  /// Before the kernels of the op in its pass, or behind them.
  bool isBefore = false;
};

/// Puts exchanges that were listed in any order into that of their pass.
class PassOrder {
public:
  explicit PassOrder(size_t ops) : forwardKernels(ops), backwardKernels(ops) {}

  void setKernels(OpIndex op, const UnitCosts &costs) {
    forwardKernels[op] = double(costs.forward.count());
    backwardKernels[op] = double(costs.backwardInput.count()) +
                          double(costs.backwardWeight.count());
  }

  /// All that was added to `listed` since the last call stands there: forward
  /// exchanges at `forward`, backward ones at `backward`.
  void place(const std::vector<UnitExchange> &listed, Place forward,
             Place backward) {
    while (places.size() < listed.size())
      places.push_back(listed[places.size()].isBackward ? backward : forward);
  }

  UnitExchanges inOrder(const std::vector<UnitExchange> &listed) const {
    UnitExchanges result;
    size_t ops = forwardKernels.size();
    // Twice the number of ops that ran before, and one more behind an op.
    auto rankOf = [&](size_t i) {
      size_t op = places[i].op;
      return 2 * (listed[i].isBackward ? ops - 1 - op : op) +
             !places[i].isBefore;
    };
    std::vector<size_t> order(listed.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::ranges::sort(order, {},
                      [&](size_t i) { return std::pair(rankOf(i), i); });
    for (size_t i : order) {
      UnitExchange exchange = listed[i];
      exchange.behind = kernelsBefore(rankOf(i), exchange.isBackward);
      (exchange.isBackward ? result.backward : result.forward)
          .push_back(exchange);
    }
    return result;
  }

private:
  /// The share of the kernels of a pass.
  double kernelsBefore(size_t rank, bool isBackward) const {
    const std::vector<double> &kernels =
        isBackward ? backwardKernels : forwardKernels;
    size_t opsBefore = (rank + 1) / 2;
    double before = 0, all = 0;
    for (size_t k = 0; k < kernels.size(); ++k) {
      double each = kernels[isBackward ? kernels.size() - 1 - k : k];
      before += k < opsBefore ? each : 0;
      all += each;
    }
    return all > 0 ? std::min(before / all, 1.0) : 0;
  }

  std::vector<double> forwardKernels, backwardKernels;
  std::vector<Place> places;
};

} // namespace

void UnitCostModel::list(UnitAxis axis, const PricedExchange &exchange,
                         bool isBackward) const {
  UnitExchange &entry = listed->emplace_back();
  static_cast<PricedExchange &>(entry) = exchange;
  entry.axis = axis;
  entry.isBackward = isBackward;
}

void UnitCostModel::markRepeated(size_t begin, Recompute choice) const {
  for (size_t i = begin; i < listed->size(); ++i)
    if (!(*listed)[i].isBackward)
      (*listed)[i].isRepeated[size_t(choice)] = true;
}

double UnitCostModel::operations(OpIndex index, OpSplit split) const {
  const Op &op = priced.ops[index];
  double share = double(setting.microBatch);
  for (FactorIndex f = 0; f < op.factors.size(); ++f) {
    // Rows of all experts are as many per rank as without the expert axis.
    FactorRole role = op.factors[f].role;
    if (role != FactorRole::Batch && role != FactorRole::Expert)
      share *= double(blockShapes.localSize(op, f, split)) /
               double(op.factors[f].size);
  }
  return double(op.flops.count()) * share;
}

UnitExchanges UnitCostModel::exchangesOf(const BlockLayout &layout) const {
  std::vector<UnitExchange> all;
  PassOrder passes(priced.ops.size());
  double operationsOfAll = 0, bytesOfAll = 0;
  std::vector<ReadingSet> readings(priced.tensors.size());
  std::vector<OpIndex> firstReader(priced.tensors.size(), 0);
  listed = &all;
  for (OpIndex i = 0; i < priced.ops.size(); ++i) {
    const Op &op = priced.ops[i];
    OpSplit split = layout.ops[i];
    // Prices that are remembered list nothing.
    passes.setKernels(i, priceOp(i, split));
    passes.place(all, {i, false}, {i, false});
    operationsOfAll += operations(i, split);
    bytesOfAll += double(movedBytes(i, split).count());
    for (unsigned j = 0; j < op.results.size(); ++j) {
      TensorIndex tensor = op.results[j].tensor;
      store(tensor, blockShapes.resultLayout(i, split, j),
            layout.tensors[tensor]);
      passes.place(all, {i, false}, {i, true});
    }
    for (unsigned j = 0; j < op.operands.size(); ++j) {
      TensorIndex tensor = op.operands[j].tensor;
      if (readings[tensor].empty())
        firstReader[tensor] = i;
      readings[tensor].insert(blockShapes.reading(i, split, j));
    }
  }
  for (TensorIndex i = 0; i < priced.tensors.size(); ++i) {
    read(i, layout.tensors[i], readings[i]);
    // Gradients of all readers are there once the first one has run backward.
    passes.place(all, {firstReader[i], true}, {firstReader[i], false});
  }
  listed = nullptr;
  UnitExchanges result = passes.inOrder(all);
  result.forwardOperations = operationsOfAll;
  result.forwardBytes = bytesOfAll;
  return result;
}

} // namespace shardsmith
