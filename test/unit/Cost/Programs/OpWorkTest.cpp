// SPDX-License-Identifier: Apache-2.0
//
// What ops say of their work through CostInterface.

#include "../../SharedContext.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace shardsmith;

namespace {

/// The work of the op that a one-op function holds.
OpWork workOf(const std::string &arguments, const std::string &op,
              const std::string &result) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @main(" + arguments + ") -> " + result + " {\n  %0 = " + op +
          "\n  return %0 : " + result + "\n}",
      &sharedContext());
  EXPECT_TRUE(module);
  auto function = module->lookupSymbol<func::FuncOp>("main");
  Operation &only = function.getBody().front().front();
  SmallVector<RankedTensorType> operands, results;
  for (Type type : only.getOperandTypes())
    operands.push_back(cast<RankedTensorType>(type));
  for (Type type : only.getResultTypes())
    results.push_back(cast<RankedTensorType>(type));
  return cast<CostInterface>(only).getWork(operands, results);
}

TEST(OpWork, MatrixProductsCountTwoPerMultiplyAdd) {
  OpWork work = workOf("%a: tensor<4x8x16xf32>, %b: tensor<4x16x32xf32>",
                       "stablehlo.dot_general %a, %b, batching_dims = [0] x "
                       "[0], contracting_dims = [2] x [1] : "
                       "(tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> "
                       "tensor<4x8x32xf32>",
                       "tensor<4x8x32xf32>");
  EXPECT_EQ(work.kind, OpWork::Kind::Matmul);
  EXPECT_EQ(work.flops, Flops(2 * 4 * 8 * 16 * 32));
  EXPECT_EQ(work.read, Bytes(4 * (4 * 8 * 16 + 4 * 16 * 32)));
  EXPECT_EQ(work.written, Bytes(4 * 4 * 8 * 32));
  MatrixProduct product{.batch = 4, .rows = 8, .columns = 32, .depth = 16};
  EXPECT_EQ(work.product, product);
}

/// Operations of what an op says that its matrix products are.
int64_t flopsOf(const MatrixProduct &product) {
  return 2 * product.batch * product.rows * product.columns * product.depth;
}

TEST(OpWork, GroupsOfFeaturesAreProductsOfTheirOwn) {
  // 10 rows of 7 positions; two groups of 2 input and 3 output features, and
  // windows of 5.
  OpWork work =
      workOf("%x: tensor<10x11x4xf32>, %w: tensor<5x2x6xf32>",
             "stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->"
             "[b, 0, f], window = {} {batch_group_count = 1 : i64, "
             "feature_group_count = 2 : i64} : (tensor<10x11x4xf32>, "
             "tensor<5x2x6xf32>) -> tensor<10x7x6xf32>",
             "tensor<10x7x6xf32>");
  MatrixProduct product{.batch = 2, .rows = 70, .columns = 3, .depth = 10};
  EXPECT_EQ(work.product, product);
  EXPECT_EQ(work.flops, Flops(flopsOf(product)));
}

