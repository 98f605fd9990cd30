// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <algorithm>

namespace shardsmith {

namespace {

constexpr int64_t grainsOfBlock = 1024;

int64_t rounded(int64_t amount, int64_t grain) {
  int64_t whole = amount / grain;
  return whole + (amount % grain >= grain - grain / 2);
}

} // namespace

Grains::Grains(const UnitCostModel &model, Compare compare) {
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

int64_t Grains::ofBytes(Bytes amount) const {
  return rounded(amount.count(), bytes.count());
}

int64_t Grains::ofParameters(int64_t elements) const {
  return rounded(elements, parameters);
}

} // namespace shardsmith
