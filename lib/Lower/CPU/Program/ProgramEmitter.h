// SPDX-License-Identifier: Apache-2.0
//
// The state of emitting one program, and a function per kind of op. What emits
// kernels, calls of libraries, exchanges between ranks, and functions is in a
// file each.

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_PROGRAMEMITTER_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_PROGRAMEMITTER_H

#include "PendingExchanges.h"
#include "RuntimeCalls.h"

#include "../Kernels/KernelEmitter.h"
#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"

#include "llvm/ADT/StringMap.h"

namespace shardsmith::cpu {

/// Emits the functions of a program. Every `emit…` appends to the function at
/// hand; those with a LogicalResult emit a diagnostic if they fail.
class ProgramEmitter {
public:
  ProgramEmitter(mlir::func::FuncOp function, mlir::ModuleOp program)
      : function(function), program(program),
        builder(function.getLoc(), program.getBodyRegion()),
        runtime(program, builder), groups(function) {}

  /// Emits smith_step with all that it calls.
  llvm::LogicalResult run();

private:
  /// What emitted code refers to in the function it is in. `argumentArray` is
  /// room for the addresses that a kernel gets, `callTable` for those that a
  /// function gets.
  struct Frame {
    mlir::Value context, arena, workspace, table, argumentArray, callTable;
    llvm::DenseMap<mlir::Value, mlir::Value> constants;
    PendingExchanges pending;
  };

  // EmitProgram.cpp
  llvm::LogicalResult emit(mlir::Operation *op);
  void emitConstant(stablehlo::ConstantOp op);
  /// The address at an offset in the workspace or the arena, or in the table if
  /// the offset is an entry of it.
  mlir::Value addressAt(int64_t offset);
  mlir::Value addressOf(mlir::Value tensor);
  /// The address of an operand that may be missing.
  mlir::Value addressOrNull(mlir::Value tensor);
  void copy(mlir::Value to, mlir::Value from, int64_t bytes);

  // EmitFunctions.cpp
  llvm::LogicalResult emitEntry(mlir::func::FuncOp entry, llvm::StringRef name);
  /// The ops of a function, and its results in their places.
  llvm::LogicalResult emitBody(mlir::func::FuncOp called);
  /// A message of several collectives, or one that goes on while ops behind it
  /// run.
  llvm::LogicalResult emitTogether(llvm::ArrayRef<mlir::Operation *> message);
  /// Waits for the message of this number; nothing if it is null.
  void emitWait(mlir::Value number);
  void emitResults(mlir::func::FuncOp called);
  /// The function that a function of the program becomes; null on failure.
  mlir::LLVM::LLVMFuncOp functionFor(mlir::func::FuncOp called);
  llvm::LogicalResult emitRepeat(smith::RepeatOp op);
  llvm::LogicalResult emitRun(smith::RunOp op);
  /// How many micro-batches this rank does, by the attribute of `op`; null if
  /// it has none.
  mlir::Value ownCount(mlir::Operation *op);
  /// Emits a part of a micro-batch of a rank's program, for ranks that do it.
  void unlessLeftOut(mlir::Operation *op, int64_t microBatch,
                     llvm::function_ref<void()> emitIt);
  /// Writes the table for a call: the number's address is its first entry.
  /// Carried values are in the buffers of the results already.
  mlir::Value fillTable(mlir::Operation *call, mlir::Value number,
                        mlir::ValueRange inputs, mlir::ValueRange outputs,
                        mlir::ValueRange carried);
  void emitCall(mlir::Operation *call, mlir::func::FuncOp called,
                mlir::Value table);
  /// A call that is one pass over a micro-batch, for the profile.
  void emitPass(mlir::Operation *call, mlir::Value table,
                mlir::Value microBatch);

  // EmitKernelCalls.cpp
  void emitKernel(smith::KernelOp op);
  llvm::LogicalResult emitScatter(stablehlo::ScatterOp op);
  void emitSort(stablehlo::SortOp op);
  /// Calls a kernel on the threads that its work is worth.
  void callFunction(const KernelFunction &kernel,
                    llvm::ArrayRef<mlir::Value> addresses);
  mlir::OpBuilder moduleBuilder() {
    return mlir::OpBuilder::atBlockEnd(program.getBody());
  }

  // EmitLibraryCalls.cpp
  void emitConvolution(stablehlo::ConvolutionOp op);
  llvm::LogicalResult emitGemm(smith::GemmOp op);
  llvm::LogicalResult emitAddGemm(smith::AddGemmOp op);
  /// Either of the two.
  template <typename Op> llvm::LogicalResult emitProduct(Op op);
  void emitAttention(smith::AttentionOp op);
  void emitAttentionGradient(smith::AttentionGradientOp op);
  void emitPartialAttention(smith::PartialAttentionOp op);
  void emitPartialGradient(smith::PartialAttentionGradientOp op);
  /// The address of a descriptor in the program's data.
  mlir::Value attentionDescriptor(const smith_attention &attention);
  /// `left`, `right` and `matrices` are what ABI.h calls so.
  void emitGroupedProduct(mlir::Operation *op, const char *function,
                          mlir::Value left, mlir::Value right,
                          mlir::Value matrices, bool transposed);
  void emitCholesky(stablehlo::CholeskyOp op);
  void emitMatrixFactors(mlir::Operation *op);
  void emitTriangularSolve(stablehlo::TriangularSolveOp op);

  // EmitRows.cpp
  void emitPlaceRows(smith::PlaceRowsOp op);
  void emitMoveRows(mlir::Operation *op, const char *function, mlir::Value rows,
                    mlir::Value packed, mlir::Value slots);
  void emitLimitRows(smith::LimitRowsOp op);
  void emitExchangeRows(smith::ExchangeRowsOp op);
  mlir::Value rowsDescriptor(const smith_rows &rows);

  // EmitExchanges.cpp
  void emitCollective(mlir::Operation *op);
  void emitMessage(mlir::Operation *op);
  void emitShardIndex(smith::ShardIndexOp op);

  mlir::func::FuncOp function;
  mlir::ModuleOp program;
  mlir::ImplicitLocOpBuilder builder;
  RuntimeCalls runtime;
  lower::GroupTable groups;
  Frame frame;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;
  /// Equal kernels (text and sharing of storage) have one function.
  llvm::StringMap<KernelFunction> kernels;
  int64_t attentionCount = 0, convolutionCount = 0, gemmCount = 0,
          groupedCount = 0, linearAlgebraCount = 0, rowsCount = 0,
          scatterCount = 0, sortCount = 0, constantCount = 0;
};

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_PROGRAMEMITTER_H
