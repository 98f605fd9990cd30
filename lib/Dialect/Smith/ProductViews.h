// SPDX-License-Identifier: Apache-2.0
//
// What has to hold for matrix products on strided views of tensors.

#ifndef SHARDSMITH_LIB_DIALECT_SMITH_PRODUCTVIEWS_H
#define SHARDSMITH_LIB_DIALECT_SMITH_PRODUCTVIEWS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace shardsmith::smith {

/// That a view of these sizes and strides stays inside of a tensor.
llvm::LogicalResult verifyView(mlir::Operation *op, llvm::StringRef name,
                               mlir::Type tensor, int64_t offset,
                               llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> strides);

/// `smith.gemm`, or an op with its attributes and operands.
template <typename Op> llvm::LogicalResult verifyProduct(Op op) {
  if (op.getSizes().size() != 3)
    return op.emitOpError("needs three sizes: m, n and k");
  int64_t m = op.getSizes()[0], n = op.getSizes()[1], k = op.getSizes()[2];
  auto withBatch = [&](int64_t first, int64_t second) {
    llvm::SmallVector<int64_t> sizes(op.getBatch());
    sizes.push_back(first);
    sizes.push_back(second);
    return sizes;
  };
  if (failed(verifyView(op, "lhs", op.getLhs().getType(), op.getLhsOffset(),
                        withBatch(m, k), op.getLhsStrides())) ||
      failed(verifyView(op, "rhs", op.getRhs().getType(), op.getRhsOffset(),
                        withBatch(k, n), op.getRhsStrides())) ||
      failed(verifyView(op, "result", op.getType(), 0, withBatch(m, n),
                        op.getResultStrides())))
    return mlir::failure();
  int64_t elements =
      llvm::cast<mlir::RankedTensorType>(op.getType()).getNumElements();
  int64_t written = 1;
  for (int64_t size : withBatch(m, n)) {
    std::optional<int64_t> product = llvm::checkedMul(written, size);
    if (!product || *product > elements)
      return op.emitOpError() << "writes more elements than " << op.getType();
    written = *product;
  }
  if (written != elements)
    return op.emitOpError()
           << "writes " << written << " elements of " << op.getType();
  return mlir::success();
}

} // namespace shardsmith::smith

#endif // SHARDSMITH_LIB_DIALECT_SMITH_PRODUCTVIEWS_H
