// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <algorithm>

namespace shardsmith {

namespace {

constexpr int64_t grainsOfBlock = 1024;

int64_t rounded(int64_t amount, int64_t cell) {
  int64_t whole = amount / cell;
  return whole + (amount % cell >= cell - cell / 2);
}

} // namespace

EpsilonGrid::EpsilonGrid(const UnitCostModel &model, Compare compare) {
  UnitCosts sum;
  for (workload::TensorIndex tensor = 0; tensor < model.block().tensors.size();
       ++tensor)
    sum = sum + model.hold(tensor, TensorLayout::whole());
  Bytes saved = sum.saved[size_t(Recompute::None)];
  bytes = compare == Compare::AllButMemory
              ? Bytes::saturated()
              : Bytes(std::max<int64_t>(1, saved.count() / grainsOfBlock));
  SharedParameters all = parametersOfUnit(sum);
  parameters = std::max<int64_t>(1, all.dense / grainsOfBlock +
                                        all.expert / grainsOfBlock);
}

int64_t EpsilonGrid::ofBytes(Bytes amount) const {
  return rounded(amount.count(), bytes.count());
}

int64_t EpsilonGrid::ofParameters(int64_t elements) const {
  return rounded(elements, parameters);
}

} // namespace shardsmith
