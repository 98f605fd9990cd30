// SPDX-License-Identifier: Apache-2.0
//
// Of an all-to-all between the ranks of tokens and those of experts, only the
// slots in use need to travel:
//
//     rows ──pack──▶ [parts, samples, …] ──all_to_all──▶ [1, all samples, …]
//     rows ◀─unpack─ [parts, samples, …] ◀──all_to_all── [1, all samples, …]
//
// How many there are is in `ends` on the ranks of tokens; an all-to-all of
// these few numbers, in the same layout, tells the ranks of experts.

#include "shardsmith/Partition/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_EXCHANGEEXACTROWS
#include "shardsmith/Partition/Passes.h.inc"

namespace {

/// Whether the op does the same with every slot, in use or not, and leaves it
/// where it is: converts it, or brings its columns together.
bool treatsSlotsAlike(Operation *op) {
  constexpr uint64_t columns = 3;
  if (auto gather = dyn_cast<smith::AllGatherOp>(op))
    return gather.getDim() == columns;
  if (auto scatter = dyn_cast<smith::ReduceScatterOp>(op))
    return scatter.getDim() == columns;
  return isa<stablehlo::ConvertOp, smith::AllReduceOp>(op);
}

/// The value before such ops and barriers.
Value origin(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (treatsSlotsAlike(op))
      value = op->getOperand(0);
    else if (isa<stablehlo::OptimizationBarrierOp>(op))
      value = op->getOperand(cast<OpResult>(value).getResultNumber());
    else
      break;
  }
  return value;
}

/// Where the rows are that an exchange sends or brings back; null if it is no
/// exchange of rows.
smith::PlaceRowsOp placementOf(smith::AllToAllOp exchange, bool toExperts) {
  Value slots;
  if (toExperts) {
    if (auto pack =
            origin(exchange.getInput()).getDefiningOp<smith::PackRowsOp>())
      slots = pack.getSlots();
  } else {
    Value result = exchange.getResult();
    while (result.hasOneUse() && treatsSlotsAlike(*result.getUsers().begin()))
      result = (*result.getUsers().begin())->getResult(0);
    if (!result.hasOneUse())
      return {};
    if (auto unpack = dyn_cast<smith::UnpackRowsOp>(*result.getUsers().begin());
        unpack && unpack.getPacked() == result)
      slots = unpack.getSlots();
  }
  return slots ? origin(slots).getDefiningOp<smith::PlaceRowsOp>()
               : smith::PlaceRowsOp();
}

class RowExchanges {
public:
  void visit(smith::AllToAllOp exchange) {
    bool toExperts =
        exchange.getSplitDim() == 0 && exchange.getConcatDim() == 1;
    bool toTokens = exchange.getSplitDim() == 1 && exchange.getConcatDim() == 0;
    if (!toExperts && !toTokens)
      return;
    smith::PlaceRowsOp place = placementOf(exchange, toExperts);
    if (!place)
      return;
    ArrayRef<int64_t> here =
        shapeOf(toExperts ? exchange.getInput() : exchange.getResult());
    ArrayRef<int64_t> there =
        shapeOf(toExperts ? exchange.getResult() : exchange.getInput());
    Value ends = place.getEnds();
    // All parts and exactly the samples that were placed here.
    if (here.size() != 4 || here.take_front(2) != shapeOf(ends).take_front(2) ||
        here[2] != int64_t(place.getCount()))
      return;
    ImplicitLocOpBuilder builder(exchange.getLoc(), exchange);
    Value received = endsAtExperts(place, exchange.getAxes(), there);
    int64_t samples = here[1], rows = shapeOf(place.getSlots())[1];
    int64_t expected = samples * std::min(rows, here[0] * here[2]);
    auto exact = smith::ExchangeRowsOp::create(
        builder, exchange.getType(), exchange.getInput(),
        toExperts ? ends : received, toExperts ? received : ends,
        exchange.getAxes(), expected);
    for (NamedAttribute mark : exchange->getDiscardableAttrs())
      exact->setDiscardableAttr(mark.getName(), mark.getValue());
    exchange.getResult().replaceAllUsesWith(exact);
    exchange.erase();
  }

private:
  /// Right behind the placement, so that both passes can use it.
  Value endsAtExperts(smith::PlaceRowsOp place, ArrayAttr axes,
                      ArrayRef<int64_t> there) {
    Value ends = place.getEnds();
    SmallVector<int64_t> shape(there.take_front(2));
    shape.push_back(shapeOf(ends)[2]);
    for (Operation *user : ends.getUsers())
      if (auto known = dyn_cast<smith::AllToAllOp>(user);
          known && known.getSplitDim() == 0 && known.getConcatDim() == 1 &&
          known.getAxes() == axes &&
          shapeOf(known.getResult()) == ArrayRef(shape)) {
        // It may stand behind other exchanges that need it.
        known->moveAfter(place);
        return known.getResult();
      }
    OpBuilder builder(place);
    builder.setInsertionPointAfter(place);
    auto type = cast<RankedTensorType>(ends.getType()).clone(shape);
    auto moved =
        smith::AllToAllOp::create(builder, place.getLoc(), type, ends, axes,
                                  /*split_dim=*/0, /*concat_dim=*/1);
    for (NamedAttribute mark : place->getDiscardableAttrs())
      moved->setDiscardableAttr(mark.getName(), mark.getValue());
    return moved.getResult();
  }
};

struct ExchangeExactRowsPass
    : public impl::ExchangeExactRowsBase<ExchangeExactRowsPass> {
  void runOnOperation() override {
    SmallVector<smith::AllToAllOp> exchanges;
    getOperation().walk([&](smith::AllToAllOp op) { exchanges.push_back(op); });
    for (smith::AllToAllOp exchange : exchanges)
      RowExchanges().visit(exchange);
  }
};

} // namespace
} // namespace shardsmith
