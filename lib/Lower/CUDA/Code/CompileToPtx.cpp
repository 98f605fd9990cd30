// SPDX-License-Identifier: Apache-2.0
//
// LLVM's own code generator for NVPTX, in this process: PTX is text, so no
// toolkit is needed. The driver, or ptxas, makes code of a chip of it.

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/Passes.h"
#include "shardsmith/Lower/Common/OptimizeLlvm.h"
#include "shardsmith/Support/AtomicFile.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

// Declared here because the header that declares all of LLVM's targets belongs
// to a build of LLVM with the same targets.
extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace shardsmith {
#define GEN_PASS_DEF_EMITPTX
#include "shardsmith/Lower/CUDA/Passes.h.inc"

namespace lower {
namespace {

std::unique_ptr<llvm::TargetMachine> makeMachine(const DeviceChip &chip,
                                                 std::string &error) {
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip.name, chip.ptxFeature, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

} // namespace

FailureOr<std::string> compileToPtx(gpu::GPUModuleOp kernels,
                                    const DeviceChip &chip) {
  MLIRContext *context = kernels.getContext();
  // Conversions look for the data layout in the module around.
  OwningOpRef<ModuleOp> around = ModuleOp::create(kernels.getLoc());
  auto copy = cast<gpu::GPUModuleOp>(
      OpBuilder::atBlockEnd(around->getBody()).clone(*kernels));
  if (failed(lowerDeviceFunctions(copy)))
    return failure();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(copy, llvmContext, kernels.getName());
  if (!module)
    return kernels.emitError("translation to LLVM IR failed");
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(chip, error);
  if (!machine)
    return kernels.emitError()
           << "LLVM generates no code for " << chip.name << ": " << error;
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  lower::optimizeLlvm(*module, *machine, llvm::OptimizationLevel::O3,
                      llvm::PipelineTuningOptions());
  for (const llvm::Function &function : *module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return kernels.emitError()
             << "the code of a kernel calls '" << function.getName().str()
             << "', which devices do not have";
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager emission;
  if (machine->addPassesToEmitFile(emission, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return kernels.emitError("LLVM cannot write PTX");
  emission.run(*module);
  return std::string(text.begin(), text.end());
}

} // namespace lower

namespace {

struct EmitPtx : impl::EmitPtxBase<EmitPtx> {
  using EmitPtxBase::EmitPtxBase;

  void runOnOperation() override {
    const lower::DeviceChip *found = lower::findDeviceChip(chip);
    if (!found) {
      InFlightDiagnostic error = getOperation().emitError()
                                 << "there is no chip '" << chip
                                 << "'; known: ";
      llvm::interleaveComma(lower::deviceChips(), error,
                            [&](const auto &each) { error << each.name; });
      return signalPassFailure();
    }
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      FailureOr<std::string> ptx = lower::compileToPtx(kernels, *found);
      if (failed(ptx))
        return signalPassFailure();
      kernels->setAttr("smith.ptx", StringAttr::get(&getContext(), *ptx));
      if (path.empty())
        continue;
      std::string failure = writeFileAtomically(path, *ptx);
      if (failure.empty())
        continue;
      kernels.emitError() << failure;
      return signalPassFailure();
    }
  }
};

} // namespace
} // namespace shardsmith
