// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith::lower {

/// Calls LLVM's intrinsics for functions that MLIR's conversion of kernels
/// would take from libdevice, which comes with the toolkit only. NVPTX has an
/// instruction for each.
static void callIntrinsics(gpu::GPUModuleOp kernels) {
  auto intrinsicOf = [](Operation *op) -> StringRef {
    return llvm::TypeSwitch<Operation *, StringRef>(op)
        .Case([](math::AbsFOp) { return "llvm.fabs"; })
        .Case([](math::CeilOp) { return "llvm.ceil"; })
        .Case([](math::CopySignOp) { return "llvm.copysign"; })
        .Case([](math::FloorOp) { return "llvm.floor"; })
        .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
        .Case([](math::RoundOp) { return "llvm.round"; })
        .Case([](math::SqrtOp) { return "llvm.sqrt"; })
        .Default([](Operation *) { return ""; });
  };
  kernels.walk([&](Operation *op) {
    StringRef name = intrinsicOf(op);
    if (name.empty())
      return;
    OpBuilder builder(op);
    auto call = LLVM::CallIntrinsicOp::create(
        builder, op->getLoc(), op->getResult(0).getType(),
        builder.getStringAttr(name), op->getOperands());
    op->replaceAllUsesWith(call);
    op->erase();
  });
}

LogicalResult lowerDeviceFunctions(gpu::GPUModuleOp kernels) {
  MLIRContext *context = kernels.getContext();
  DialectRegistry registry;
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  context->appendDialectRegistry(registry);
  context->loadDialect<cf::ControlFlowDialect, LLVM::LLVMDialect,
                       NVVM::NVVMDialect>();
  PassManager expansion(context, gpu::GPUModuleOp::getOperationName());
  expansion.addPass(createExpandDeviceMath());
  expansion.addPass(createCSEPass());
  if (failed(expansion.run(kernels)))
    return failure();
  callIntrinsics(kernels);
  RewritePatternSet slices(context);
  vector::populateVectorInsertExtractStridedSliceTransforms(slices);
  if (failed(applyPatternsGreedily(kernels, std::move(slices))))
    return failure();
  PassManager passes(context, gpu::GPUModuleOp::getOperationName());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  // An argument is an address; sizes are known.
  options.useBarePtrCallConv = true;
  passes.addPass(createConvertGpuOpsToNVVMOps(options));
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(kernels);
}

} // namespace shardsmith::lower
