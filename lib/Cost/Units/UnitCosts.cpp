// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Units/UnitCosts.h"
#include "../Scale.h"

#include <algorithm>
#include <ranges>

namespace shardsmith {

using namespace workload;

void addParameters(int64_t &sum, int64_t each, int64_t count) {
  int64_t product;
  if (__builtin_mul_overflow(each, count, &product) ||
      __builtin_add_overflow(sum, product, &sum))
    sum = std::numeric_limits<int64_t>::max();
}

SharedParameters parametersOfUnit(const UnitCosts &unit) {
  SharedParameters sum{
      {}, unit.denseParameters, unit.expertParameters, unit.partialParameters};
  for (const SharedParameters &each : unit.shared) {
    addParameters(sum.dense, each.dense);
    addParameters(sum.expert, each.expert);
    addParameters(sum.partial, each.partial);
  }
  return sum;
}

namespace {

void addShared(std::vector<SharedParameters> &sums,
               const SharedParameters &other) {
  auto place = std::ranges::lower_bound(
      sums, other.of.group, {},
      [](const SharedParameters &each) { return each.of.group; });
  if (place == sums.end() || place->of.group != other.of.group) {
    sums.insert(place, other);
    return;
  }
  addParameters(place->dense, other.dense);
  addParameters(place->expert, other.expert);
  addParameters(place->partial, other.partial);
}

} // namespace

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
  addParameters(denseParameters, other.denseParameters);
  addParameters(expertParameters, other.expertParameters);
  addParameters(partialParameters, other.partialParameters);
  for (const SharedParameters &each : other.shared)
    addShared(shared, each);
  outputBytes += other.outputBytes;
  traffic += other.traffic;
  return *this;
}

UnitCosts operator+(const UnitCosts &a, const UnitCosts &b) {
  UnitCosts sum = a;
  return sum += b;
}

PricedBlock::PricedBlock(const Workload &workload, BlockIndex index,
                         const ParameterSharing &allSharing,
                         const KernelTimes &kernels, const BlockSplits &splits)
    : workload(workload), block(workload.blocks[index]), kernels(kernels),
      structure(std::make_shared<BlockStructure>(block, splits)),
      sharing(block.tensors.size()), launches(workload, index, kernels),
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
  for (size_t i = 0; i < block.parameters.size(); ++i)
    sharing[block.parameters[i]] = allSharing[index][i];
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
    : UnitCostModel(std::make_shared<PricedBlock>(
                        workload, index, sharedParameters(workload), kernels),
                    std::move(setting), collectives,
                    std::make_shared<ExchangeCache>()) {}

UnitCostModel::UnitCostModel(std::shared_ptr<const PricedBlock> block,
                             UnitSetting givenSetting,
                             const CollectiveTimes &collectives,
                             std::shared_ptr<ExchangeCache> exchanges)
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
  return exchanges->time(choice, op, ExchangeCache::Part::All, bytes, [&] {
    return leastOf(choice, [&](const GroupPath &path) {
      return collectives.time(op, path, bytes).time;
    });
  });
}

Nanoseconds UnitCostModel::tensorCollective(CollectiveOp op,
                                            Bytes bytes) const {
  const PathChoice &choice = setting.paths.tensor;
  return exchanges->time(choice, op, ExchangeCache::Part::Exposed, bytes, [&] {
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
                                  costs.forwardCommunication.sum() +
                                  costs.backwardCommunication.sum());
    }
    sum += least;
  }
  return sum;
}

// A split leaves a rank no less than an even part.
std::vector<SharedParameters> UnitCostModel::leastShared() const {
  std::vector<SharedParameters> least = mostShared();
  for (SharedParameters &each : least) {
    each.dense = ceilDivide(each.dense, setting.tensor);
    each.expert = ceilDivide(each.expert, setting.tensor);
    each.partial = 0;
  }
  return least;
}

std::vector<SharedParameters> UnitCostModel::mostShared() const {
  std::vector<SharedParameters> most;
  for (TensorIndex tensor : priced.parameters)
    for (SharedParameters each : hold(tensor, TensorLayout::whole()).shared) {
      each.partial = std::max(each.dense, each.expert);
      addShared(most, each);
    }
  return most;
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
