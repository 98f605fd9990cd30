// SPDX-License-Identifier: Apache-2.0
//
// Bytes that element-wise ops are charged for: of small programs by hand, and
// of whole train steps against the operands and results of the kernels that
// lowering makes of them, which knows nothing of this estimate.

#include "../../../../lib/ValueLayouts/Complete/FusedTraffic.h"
#include "../../SharedContext.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Sharding/Mesh.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardsmith;

namespace {

int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return getTensorBytes(tensor.getShape(),
                        getElementBytes(tensor.getElementType()))
      .count();
}

/// What element-wise ops of @main read and write.
int64_t chargedBytes(ModuleOp module) {
  auto graph = plan::buildStepGraph(module.lookupSymbol<func::FuncOp>("main"));
  EXPECT_TRUE(succeeded(graph));
  int64_t bytes = 0;
  for (const plan::StepNode &node : graph->nodes) {
    if (!node.op)
      continue;
    SmallVector<RankedTensorType> operands, results;
    for (Type type : node.op->getOperandTypes())
      operands.push_back(cast<RankedTensorType>(type));
    for (Type type : node.op->getResultTypes())
      results.push_back(cast<RankedTensorType>(type));
    if (plan::getWorkOf(node.op, operands, results).kind !=
        OpWork::Kind::Elementwise)
      continue;
    for (auto [value, isRead] :
         llvm::zip_equal(node.operands, node.readsMemory))
      if (isRead && graph->values[value].inMemory)
        bytes += bytesOf(graph->values[value].type);
    for (unsigned value : node.results)
      if (graph->values[value].inMemory)
        bytes += bytesOf(graph->values[value].type);
  }
  return bytes;
}

int64_t chargedBytes(const std::string &program) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program, &sharedContext());
  EXPECT_TRUE(module);
  return module ? chargedBytes(*module) : 0;
}

TEST(FusedTraffic, AnUpdateReadsEachTensorOnceAndWritesItsResults) {
  // p, g and m in, p' and m' out, of 1,024 bytes each.
  EXPECT_EQ(chargedBytes(R"(
    func.func @main(
        %p: tensor<256xf32> {smith.role = "param", smith.name = "p"},
        %m: tensor<256xf32> {smith.role = "state", smith.name = "m"},
        %g: tensor<256xf32> {smith.role = "batch", smith.name = "g"})
        -> (tensor<256xf32> {smith.role = "param", smith.name = "p"},
            tensor<256xf32> {smith.role = "state", smith.name = "m"}) {
      %0 = stablehlo.multiply %g, %g : tensor<256xf32>
      %1 = stablehlo.add %0, %g : tensor<256xf32>
      %2 = stablehlo.add %m, %1 : tensor<256xf32>
      %3 = stablehlo.multiply %p, %2 : tensor<256xf32>
      %4 = stablehlo.subtract %p, %3 : tensor<256xf32>
      return %4, %2 : tensor<256xf32>, tensor<256xf32>
    })"),
            5 * 1024);
}

TEST(FusedTraffic, RowStatisticsStayInTheirKernel) {
  // x in, x − max out; the maxima of eight rows never leave.
  EXPECT_EQ(chargedBytes(R"(
    func.func @main(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
      %low = stablehlo.constant dense<-1.0> : tensor<f32>
      %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum
             across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>)
             -> tensor<8xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0]
             : (tensor<8xf32>) -> tensor<8x32xf32>
      %2 = stablehlo.subtract %x, %1 : tensor<8x32xf32>
      return %2 : tensor<8x32xf32>
    })"),
            2 * 1024);
}

TEST(FusedTraffic, SumsOfColumnsAreAKernelOfTheirOwn) {
  // One kernel reads x and writes 2x; another reads 2x and writes the sums.
  EXPECT_EQ(chargedBytes(R"(
    func.func @main(%x: tensor<8x32xf32>)
        -> (tensor<8x32xf32>, tensor<32xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.add %x, %x : tensor<8x32xf32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add
             across dimensions = [0] : (tensor<8x32xf32>, tensor<f32>)
             -> tensor<32xf32>
      return %0, %1 : tensor<8x32xf32>, tensor<32xf32>
    })"),
            3 * 1024 + 128);
}

TEST(FusedTraffic, WhatAProductLiesBetweenIsInTwoKernels) {
  // %0 is read by the product, whose result the last op adds to it: a kernel
  // of both would wait for itself. x in, %0 out; %0 and %1 in, %2 out.
  EXPECT_EQ(chargedBytes(R"(
    func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
      %0 = stablehlo.add %x, %x : tensor<16x16xf32>
      %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0]
             : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %2 = stablehlo.add %0, %1 : tensor<16x16xf32>
      return %2 : tensor<16x16xf32>
    })"),
            5 * 1024);
}

/// Bytes of the operands and results of all kernels after lowering.
int64_t kernelBytes(ModuleOp module) {
  PassManager passes(module.getContext());
  EXPECT_TRUE(succeeded(parsePassPipeline(
      "func.func(lower-windows{target=cpu},simplify-local{target=cpu},cse,"
      "drop-barriers,lower-dots{target=cpu},form-kernels{target=cpu})",
      passes)));
  EXPECT_TRUE(succeeded(passes.run(module)));
  int64_t bytes = 0;
  module.walk([&](smith::KernelOp kernel) {
    for (Type type : kernel->getOperandTypes())
      bytes += bytesOf(type);
    for (Type type : kernel->getResultTypes())
      bytes += bytesOf(type);
  });
  return bytes;
}

class TrainStep : public testing::TestWithParam<const char *> {
protected:
  static void SetUpTestSuite() { registerAllPasses(); }
};

TEST_P(TrainStep, IsChargedForAboutWhatItsKernelsMove) {
  std::string path =
      std::string(SHARDSMITH_MODELS) + "/" + GetParam() + ".mlir";
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(path, &sharedContext());
  ASSERT_TRUE(module);
  PassManager passes(&sharedContext());
  ASSERT_TRUE(
      succeeded(parsePassPipeline("import,train{optimizer=adamw}", passes)));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  double charged = double(chargedBytes(*module));
  double moved = double(kernelBytes(*module));
  EXPECT_GT(charged / moved, 0.9) << charged << " against " << moved;
  EXPECT_LT(charged / moved, 1.3) << charged << " against " << moved;
}

INSTANTIATE_TEST_SUITE_P(OfModels, TrainStep,
                         testing::Values("gpt2-124m", "llama-bench",
                                         "gpt2-tiny", "llama-tiny"));

} // namespace
