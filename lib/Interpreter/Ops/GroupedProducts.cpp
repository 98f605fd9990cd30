// SPDX-License-Identifier: Apache-2.0
//
// Products of rows with the matrix that each names, by definition: row by row,
// summed in double precision and rounded once.

#include "shardsmith/Dialect/Smith/GroupedOps.h"

#include "../Kernels/Elementwise.h"
#include "Register.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include <vector>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

Tensor inDouble(const Tensor &tensor) {
  return convert(tensor, ElementType::F64).dense();
}

/// Calls body(number of the row, number of its matrix) for rows that have one.
template <typename Body>
void forEachRow(const Tensor &groups, int64_t batches, int64_t groupCount,
                Body body) {
  int64_t perBatch = groups.size() / std::max<int64_t>(batches, 1);
  for (int64_t row = 0; row < groups.size(); ++row) {
    int64_t group = groups.asInteger(row);
    if (group >= 0 && group < groupCount)
      body(row, row / perBatch * groupCount + group);
  }
}

int64_t batchesOf(ArrayRef<int64_t> matrices) {
  return elementCount(matrices.drop_back(3));
}

LogicalResult evaluateGroupedDot(smith::GroupedDotOp op, Arguments operands,
                                 const Device &, Tensors &results) {
  const Tensor rows = inDouble(operands[0]), matrices = inDouble(operands[2]);
  const Tensor groups = operands[1].dense();
  const ArrayRef<int64_t> sizes = matrices.shape();
  const StaticType type = *staticTypeOf(op.getResult().getType());
  const int64_t depth = rows.shape().back(), columns = type.shape.back();
  const int64_t depthStride = op.getTransposed() ? 1 : columns;
  const int64_t columnStride = op.getTransposed() ? depth : 1;
  Tensor result = Tensor::zeros(ElementType::F64, type.shape).denseCopy();
  double *out = result.mutableData<double>();
  forEachRow(groups, batchesOf(sizes), sizes[sizes.size() - 3],
             [&](int64_t row, int64_t matrix) {
               const double *in = rows.data<double>() + row * depth;
               const double *by =
                   matrices.data<double>() + matrix * depth * columns;
               for (int64_t n = 0; n < columns; ++n) {
                 double sum = 0;
                 for (int64_t k = 0; k < depth; ++k)
                   sum += in[k] * by[k * depthStride + n * columnStride];
                 out[row * columns + n] = sum;
               }
             });
  results.push_back(convert(result, type.element));
  return success();
}

LogicalResult evaluateGroupedOuter(smith::GroupedOuterOp op, Arguments operands,
                                   const Device &, Tensors &results) {
  const Tensor lhs = inDouble(operands[0]), rhs = inDouble(operands[2]);
  const Tensor groups = operands[1].dense();
  const StaticType type = *staticTypeOf(op.getResult().getType());
  const int64_t depth = lhs.shape().back(), columns = rhs.shape().back();
  Tensor result = Tensor::zeros(ElementType::F64, type.shape).denseCopy();
  double *out = result.mutableData<double>();
  forEachRow(groups, batchesOf(type.shape), type.shape[type.shape.size() - 3],
             [&](int64_t row, int64_t matrix) {
               const double *left = lhs.data<double>() + row * depth;
               const double *right = rhs.data<double>() + row * columns;
               double *to = out + matrix * depth * columns;
               for (int64_t k = 0; k < depth; ++k)
                 for (int64_t n = 0; n < columns; ++n)
                   to[k * columns + n] += left[k] * right[n];
             });
  results.push_back(convert(result, type.element));
  return success();
}

} // namespace

void registerGroupedProducts(EvaluatorRegistry &registry) {
  registry.add(evaluateGroupedDot, Rounding::Sum);
  registry.add(evaluateGroupedOuter, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter
