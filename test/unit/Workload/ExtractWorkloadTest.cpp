// SPDX-License-Identifier: Apache-2.0
//
// Workloads of whole models: nothing of the model is lost on the way.

#include "shardsmith/Workload/ExtractWorkload.h"

#include "shardsmith/Import/BuildModel.h"
#include "shardsmith/Import/Pipeline.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Interfaces/CostInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <map>

using namespace mlir;
using namespace shardsmith;
using testing::HasSubstr;
using workload::Workload;

namespace {

class Extract : public testing::Test {
protected:
  Extract() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  Workload extract(ModuleOp module) {
    llvm::Expected<Workload> result = extractWorkload(module);
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return {};
    }
    EXPECT_EQ(result->verify(), "");
    std::string error;
    std::optional<Workload> read =
        workload::workloadFromJson(toJson(*result), error);
    EXPECT_TRUE(read && *read == *result) << error;
    return std::move(*result);
  }

  OwningOpRef<ModuleOp> import(const std::string &file) {
    ExitCode exitCode = ExitCode::Success;
    OwningOpRef<ModuleOp> module = importModel(
        std::string(SHARDSMITH_MODELS) + "/" + file, context, {}, exitCode);
    EXPECT_TRUE(module) << file;
    return module;
  }

  OwningOpRef<ModuleOp> build(const std::string &name, int64_t length = 0) {
    ModelRequest request;
    request.model = name;
    request.globalBatch = 32;
    if (length)
      request.sequenceLength = length;
    llvm::Expected<OwningOpRef<ModuleOp>> module = buildModel(context, request);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return nullptr;
    }
    return std::move(*module);
  }

  std::string errorOf(const char *text, ExitCode expected) {
    auto module = parseSourceString<ModuleOp>(text, &context, "model.mlir");
    EXPECT_TRUE(module);
    llvm::Expected<Workload> result = extractWorkload(*module);
    if (result) {
      ADD_FAILURE() << "extracted";
      return "";
    }
    std::string message;
    EXPECT_EQ(takeError(result.takeError(), message), expected);
    return message;
  }

  MLIRContext context;
};

/// Operations of all products, calls followed.
int64_t productFlops(func::FuncOp function) {
  int64_t total = 0;
  auto module = function->getParentOfType<ModuleOp>();
  for (Operation &op : function.getBody().front()) {
    if (auto call = dyn_cast<func::CallOp>(op))
      total +=
          productFlops(module.lookupSymbol<func::FuncOp>(call.getCallee()));
    auto cost = dyn_cast<CostInterface>(op);
    if (!cost)
      continue;
    SmallVector<RankedTensorType> operands, results;
    for (Type type : op.getOperandTypes())
      operands.push_back(cast<RankedTensorType>(type));
    for (Type type : op.getResultTypes())
      results.push_back(cast<RankedTensorType>(type));
    OpWork work = cost.getWork(operands, results);
    if (work.kind == OpWork::Kind::Matmul)
      total += work.flops.count();
  }
  return total;
}

int64_t productFlops(const Workload &workload) {
  int64_t total = 0;
  for (const workload::Segment &segment : workload.segments)
    for (const workload::Op &op : workload.blocks[segment.block].ops)
      if (op.product || op.attention)
        total += op.flops.count() * segment.count;
  return total * workload.globalBatch;
}

/// Two operations for every combination of factors; a row of a grouped product
/// meets one expert.
void checkProducts(const Workload &workload) {
  for (const workload::Block &block : workload.blocks)
    for (const workload::Op &op : block.ops) {
      if (!op.product)
        continue;
      int64_t flops = 2;
      for (const workload::Factor &factor : op.factors)
        if (!op.product->isPerExpert ||
            factor.role != workload::FactorRole::Expert)
          flops *= factor.size;
      EXPECT_EQ(op.flops.count(), flops) << op.name;
    }
}

int64_t parameterElements(ModuleOp module) {
  int64_t total = 0;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (BlockArgument argument : main.getArguments()) {
    auto role = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  "smith.role");
    if (role == "param")
      total += cast<RankedTensorType>(argument.getType()).getNumElements();
  }
  return total;
}

