// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_INDEXING_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_INDEXING_H

#include "shardsmith/Interpreter/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardsmith::inline interpreter {

/// How positions of an index tensor and of windows make up positions of the
/// indexed tensor: the dimension numbers of gather, and of scatter under other
/// names.
///
///   gather                        scatter
///   offset_dims                   update_window_dims
///   collapsed_slice_dims          inserted_window_dims
///   operand_batching_dims         input_batching_dims
///   start_indices_batching_dims   scatter_indices_batching_dims
///   start_index_map               scatter_dims_to_operand_dims
///   index_vector_dim              index_vector_dim
struct IndexingDims {
  llvm::ArrayRef<int64_t> windowDims;
  llvm::ArrayRef<int64_t> collapsedDims;
  llvm::ArrayRef<int64_t> batchingDims;
  llvm::ArrayRef<int64_t> indicesBatchingDims;
  llvm::ArrayRef<int64_t> indexMap;
  int64_t indexVectorDim = 0;
};

/// Start indices are clamped so that each slice lies inside `operand`.
Tensor gather(const Tensor &operand, const Tensor &indices,
              const IndexingDims &dims, llvm::ArrayRef<int64_t> sliceSizes,
              llvm::ArrayRef<int64_t> resultShape);

/// Calls `visit(target, update)` with the row-major positions of an element of
/// the operand and of the update that is to be combined into it, in row-major
/// order of the updates. Elements that fall outside are left out.
void visitScatter(
    llvm::ArrayRef<int64_t> operandShape, const Tensor &indices,
    llvm::ArrayRef<int64_t> updateShape, const IndexingDims &dims,
    llvm::function_ref<void(int64_t target, int64_t update)> visit);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_INDEXING_H
