// SPDX-License-Identifier: Apache-2.0

#include "EmitProgram.h"

#include "shardsmith/Lower/CPU/Passes.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/Manifest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EMITCPUPROGRAM
#include "shardsmith/Lower/CPU/Passes.h.inc"

namespace {

struct EmitCpuProgram : impl::EmitCpuProgramBase<EmitCpuProgram> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect,
                    scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp function = cpu::findPlannedMain(module);
    if (!function)
      return signalPassFailure();
    OwningOpRef<ModuleOp> program =
        cpu::emitProgram(function, lower::makeManifest(function, {}));
    if (!program)
      return signalPassFailure();
    module.getBodyRegion().takeBody(program->getBodyRegion());
  }
};

} // namespace
} // namespace shardsmith
