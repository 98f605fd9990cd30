// SPDX-License-Identifier: Apache-2.0
//
// The parts that rows have on the ranks of experts: how a value gets them, what
// a rank's own experts and matrices are, and how parts become one again.

#include "SortedRows.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith {
namespace {

using stablehlo::ComparisonDirection;

} // namespace

Value SortedRows::spread(ImplicitLocOpBuilder &builder, Value value) {
  if (partRows == PartRows::Exchanged)
    return pack(builder, value);
  TensorValue tensor(builder, value);
  SmallVector<int64_t> shape{ranks.count};
  llvm::append_range(shape, tensor.shape());
  if (partRows == PartRows::OfExperts) {
    shape[1] = slotCount();
    return spreadToSlots(tensor, shape);
  }
  auto dims = llvm::to_vector(llvm::seq<int64_t>(1, tensor.rank() + 1));
  Value result = broadcastInDim(tensor, shape, dims);
  keepOnRanks(result);
  return result;
}

/// A slot of expert e has the token's row for e if the token has chosen e, and
/// zeros if not. What is equal in all rows of a token is in all its slots.
Value SortedRows::spreadToSlots(TensorValue tensor, ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder &builder = tensor.builder();
  int64_t tokens = rowCount / choices;
  SmallVector<int64_t> bySlot(shape);
  bySlot[1] = slotCount() / tokens;
  bySlot.insert(bySlot.begin() + 1, tokens);
  auto finish = [&](TensorValue value) -> Value {
    Value result = reshape(value, shape);
    keepOnRanks(result);
    return result;
  };
  /// Dimensions of the result that those of a value behind its rows become.
  auto behind = [&](int64_t first, int64_t rank) {
    return llvm::to_vector(llvm::seq<int64_t>(first, first + rank));
  };
  int64_t rest = tensor.rank() - 1;
  if (Value table = repeated.lookup(tensor.value())) {
    SmallVector<int64_t> dims{1};
    llvm::append_range(dims, behind(3, rest));
    return finish(broadcastInDim({builder, table}, bySlot, dims));
  }
  auto broadcast = tensor.value().getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (broadcast) {
    ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
    TensorValue operand(builder, broadcast.getOperand());
    SmallVector<int64_t> moved;
    if (!dims.empty() && dims[0] == 0 && operand.shape()[0] == rowCount) {
      operand = {builder, spread(builder, operand)};
      moved = {0};
    }
    for (int64_t dim : dims)
      moved.push_back(dim + 1);
    Value result = broadcastInDim(operand, shape, moved);
    keepOnRanks(result);
    return result;
  }
  SmallVector<int64_t> byChoice(bySlot);
  byChoice.insert(byChoice.begin() + 3, choices);
  SmallVector<int64_t> rows{tokens, choices};
  llvm::append_range(rows, tensor.shape().drop_front());
  SmallVector<int64_t> dims{1, 3};
  llvm::append_range(dims, behind(4, rest));
  TensorValue each = broadcastInDim(reshape(tensor, rows), byChoice, dims);
  TensorValue mask =
      broadcastInDim({builder, isChosen}, byChoice, {0, 1, 2, 3});
  return finish(sum(select(mask, each, each.filled(0.0)), {3}));
}

SmallVector<int64_t> SortedRows::spreadShape(ArrayRef<int64_t> rows) const {
  SmallVector<int64_t> shape{ranks.count};
  if (partRows == PartRows::Exchanged) {
    shape.append({ranks.samples, slotsPerSample});
    llvm::append_range(shape, rows.drop_front());
    return shape;
  }
  llvm::append_range(shape, rows);
  if (partRows == PartRows::OfExperts)
    shape[1] = slotCount();
  return shape;
}

/// What is the same in all rows, for all rows of all parts.
Value SortedRows::spreadSame(ImplicitLocOpBuilder &builder, Value value) {
  SmallVector<int64_t> shape = spreadShape(typeOf(value).getShape());
  Value result;
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    SmallVector<int64_t> dims;
    int64_t more = int64_t(shape.size()) - typeOf(value).getRank();
    for (int64_t dim : broadcast.getBroadcastDimensions())
      dims.push_back(dim + more);
    result = broadcastInDim({builder, broadcast.getOperand()}, shape, dims);
  } else {
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    RankedTensorType type = typeOf(value).clone(shape);
    return stablehlo::ConstantOp::create(
        builder,
        DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  }
  keepOnRanks(result);
  return result;
}

/// The part of a rank is on that rank. How the other dimensions are split is
/// left open, or said of the next one: then no other is split.
void SortedRows::keepOnRanks(Value value,
                             std::optional<ArrayRef<std::string>> next) {
  auto module = sort->getParentOfType<ModuleOp>();
  auto meshes = module.getOps<sdy::MeshOp>();
  if (ranks.axes.empty() || meshes.empty())
    return;
  MLIRContext *context = value.getContext();
  auto over = [&](ArrayRef<std::string> names, bool isClosed) {
    SmallVector<sdy::AxisRefAttr> axes;
    for (const std::string &name : names)
      axes.push_back(sdy::AxisRefAttr::get(context, name));
    return sdy::DimensionShardingAttr::get(context, axes, isClosed);
  };
  SmallVector<sdy::DimensionShardingAttr> dims{over(ranks.axes, true)};
  for (int64_t dim = 1; dim < typeOf(value).getRank(); ++dim)
    dims.push_back(over(dim == 1 && next ? *next : ArrayRef<std::string>(),
                        next.has_value()));
  auto sharding = sdy::TensorShardingAttr::get(
      context, FlatSymbolRefAttr::get((*meshes.begin()).getSymNameAttr()), dims,
      /*replicatedAxes=*/{}, /*unreducedAxes=*/{}, ReductionKind::Sum);
  value.getDefiningOp()->setAttr(
      sdy::kShardingAttributeName,
      sdy::TensorShardingPerValueAttr::get(context, sharding));
}

