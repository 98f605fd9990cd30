// SPDX-License-Identifier: Apache-2.0
//
// Ops on TensorValues that models are written with and that derivatives do
// not need.

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_GRAPHOPS_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_GRAPHOPS_H

#include "ModelSpec.h"

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

namespace shardsmith::huggingface {

/// Pairs of dimensions of a product.
struct ProductDims {
  llvm::SmallVector<int64_t, 2> lhsBatch = {}, rhsBatch = {};
  llvm::SmallVector<int64_t, 2> lhsContracted = {}, rhsContracted = {};
};
TensorValue product(TensorValue lhs, TensorValue rhs, const ProductDims &dims);

/// A product per group of consecutive rows: [rows, k] by [groups, k, n].
TensorValue groupedProduct(TensorValue rows, TensorValue matrices,
                           TensorValue groupSizes);

TensorValue hyperbolicTangent(TensorValue operand);
TensorValue logistic(TensorValue operand);
TensorValue errorFunction(TensorValue operand);
TensorValue activate(TensorValue operand, Activation activation);

/// Largest value along the last dimension.
TensorValue largest(TensorValue operand);
/// Sum along the last dimension.
TensorValue sumOfLast(TensorValue operand);
/// Repeats `operand` along a new last dimension.
TensorValue repeatLast(TensorValue operand, int64_t size);
/// exp(x) / sum(exp(x)) along the last dimension.
TensorValue softmax(TensorValue operand);

TensorValue slice(TensorValue operand, int64_t dimension, int64_t start,
                  int64_t limit);
TensorValue concatenate(llvm::ArrayRef<TensorValue> operands,
                        int64_t dimension);

/// Row `indices[i…]` of `table` for every i.
TensorValue lookUp(TensorValue table, TensorValue indices);
/// `count` rows of zeros to which row i of `rows` is added at `indices[i]`.
TensorValue addRows(TensorValue rows, TensorValue indices, int64_t count);

struct Largest {
  TensorValue values, indices;
};
/// The k largest of the last dimension and where they are.
Largest topK(TensorValue operand, int64_t k);

/// Numbers known now, as an f32 vector.
TensorValue constantVector(mlir::ImplicitLocOpBuilder &builder,
                           llvm::ArrayRef<float> numbers);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_GRAPHOPS_H
