// SPDX-License-Identifier: Apache-2.0
//
// What targets say of themselves.

#include "shardsmith/Lower/CPU/Target.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Lower/CUDA/Target.h"
#include "shardsmith/Lower/Common/ElementOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace shardsmith {
namespace {

class Target : public testing::Test {
protected:
  Target() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// An op of this name with nothing in it; enough to ask for rules.
  mlir::OwningOpRef<mlir::Operation *> emptyOp(llvm::StringRef name) {
    mlir::OperationState state(mlir::UnknownLoc::get(&context), name);
    return mlir::Operation::create(state);
  }

  mlir::MLIRContext context;
};

TEST_F(Target, CpuHasAnEmitterForEveryElementOp) {
  EXPECT_THAT(lower::elementOpNames(), testing::SizeIs(testing::Gt(50)));
  for (llvm::StringRef name : lower::elementOpNames()) {
    mlir::OwningOpRef<mlir::Operation *> op = emptyOp(name);
    EXPECT_TRUE(op->isRegistered()) << name.str();
    EXPECT_TRUE(cpuTarget().hasEmitter(*op)) << name.str();
  }
}

TEST_F(Target, CudaHasAnEmitterForAllButCallsOfTheRuntime) {
  const std::set<llvm::StringRef> calls = {"chlo.polygamma", "chlo.zeta"};
  for (llvm::StringRef name : lower::elementOpNames())
    EXPECT_NE(cudaTarget().hasEmitter(*emptyOp(name)), calls.contains(name))
        << name.str();
}

TEST_F(Target, OpsWithRegionsAreNoElementOps) {
  for (llvm::StringRef name :
       {"stablehlo.sort", "stablehlo.reduce", "stablehlo.scatter"}) {
    mlir::OwningOpRef<mlir::Operation *> op = emptyOp(name);
    EXPECT_EQ(lower::findElementOp(*op), nullptr) << name.str();
    EXPECT_FALSE(cpuTarget().hasEmitter(*op)) << name.str();
  }
}

TEST_F(Target, CpuComputesWhatItStores) {
  mlir::Builder builder(&context);
  for (mlir::Type element :
       {mlir::Type(builder.getF32Type()), mlir::Type(builder.getBF16Type()),
        mlir::Type(builder.getF64Type()), mlir::Type(builder.getI1Type()),
        mlir::Type(mlir::Float8E4M3FNType::get(&context)),
        mlir::Type(mlir::Float8E5M2Type::get(&context)),
        mlir::Type(builder.getIntegerType(64, /*isSigned=*/false))})
    EXPECT_TRUE(cpuTarget().isElement(element));
  for (mlir::Type element :
       {mlir::Type(builder.getIntegerType(4)),
        mlir::Type(mlir::ComplexType::get(builder.getF32Type())),
        mlir::Type(mlir::Float8E4M3FNUZType::get(&context))})
    EXPECT_FALSE(cpuTarget().isElement(element));
}

TEST_F(Target, MultipliesWhatItsLibraryDoes) {
  mlir::Builder builder(&context);
  mlir::Type f32 = builder.getF32Type(), bf16 = builder.getBF16Type(),
             f16 = builder.getF16Type(), i32 = builder.getI32Type();
  EXPECT_TRUE(cpuTarget().hasGemm(bf16, bf16, bf16));
  EXPECT_TRUE(cpuTarget().hasGemm(bf16, f32, f16));
  EXPECT_FALSE(cpuTarget().hasGemm(i32, i32, i32));
  EXPECT_FALSE(cpuTarget().hasGemm(f32, i32, f32));
  for (mlir::Type half : {bf16, f16}) {
    EXPECT_TRUE(cudaTarget().hasGemm(half, half, half));
    EXPECT_TRUE(cudaTarget().hasGemm(half, half, f32));
    EXPECT_FALSE(cudaTarget().hasGemm(half, f32, f32));
    EXPECT_FALSE(cudaTarget().hasGemm(f32, f32, half));
  }
  EXPECT_FALSE(cudaTarget().hasGemm(bf16, bf16, f16));
  mlir::Type e4m3 = builder.getType<mlir::Float8E4M3FNType>(),
             e5m2 = builder.getType<mlir::Float8E5M2Type>();
  const lower::TargetTraits &withFloat8 = cudaTarget(/*multipliesFloat8=*/true);
  for (mlir::Type result : {f32, bf16, f16}) {
    EXPECT_TRUE(withFloat8.hasGemm(e4m3, e4m3, result));
    EXPECT_TRUE(withFloat8.hasGemm(e5m2, e4m3, result));
    EXPECT_FALSE(withFloat8.hasGemm(e5m2, e5m2, result));
    EXPECT_FALSE(cudaTarget().hasGemm(e4m3, e4m3, result));
  }
  EXPECT_FALSE(withFloat8.hasGemm(e4m3, bf16, bf16));
  EXPECT_FALSE(withFloat8.hasGemm(e4m3, e4m3, e4m3));
  EXPECT_TRUE(withFloat8.hasGemm(bf16, bf16, f32));
  EXPECT_FALSE(cudaTarget().hasGemm(i32, i32, i32));
}

TEST_F(Target, IsFoundByName) {
  lower::registerTarget(cpuTarget());
  mlir::OwningOpRef<mlir::Operation *> op = emptyOp("stablehlo.add");
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          said = diagnostic.str();
                                          return mlir::success();
                                        });
  EXPECT_EQ(lower::findTarget(*op, "cpu"), &cpuTarget());
  EXPECT_EQ(said, "");
  EXPECT_EQ(lower::findTarget(*op, "abacus"), nullptr);
  EXPECT_THAT(said, testing::HasSubstr("known: cpu"));
}

} // namespace
} // namespace shardsmith
