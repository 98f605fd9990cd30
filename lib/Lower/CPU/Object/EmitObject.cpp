// SPDX-License-Identifier: Apache-2.0

#include "OptimizeLlvm.h"

#include "../Program/EmitProgram.h"
#include "shardsmith/Lower/CPU/Lower.h"
#include "shardsmith/Lower/CPU/Passes.h"
#include "shardsmith/Support/AtomicFile.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EMITCPUOBJECT
#include "shardsmith/Lower/CPU/Passes.h.inc"

namespace {

/// Functions that LLVM has no instruction for become polynomials. exp, log,
/// sin and cos of f32 were expanded when the kernels were emitted.
struct ApproximateMath : PassWrapper<ApproximateMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ApproximateMath)

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.erf", "math.expm1", "math.log1p",
                                 "math.tanh", "math.cbrt", "math.atan2",
                                 "math.atan"},
                                name);
    });
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

LogicalResult convertToLlvm(ModuleOp program) {
  PassManager passes(program.getContext());
  // Kernels are emitted well-formed; verifying after each pass costs more
  // than the passes.
  passes.enableVerifier(false);
  passes.addPass(std::make_unique<ApproximateMath>());
  passes.addPass(createConvertMathToLLVMPass());
  // What LLVM has no intrinsic for, and then the declarations this needs.
  passes.addPass(createConvertMathToLibmPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  return passes.run(program);
}

LogicalResult writeFile(Location location, const std::string &path,
                        StringRef contents) {
  std::string failure = writeFileAtomically(path, contents);
  if (!failure.empty())
    return emitError(location) << failure;
  return success();
}

/// An object file, and the IR it was made of where somebody wants to see it.
struct Compiled {
  llvm::SmallVector<char, 0> object;
  std::string ir;
};

FailureOr<Compiled> compileProgram(ModuleOp lowered,
                                   const CpuProgramOptions &options) {
  MLIRContext *context = lowered.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                       LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                       vector::VectorDialect>();
  func::FuncOp function = cpu::findPlannedMain(lowered);
  if (!function)
    return failure();
  std::string manifest = lower::makeManifest(function, options);
  OwningOpRef<ModuleOp> program = cpu::emitProgram(function, manifest);
  if (!program || failed(convertToLlvm(*program)))
    return failure();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(*program, llvmContext, "shardsmith");
  if (!module)
    return lowered.emitError("translation to LLVM IR failed");
  Compiled compiled;
  std::string error =
      cpu::compileModule(*module, options.code, compiled.object);
  if (!error.empty())
    return lowered.emitError(error);
  if (!options.dumpLlvm.empty()) {
    llvm::raw_string_ostream stream(compiled.ir);
    module->print(stream, nullptr);
  }
  return compiled;
}

struct EmitCpuObject : impl::EmitCpuObjectBase<EmitCpuObject> {
  using EmitCpuObjectBase::EmitCpuObjectBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect,
                math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    CpuProgramOptions options;
    options.code = {cpu, optimize};
    options.planHash = planHash;
    if (path.empty()) {
      getOperation().emitError("emit-cpu-object needs the option path=FILE");
      return signalPassFailure();
    }
    if (emitObject(getOperation(), options, path) != ExitCode::Success)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

ExitCode emitObject(ModuleOp lowered, const CpuProgramOptions &options,
                    const std::string &path) {
  FailureOr<Compiled> compiled = compileProgram(lowered, options);
  if (failed(compiled))
    return ExitCode::Internal;
  Location location = lowered.getLoc();
  StringRef object(compiled->object.data(), compiled->object.size());
  bool isWritten =
      (options.dumpLlvm.empty() ||
       succeeded(writeFile(location, options.dumpLlvm, compiled->ir))) &&
      succeeded(writeFile(location, path, object));
  return isWritten ? ExitCode::Success : ExitCode::Environment;
}

} // namespace shardsmith
