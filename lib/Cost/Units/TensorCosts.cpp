// SPDX-License-Identifier: Apache-2.0
//
// What one tensor of a block costs: changes between the layout in which it is
// made, kept and read, and the memory it takes. Formulas: docs/step-time.md.

#include "../Scale.h"
#include "shardsmith/Cost/Units/UnitCosts.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;
using Kind = TensorLayout::Kind;

double UnitCostModel::tensorShare(const GroupPath &path) const {
  const StackProfile &profile = kernels.profile();
  double share = profile.tensorExposure;
  if (path.levels.size() > 1) {
    std::string_view outermost = path.levels.back().name;
    if (outermost == "network" || outermost == "interconnect")
      share *= profile.crossNodeTensorFactor;
  }
  return share;
}

UnitCostModel::PricedChange UnitCostModel::priceChange(TensorIndex tensor,
                                                       TensorLayout from,
                                                       TensorLayout to) const {
  int64_t ranks = setting.tensor;
  Bytes whole = blockShapes.bytes(tensor, TensorLayout::whole());
  auto by = [&](CollectiveOp op, Bytes bytes, int64_t passes) {
    return PricedChange{from,
                        to,
                        {.op = op,
                         .bytes = bytes,
                         .time = tensorCollective(op, bytes),
                         .traffic = scaled(bytes, double(passes * (ranks - 1)) /
                                                      double(ranks))}};
  };
  if (from.kind == Kind::Partial && to.kind == Kind::Whole)
    return by(CollectiveOp::AllReduce, whole, 2);
  if (from.kind == Kind::Partial)
    return by(CollectiveOp::ReduceScatter, whole, 1);
  if (to.kind == Kind::Whole)
    return by(CollectiveOp::AllGather, whole, 1);
  return by(CollectiveOp::AllToAll, blockShapes.bytes(tensor, from), 1);
}

void UnitCostModel::change(TensorIndex tensor, TensorLayout from,
                           TensorLayout to, bool isBackward,
                           UnitCosts &costs) const {
  if (from == to || from.kind == Kind::Whole)
    return;
  std::vector<PricedChange> &known = pricedChanges[tensor];
  auto priced = std::ranges::find_if(known, [&](const PricedChange &other) {
    return other.from == from && other.to == to;
  });
  if (priced == known.end())
    priced = known.insert(known.end(), priceChange(tensor, from, to));
  add<UnitAxis::Tensor>(priced->exchange, isBackward, costs);
}

UnitCosts UnitCostModel::store(TensorIndex tensor, TensorLayout from,
                               TensorLayout kept) const {
  UnitCosts costs;
  if (priced.tensors[tensor].role != TensorRole::Activation)
    return costs;
  // Parts of a sum that nothing reads (the loss) stay parts.
  bool isRead =
      blockShapes.readerCount(tensor) > 0 || blockShapes.isOutput(tensor);
  if (!isRead && from.kind == Kind::Partial)
    return costs;
  size_t begin = listedCount();
  change(tensor, from, kept, /*isBackward=*/false, costs);
  auto repeat = [&](Recompute choice) {
    costs.recompute[size_t(choice)] = costs.forwardCommunication.tensor;
    if (listed)
      markRepeated(begin, choice);
  };
  if (recomputed.makes(tensor))
    repeat(Recompute::Full);
  if (selective && selective->makes(tensor)) {
    if (!keepsSum(tensor, from))
      repeat(Recompute::Selective);
    else if (!blockShapes.isOutput(tensor))
      costs.saved[size_t(Recompute::Selective)] =
          blockShapes.bytes(tensor, kept);
  }
  // Gradients of partial results are whole.
  TensorLayout gradient =
      from.kind == Kind::Partial ? TensorLayout::whole() : from;
  if (blockShapes.needsGradient(tensor))
    change(tensor, kept, gradient, /*isBackward=*/true, costs);
  return costs;
}

