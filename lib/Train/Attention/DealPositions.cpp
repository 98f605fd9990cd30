// SPDX-License-Identifier: Apache-2.0
//
// From the begin of a causal sequence a query sees few keys, at its end nearly
// all. So each rank of a ring gets positions of both:
//
//     position   0 1 2 3 4 5 6 7 8 9 10 11        three ranks
//     order      0 1 10 11 | 2 3 8 9 | 4 5 6 7
//
// The other order begins where values are made by their numbers; activations
// are made in it, and stay in it (PositionOrder.h).

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Train/Attention.h"
#include "shardsmith/Train/Passes.h"
#include "shardsmith/Transforms/PositionOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_DEALPOSITIONS
#include "shardsmith/Train/Passes.h.inc"

namespace {

unsigned positionDim(smith::AttentionOp op) {
  return cast<RankedTensorType>(op.getQuery().getType()).getRank() - 2;
}

int64_t positionsOf(smith::AttentionOp op) {
  return cast<RankedTensorType>(op.getQuery().getType())
      .getDimSize(positionDim(op));
}

PositionPart queryPart(smith::AttentionOp op) {
  return {positionDim(op), 1, positionsOf(op)};
}

/// Over how many ranks a ring goes; nothing if that cannot be said.
std::optional<int64_t> ranksOf(smith::AttentionOp op) {
  auto axes =
      op->getAttrOfType<smith::FactorAxesAttr>(smith::kFactorAxesAttributeName);
  auto meshes = op->getParentOfType<ModuleOp>().getOps<sdy::MeshOp>();
  unsigned factor = positionDim(op);
  if (!axes || axes.getFactors().size() <= factor || meshes.empty())
    return std::nullopt;
  int64_t ranks = 1;
  for (auto name : axes.getFactors()[factor].getAsRange<StringAttr>())
    for (sdy::MeshAxisAttr axis : (*meshes.begin()).getMesh().getAxes())
      if (axis.getName() == name.getValue())
        ranks *= axis.getSize();
  return ranks;
}

/// Brings values into the order of `ranks` ranks.
class Dealer {
public:
  explicit Dealer(int64_t ranks) : ranks(ranks) {}

  void deal(const PositionOrder::Read &read) {
    Value from = read.use->get();
    auto [entry, isNew] =
        dealt.try_emplace({from.getAsOpaquePointer(), read.part});
    if (isNew)
      entry->second = inOrder(from, read.part);
    read.use->set(entry->second);
  }

private:
  /// Behind what makes the value, its elements along a part in the order.
  Value inOrder(Value value, PositionPart part) {
    auto type = cast<RankedTensorType>(value.getType());
    ImplicitLocOpBuilder builder(value.getLoc(), value.getContext());
    builder.setInsertionPointAfterValue(value);
    TensorValue places = placesOf(builder, type.getDimSize(part.dim), part);
    if (value.getDefiningOp<stablehlo::IotaOp>())
      return convert(broadcastInDim(places, type.getShape(), {part.dim}),
                     type.getElementType());
    SmallVector<int64_t> sizes(type.getShape()), kept;
    sizes[part.dim] = 1;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != part.dim)
        kept.push_back(dim);
    auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
        builder.getContext(), /*offsetDims=*/kept,
        /*collapsedSliceDims=*/{int64_t(part.dim)},
        /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
        /*startIndexMap=*/{int64_t(part.dim)}, /*indexVectorDim=*/1);
    return stablehlo::GatherOp::create(builder, type, value, places.value(),
                                       numbers, sizes,
                                       /*indices_are_sorted=*/false);
  }

  /// Of each element along a dimension the place that it comes from: with 2h
  /// positions per rank, of which `at` are before it on rank r,
  ///
  ///     r·h + at   in the first half, else   size − (r + 2)·h + at
  TensorValue placesOf(ImplicitLocOpBuilder &builder, int64_t length,
                       PositionPart part) const {
    using enum stablehlo::ComparisonDirection;
    auto type = RankedTensorType::get({length}, builder.getI32Type());
    int64_t ofHalf = part.size / ranks / 2;
    auto half = double(ofHalf);
    TensorValue index = iota(builder, type, 0);
    TensorValue position = part.inner == 1 ? index : index / double(part.inner);
    if (position.shape().front() != part.size * part.inner)
      position = remainder(position, part.size);
    TensorValue rank = position / (2 * half);
    TensorValue at = position - rank * (2 * half);
    TensorValue first = rank * half + at;
    TensorValue second = at - (rank * half - double(part.size - 2 * half));
    TensorValue place = select(compare(at, LT, half), first, second);
    return part.inner == 1 && length == part.size
               ? place
               : index + (place - position) * double(part.inner);
  }

  static TensorValue remainder(TensorValue value, int64_t divisor) {
    return {value.builder(),
            stablehlo::RemOp::create(value.builder(), value.value(),
                                     value.filled(double(divisor)).value())};
  }

  int64_t ranks;
  std::map<std::pair<void *, PositionPart>, Value> dealt;
};

} // namespace

std::string dealPositions(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return {};
  std::optional<int64_t> ranks;
  PositionOrder order(module);
  bool isCausal = false;
  for (auto op : main.getBody().front().getOps<smith::AttentionOp>()) {
    if (!op.getRing() || !op.getCausal())
      continue;
    std::optional<int64_t> here = ranksOf(op);
    if (!here || (ranks && *ranks != *here))
      return "the ranks of rings are not the same everywhere";
    if (positionsOf(op) % (2 * *here) != 0)
      return llvm::formatv("{0} positions are not two equal parts for each of "
                           "{1} ranks",
                           positionsOf(op), *here)
          .str();
    ranks = here;
    isCausal = true;
    order.reorder(op.getQueryMutable(), queryPart(op));
  }
  if (!isCausal || *ranks == 1)
    return {};
  if (std::string obstacle = order.follow(); !obstacle.empty())
    return obstacle;
  order.putInZigzag(*ranks);
  Dealer dealer(*ranks);
  for (const PositionOrder::Read &read : order.reads())
    dealer.deal(read);
  return {};
}

namespace {

struct DealPositionsPass : impl::DealPositionsBase<DealPositionsPass> {
  using DealPositionsBase::DealPositionsBase;

  void runOnOperation() override {
    std::string reason = dealPositions(getOperation());
    if (!reason.empty())
      getOperation().emitRemark("positions stay in the order of the sequence: ")
          << reason;
  }
};

} // namespace
} // namespace shardsmith