TEST(OpWork, RaggedProductsHaveAMatrixPerGroup) {
  auto ragged = [](const std::string &operands, const std::string &batching,
                   const std::string &numbers, const std::string &result) {
    return workOf(operands,
                  "\"chlo.ragged_dot\"(%x, %w, %sizes) "
                  "<{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
                  "lhs_batching_dimensions = " +
                      batching + ", rhs_batching_dimensions = " + batching +
                      ", " + numbers + ">}> : " + result,
                  result.substr(result.rfind("tensor")));
  };
  OpWork rows = ragged(
      "%x: tensor<13x4xf32>, %w: tensor<5x4x8xf32>, %sizes: tensor<5xi32>",
      "[]",
      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
      "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]",
      "(tensor<13x4xf32>, tensor<5x4x8xf32>, tensor<5xi32>) -> "
      "tensor<13x8xf32>");
  MatrixProduct product{
      .rows = 13, .columns = 8, .depth = 4, .groups = 5, .groupDimension = 0};
  EXPECT_EQ(rows.product, product);
  EXPECT_EQ(rows.flops, Flops(flopsOf(product)));

  // The gradient of the matrices: each row belongs to one of five sums.
  OpWork sums = ragged(
      "%x: tensor<15x4xf32>, %w: tensor<15x8xf32>, %sizes: tensor<5xi32>", "[]",
      "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], "
      "lhs_ragged_dimensions = [0], rhs_group_dimensions = []",
      "(tensor<15x4xf32>, tensor<15x8xf32>, tensor<5xi32>) -> "
      "tensor<5x4x8xf32>");
  product = {.rows = 15, .columns = 8, .depth = 4, .groups = 5};
  EXPECT_EQ(sums.product, product);
  EXPECT_EQ(sums.flops, Flops(flopsOf(product)));

  OpWork batches = ragged(
      "%x: tensor<13x4x3xf32>, %w: tensor<13x3x8xf32>, %sizes: tensor<5xi32>",
      "[0]",
      "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], "
      "lhs_ragged_dimensions = [0], rhs_group_dimensions = []",
      "(tensor<13x4x3xf32>, tensor<13x3x8xf32>, tensor<5xi32>) -> "
      "tensor<13x4x8xf32>");
  product = {.batch = 13, .rows = 4, .columns = 8, .depth = 3};
  EXPECT_EQ(batches.product, product);
  EXPECT_EQ(batches.flops, Flops(flopsOf(product)));
}

TEST(OpWork, FactorisationsCountAsProducts) {
  OpWork factors = workOf("%a: tensor<3x600x600xf32>",
                          "stablehlo.cholesky %a, lower = true : "
                          "tensor<3x600x600xf32>",
                          "tensor<3x600x600xf32>");
  // A third of n^3 per matrix, of which single rows are less than 1 %.
  EXPECT_NEAR(double(flopsOf(*factors.product)), 3 * 600.0 * 600 * 600 / 3,
              0.01 * 3 * 600.0 * 600 * 600 / 3);
  OpWork solved = workOf(
      "%a: tensor<3x600x600xf32>, %b: tensor<3x600x50xf32>",
      "\"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = "
      "true, unit_diagonal = false, transpose_a = #stablehlo<transpose "
      "NO_TRANSPOSE>}> : (tensor<3x600x600xf32>, tensor<3x600x50xf32>) -> "
      "tensor<3x600x50xf32>",
      "tensor<3x600x50xf32>");
  EXPECT_NEAR(double(flopsOf(*solved.product)), 3 * 600.0 * 600 * 50,
              0.01 * 3 * 600.0 * 600 * 50);
}

TEST(OpWork, ElementwiseOpsReadAndWriteEverything) {
  OpWork work = workOf("%a: tensor<8x16xbf16>",
                       "stablehlo.exponential %a : tensor<8x16xbf16>",
                       "tensor<8x16xbf16>");
  EXPECT_EQ(work.kind, OpWork::Kind::Elementwise);
  EXPECT_GT(work.flops, Flops(8 * 16));
  EXPECT_EQ(work.read, Bytes(256));
  EXPECT_EQ(work.written, Bytes(256));
}

TEST(OpWork, SlicesReadWhatTheyKeep) {
  OpWork work = workOf("%a: tensor<1000x8xf32>",
                       "stablehlo.slice %a [0:2, 0:8] : "
                       "(tensor<1000x8xf32>) -> tensor<2x8xf32>",
                       "tensor<2x8xf32>");
  EXPECT_EQ(work.read, Bytes(64));
  EXPECT_EQ(work.written, Bytes(64));
}

TEST(OpWork, ReshapesAreFree) {
  OpWork work = workOf("%a: tensor<8x16xf32>",
                       "stablehlo.reshape %a : (tensor<8x16xf32>) -> "
                       "tensor<128xf32>",
                       "tensor<128xf32>");
  EXPECT_EQ(work.kind, OpWork::Kind::Free);
  EXPECT_EQ(work.written, Bytes(0));
}

