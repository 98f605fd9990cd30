// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Import/BuildModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace shardsmith;

namespace {

class BuildModel : public testing::Test {
protected:
  BuildModel() {
    DialectRegistry registry;
    registry.insert<chlo::ChloDialect, func::FuncDialect, smith::SmithDialect,
                    stablehlo::StableHLODialect>();
    context.appendDialectRegistry(registry);
  }

  /// The module, which is correct, or null after a failure of the test.
  OwningOpRef<ModuleOp> build(const ModelRequest &request) {
    llvm::Expected<OwningOpRef<ModuleOp>> module = buildModel(context, request);
    if (!module) {
      ADD_FAILURE() << request.model << ": "
                    << llvm::toString(module.takeError());
      return nullptr;
    }
    EXPECT_TRUE(succeeded(verify(**module))) << request.model;
    return std::move(*module);
  }

  std::string refused(const ModelRequest &request, ExitCode expected) {
    llvm::Expected<OwningOpRef<ModuleOp>> module = buildModel(context, request);
    if (module) {
      ADD_FAILURE() << request.model << " was built";
      return "";
    }
    std::string message;
    EXPECT_EQ(takeError(module.takeError(), message), expected) << message;
    return message;
  }

  MLIRContext context;
};

TEST_F(BuildModel, EveryBuiltinModelIsCorrect) {
  std::set<std::string> names;
  for (const std::string &name : builtinModelNames()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(isBuiltinModel(name));
    EXPECT_TRUE(isModelDescription(name));
    build({.model = name});
  }
}

TEST_F(BuildModel, GrowsByCallsOnly) {
  auto config = [](int layers) {
    return R"({"model_type": "shardsmith-transformer", "hidden": 8,
               "heads": 2, "vocab": 16, "max_positions": 4, "layers": )" +
           std::to_string(layers) + "}";
  };
  auto count = [&](int layers) {
    OwningOpRef<ModuleOp> module = build({.model = config(layers)});
    int ops = 0;
    module->walk([&](Operation *op) { ops += !isa<func::CallOp>(op); });
    return ops;
  };
  EXPECT_EQ(count(3), count(300));
}

TEST_F(BuildModel, SizesComeFromTheRequest) {
  OwningOpRef<ModuleOp> module = build({.model = "gpt2-124m",
                                        .sequenceLength = 64,
                                        .globalBatch = 3,
                                        .elementType = "f16"});
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto labels = cast<RankedTensorType>(main.getArgumentTypes().back());
  EXPECT_EQ(labels.getShape(), (ArrayRef<int64_t>{3, 64}));
  auto weights = cast<RankedTensorType>(main.getArgumentTypes().front());
  EXPECT_TRUE(weights.getElementType().isF16());
}

TEST_F(BuildModel, DefaultsAreThoseOfTraining) {
  OwningOpRef<ModuleOp> module = build({.model = "llama3-8b"});
  auto main = module->lookupSymbol<func::FuncOp>("main");
  auto labels = cast<RankedTensorType>(main.getArgumentTypes().back());
  EXPECT_EQ(labels.getShape(), (ArrayRef<int64_t>{defaultGlobalBatch, 8192}));
}

TEST_F(BuildModel, SaysWhatIsWrongAndWhere) {
  std::string message =
      refused({.model = R"({"model_type": "lama"})"}, ExitCode::BadInput);
  EXPECT_NE(message.find("the nearest is 'llama'"), std::string::npos);
  refused({.model = R"({"model_type": )"}, ExitCode::BadInput);
  refused({.model = "gpt2-124m", .elementType = "f8"}, ExitCode::Usage);
  refused({.model = "no/such/config.json"}, ExitCode::BadInput);
  message = refused({.model = "llama3-8b", .globalBatch = int64_t(1) << 32},
                    ExitCode::BadInput);
  EXPECT_NE(message.find("the scores"), std::string::npos) << message;
}

TEST_F(BuildModel, NamesAreSuggested) {
  EXPECT_EQ(suggestBuiltinModel("lama3-8b"), "did you mean 'llama3-8b'?");
  EXPECT_EQ(suggestBuiltinModel("something/else.txt"), "");
  EXPECT_FALSE(isModelDescription("model.mlir"));
  EXPECT_TRUE(isModelDescription("model/config.json"));
}

} // namespace
