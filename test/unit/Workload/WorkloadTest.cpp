// SPDX-License-Identifier: Apache-2.0

#include "Described.h"
#include "TwoLayers.h"

#include <gmock/gmock.h>

#include <functional>

using namespace shardsmith;
using namespace shardsmith::workload;
using testing::HasSubstr;

namespace {

TEST(Workload, CountsUnitsParametersAndOperations) {
  Workload workload = twoLayers();
  EXPECT_EQ(workload.verify(), "");
  EXPECT_EQ(workload.unitCount(), 4);
  EXPECT_EQ(workload.segmentOf(0), 0u);
  EXPECT_EQ(workload.segmentOf(1), 1u);
  EXPECT_EQ(workload.segmentOf(2), 1u);
  EXPECT_EQ(workload.segmentOf(3), 2u);
  // The table counts once although two blocks use it.
  EXPECT_EQ(workload.parameterCount(),
            vocabulary * hidden + 2 * hidden * hidden);
  int64_t layer = 2 * positions * hidden * hidden + positions * hidden;
  int64_t head =
      2 * positions * hidden * vocabulary + 5 * positions * vocabulary;
  EXPECT_EQ(workload.forwardFlops(), Flops(2 * layer + head));
}

TEST(Workload, BytesOfNarrowTypesRoundUp) {
  Tensor tensor{"t", {3, 5}, ElementType::F4};
  EXPECT_EQ(tensor.elementCount(), 15);
  EXPECT_EQ(tensor.bytes(), Bytes(8));
  tensor.type = ElementType::Bool;
  EXPECT_EQ(tensor.bytes(), Bytes(15));
  tensor.type = ElementType::F64;
  EXPECT_EQ(tensor.bytes(), Bytes(120));
  EXPECT_EQ(Tensor{}.elementCount(), 1) << "a scalar";
}

TEST(Workload, SizesSaturate) {
  int64_t big = int64_t(1) << 40;
  Tensor tensor{"t", {big, big}, ElementType::F4};
  EXPECT_EQ(tensor.elementCount(), INT64_MAX);
  tensor.type = ElementType::F32;
  EXPECT_TRUE(tensor.bytes().isSaturated());

  Workload workload = twoLayers();
  workload.blocks[1].ops[0].flops = Flops(INT64_MAX / 2 + 1);
  EXPECT_TRUE(workload.forwardFlops().isSaturated());
  workload.blocks[1].tensors[1].shape = {big, big};
  EXPECT_EQ(workload.parameterCount(), INT64_MAX);
  workload.segments[0].count = workload.segments[1].count = INT64_MAX;
  EXPECT_EQ(workload.unitCount(), INT64_MAX);
}

TEST(Workload, KnowsWhatUsesAFactorAndWhatRunsOverExperts) {
  Block block = layerBlock();
  Op &product = block.ops[0];
  const TensorUse &weight = product.operands[1];
  for (FactorIndex factor = 0; factor < product.factors.size(); ++factor)
    EXPECT_EQ(weight.uses(factor), factor >= 2) << product.factors[factor].name;

  TensorIndex weights = weight.tensor, result = product.results[0].tensor;
  EXPECT_FALSE(block.runsOverExperts(weights, 1));
  product.factors[2].role = FactorRole::Expert;
  EXPECT_TRUE(block.runsOverExperts(weights, 1));
  EXPECT_FALSE(block.runsOverExperts(weights, 0));
  EXPECT_FALSE(block.runsOverExperts(weights, 2)) << "no such dimension";
  EXPECT_FALSE(block.runsOverExperts(result, 2)) << "not as an operand";
}

TEST(Workload, TypesHaveMlirNames) {
  for (auto [name, bits] : {std::pair("bf16", 16),
                            {"f8E4M3FN", 8},
                            {"f4E2M1FN", 4},
                            {"i1", 8},
                            {"tf32", 32},
                            {"i64", 64}}) {
    auto type = elementTypeNamed(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(nameOf(*type), name);
    EXPECT_EQ(bitsOf(*type), bits) << name;
  }
  EXPECT_FALSE(elementTypeNamed("float"));
}

TEST(Workload, DescriptorsHaveWords) {
  EXPECT_EQ(wordFor(described::fused), "fused");
  EXPECT_EQ(wordFor(described::matmul), "matmul");
  EXPECT_EQ(wordFor(described::groupedMatmul), "grouped-matmul");
  EXPECT_EQ(wordFor(described::lookup), "lookup");
  EXPECT_EQ(wordFor(described::dispatch), "dispatch");
  EXPECT_EQ(wordFor(described::combine), "combine");
  EXPECT_EQ(wordFor(attentionOp()), "attention");
}

TEST(Workload, AttentionVerifies) {
  Workload workload;
  workload.blocks = {attentionBlock()};
  workload.segments = {{0, 1, {{}}}};
  EXPECT_EQ(workload.verify(), "");
}

struct Mistake {
  const char *message;
  std::function<void(Workload &)> make;
};

void PrintTo(const Mistake &mistake, std::ostream *os) {
  *os << mistake.message;
}

class WorkloadMistake : public testing::TestWithParam<Mistake> {};

TEST_P(WorkloadMistake, IsNamed) {
  Workload workload = twoLayers();
  GetParam().make(workload);
  EXPECT_THAT(workload.verify(), HasSubstr(GetParam().message));
}

const Mistake mistakes[] = {
    {"0 sequences of 16 positions", [](Workload &w) { w.globalBatch = 0; }},
    {"4 sequences of -1 positions", [](Workload &w) { w.sequenceLength = -1; }},
    {"there are no segments", [](Workload &w) { w.segments.clear(); }},
    {"segment 1 repeats block 7, but there are 3",
     [](Workload &w) { w.segments[1].block = 7; }},
    {"segment 1 has 0 repetitions",
     [](Workload &w) { w.segments[1].count = 0; }},
    {"segment 1 has 2 repetitions but 1 lists",
     [](Workload &w) { w.segments[1].parameterNames = {{"layers.0.w"}}; }},
    {"segment 1 lists 2 parameter names, but block \"layer\" has 1",
     [](Workload &w) { w.segments[1].parameterNames = {{"a", "x"}, {"b"}}; }},
    {"segment 1 has 2 repetitions but 1 names of parameter 0",
     [](Workload &w) { w.segments[1].parameterNames = {{"a"}, {}}; }},
    {"parameter \"wte\" has two types: 32x8 of bf16 and 8x8 of bf16",
     [](Workload &w) { w.segments[1].parameterNames = {{"wte"}, {"w"}}; }},
    {"block \"embedding\" has 1 outputs, but \"layer\" behind it has 0",
     [](Workload &w) {
       w.blocks[1].inputs.clear();
       w.blocks[1].tensors[0].role = TensorRole::Batch;
     }},
    {"output 0 of block \"embedding\" is 1x16x8 of bf16, but input 0 of "
     "\"layer\" is 1x16x8 of f32",
     [](Workload &w) { w.blocks[1].tensors[0].type = ElementType::F32; }},
    {"the first block \"layer\" has inputs",
     [](Workload &w) { w.segments.erase(w.segments.begin()); }},
    {"the last block \"layer\" has outputs",
     [](Workload &w) { w.segments.pop_back(); }},
    {"tensor \"w\" has a dimension of size 0",
     [](Workload &w) { w.blocks[1].tensors[1].shape[0] = 0; }},
    {"an input, output or parameter is a tensor that does not exist",
     [](Workload &w) { w.blocks[1].outputs[0] = 9; }},
    {"\"w\" goes from block to block but is no activation",
     [](Workload &w) { w.blocks[1].outputs[0] = 1; }},
    {"a tensor is listed twice among the inputs",
     [](Workload &w) { w.blocks[1].inputs = {0, 0}; }},
    {"a tensor is listed twice among the parameters",
     [](Workload &w) { w.blocks[1].parameters = {1, 1}; }},
    {"parameter \"w\" is not listed as one",
     [](Workload &w) { w.blocks[1].parameters.clear(); }},
    {"\"y\" is listed as a parameter but has another role",
     [](Workload &w) { w.blocks[1].parameters = {1, 3}; }},
    {"output \"y\" is neither an input nor a result",
     [](Workload &w) { w.blocks[1].ops.pop_back(); }},
    {"operand \"product\" is not produced before it is used",
     [](Workload &w) { std::swap(w.blocks[1].ops[0], w.blocks[1].ops[1]); }},
    {"result \"x\" has another producer",
     [](Workload &w) { w.blocks[1].ops[1].results[0].tensor = 0; }},
    {"it has no result",
     [](Workload &w) { w.blocks[1].ops[1].results.clear(); }},
    {"matmul \"w\": it uses tensor 9, but there are 4",
     [](Workload &w) { w.blocks[1].ops[0].operands[0].tensor = 9; }},
    {"\"x\" has 3 dimensions, but 2 are mapped",
     [](Workload &w) { w.blocks[1].ops[0].operands[0].dims.pop_back(); }},
    {"\"x\" uses factor 9, but there are 4",
     [](Workload &w) { w.blocks[1].ops[0].operands[0].dims[0] = {9}; }},
    {"factor \"b\" occurs twice in \"x\"",
     [](Workload &w) { w.blocks[1].ops[0].operands[0].dims[1] = {0}; }},
    {"the factors of dimension 0 of \"x\" exceed its size 1",
     [](Workload &w) { w.blocks[1].ops[0].operands[0].dims[0] = {1}; }},
    {"factor \"k\" has size 0",
     [](Workload &w) { w.blocks[1].ops[0].factors[3].size = 0; }},
    {"factor names must be distinct and not empty, found \"n\" again",
     [](Workload &w) { w.blocks[1].ops[0].factors[3].name = "n"; }},
    {"factor \"k\" is in no result but passes through",
     [](Workload &w) {
       w.blocks[1].ops[0].factors[3].kind = FactorKind::PassThrough;
     }},
    {"a linear set names operand 2, but there are 2",
     [](Workload &w) { w.blocks[1].ops[0].linearOperandSets = {{2}}; }},
    {"it has a negative number of operations",
     [](Workload &w) { w.blocks[1].ops[0].flops = Flops(-1); }},
    {"expected two operands and one result",
     [](Workload &w) {
       w.blocks[1].ops[0].operands.pop_back();
       w.blocks[1].ops[0].linearOperandSets.clear();
     }},
    {"0 experts per token: expected one or more",
     [](Workload &w) { w.blocks[1].ops[0].product->isPerExpert = true; }},
    {"2 experts per token: expected 0",
     [](Workload &w) { w.blocks[1].ops[0].expertsPerToken = 2; }},
    {"2 row statistics, but no factor",
     [](Workload &w) { w.blocks[1].ops[1].rowStatistics = 2; }},
    {"only fused ops have row statistics",
     [](Workload &w) {
       w.blocks[1].ops[0].factors[3].kind = FactorKind::RowStatistic;
     }},
    {"2 descriptors, expected at most one",
     [](Workload &w) { w.blocks[1].ops[0].attention.emplace(); }},
};
INSTANTIATE_TEST_SUITE_P(All, WorkloadMistake, testing::ValuesIn(mistakes));

TEST(Workload, AttentionMistakes) {
  auto verifyWith = [](std::function<void(Op &)> change) {
    Workload workload;
    workload.blocks = {attentionBlock()};
    change(workload.blocks[0].ops[0]);
    workload.segments = {{0, 1, {{}}}};
    return workload.verify();
  };
  EXPECT_THAT(verifyWith([](Op &op) { op.operands.pop_back(); }),
              HasSubstr("expected operands q, k, v"));
  EXPECT_THAT(verifyWith([](Op &op) { op.attention->keys = 3; }),
              HasSubstr("one factor plays two parts"));
  EXPECT_THAT(verifyWith([](Op &op) { op.attention->group = 12; }),
              HasSubstr("factor 12 is part of attention, but there are 7"));
  EXPECT_THAT(verifyWith([](Op &op) {
                op.factors[5].kind = workload::FactorKind::Whole;
              }),
              HasSubstr("the head size must be a reduction"));
}

TEST(WorkloadJson, RoundTrip) {
  Workload workload = twoLayers();
  workload.microBatchObstacle = "the mean over the batch at \"x\"";
  Workload attention;
  attention.blocks = {attentionBlock()};
  attention.blocks[0].tensors[3].insideAttention = true;
  attention.blocks[0].ops[0].hasBackward = false;
  attention.segments = {{0, 1, {{}}}};
  for (const Workload &original : {workload, attention}) {
    std::string text = toJson(original);
    std::string error;
    auto read = workloadFromJson(text, error);
    ASSERT_TRUE(read) << error;
    EXPECT_EQ(*read, original);
    EXPECT_EQ(toJson(*read), text);
  }
}

TEST(WorkloadJson, ErrorsHavePointers) {
  auto errorOf = [](std::string from, std::string to) {
    std::string text = toJson(twoLayers());
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::string error;
    EXPECT_FALSE(workloadFromJson(text, error)) << to;
    return error;
  };
  EXPECT_EQ(errorOf("\"bf16\"", "\"half\"").substr(0, 38),
            "/compute_type: expected one of f64, f3");
  EXPECT_EQ(errorOf("\"count\": 2", "\"count\": 0"),
            "/segments/1/count: expected an integer of 1 or more, found 0");
  EXPECT_EQ(errorOf("\"shape\":[32,8]", "\"shape\":[32,8.5]"),
            "/blocks/0/tensors/0/shape/1: expected an integer of 1 or more, "
            "found 8.5");
  EXPECT_EQ(errorOf("\"dims\":[[\"v\"]", "\"dims\":[[\"z\"]"),
            "/blocks/0/ops/0/operands/0/dims/0/0: the op has no factor \"z\"");
  EXPECT_EQ(errorOf("\"model_hash\"", "\"hash\""),
            "/: the key \"model_hash\" is missing");
  EXPECT_EQ(errorOf("\"kind\":\"lookup\"", "\"kind\":true"),
            "/blocks/0/ops/0/kind: expected a string, found true");
  EXPECT_EQ(errorOf("\"kind\":\"lookup\"", "\"kind\":\"attention\""),
            "/blocks/0/ops/0/kind: the parts of attention are missing");
  EXPECT_EQ(
      errorOf("\"kind\":\"lookup\"", "\"kind\":\"lookup\",\"attention\":{}"),
      "/blocks/0/ops/0/kind: only attention has its parts");
  EXPECT_EQ(errorOf("\"kind\":\"lookup\"", "\"kind\":\"convolve\""),
            "/blocks/0/ops/0/kind: expected one of matmul, grouped-matmul, "
            "attention, lookup, dispatch, combine, fused, found \"convolve\"");
  EXPECT_EQ(errorOf("\"flops\":0", "\"flops\":18446744073709551615"),
            "/blocks/0/ops/0/flops: expected an integer of 0 or more, found "
            "18446744073709551615");
  // Read, but no workload.
  EXPECT_EQ(errorOf("\"count\": 2", "\"count\": 3"),
            "segment 1 has 3 repetitions but 2 lists of parameter names");
  EXPECT_THAT(errorOf("{", "["),
              testing::StartsWith("/: not valid JSON: parse error at line 2"));
}

} // namespace
