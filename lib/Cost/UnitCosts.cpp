// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/UnitCosts.h"
#include "Scale.h"

#include <algorithm>
#include <ranges>

namespace shardsmith {

using namespace workload;

UnitCommunication &
UnitCommunication::operator+=(const UnitCommunication &other) {
  tensor += other.tensor;
  context += other.context;
  expert += other.expert;
  return *this;
}

UnitCosts &UnitCosts::operator+=(const UnitCosts &other) {
  forward += other.forward;
  backwardInput += other.backwardInput;
  backwardWeight += other.backwardWeight;
  forwardCommunication += other.forwardCommunication;
  backwardCommunication += other.backwardCommunication;
  for (int choice = 0; choice < recomputeChoices; ++choice) {
    recompute[choice] += other.recompute[choice];
    saved[choice] += other.saved[choice];
  }
  transient = std::max(transient, other.transient);
  auto add = [](int64_t &to, int64_t count) {
    if (__builtin_add_overflow(to, count, &to))
      to = std::numeric_limits<int64_t>::max();
  };
  add(denseParameters, other.denseParameters);
  add(expertParameters, other.expertParameters);
  add(partialParameters, other.partialParameters);
  outputBytes += other.outputBytes;
  tensorTraffic += other.tensorTraffic;
  contextTraffic += other.contextTraffic;
  expertTraffic += other.expertTraffic;
  return *this;
}

UnitCosts operator+(const UnitCosts &a, const UnitCosts &b) {
  UnitCosts sum = a;
  return sum += b;
}

PricedBlock::PricedBlock(const Workload &workload, BlockIndex index,
                         const KernelTimes &kernels)
    : workload(workload), block(workload.blocks[index]), kernels(kernels),
      structure(std::make_shared<BlockStructure>(block)),
      launches(workload, index, kernels),
      recomputed(RecomputedOps::withInputs(
          block, kernels.profile().recomputeStopsEarly)),
      productType(workload.computeType), opBegins{0} {
  if (kernels.profile().selectiveKeepsProducts)
    selective =
        RecomputedOps::withProducts(block, kernels.profile().fusedAttention);
  int64_t count = 0;
  for (const Segment &segment : workload.segments)
    count += segment.block == index ? segment.count : 0;
  if (bitsOf(productType) < 16 && count == 1)
    productType = ElementType::BF16;
  products = kernels.productRates(productType);
  for (const Op &op : block.ops)
    opBegins.push_back(opBegins.back() + op.factors.size() + 1);
}

bool PricedBlock::isIn(OpIndex op, BlockPart part, bool countPositions) const {
  return block.ops[op].seesExperts() == (part == BlockPart::Experts) &&
         structure->countsPositions[op] == countPositions;
}

UnitCostModel::UnitCostModel(const Workload &workload, BlockIndex index,
                             UnitSetting setting, const KernelTimes &kernels,
                             const CollectiveTimes &collectives)
    : UnitCostModel(std::make_shared<PricedBlock>(workload, index, kernels),
                    std::move(setting), collectives,
                    std::make_shared<KnownExchanges>()) {}

UnitCostModel::UnitCostModel(std::shared_ptr<const PricedBlock> block,
                             UnitSetting givenSetting,
                             const CollectiveTimes &collectives,
                             std::shared_ptr<KnownExchanges> exchanges)
    : shared(std::move(block)), workload(shared->workload),
      priced(shared->block), kernels(shared->kernels),
      recomputed(shared->recomputed), selective(shared->selective),
      setting(std::move(givenSetting)), collectives(collectives),
      exchanges(std::move(exchanges)), blockShapes(shared->structure, setting),
      pricedChanges(priced.tensors.size()),
      opPlaces(shared->opBegins.back(), unpriced) {}

const UnitCosts &UnitCostModel::op(OpIndex index, OpSplit split) const {
  size_t unsplit = priced.ops[index].factors.size();
  uint32_t &place = opPlaces[shared->opBegins[index] +
                             (split.factor ? *split.factor : unsplit)];
  if (place == unpriced) {
    place = uint32_t(opCosts.size());
    opCosts.push_back(priceOp(index, split));
  }
  return opCosts[place];
}

namespace {

/// The least `time(path)`; nothing goes over no path.
template <typename Time>
Nanoseconds leastOf(const PathChoice &choice, Time time) {
  if (choice.paths().empty())
    return {};
  return std::ranges::min(choice.paths() | std::views::transform(time));
}

} // namespace

Nanoseconds UnitCostModel::collective(CollectiveOp op, const PathChoice &choice,
                                      Bytes bytes) const {
  return exchanges->time(choice, op, KnownExchanges::Part::All, bytes, [&] {
    return leastOf(choice, [&](const GroupPath &path) {
      return collectives.time(op, path, bytes).time;
    });
  });
}

Nanoseconds UnitCostModel::tensorCollective(CollectiveOp op,
                                            Bytes bytes) const {
  const PathChoice &choice = setting.tensorPath;
  return exchanges->time(choice, op, KnownExchanges::Part::Exposed, bytes, [&] {
    return leastOf(choice, [&](const GroupPath &path) {
      return scaled(collectives.time(op, path, bytes).time, tensorShare(path));
    });
  });
}

Nanoseconds UnitCostModel::leastOps(BlockPart part, bool countPositions) const {
  Nanoseconds sum;
  for (OpIndex i = 0; i < priced.ops.size(); ++i) {
    if (!shared->isIn(i, part, countPositions))
      continue;
    Nanoseconds least = Nanoseconds::saturated();
    for (OpSplit split : blockShapes.splits(i)) {
      const UnitCosts &costs = op(i, split);
      least = std::min(least, costs.forward + costs.backwardInput +
                                  costs.backwardWeight +
                                  costs.forwardCommunication.total() +
                                  costs.backwardCommunication.total());
    }
    sum += least;
  }
  return sum;
}

UnitCosts UnitCostModel::price(const BlockLayout &layout) const {
  UnitCosts sum;
  std::vector<ReadingSet> readings(priced.tensors.size());
  for (OpIndex i = 0; i < priced.ops.size(); ++i) {
    const Op &op = priced.ops[i];
    OpSplit split = layout.ops[i];
    sum += this->op(i, split);
    for (unsigned j = 0; j < op.results.size(); ++j) {
      TensorIndex tensor = op.results[j].tensor;
      sum += store(tensor, blockShapes.resultLayout(i, split, j),
                   layout.tensors[tensor]);
    }
    for (unsigned j = 0; j < op.operands.size(); ++j)
      readings[op.operands[j].tensor].insert(blockShapes.reading(i, split, j));
  }
  for (TensorIndex i = 0; i < priced.tensors.size(); ++i) {
    sum += read(i, layout.tensors[i], readings[i]);
    sum += hold(i, layout.tensors[i]);
  }
  return launches().finish(sum);
}

} // namespace shardsmith
