// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/InitAll.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Chlo/Costs.h"
#include "shardsmith/Dialect/Chlo/Derivatives.h"
#include "shardsmith/Dialect/Chlo/FactorRules.h"
#include "shardsmith/Dialect/Sdy/Derivatives.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/Derivatives.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/Costs.h"
#include "shardsmith/Dialect/StableHLO/Derivatives.h"
#include "shardsmith/Dialect/StableHLO/FactorRules.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Import/Pipeline.h"
#include "shardsmith/Interfaces/Passes.h"
#include "shardsmith/Localization/StableHLO.h"
#include "shardsmith/Lower/CPU/Passes.h"
#include "shardsmith/Lower/CPU/Target.h"
#include "shardsmith/Lower/CUDA/Passes.h"
#include "shardsmith/Lower/CUDA/Target.h"
#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Partition/Passes.h"
#include "shardsmith/StrategyPasses/Passes.h"
#include "shardsmith/Train/Passes.h"
#include "shardsmith/ValueLayouts/Passes.h"
#include "shardsmith/Workload/Passes.h"

void shardsmith::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect>();
  registry.insert<chlo::ChloDialect>();
  registry.insert<sdy::SdyDialect>();
  registry.insert<smith::SmithDialect>();
  registry.insert<stablehlo::StableHLODialect>();
  chlo::registerChloCosts(registry);
  chlo::registerChloFactorRules(registry);
  stablehlo::registerStableHLOCosts(registry);
  stablehlo::registerStableHLOFactorRules(registry);
  stablehlo::registerStableHLOLocalization(registry);
  registerStableHLODerivatives(registry);
  registerChloDerivatives(registry);
  registerSmithDerivatives(registry);
  sdy::registerSdyDerivatives(registry);
}

void shardsmith::registerDeviceDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  mlir::arith::ArithDialect, mlir::gpu::GPUDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
}

void shardsmith::registerAllPasses() {
  mlir::registerTransformsPasses();
  registerProjectPasses();
}

void shardsmith::registerProjectPasses() {
  registerImportPasses();
  registerImportPipeline();
  registerInterfacesPasses();
  lower::registerTarget(cpuTarget());
  lower::registerTarget(cudaTarget());
  lower::registerTarget(cudaTarget(/*multipliesFloat8=*/true));
  registerLowerPasses();
  registerLowerCPUPasses();
  registerLowerCUDAPasses();
  registerPartitionPasses();
  registerPartitionPipeline();
  registerPlanPasses();
  registerStrategyPasses();
  registerTrainPasses();
  registerWorkloadPasses();
}
