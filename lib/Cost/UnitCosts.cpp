// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/UnitCosts.h"
#include "Scale.h"

#include <algorithm>
#include <cmath>
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

UnitCostModel::UnitCostModel(const Workload &workload, BlockIndex index,
                             const UnitSetting &setting,
                             const KernelTimes &kernels,
                             const CollectiveTimes &collectives)
    : workload(workload), priced(workload.blocks[index]), setting(setting),
      kernels(kernels), collectives(collectives), blockShapes(priced, setting),
      recomputed(RecomputedOps::withInputs(
          priced, kernels.profile().recomputeStopsEarly)),
      pricedChanges(priced.tensors.size()), productType(workload.computeType) {
  if (kernels.profile().selectiveKeepsProducts)
    selective =
        RecomputedOps::withProducts(priced, kernels.profile().fusedAttention);
  int64_t count = 0;
  for (const Segment &segment : workload.segments)
    count += segment.block == index ? segment.count : 0;
  if (bitsOf(productType) < 16 && count == 1)
    productType = ElementType::BF16;
  // The host's time grows with the number of kernels it launches; the profile
  // gives it for the block that has most.
  size_t most = 1;
  for (const Block &other : workload.blocks)
    most = std::max(most, other.ops.size());
  double share = double(priced.ops.size()) / double(most);
  forwardFloor = scaled(kernels.layerFloor(), share);
  Nanoseconds perMixture(
      std::llround(kernels.profile().expertLayerMicroseconds * 1e3));
  forwardFloor +=
      perMixture * std::ranges::count(priced.ops, OpKind::Dispatch, &Op::kind);
  backwardFloor = scaled(forwardFloor, kernels.profile().layerBackwardRatio);
  forwardGaps = scaled(forwardFloor, kernels.profile().kernelGapRatio);
  backwardGaps = scaled(backwardFloor, kernels.profile().kernelGapRatio);
  size_t splits = 0;
  for (const Op &op : priced.ops) {
    opBegins.push_back(splits);
    splits += op.factors.size() + 1;
  }
  pricedOps.resize(splits);
}

const UnitCosts &UnitCostModel::op(OpIndex index, OpSplit split) const {
  size_t unsplit = priced.ops[index].factors.size();
  std::optional<UnitCosts> &costs =
      pricedOps[opBegins[index] + (split.factor ? *split.factor : unsplit)];
  if (!costs)
    costs = priceOp(index, split);
  return *costs;
}

template <typename Time>
Nanoseconds UnitCostModel::leastOf(CollectiveOp op, const PathChoice &choice,
                                   Bytes bytes, Time time) const {
  if (choice.paths.empty())
    return {};
  for (const PricedCollective &priced : pricedCollectives)
    if (priced.op == op && priced.choice == &choice && priced.bytes == bytes)
      return priced.time;
  Nanoseconds least =
      std::ranges::min(choice.paths | std::views::transform(time));
  pricedCollectives.push_back({op, &choice, bytes, least});
  return least;
}

Nanoseconds UnitCostModel::collective(CollectiveOp op, const PathChoice &choice,
                                      Bytes bytes) const {
  return leastOf(op, choice, bytes, [&](const GroupPath &path) {
    return collectives.time(op, path, bytes).time;
  });
}

Nanoseconds UnitCostModel::tensorCollective(CollectiveOp op,
                                            Bytes bytes) const {
  return leastOf(op, setting.tensorPath, bytes, [&](const GroupPath &path) {
    return scaled(collectives.time(op, path, bytes).time, tensorShare(path));
  });
}

namespace {

/// Of kernels on the device and their launches on the host: some kernels wait
/// for the host, some make it wait. Grows with both.
Nanoseconds combined(Nanoseconds device, Nanoseconds host) {
  if (host.count() <= 0 || device.isSaturated())
    return device;
  double longer = double(std::max(device, host).count());
  double shorter = double(std::min(device, host).count());
  double ratio = shorter / longer;
  return scaled(std::max(device, host), std::cbrt(1 + ratio * ratio * ratio));
}

} // namespace

// The host's time applies to forward and backward together, so that a layout
// with less time in all never ends up with more.
UnitCosts UnitCostModel::finish(UnitCosts sum) const {
  sum.forward += forwardGaps;
  sum.backwardInput += backwardGaps;
  Nanoseconds forward = sum.forward + sum.forwardCommunication.total();
  Nanoseconds both = forward + sum.backwardInput + sum.backwardWeight +
                     sum.backwardCommunication.total();
  if ((both + forward).isSaturated())
    return sum;
  Nanoseconds floor = forwardFloor + backwardFloor;
  Nanoseconds total = combined(both, floor);
  // The shorter pass waits first.
  Nanoseconds waits = total - both;
  Nanoseconds forwardWaits =
      std::clamp(forwardFloor - forward, Nanoseconds(0), waits);
  sum.forward += forwardWaits;
  sum.backwardInput += waits - forwardWaits;
  // Whether a pass is launched again, or attention alone.
  auto again = [&](Recompute choice, bool isPass) {
    Nanoseconds &time = sum.recompute[size_t(choice)];
    Nanoseconds device = isPass ? time + forwardGaps : time;
    Nanoseconds host = isPass ? floor + forwardFloor : floor;
    time = combined(both + device, host) - total;
  };
  again(Recompute::Selective, selective.has_value());
  again(Recompute::Full, true);
  return sum;
}

// Full recomputation adds its launches to a pass that does not wait for the
// host, and its kernels to one that does not make it wait; in between it adds
// at least the lesser of both.
UnitCosts UnitCostModel::finishLeast(UnitCosts least) const {
  UnitCosts finished = finish(least);
  if (finished == least)
    return least;
  constexpr Nanoseconds rounding(2);
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    Nanoseconds kernels = least.recompute[choice];
    if (Recompute(choice) == Recompute::Full)
      kernels += forwardGaps;
    least.recompute[choice] =
        std::max(std::min(finished.recompute[choice], kernels) - rounding,
                 Nanoseconds());
  }
  least.forward += forwardGaps;
  least.backwardInput += backwardGaps;
  return least;
}

Nanoseconds UnitCostModel::finished(Nanoseconds device) const {
  return combined(device + forwardGaps + backwardGaps,
                  forwardFloor + backwardFloor);
}

Nanoseconds UnitCostModel::longestDevice(Nanoseconds time) const {
  if (time.isSaturated())
    return time;
  auto cube = [](Nanoseconds each) {
    return std::pow(double(each.count()), 3);
  };
  double left =
      cube(time + Nanoseconds(1)) - cube(forwardFloor + backwardFloor);
  if (left < 0)
    return Nanoseconds(-1);
  return Nanoseconds(int64_t(std::cbrt(left) * (1 + 1e-12)) + 1) -
         (forwardGaps + backwardGaps);
}

double UnitCostModel::growth(Nanoseconds device, bool isLaunchedAgain) const {
  Nanoseconds launches = forwardFloor + backwardFloor;
  if (isLaunchedAgain)
    launches += forwardFloor;
  Nanoseconds busy = device + forwardGaps + backwardGaps;
  if (launches.count() <= 0)
    return 1;
  if (busy.count() <= 0)
    return 0;
  double ratio = double(launches.count()) / double(busy.count());
  return std::pow(1 + ratio * ratio * ratio, -2.0 / 3);
}

Nanoseconds UnitCostModel::leastOps() const {
  Nanoseconds sum;
  for (OpIndex i = 0; i < priced.ops.size(); ++i) {
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
  return finish(sum);
}

} // namespace shardsmith
