// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/MatrixOps.h"

#include "shardsmith/Interfaces/FactorRuleModel.h"
#include "shardsmith/Interfaces/WorkModel.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithMatrixOps.cpp.inc"

namespace shardsmith::smith {
namespace {

/// The sizes of one matrix, and the smaller one.
struct MatrixSizes {
  explicit MatrixSizes(RankedTensorType type)
      : batch(type.getShape().drop_back(2)),
        rows(type.getShape().drop_back().back()),
        columns(type.getShape().back()), least(std::min(rows, columns)) {}

  ArrayRef<int64_t> batch;
  int64_t rows, columns, least;
};

LogicalResult verifyMatrix(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (type.getRank() < 2 || !isa<FloatType>(type.getElementType()))
    return op->emitOpError()
           << "takes a matrix of " << type
           << ": expected floats, with rows and columns as the last dimensions";
  return success();
}

/// Holds the shape of a result: the batch's dimensions, then `sizes`.
LogicalResult verifyResult(Operation *op, const char *name, Value result,
                           Type element, ArrayRef<int64_t> sizes) {
  auto matrix = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> shape(matrix.getShape().drop_back(2));
  llvm::append_range(shape, sizes);
  auto expected = RankedTensorType::get(shape, element);
  if (result.getType() == expected)
    return success();
  return op->emitOpError() << "gives " << name << " of type "
                           << result.getType() << ": expected " << expected;
}

/// Batches pass through; a matrix is whole on a device.
FactorRule ruleOf(Operation *op) {
  FactorRuleBuilder builder(1, op->getNumResults());
  SmallVector<Value> tensors{op->getOperand(0)};
  int64_t batchRank = int64_t(shapeOf(tensors[0]).size()) - 2;
  for (unsigned dim = 0; dim < batchRank; ++dim) {
    SmallVector<FactorRuleBuilder::Place> results;
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      results.push_back({result, dim});
    builder.add(shapeOf(tensors[0])[dim], {{0, dim}}, results);
  }
  auto addWhole = [&](ArrayRef<int64_t> shape, auto add) {
    for (unsigned dim = batchRank; dim < shape.size(); ++dim)
      add(shape[dim], dim);
  };
  addWhole(shapeOf(tensors[0]), [&](int64_t size, unsigned dim) {
    builder.add(size, {{0, dim}}, {}, FactorKind::NeedReplication);
  });
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    unsigned number = index;
    addWhole(shapeOf(result), [&](int64_t size, unsigned dim) {
      builder.add(size, {}, {{number, dim}}, FactorKind::NeedReplication);
    });
  }
  return builder.build();
}

/// `thirds`: a matrix of n rows and columns costs `thirds` · n³ / 3 operations,
/// as products with as many rows.
OpWork workOf(Types operands, Types results, int64_t thirds) {
  OpWork work = readAndWrite(OpWork::Kind::Standalone, operands, results);
  MatrixSizes sizes(operands.front());
  work.flops = elementsOf(operands.front()) * (thirds * (sizes.least / 3 + 1));
  int64_t last = operands.front().getRank() - 1;
  work.product = {.batch = countBeside(operands.front(), {last - 1, last}),
                  .rows = sizes.rows,
                  .columns = sizes.columns,
                  .depth = thirds * (sizes.least / 6 + 1)};
  return work;
}

} // namespace

LogicalResult QrOp::verify() {
  if (failed(verifyMatrix(*this)))
    return failure();
  MatrixSizes sizes(cast<RankedTensorType>(getMatrix().getType()));
  Type element = getElementTypeOrSelf(getMatrix());
  if (failed(
          verifyResult(*this, "q", getQ(), element, {sizes.rows, sizes.least})))
    return failure();
  return verifyResult(*this, "r", getR(), element,
                      {sizes.least, sizes.columns});
}

LogicalResult EighOp::verify() {
  if (failed(verifyMatrix(*this)))
    return failure();
  MatrixSizes sizes(cast<RankedTensorType>(getMatrix().getType()));
  if (sizes.rows != sizes.columns)
    return emitOpError() << "takes a matrix of " << getMatrix().getType()
                         << ": expected as many rows as columns";
  Type element = getElementTypeOrSelf(getMatrix());
  if (failed(
          verifyResult(*this, "values", getValues(), element, sizes.columns)))
    return failure();
  return verifyResult(*this, "vectors", getVectors(), element,
                      {sizes.rows, sizes.columns});
}

LogicalResult LuOp::verify() {
  if (failed(verifyMatrix(*this)))
    return failure();
  MatrixSizes sizes(cast<RankedTensorType>(getMatrix().getType()));
  Type integer = IntegerType::get(getContext(), 32);
  if (failed(verifyResult(*this, "factors", getFactors(),
                          getElementTypeOrSelf(getMatrix()),
                          {sizes.rows, sizes.columns})) ||
      failed(verifyResult(*this, "pivots", getPivots(), integer, sizes.least)))
    return failure();
  return verifyResult(*this, "rows", getRows(), integer, sizes.rows);
}

FactorRule QrOp::getFactorRule() { return ruleOf(*this); }
FactorRule EighOp::getFactorRule() { return ruleOf(*this); }
FactorRule LuOp::getFactorRule() { return ruleOf(*this); }

/// Both factors cost 2 (m n² - n³ / 3) operations each.
OpWork QrOp::getWork(Types operands, Types results) {
  return workOf(operands, results, 12);
}

/// Some 9 n³ operations: to three diagonals, their eigenvalues, and back.
OpWork EighOp::getWork(Types operands, Types results) {
  return workOf(operands, results, 27);
}

/// 2/3 n³ operations.
OpWork LuOp::getWork(Types operands, Types results) {
  return workOf(operands, results, 2);
}

} // namespace shardsmith::smith