Value SortedRows::expertsOfRanks(ImplicitLocOpBuilder &builder,
                                 int64_t expertCount) {
  Value &kept = ownExperts[expertCount];
  if (kept)
    return kept;
  TensorValue numbers = numbersOf(builder, expertCount);
  if (ranks.count == 1)
    return kept = numbers;
  if (partRows == PartRows::Exchanged)
    return kept = placeRows(numbers);
  if (partRows == PartRows::OfExperts)
    return kept = expertsOfSlots(numbers);
  TensorValue all(builder, spread(builder, numbers));
  TensorValue first =
      iota(builder, all.type(), 0) * double(perRank(expertCount));
  kept = all - first;
  keepOnRanks(kept);
  return kept;
}

/// A slot's number is that of its expert if its token has chosen it.
Value SortedRows::expertsOfSlots(TensorValue numbers) {
  ImplicitLocOpBuilder &builder = numbers.builder();
  int64_t tokens = rowCount / choices, own = slotCount() / tokens;
  SmallVector<int64_t> byChoice{ranks.count, tokens, own, choices};
  RankedTensorType type = numbers.type().clone(byChoice);
  TensorValue each =
      broadcastInDim(reshape(numbers, {tokens, choices}), byChoice, {1, 3});
  TensorValue first = iota(builder, type, 0) * double(own);
  TensorValue expert = first + iota(builder, type, 2);
  isChosen = compare(each, ComparisonDirection::EQ, expert);
  keepOnRanks(isChosen);
  TensorValue count =
      sum(convert(TensorValue(builder, isChosen), builder.getI32Type()), {3});
  TensorValue isTaken = compare(count, ComparisonDirection::GT, 0.0);
  TensorValue slot = iota(builder, count.type(), 2);
  Value result = reshape(select(isTaken, slot, count.filled(-1.0)),
                         {ranks.count, tokens * own});
  keepOnRanks(result);
  return result;
}

int64_t SortedRows::slotCount() const {
  return rowCount / choices * expertsPerRank;
}

int64_t SortedRows::perRank(int64_t experts) const {
  return (experts + ranks.count - 1) / ranks.count;
}

/// `[experts, …]` as `[ranks, experts of a rank, …]`. The last ranks have fewer
/// where sizes do not divide: no row names the matrices that fill them up.
TensorValue SortedRows::matricesOfRanks(TensorValue matrices) {
  ImplicitLocOpBuilder &builder = matrices.builder();
  SmallVector<int64_t> shape(matrices.shape());
  int64_t own = perRank(shape[0]), missing = ranks.count * own - shape[0];
  if (missing > 0) {
    SmallVector<int64_t> none(shape.size(), 0), high(none);
    high[0] = missing;
    shape[0] += missing;
    matrices = {builder, stablehlo::PadOp::create(
                             builder, matrices.type().clone(shape), matrices,
                             scalar(builder, matrices.elementType(), 0.0), none,
                             high, none)};
  }
  shape[0] = own;
  shape.insert(shape.begin(), ranks.count);
  return reshape(matrices, shape);
}

/// Null where the parts have slots instead of rows.
Value SortedRows::whole(ImplicitLocOpBuilder &builder, const Row &row) {
  if (!row.isSpread)
    return row.value;
  if (partRows == PartRows::Exchanged)
    return unpack(builder, row.value);
  if (partRows == PartRows::OfExperts)
    return {};
  return sum(TensorValue(builder, byTokens(builder, row, rowCount)), {0});
}

/// Parts whose foreign rows are not zero are masked first.
Value SortedRows::byTokens(ImplicitLocOpBuilder &builder, const Row &row,
                           int64_t tokens) {
  TensorValue value(builder, row.value);
  if (row.isSpread && !row.isZeroElsewhere) {
    int64_t count = perRank(ownExperts.begin()->first);
    TensorValue own(builder, ownExperts.begin()->second);
    TensorValue isOwn = compare(own, ComparisonDirection::GE, 0.0) &
                        compare(own, ComparisonDirection::LT, double(count));
    TensorValue mask = broadcastInDim(isOwn, value.shape(), {0, 1});
    value = select(mask, value, value.filled(0.0));
  }
  size_t rowDim = row.isSpread ? 1 : 0;
  if (tokens == value.shape()[rowDim])
    return value;
  SmallVector<int64_t> shape(value.shape());
  shape[rowDim] /= tokens;
  shape.insert(shape.begin() + rowDim, tokens);
  return reshape(value, shape);
}

} // namespace shardsmith
