// SPDX-License-Identifier: Apache-2.0

#include "InPlace.h"

#include "../Fusion/Dependence.h"
#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// True if `dependence` reads the very position the reader is at: all
/// dimensions of the frame, in order.
bool isIdentity(const Dependence &dependence, ArrayRef<int64_t> frame) {
  SmallVector<int64_t> read, all;
  for (int64_t d : dependence.dimensions)
    if (d != unitDimension)
      read.push_back(d);
  for (auto [d, size] : llvm::enumerate(frame))
    if (size != 1)
      all.push_back(d);
  return read == all;
}

// A kernel computes all results at one position before it writes any of
// them, and a row kernel writes a row after its reductions. So it suffices
// that the input is only ever read at the position the loops are at. A column,
// where leading dimensions are reduced, is written behind its sums while others
// are still made; these read more elements than are written, at other
// positions.
bool kernelMayWriteInPlace(smith::KernelOp kernel, unsigned operand,
                           unsigned result) {
  Block &body = kernel.getBody().front();
  Operation *yield = body.getTerminator();
  Value input = body.getArgument(operand);
  Value output = yield->getOperand(result);
  int64_t elements = cast<RankedTensorType>(output.getType()).getNumElements();
  llvm::DenseSet<Operation *> inlined;
  SmallVector<Operation *> readers;
  for (Operation &op : body.without_terminator()) {
    if (isa<stablehlo::ReduceOp>(op))
      readers.push_back(&op);
    else
      inlined.insert(&op);
  }
  for (Value value : yield->getOperands()) {
    if (value == input && value != output)
      return false;
    Operation *op = value.getDefiningOp();
    if (op && inlined.contains(op))
      readers.push_back(op);
  }
  for (Operation *reader : readers) {
    auto reduce = dyn_cast<stablehlo::ReduceOp>(reader);
    ArrayRef<int64_t> frame =
        shapeOf(reduce ? reduce.getInputs().front() : reader->getResult(0));
    for (const Dependence &dependence : findDependences(reader, inlined)) {
      if (dependence.value != input)
        continue;
      int64_t frameElements = 1;
      for (int64_t size : frame)
        frameElements *= size;
      if (frameElements != elements || !isIdentity(dependence, frame))
        return false;
    }
  }
  return true;
}

} // namespace

bool mayWriteInPlace(Operation *op, unsigned operand, unsigned result) {
  if (bufferBytes(op->getOperand(operand).getType()) !=
          bufferBytes(op->getResult(result).getType()) ||
      getElementTypeOrSelf(op->getOperand(operand)).getIntOrFloatBitWidth() !=
          getElementTypeOrSelf(op->getResult(result)).getIntOrFloatBitWidth())
    return false;
  if (auto kernel = dyn_cast<smith::KernelOp>(op))
    return kernelMayWriteInPlace(kernel, operand, result);
  if (isa<smith::AllReduceOp>(op))
    return true;
  if (auto product = dyn_cast<smith::AddGemmOp>(op))
    return product.getSum() &&
           product.getSumMutable().begin()->getOperandNumber() == operand;
  if (auto repeat = dyn_cast<smith::RepeatOp>(op))
    return operand == repeat.getShared().size() + result;
  if (auto run = dyn_cast<smith::RunOp>(op)) {
    unsigned fresh = run.getNumResults() - run.getCarried().size();
    return result >= fresh &&
           operand == run.getInputs().size() + result - fresh;
  }
  if (isa<stablehlo::ScatterOp>(op))
    return operand == 0 && result == 0;
  return false;
}

} // namespace shardsmith::lower
