// SPDX-License-Identifier: Apache-2.0
//
// Rows of tokens on their way to the ranks of their experts and back.

#include "ProgramEmitter.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::cpu {
Value ProgramEmitter::rowsDescriptor(const smith_rows &rows) {
  return runtime.descriptor("rows_" + Twine(rowsCount++), rows);
}

void ProgramEmitter::emitPlaceRows(smith::PlaceRowsOp op) {
  ArrayRef<int64_t> experts = shapeOf(op.getExperts());
  ArrayRef<int64_t> ends = shapeOf(op.getEnds());
  smith_rows rows = {};
  rows.samples = experts[0];
  rows.rows = experts[1];
  rows.parts = ends[0];
  rows.experts = ends[2];
  rows.count = static_cast<int64_t>(op.getCount());
  runtime.call("smith_place_rows_run",
               {frame.context, rowsDescriptor(rows), addressOf(op.getExperts()),
                addressOf(op.getSlots()), addressOf(op.getEnds())});
}

void ProgramEmitter::emitMoveRows(Operation *op, const char *function,
                                  Value rows, Value packed, Value slots) {
  ArrayRef<int64_t> rowShape = shapeOf(rows), packedShape = shapeOf(packed);
  smith_rows shape = {};
  shape.samples = rowShape[0];
  shape.rows = rowShape[1];
  shape.parts = packedShape[0];
  shape.count = packedShape[2];
  shape.row_bytes = rowShape[2] * storageBytes(getElementTypeOrSelf(rows));
  runtime.call(function, {frame.context, rowsDescriptor(shape),
                          addressOf(op->getOperand(0)), addressOf(slots),
                          addressOf(op->getResult(0))});
}

/// Of ranks with copies of the same rows, the first one counts.
void ProgramEmitter::emitLimitRows(smith::LimitRowsOp op) {
  ArrayRef<int64_t> experts = shapeOf(op.getExperts());
  smith_rows rows = {};
  rows.samples = experts[0];
  rows.rows = experts[1];
  rows.count = static_cast<int64_t>(op.getCapacity());
  rows.experts = static_cast<int64_t>(op.getAmong());
  rows.zigzag = static_cast<int64_t>(op.getZigzag().value_or(0));
  Value counts = runtime.integer32(op.getCounts() ? 1 : 0);
  if (op.getCounts() && op.getCopies()) {
    Value rank =
        runtime.call("smith_rank", {frame.context}, builder.getI32Type());
    Value zero = runtime.integer32(0);
    for (const std::string &name : lower::axisNames(*op.getCopies())) {
      const lower::RankMesh::Axis &axis = groups.mesh().axis(name);
      Value coordinate = LLVM::URemOp::create(
          builder,
          LLVM::UDivOp::create(builder, rank, runtime.integer32(axis.stride)),
          runtime.integer32(axis.size));
      Value isFirst = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::eq,
                                           coordinate, zero);
      counts = LLVM::SelectOp::create(builder, isFirst, counts, zero);
    }
  }
  runtime.call("smith_limit_rows_run",
               {frame.context, rowsDescriptor(rows), counts,
                addressOf(op.getExperts()), addressOf(op.getKept())});
}

void ProgramEmitter::emitExchangeRows(smith::ExchangeRowsOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  Type element = getElementTypeOrSelf(op.getInput());
  int64_t members = 1;
  for (const std::string &name : lower::axisNames(op.getAxes()))
    members *= groups.mesh().axis(name).size;
  smith_row_exchange exchange = {};
  exchange.blocks = shape[0] * shape[1] / members;
  exchange.slots = shape[2];
  exchange.experts = shapeOf(op.getSends())[2];
  exchange.row_bytes = storageBytes(element);
  for (int64_t size : shape.drop_front(3))
    exchange.row_bytes *= size;
  Value descriptor =
      runtime.descriptor("row_exchange_" + Twine(rowsCount++), exchange);
  runtime.call("smith_exchange_rows",
               {frame.context, runtime.integer32(groups.indexOf(op.getAxes())),
                descriptor, addressOf(op.getInput()), addressOf(op.getSends()),
                addressOf(op.getReceives()), addressOf(op.getResult())});
}

} // namespace shardsmith::cpu