UnitCosts UnitCostModel::read(TensorIndex tensor, TensorLayout kept,
                              ReadingSet readings) const {
  UnitCosts costs;
  TensorRole role = priced.tensors[tensor].role;
  bool isParameter = role == TensorRole::Parameter;
  if ((role != TensorRole::Activation && !isParameter) || readings.empty())
    return costs;
  // A parameter held whole: every rank has the values, and the gradients of
  // all micro-batches are summed up before they are exchanged.
  if (isParameter && kept == TensorLayout::whole()) {
    if (!readings.hasPartialGradient() && readings.splitDims() == 0)
      return costs;
    int64_t elements = blockShapes.elements(tensor, kept);
    if (const auto &of = shared->sharing[tensor])
      costs.shared.push_back({*of, 0, 0, elements});
    else
      costs.partialParameters = elements;
    return costs;
  }
  bool hasGradient = blockShapes.needsGradient(tensor);
  size_t begin = listedCount();
  auto forward = [&](TensorLayout to) {
    change(tensor, kept, to, /*isBackward=*/false, costs);
  };
  auto backward = [&](TensorLayout from) {
    if (hasGradient)
      change(tensor, from, kept, /*isBackward=*/true, costs);
  };
  if (readings.readsWhole())
    forward(TensorLayout::whole());
  if (readings.hasPartialGradient())
    backward(TensorLayout::partial());
  uint32_t dims = readings.splitDims();
  for (unsigned dim = 0; dims >> dim != 0; ++dim) {
    if (!(dims >> dim & 1))
      continue;
    forward(TensorLayout::split(dim));
    backward(TensorLayout::split(dim));
  }
  auto repeat = [&](Recompute choice) {
    costs.recompute[size_t(choice)] = costs.forwardCommunication.tensor;
    if (listed)
      markRepeated(begin, choice);
  };
  if (recomputed.reads(tensor))
    repeat(Recompute::Full);
  if (selective && selective->reads(tensor))
    repeat(Recompute::Selective);
  return costs;
}

bool UnitCostModel::keepsSum(TensorIndex tensor, TensorLayout made) const {
  return made.kind == Kind::Partial && selective &&
         selective->isProduct(tensor);
}

UnitCosts UnitCostModel::hold(TensorIndex index, TensorLayout kept) const {
  UnitCosts costs;
  const Tensor &tensor = priced.tensors[index];
  if (tensor.role == TensorRole::Parameter) {
    int64_t elements = blockShapes.elements(index, kept);
    bool hasExperts = blockShapes.hasExperts(index);
    if (const auto &of = shared->sharing[index])
      costs.shared.push_back(
          {*of, hasExperts ? 0 : elements, hasExperts ? elements : 0, 0});
    else
      (hasExperts ? costs.expertParameters : costs.denseParameters) = elements;
    return costs;
  }
  if (tensor.role != TensorRole::Activation)
    return costs;

  Bytes bytes = blockShapes.bytes(index, kept);
  if (blockShapes.isOutput(index)) {
    // The next block has it among its own saved tensors.
    bool isScattered =
        kept.kind == Kind::Whole && kernels.profile().scatterGatherPipeline;
    costs.outputBytes =
        isScattered ? Bytes(ceilDivide(bytes.count(), setting.tensor)) : bytes;
    return costs;
  }
  bool isReadInput =
      blockShapes.isInput(index) && blockShapes.readerCount(index) > 0;
  if (isReadInput)
    costs.saved[size_t(Recompute::Full)] = bytes;
  if (selective && (isReadInput || selective->keeps(index)))
    costs.saved[size_t(Recompute::Selective)] = bytes;
  if (!tensor.savedForBackward)
    return costs;
  if (!tensor.insideAttention) {
    costs.saved[size_t(Recompute::None)] = bytes;
    if (!selective)
      costs.saved[size_t(Recompute::Selective)] = bytes;
  } else if (!kernels.profile().fusedAttention) {
    // Separate kernels keep the probabilities, what dropout leaves of them,
    // and its mask of one byte (arXiv:2205.05198, section 4.1).
    costs.saved[size_t(Recompute::None)] =
        bytes * 2 + Bytes(blockShapes.elements(index, kept));
  }
  return costs;
}

} // namespace shardsmith