std::vector<int64_t> countsOf(const Workload &workload) {
  std::vector<int64_t> counts;
  for (const workload::Segment &segment : workload.segments)
    counts.push_back(segment.count);
  return counts;
}

std::map<std::string_view, int> wordsOf(const workload::Block &block) {
  std::map<std::string_view, int> words;
  for (const workload::Op &op : block.ops)
    ++words[wordFor(op)];
  return words;
}

struct FileCase {
  const char *file;
  std::vector<int64_t> counts;
  /// Products other than attention, and ops in all, of a layer.
  int products, ops;
};

TEST_F(Extract, ImportedModels) {
  const FileCase cases[] = {{"gpt2-tiny.mlir", {1, 2, 1}, 4, 10},
                            {"gpt2-124m.mlir", {1, 12, 1}, 4, 10},
                            {"llama-tiny.mlir", {1, 2, 1}, 7, 14},
                            {"llama-tiny-scan.mlir", {1, 2, 1}, 7, 14}};
  for (const FileCase &entry : cases) {
    SCOPED_TRACE(entry.file);
    OwningOpRef<ModuleOp> module = import(entry.file);
    ASSERT_TRUE(module);
    Workload workload = extract(*module);
    EXPECT_EQ(countsOf(workload), entry.counts);
    EXPECT_EQ(workload.parameterCount(), parameterElements(*module));
    EXPECT_EQ(productFlops(workload),
              productFlops(module->lookupSymbol<func::FuncOp>("main")));
    checkProducts(workload);
    const workload::Block &layer = workload.blocks[1];
    EXPECT_EQ(layer.ops.size(), size_t(entry.ops));
    EXPECT_EQ(wordsOf(layer)["matmul"], entry.products);
    EXPECT_EQ(wordsOf(layer)["attention"], 1);
    for (const workload::Op &op : layer.ops) {
      if (op.attention) {
        EXPECT_TRUE(op.attention->causal);
      }
    }
    EXPECT_EQ(workload.microBatchObstacle, "");
  }
}

/// The same model as one function and folded gives the same blocks.
TEST_F(Extract, FoldedAndInlined) {
  for (const char *name : {"gpt2-124m", "llama3-8b", "mixtral-8x7b"}) {
    SCOPED_TRACE(name);
    OwningOpRef<ModuleOp> folded = build(name, 256);
    ASSERT_TRUE(folded);
    OwningOpRef<ModuleOp> inlined = folded->clone();
    ExitCode exitCode = ExitCode::Success;
    ASSERT_TRUE(succeeded(runImportPipeline(*inlined, {}, exitCode)));
    Workload a = extract(*folded), b = extract(*inlined);
    EXPECT_EQ(countsOf(a), countsOf(b));
    EXPECT_EQ(a.parameterCount(), b.parameterCount());
    EXPECT_EQ(productFlops(a), productFlops(b));
    ASSERT_EQ(a.blocks.size(), b.blocks.size());
    for (size_t i = 0; i < a.blocks.size(); ++i)
      EXPECT_EQ(wordsOf(a.blocks[i]), wordsOf(b.blocks[i])) << "block " << i;
  }
}

/// Where inlined ops say which call they come from, all is the same but the
/// hash, whatever else repeats in them.
TEST_F(Extract, FoldedAndInlinedWithNotes) {
  for (const char *name : {"gpt2-124m", "llama3-8b", "qwen3-8b", "mixtral-8x7b",
                           "deepseek-v3", "bert-large", "vit-large", "t5-3b"}) {
    SCOPED_TRACE(name);
    OwningOpRef<ModuleOp> folded = build(name);
    ASSERT_TRUE(folded);
    OwningOpRef<ModuleOp> inlined = folded->clone();
    ExitCode exitCode = ExitCode::Success;
    ImportOptions options;
    options.noteCalls = true;
    ASSERT_TRUE(succeeded(runImportPipeline(*inlined, options, exitCode)));
    Workload a = extract(*folded), b = extract(*inlined);
    b.modelHash = a.modelHash;
    EXPECT_EQ(toJson(a), toJson(b));
  }
}

struct BuiltCase {
  const char *name;
  std::vector<int64_t> counts;
};