TEST(OpWork, BooleansTakeAByte) {
  OpWork work = workOf("%a: tensor<8xf32>",
                       "stablehlo.is_finite %a : (tensor<8xf32>) -> "
                       "tensor<8xi1>",
                       "tensor<8xi1>");
  EXPECT_EQ(work.written, Bytes(8));
}

TEST(OpWork, EveryOpWithAFactorRuleHasACost) {
  for (RegisteredOperationName name :
       sharedContext().getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect != "stablehlo" && dialect != "chlo")
      continue;
    if (name.hasInterface<FactorRuleInterface>()) {
      EXPECT_TRUE(name.hasInterface<CostInterface>())
          << name.getStringRef().str();
    }
  }
}

/// The op is the first in its function; its results are not returned.
OpWork workOfFirst(const std::string &arguments, const std::string &op) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @main(" + arguments + ") {\n  " + op + "\n  return\n}",
      &sharedContext());
  EXPECT_TRUE(module);
  Operation &first =
      module->lookupSymbol<func::FuncOp>("main").getBody().front().front();
  SmallVector<RankedTensorType> operands, results;
  for (Type type : first.getOperandTypes())
    operands.push_back(cast<RankedTensorType>(type));
  for (Type type : first.getResultTypes())
    results.push_back(cast<RankedTensorType>(type));
  return cast<CostInterface>(first).getWork(operands, results);
}

TEST(OpWork, RingsPassOnKeysAndValuesAndSumsOfTheirGradients) {
  std::string arguments = "%q: tensor<2x3x8x4xbf16>, %k: tensor<2x8x4xbf16>, "
                          "%v: tensor<2x8x6xbf16>, %o: tensor<2x3x8x6xbf16>, "
                          "%l: tensor<2x3x8xf32>";
  OpWork forward = workOfFirst(
      arguments, "%0:2 = smith.attention %q, %k, %v causal ring scale = 1.0 : "
                 "(tensor<2x3x8x4xbf16>, tensor<2x8x4xbf16>, "
                 "tensor<2x8x6xbf16>) -> (tensor<2x3x8x6xbf16>, "
                 "tensor<2x3x8xf32>)");
  Bytes keysAndValues(2 * 8 * (4 + 6) * 2);
  ASSERT_TRUE(forward.ring);
  // Samples, groups, positions.
  EXPECT_EQ(forward.ring->factor, 2u);
  EXPECT_EQ(forward.ring->message, keysAndValues);
  // Halves: a rank's own keys are one, those of three others two each.
  EXPECT_EQ(forward.ring->turns(4), 7);
  EXPECT_EQ(forward.ring->turns(1), 1);
  // Dealt out, every turn is a half.
  OpWork dealt = workOfFirst(
      arguments, "%0:2 = smith.attention %q, %k, %v causal ring zigzag = 4 "
                 "scale = 1.0 : (tensor<2x3x8x4xbf16>, tensor<2x8x4xbf16>, "
                 "tensor<2x8x6xbf16>) -> (tensor<2x3x8x6xbf16>, "
                 "tensor<2x3x8xf32>)");
  EXPECT_EQ(dealt.product, forward.product);
  EXPECT_EQ(dealt.ring->turns(4), 4);

  OpWork backward = workOfFirst(
      arguments,
      "%0:3 = smith.attention_gradient %q, %k, %v, %o, %l, %o ring scale = 1.0 "
      ": (tensor<2x3x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x6xbf16>, "
      "tensor<2x3x8x6xbf16>, tensor<2x3x8xf32>, tensor<2x3x8x6xbf16>) -> "
      "(tensor<2x3x8x4xbf16>, tensor<2x8x4xbf16>, tensor<2x8x6xbf16>)");
  ASSERT_TRUE(backward.ring);
  // The sums are f32.
  EXPECT_EQ(backward.ring->message, keysAndValues * 3);
  EXPECT_EQ(backward.ring->turns(4), 4);
}

} // namespace
