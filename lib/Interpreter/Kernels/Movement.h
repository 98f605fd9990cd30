// SPDX-License-Identifier: Apache-2.0
//
// Kernels that move elements without looking at them.

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_MOVEMENT_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_MOVEMENT_H

#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// Where the elements of a box lie in a row-major buffer: position `p` of the
/// box at `offset + sum(p[d] * strides[d])`. Strides may be zero or negative.
struct StridedBox {
  int64_t offset = 0;
  Shape strides;
};

/// target[targetBox(p)] = source[sourceBox(p)] for every p of `shape`; `target`
/// must be dense and not shared.
void moveBox(const Tensor &source, const StridedBox &sourceBox, Tensor &target,
             const StridedBox &targetBox, llvm::ArrayRef<int64_t> shape);
/// result[p] = a[box(p)]: slices, transposes, broadcasts and reversals.
Tensor readBox(const Tensor &a, const StridedBox &box,
               llvm::ArrayRef<int64_t> resultShape);
/// target[box(p)] = source[p]; `target` as in `moveBox`.
void writeBox(Tensor &target, const StridedBox &box, const Tensor &source);

Tensor broadcastInDim(const Tensor &a, llvm::ArrayRef<int64_t> dims,
                      llvm::ArrayRef<int64_t> resultShape);
Tensor transpose(const Tensor &a, llvm::ArrayRef<int64_t> permutation);
Tensor reverse(const Tensor &a, llvm::ArrayRef<int64_t> dims);
Tensor slice(const Tensor &a, llvm::ArrayRef<int64_t> starts,
             llvm::ArrayRef<int64_t> limits, llvm::ArrayRef<int64_t> strides);
/// `starts` are clamped so that the slice lies inside.
Tensor dynamicSlice(const Tensor &a, llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> sizes);
Tensor dynamicUpdateSlice(const Tensor &a, const Tensor &update,
                          llvm::ArrayRef<int64_t> starts);
/// Negative `low` and `high` crop.
Tensor pad(const Tensor &a, const Tensor &padding, llvm::ArrayRef<int64_t> low,
           llvm::ArrayRef<int64_t> interior,
           llvm::ArrayRef<int64_t> resultShape);
Tensor concatenate(llvm::ArrayRef<Tensor> parts, int64_t dim);
/// The `index`th of `count` equal parts along `dim`.
Tensor equalPart(const Tensor &a, int64_t dim, int64_t index, int64_t count);
/// Positions along `dim`, in elements of `type`.
Tensor iota(ElementType type, llvm::ArrayRef<int64_t> shape, int64_t dim);
/// The same bits seen as another type; `shape` differs by a minor dimension
/// where widths do. Nothing if narrow types are involved.
Tensor bitcast(const Tensor &a, ElementType type,
               llvm::ArrayRef<int64_t> shape);

/// Advances `position` in row-major order; false after the last.
bool advance(llvm::MutableArrayRef<int64_t> position,
             llvm::ArrayRef<int64_t> shape);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_MOVEMENT_H