TEST_F(Extract, BuiltModels) {
  const BuiltCase cases[] = {
      {"gpt3-175b", {1, 96, 1}},      {"llama3-8b", {1, 32, 1}},
      {"llama3-405b", {1, 126, 1}},   {"gpt-neox-20b", {1, 44, 1}},
      {"qwen3-8b", {1, 36, 1}},       {"mixtral-8x7b", {1, 32, 1}},
      {"deepseek-v3", {1, 3, 58, 1}}, {"bert-large", {1, 24, 1}},
      {"vit-large", {1, 24, 1}},      {"t5-11b", {1, 24, 1, 24, 1}}};
  for (const BuiltCase &entry : cases) {
    SCOPED_TRACE(entry.name);
    OwningOpRef<ModuleOp> module = build(entry.name);
    ASSERT_TRUE(module);
    Workload workload = extract(*module);
    EXPECT_EQ(countsOf(workload), entry.counts);
    EXPECT_EQ(productFlops(workload),
              productFlops(module->lookupSymbol<func::FuncOp>("main")));
    checkProducts(workload);
    EXPECT_EQ(workload.globalBatch, 32);
    EXPECT_EQ(workload.positionObstacle, "");
    // A table of which only some rows are read counts as a whole.
    EXPECT_EQ(workload.parameterCount(), parameterElements(*module));
    int64_t perToken = std::string(entry.name) == "deepseek-v3" ? 8 : 2;
    for (const workload::Block &block : workload.blocks)
      for (const workload::Op &op : block.ops) {
        if (op.isProductPerExpert() || op.exchange) {
          EXPECT_EQ(op.expertsPerToken, perToken);
        }
      }
  }
}

TEST_F(Extract, RepeatedCallsAreReadAsOften) {
  for (const char *name : {"gpt2-124m", "t5-3b", "mixtral-8x7b"}) {
    ModelRequest request;
    request.model = name;
    request.globalBatch = 32;
    smith::RepeatedCalls repeated;
    llvm::Expected<OwningOpRef<ModuleOp>> module =
        buildModel(context, request, &repeated);
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    ASSERT_FALSE(repeated.empty());
    workload::GraphMap map;
    llvm::Expected<Workload> found = extractWorkload(**module, &map, repeated);
    ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
    EXPECT_EQ(*found, extract(*build(name))) << name;
    int64_t units = 0;
    for (const workload::GraphUnit &unit : map.units)
      units += unit.count;
    EXPECT_EQ(units, found->unitCount());
  }
}

TEST_F(Extract, TrainStepIsRefused) {
  const char *text = R"(
    module {
      func.func @main(%w: tensor<4xf32> {smith.name = "w", smith.role = "param"},
                      %x: tensor<2x4xf32> {smith.name = "x", smith.role = "batch"})
          -> (tensor<4xf32> {smith.name = "w", smith.role = "param"},
              tensor<f32> {smith.role = "loss"}) {
        %0 = stablehlo.constant dense<0.0> : tensor<f32>
        return %w, %0 : tensor<4xf32>, tensor<f32>
      }
    })";
  std::string message = errorOf(text, ExitCode::Unsupported);
  EXPECT_THAT(message, HasSubstr("model.mlir:3:7"));
  EXPECT_THAT(
      message,
      HasSubstr("unsupported: a train step (result 0 is a new parameter)"));
}

TEST_F(Extract, LoopIsUnsupported) {
  const char *text = R"(
    module {
      func.func @main(%w: tensor<f32> {smith.name = "w", smith.role = "param"},
                      %x: tensor<2xf32> {smith.name = "x", smith.role = "batch"})
          -> (tensor<f32> {smith.role = "loss"}) {
        %r = stablehlo.while(%a = %w) : tensor<f32>
         cond {
          %c = stablehlo.compare LT, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          stablehlo.return %a : tensor<f32>
        }
        return %r : tensor<f32>
      }
    })";
  std::string message = errorOf(text, ExitCode::Unsupported);
  EXPECT_THAT(message, HasSubstr("model.mlir:6:14"));
  EXPECT_THAT(message, HasSubstr("unsupported: 'stablehlo.while'"));
}

} // namespace
