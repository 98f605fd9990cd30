// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using testing::HasSubstr;

namespace {

/// Loads and imports texts, and keeps the first error with its position.
class LoadModel : public testing::Test {
protected:
  LoadModel() {
    context.loadDialect<mlir::func::FuncDialect, stablehlo::StableHLODialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      if (!error.empty())
        return;
      error = diagnostic.str();
      auto where =
          mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation());
      line = where ? where.getLine() : 0;
    });
  }

  bool load(const std::string &text) {
    error.clear();
    auto path = std::filesystem::path(testing::TempDir()) / "model.mlir";
    std::ofstream(path, std::ios::binary) << text;
    return static_cast<bool>(
        importModel(path.string(), context, ImportOptions(), exitCode));
  }

  mlir::MLIRContext context;
  ExitCode exitCode = ExitCode::Success;
  std::string error;
  unsigned line = 0;
};

const std::string model = R"(
func.func public @main(%w: tensor<f32> {smith.role = "param"}) -> tensor<f32> {
  %0 = stablehlo.sine %w : tensor<f32>
  return %0 : tensor<f32>
}
)";

std::string withOp(const std::string &op) {
  std::string text = model;
  size_t at = text.find("%0 =");
  return text.replace(at, text.find('\n', at) - at, op);
}

TEST_F(LoadModel, AcceptsAModel) { EXPECT_TRUE(load(model)) << error; }

TEST_F(LoadModel, NamesAMissingFile) {
  EXPECT_FALSE(loadModel("/no/such/model.mlir", context, exitCode));
  EXPECT_THAT(error,
              HasSubstr("cannot read \"/no/such/model.mlir\": No such file"));
  EXPECT_EQ(exitCode, ExitCode::BadInput);
}

TEST_F(LoadModel, RefusesAFolder) {
  EXPECT_FALSE(loadModel("/tmp", context, exitCode));
  EXPECT_THAT(error, HasSubstr("'/tmp' is a folder"));
}

TEST_F(LoadModel, RefusesWhatIsNoText) {
  EXPECT_FALSE(load(" \n"));
  EXPECT_THAT(error, HasSubstr("is empty"));
  EXPECT_FALSE(load(std::string("ML\xEFR\rStableHLO", 14)));
  EXPECT_THAT(error, HasSubstr("is MLIR bytecode"));
  EXPECT_FALSE(load(std::string("mod\0ule", 7)));
  EXPECT_THAT(error, HasSubstr("is not a text file"));
  EXPECT_EQ(exitCode, ExitCode::BadInput);
}

// Cut after every byte of @main: refused as bad input, none crashes.
TEST_F(LoadModel, RefusesEveryTruncation) {
  for (size_t length = model.find('(') + 1; length + 2 < model.size();
       ++length) {
    EXPECT_FALSE(load(model.substr(0, length))) << length;
    EXPECT_EQ(exitCode, ExitCode::BadInput) << length << ": " << error;
    EXPECT_NE(error, "") << length;
  }
}

TEST_F(LoadModel, SaysThatAFileIsTruncated) {
  EXPECT_FALSE(load(model.substr(0, model.find("return"))));
  EXPECT_THAT(error, HasSubstr("the file ends with 1 brackets open: it is "
                               "truncated, or a bracket is missing"));
  EXPECT_EQ(line, 3u);
}

TEST_F(LoadModel, IgnoresBracketsInStringsAndComments) {
  EXPECT_TRUE(
      load("// ((( \n" +
           withOp(R"(%0 = stablehlo.sine %w {note = "[\"({"} : tensor<f32>)")))
      << error;
}

TEST_F(LoadModel, RefusesDeepNesting) {
  std::string deep(100000, '[');
  EXPECT_FALSE(load("module attributes {a = " + deep +
                    std::string(100000, ']') + "} {}"));
  EXPECT_THAT(error, HasSubstr("brackets are nested more than 256 deep"));
}

TEST_F(LoadModel, LocatesSyntaxErrors) {
  EXPECT_FALSE(load(withOp("%0 = stablehlo.sine %w : tensor<f33>")));
  EXPECT_EQ(line, 3u);
  EXPECT_EQ(exitCode, ExitCode::BadInput);
}

TEST_F(LoadModel, LocatesTypeMismatches) {
  EXPECT_FALSE(load(withOp("%0 = stablehlo.sine %w : tensor<4xf32>")));
  EXPECT_EQ(line, 3u);
  EXPECT_EQ(exitCode, ExitCode::BadInput);
}

class UnknownOp : public LoadModel,
                  public testing::WithParamInterface<
                      std::pair<const char *, const char *>> {};

TEST_P(UnknownOp, IsUnsupportedNotWrong) {
  EXPECT_FALSE(load(withOp(GetParam().first)));
  EXPECT_THAT(error, HasSubstr(GetParam().second));
  EXPECT_EQ(exitCode, ExitCode::Unsupported);
  EXPECT_EQ(line, 3u);
}

INSTANTIATE_TEST_SUITE_P(
    All, UnknownOp,
    testing::Values(
        std::pair("%0 = stablehlo.sinus %w : tensor<f32>",
                  "unsupported op 'stablehlo.sinus'"),
        std::pair("%0 = \"stablehlo.sinus\"(%w) : (tensor<f32>) -> tensor<f32>",
                  "unsupported op 'stablehlo.sinus'"),
        std::pair("%0 = tosa.sin %w : tensor<f32>",
                  "unsupported op 'tosa.sin'"),
        std::pair("%0 = \"tosa.sin\"(%w) : (tensor<f32>) -> tensor<f32>",
                  "unsupported op 'tosa.sin'"),
        std::pair("%0 = \"vhlo.sine_v1\"(%w) : (tensor<f32>) -> tensor<f32>",
                  "unsupported op 'vhlo.sine_v1': this is the versioned form"),
        std::pair("%0 = stablehlo.custom_call @mine(%w) : (tensor<f32>) -> "
                  "tensor<f32>",
                  "unsupported custom call '@mine'")));

TEST_F(LoadModel, UnknownOpsAreNamedTogether) {
  std::vector<std::string> errors;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    errors.push_back(diagnostic.str());
  });
  EXPECT_FALSE(
      load(withOp("%1 = \"tosa.sin\"(%w) : (tensor<f32>) -> tensor<f32>\n"
                  "  %2 = \"tosa.cos\"(%1) : (tensor<f32>) -> tensor<f32>\n"
                  "  %0 = \"tosa.sin\"(%2) : (tensor<f32>) -> tensor<f32>")));
  EXPECT_THAT(errors, testing::ElementsAre(
                          "unsupported op 'tosa.sin' (and in 1 more place)",
                          "unsupported op 'tosa.cos'"));
  EXPECT_EQ(exitCode, ExitCode::Unsupported);
  // They stay unknown to whoever reads the next text.
  EXPECT_FALSE(context.allowsUnregisteredDialects());
}

} // namespace
