// SPDX-License-Identifier: Apache-2.0
//
// One pass is left out. LLVM 22's VectorCombine turns an op on vectors of which
// one lane is used into an op on scalars and gives that the flags of the op on
// vectors. Where the scalar op folds to one that was there before, the flags
// land on that one, and other users read them:
//
//     %block = lshr i64 %row, 5                 block 0 holds rows 0 to 31
//     %first = mul i64 %block, 16
//     %v     = insertelement <16 x i64> poison, i64 %first, i64 0
//     %c     = lshr exact <16 x i64> %v, <i64 4, …>         is %block again
//
// makes `lshr exact` of %block, so that later passes take (row >> 5) << 5 for
// row. A kernel that computes positions of lanes from a row's number then reads
// wrong elements. The kernels are written in vectors that need no combining.

#include "shardsmith/Lower/Common/OptimizeLlvm.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace shardsmith::lower {

void optimizeLlvm(Module &module, TargetMachine &machine,
                  OptimizationLevel level,
                  const PipelineTuningOptions &tuning) {
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, Any) { return pass != "VectorCombinePass"; });
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder passes(&machine, tuning, std::nullopt, &callbacks);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graph, modules);
  passes.buildPerModuleDefaultPipeline(level).run(module, modules);
}

} // namespace shardsmith::lower
