// SPDX-License-Identifier: Apache-2.0
//
// What the cost models of the dialects share. Sizes of huge tensors saturate,
// they never wrap.

#ifndef SHARDSMITH_INTERFACES_WORKMODEL_H
#define SHARDSMITH_INTERFACES_WORKMODEL_H

#include "mlir/IR/MLIRContext.h"
#include "shardsmith/Interfaces/CostInterface.h"

namespace shardsmith {

using Types = llvm::ArrayRef<mlir::RankedTensorType>;

/// Attaches `work` as the CostInterface of `OpTy`:
///
///   OpWork sortWork(SortOp op, Types operands, Types results) { … }
///   WorkModel<SortOp, sortWork>::attach(context);
template <typename OpTy, OpWork (*work)(OpTy, Types, Types)>
struct WorkModel : CostInterface::ExternalModel<WorkModel<OpTy, work>, OpTy> {
  OpWork getWork(mlir::Operation *op, Types operands, Types results) const {
    return work(llvm::cast<OpTy>(op), operands, results);
  }
  static void attach(mlir::MLIRContext *context) {
    OpTy::template attachInterface<WorkModel>(*context);
  }
};

Flops elementsOf(mlir::RankedTensorType type);
Bytes bytesOf(mlir::RankedTensorType type);
Bytes bytesOf(Types types);

/// Elements along some dimensions.
int64_t countAlong(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims);
/// Elements along all the others.
int64_t countBeside(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims);

/// Reads all operands and writes all results.
OpWork readAndWrite(OpWork::Kind kind, Types operands, Types results);

/// The work of ops that compute each element on its own.
template <int flopsPerElement, typename OpTy>
OpWork pointwiseWork(OpTy, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Elementwise, operands, results);
  work.flops = elementsOf(results.front()) * flopsPerElement;
  return work;
}

template <int flopsPerElement, typename... OpTys>
void attachPointwiseWork(mlir::MLIRContext *context) {
  (WorkModel<OpTys, pointwiseWork<flopsPerElement, OpTys>>::attach(context),
   ...);
}

} // namespace shardsmith

#endif // SHARDSMITH_INTERFACES_WORKMODEL_H
