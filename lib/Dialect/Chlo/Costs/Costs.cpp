// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Chlo/Costs.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Interfaces/WorkModel.h"

#include <cmath>

using namespace mlir;

namespace shardsmith::chlo {
namespace {

/// Each element passes through a heap of k entries.
OpWork topKWork(TopKOp, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  int64_t kept = std::max<int64_t>(results.front().getShape().back(), 1);
  work.flops =
      elementsOf(operands.front()) * (1 + int64_t(std::log2(double(kept))));
  return work;
}

/// A row is multiplied with the matrix of its group only. Where rows are what
/// is summed over, the result has a matrix per group; groups of batches make
/// no difference.
MatrixProduct raggedProduct(RaggedDotDimensionNumbersAttr numbers,
                            Types operands) {
  RankedTensorType lhs = operands[0], rhs = operands[1];
  ArrayRef<int64_t> batching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> contracting = numbers.getLhsContractingDimensions();
  SmallVector<int64_t> notRows(batching), notColumns;
  llvm::append_range(notRows, contracting);
  llvm::append_range(notColumns, numbers.getRhsBatchingDimensions());
  llvm::append_range(notColumns, numbers.getRhsContractingDimensions());
  llvm::append_range(notColumns, numbers.getRhsGroupDimensions());
  MatrixProduct product{.batch = countAlong(lhs, batching),
                        .rows = countBeside(lhs, notRows),
                        .columns = countBeside(rhs, notColumns),
                        .depth = countAlong(lhs, contracting)};
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  if (llvm::is_contained(batching, ragged))
    return product;
  product.groups = operands[2].getShape().back();
  if (!numbers.getRhsGroupDimensions().empty())
    product.groupDimension = numbers.getRhsGroupDimensions().front();
  if (llvm::is_contained(contracting, ragged))
    std::swap(product.rows, product.depth);
  return product;
}

/// Two operations per result element and element of the contracting space.
OpWork raggedDotWork(RaggedDotOp op, Types operands, Types results) {
  auto numbers = op.getRaggedDotDimensionNumbers();
  OpWork work = readAndWrite(OpWork::Kind::Matmul, operands, results);
  work.product = raggedProduct(numbers, operands);
  work.flops = elementsOf(results.front()) * 2;
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  for (int64_t dim : numbers.getLhsContractingDimensions())
    // Each row of a ragged contracting dimension is in one group only, and
    // the result has a matrix per group.
    work.flops = dim == ragged
                     ? Flops(work.flops.count() /
                             std::max<int64_t>(operands[2].getDimSize(0), 1)) *
                           operands.front().getDimSize(dim)
                     : work.flops * operands.front().getDimSize(dim);
  return work;
}

} // namespace

void registerChloCosts(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ChloDialect *) {
    attachPointwiseWork<1, ConjOp, IsInfOp, IsNegInfOp, IsPosInfOp, NextAfterOp,
                        SquareOp>(context);
    attachPointwiseWork<24, AcosOp, AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp,
                        CoshOp, ErfInvOp, ErfOp, ErfcOp, SinhOp, TanOp>(
        context);
    attachPointwiseWork<60, BesselI1eOp, DigammaOp, LgammaOp, PolygammaOp,
                        ZetaOp>(context);
    WorkModel<RaggedDotOp, raggedDotWork>::attach(context);
    WorkModel<TopKOp, topKWork>::attach(context);
  });
}

} // namespace shardsmith::chlo
