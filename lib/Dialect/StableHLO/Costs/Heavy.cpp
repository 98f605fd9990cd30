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
  work.flops = elementsOf(results.front()) * 2;
  for (int64_t dim : op.getDotDimensionNumbers().getLhsContractingDimensions())
    work.flops = work.flops * operands.front().getDimSize(dim);
  return work;
}

/// Each result element sums a kernel without its output features.
OpWork convolutionWork(ConvolutionOp op, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Matmul, operands, results);
  auto numbers = op.getDimensionNumbers();
  work.flops = elementsOf(results.front()) * 2;
  for (auto [dim, size] : llvm::enumerate(operands[1].getShape()))
    if (int64_t(dim) != numbers.getKernelOutputFeatureDimension())
      work.flops = work.flops * size;
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

/// n^3 / 3 per matrix.
OpWork choleskyWork(CholeskyOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  work.flops = elementsOf(operands.front()) *
               (operands.front().getShape().back() / 3 + 1);
  return work;
}

/// n operations per element of the right-hand side.
OpWork triangularSolveWork(TriangularSolveOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  work.flops = elementsOf(results.front()) * operands.front().getShape().back();
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
