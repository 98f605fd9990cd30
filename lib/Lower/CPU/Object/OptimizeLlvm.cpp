// SPDX-License-Identifier: Apache-2.0

#include "OptimizeLlvm.h"

#include "shardsmith/Lower/Common/OptimizeLlvm.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;

namespace shardsmith::cpu {
namespace {

struct Processor {
  std::string name, features;
};

Processor findProcessor(const std::string &cpu) {
  if (cpu != "native")
    return {cpu, ""};
  SubtargetFeatures features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return {sys::getHostCPUName().str(), features.getString()};
}

std::unique_ptr<TargetMachine>
makeMachine(const Processor &processor, bool isOptimized, std::string &error) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Triple triple(sys::getProcessTriple());
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, processor.name, processor.features, TargetOptions(), Reloc::PIC_,
      std::nullopt,
      isOptimized ? CodeGenOptLevel::Default : CodeGenOptLevel::None));
  if (!machine)
    error = "LLVM cannot generate code for processor '" + processor.name + "'";
  return machine;
}

void optimize(Module &module, TargetMachine &machine) {
  // The kernels are vectorised already; LLVM's own vectorisers would only
  // take time.
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  lower::optimizeLlvm(module, machine, OptimizationLevel::O2, tuning);
}

} // namespace

std::string compileModule(Module &module, const CodeOptions &options,
                          SmallVectorImpl<char> &object) {
  Processor processor = findProcessor(options.processor);
  std::string error;
  std::unique_ptr<TargetMachine> machine =
      makeMachine(processor, options.isOptimized, error);
  if (!machine)
    return error;
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(processor.name))
    return "LLVM does not know the processor '" + options.processor + "'";
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  for (Function &function : module) {
    function.addFnAttr("target-cpu", processor.name);
    if (!processor.features.empty())
      function.addFnAttr("target-features", processor.features);
    // The kernels' vectors are as wide as they should be.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(Attribute::NoUnwind);
    // Inlining a kernel where it is called once would only make the caller
    // longer; the compiler takes more than linear time for it.
    if (!function.isDeclaration())
      function.addFnAttr(Attribute::NoInline);
  }
  if (options.isOptimized)
    optimize(module, *machine);
  raw_svector_ostream stream(object);
  legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   CodeGenFileType::ObjectFile))
    return "LLVM cannot write object files for this machine";
  codegen.run(module);
  return "";
}

} // namespace shardsmith::cpu
