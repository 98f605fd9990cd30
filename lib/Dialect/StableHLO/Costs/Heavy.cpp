// SPDX-License-Identifier: Apache-2.0
//
// Ops that combine many elements into one, and the linear algebra.

#include "Costs.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <cmath>

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// Two operations per result element and element of the contracting space.
OpWork dotGeneralWork(DotGeneralOp op, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Matmul, operands, results);
  auto numbers = op.getDotDimensionNumbers();
  RankedTensorType lhs = operands[0], rhs = operands[1];
  auto rowsBeside = [](RankedTensorType type, ArrayRef<int64_t> batching,
                       ArrayRef<int64_t> contracting) {
    SmallVector<int64_t> dims(batching);
    llvm::append_range(dims, contracting);
    return countBeside(type, dims);
  };
  ArrayRef<int64_t> batching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> contracting = numbers.getLhsContractingDimensions();
  work.product = {.batch = countAlong(lhs, batching),
                  .rows = rowsBeside(lhs, batching, contracting),
                  .columns = rowsBeside(rhs, numbers.getRhsBatchingDimensions(),
                                        numbers.getRhsContractingDimensions()),
                  .depth = countAlong(lhs, contracting)};
  work.flops = elementsOf(results.front()) * 2 * work.product->depth;
  return work;
}

/// Each result element sums a kernel without its output features: positions
/// are rows, and each group of features is a product of its own.
OpWork convolutionWork(ConvolutionOp op, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Matmul, operands, results);
  auto numbers = op.getDimensionNumbers();
  RankedTensorType kernel = operands[1], result = results.front();
  int64_t feature = numbers.getOutputFeatureDimension();
  int64_t features = result.getDimSize(feature);
  auto groups = int64_t(op.getFeatureGroupCount() * op.getBatchGroupCount());
  // A shard may have fewer features than the op has groups.
  int64_t columns = std::max<int64_t>(features / groups, 1);
  work.product = {
      .batch = features / columns,
      .rows = countBeside(result, feature),
      .columns = columns,
      .depth = countBeside(kernel, numbers.getKernelOutputFeatureDimension())};
  work.flops = elementsOf(result) * 2 * work.product->depth;
  return work;
}

/// One operation per input element; fuses with the ops that make its input.
OpWork reduceWork(ReduceOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Elementwise, operands, results);
  work.flops = elementsOf(operands.front()) * int64_t(results.size());
  return work;
}

OpWork reduceWindowWork(ReduceWindowOp op, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  work.flops = elementsOf(results.front());
  for (int64_t size : op.getWindowDimensions())
    work.flops = work.flops * size;
  return work;
}

/// Each element of the operand is compared within its windows.
OpWork selectAndScatterWork(SelectAndScatterOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  work.flops = elementsOf(operands.front()) + elementsOf(operands[1]);
  return work;
}

int64_t logarithm(int64_t size) {
  return 1 + int64_t(std::log2(double(std::max<int64_t>(size, 1))));
}

/// n log n comparisons along the sorted dimension.
OpWork sortWork(SortOp op, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  RankedTensorType type = operands.front();
  auto dim = static_cast<int64_t>(op.getDimension()); // From the end if < 0.
  if (dim < 0)
    dim += type.getRank();
  work.flops = elementsOf(type) * (2 * logarithm(type.getDimSize(dim)));
  return work;
}

OpWork fftWork(FftOp op, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  RankedTensorType type = operands.front();
  work.flops = elementsOf(type) * (5 * logarithm(type.getShape().back()));
  return work;
}

/// n^3 / 3 per matrix, as products with a sixth of the matrix.
OpWork choleskyWork(CholeskyOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  RankedTensorType type = operands.front();
  int64_t size = type.getShape().back(), last = type.getRank() - 1;
  work.flops = elementsOf(type) * (size / 3 + 1);
  work.product = {.batch = countBeside(type, {last - 1, last}),
                  .rows = size,
                  .columns = size,
                  .depth = size / 6 + 1};
  return work;
}

/// n operations per element of the right-hand side, as products with half of
/// the matrix.
OpWork triangularSolveWork(TriangularSolveOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  RankedTensorType matrix = operands.front(), result = results.front();
  int64_t size = matrix.getShape().back(), last = matrix.getRank() - 1;
  work.flops = elementsOf(result) * size;
  work.product = {.batch = countBeside(matrix, {last - 1, last}),
                  .rows = size,
                  .columns = elementsOf(result).count() /
                             std::max<int64_t>(countBeside(matrix, last), 1),
                  .depth = size / 2 + 1};
  return work;
}

OpWork rngWork(RngBitGeneratorOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  work.flops = elementsOf(results.back()) * 20;
  return work;
}

} // namespace

void attachHeavyCosts(MLIRContext *context) {
  WorkModel<CholeskyOp, choleskyWork>::attach(context);
  WorkModel<ConvolutionOp, convolutionWork>::attach(context);
  WorkModel<DotGeneralOp, dotGeneralWork>::attach(context);
  WorkModel<FftOp, fftWork>::attach(context);
  WorkModel<ReduceOp, reduceWork>::attach(context);
  WorkModel<ReduceWindowOp, reduceWindowWork>::attach(context);
  WorkModel<RngBitGeneratorOp, rngWork>::attach(context);
  WorkModel<SelectAndScatterOp, selectAndScatterWork>::attach(context);
  WorkModel<SortOp, sortWork>::attach(context);
  WorkModel<TriangularSolveOp, triangularSolveWork>::attach(context);
}

} // namespace shardsmith::stablehlo
