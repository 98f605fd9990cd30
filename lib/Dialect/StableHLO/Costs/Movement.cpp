// SPDX-License-Identifier: Apache-2.0
//
// Ops that make or move elements without arithmetic.

#include "Costs.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

template <typename OpTy> OpWork freeWork(OpTy, Types, Types) {
  OpWork work;
  work.kind = OpWork::Kind::Free;
  return work;
}

/// Every operand element is read once.
template <typename OpTy> OpWork moveWork(OpTy, Types operands, Types results) {
  return readAndWrite(OpWork::Kind::Elementwise, operands, results);
}

/// Only as much of the operand is read as the result holds.
template <typename OpTy> OpWork cutWork(OpTy, Types operands, Types results) {
  OpWork work;
  work.kind = OpWork::Kind::Elementwise;
  work.read = work.written = bytesOf(results);
  return work;
}

/// Rows are fetched by index: as many bytes as the result has, and the
/// indices.
OpWork gatherWork(GatherOp, Types operands, Types results) {
  OpWork work;
  work.kind = OpWork::Kind::Standalone;
  work.read = bytesOf(results) + bytesOf(operands[1]);
  work.written = bytesOf(results);
  return work;
}

/// The inputs are copied to the results; then updates are read, and combined
/// with what is there.
OpWork scatterWork(ScatterOp op, Types operands, Types results) {
  size_t inputs = results.size();
  OpWork work;
  work.kind = OpWork::Kind::Standalone;
  Bytes updates = bytesOf(operands.drop_front(inputs + 1));
  work.read = bytesOf(operands.take_front(inputs)) + bytesOf(operands[inputs]) +
              updates + updates;
  work.written = bytesOf(results) + updates;
  for (RankedTensorType update : operands.drop_front(inputs + 1))
    work.flops += elementsOf(update);
  return work;
}

/// The operand is copied, except where it is replaced.
OpWork dynamicUpdateSliceWork(DynamicUpdateSliceOp, Types operands,
                              Types results) {
  OpWork work;
  work.kind = OpWork::Kind::Elementwise;
  work.read = work.written = bytesOf(results);
  return work;
}

template <typename... OpTys> void attachFree(MLIRContext *context) {
  (WorkModel<OpTys, freeWork<OpTys>>::attach(context), ...);
}
template <typename... OpTys> void attachMove(MLIRContext *context) {
  (WorkModel<OpTys, moveWork<OpTys>>::attach(context), ...);
}
template <typename... OpTys> void attachCut(MLIRContext *context) {
  (WorkModel<OpTys, cutWork<OpTys>>::attach(context), ...);
}

} // namespace

void attachMovementCosts(MLIRContext *context) {
  attachFree<ConstantOp, OptimizationBarrierOp, ReshapeOp>(context);
  attachMove<BroadcastInDimOp, ConcatenateOp, IotaOp, PadOp, ReverseOp,
             TransposeOp>(context);
  attachCut<DynamicSliceOp, SliceOp>(context);
  WorkModel<DynamicUpdateSliceOp, dynamicUpdateSliceWork>::attach(context);
  WorkModel<GatherOp, gatherWork>::attach(context);
  WorkModel<ScatterOp, scatterWork>::attach(context);
}

} // namespace shardsmith::stablehlo
