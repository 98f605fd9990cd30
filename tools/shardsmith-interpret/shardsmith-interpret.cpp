// SPDX-License-Identifier: Apache-2.0
//
// Runs programs in the interpreter: whole ones on one device, local ones on
// all devices of their mesh. docs/interpreter.md shows how.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "shardsmith/Import/LoadModel.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/InitAll.h"
#include "shardsmith/Interpreter/Execution.h"
#include "shardsmith/Interpreter/Inputs.h"
#include "shardsmith/Interpreter/TensorMemory.h"
#include "shardsmith/Support/ExitCode.h"
#include "shardsmith/Support/StandardStreams.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace shardsmith;

namespace {

struct Options {
  std::vector<std::string> files;
  std::string entry = "main";
  std::string inputs, outputs;
  uint64_t seed = 0;
  int64_t steps = 1;
  double copies = 1e-5;
  bool quiet = false;
};

/// Elements of a result that are printed.
constexpr int64_t shownElements = 16;

void printTensor(llvm::StringRef name, const Tensor &tensor) {
  llvm::outs() << "  " << name << ": "
               << describeType(tensor.type(), tensor.shape()) << " = ";
  const int64_t shown = std::min(tensor.size(), shownElements);
  for (int64_t i = 0; i < shown; ++i) {
    llvm::outs() << (i == 0 ? "" : ", ");
    if (isFloat(tensor.type()))
      llvm::outs() << llvm::format("%.9g", tensor.asDouble(i));
    else
      llvm::outs() << tensor.asInteger(i);
  }
  llvm::outs() << (shown < tensor.size() ? ", …\n" : "\n");
}

llvm::StringRef describe(const Execution &execution) {
  switch (execution.outcome) {
  case Outcome::Completed:
    return execution.checks > 0 ? "checks hold" : "completed";
  case Outcome::Unsupported:
    return "unsupported";
  case Outcome::Failed:
    return "failed";
  case Outcome::CheckFailed:
    return "check failed";
  }
  llvm_unreachable("all outcomes are listed");
}

ExitCode exitCodeOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::Completed:
    return ExitCode::Success;
  case Outcome::Unsupported:
    return ExitCode::Unsupported;
  case Outcome::Failed:
    return ExitCode::BadInput;
  case Outcome::CheckFailed:
    return ExitCode::Mismatch;
  }
  llvm_unreachable("all outcomes are listed");
}

/// Runs the steps of one program; results are those of the last one.
Execution interpret(mlir::func::FuncOp function, const Options &options) {
  Execution execution;
  if (mlir::failed(wholeArgumentTypes(function))) {
    execution.outcome = Outcome::Unsupported;
    return execution;
  }
  execution.outcome = Outcome::Failed;
  mlir::FailureOr<Tensors> arguments =
      options.inputs.empty() ? synthesizeArguments(function, options.seed)
                             : readArguments(function, options.inputs);
  if (mlir::failed(arguments))
    return execution;
  Tolerance copies;
  copies.relativeToLargest = options.copies;
  for (int64_t step = 0; step < options.steps; ++step) {
    if (step > 0 && mlir::failed(advanceStep(function, options.seed, step,
                                             execution.results, *arguments))) {
      execution.outcome = Outcome::Failed;
      return execution;
    }
    execution = run(function, *arguments, copies);
    if (execution.outcome != Outcome::Completed)
      break;
  }
  return execution;
}

bool usesComplex(mlir::ModuleOp module) {
  auto isComplex = [](mlir::Type type) {
    return llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(type));
  };
  return module
      ->walk([&](mlir::Operation *op) {
        return llvm::any_of(op->getResultTypes(), isComplex) ||
                       llvm::any_of(op->getOperandTypes(), isComplex)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Complex numbers become pairs of real ones; the interpreter has no others.
mlir::LogicalResult expandComplex(mlir::ModuleOp module) {
  if (!usesComplex(module))
    return mlir::success();
  mlir::PassManager passes(module.getContext());
  passes.addPass(createInlineCalls());
  passes.nest<mlir::func::FuncOp>().addPass(createExpandComplex());
  return passes.run(module);
}

/// Interprets one file and prints a line about it, and results if it is the
/// only one.
ExitCode interpretFile(const std::string &file, const Options &options) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  ExitCode code = ExitCode::BadInput;
  mlir::OwningOpRef<mlir::ModuleOp> module = loadModel(file, context, code);
  Execution execution;
  execution.outcome =
      code == ExitCode::Unsupported ? Outcome::Unsupported : Outcome::Failed;
  if (module && mlir::failed(expandComplex(*module))) {
    module = nullptr;
    execution.outcome = Outcome::Unsupported;
  }
  mlir::FailureOr<mlir::func::FuncOp> function;
  if (module)
    function = findFunction(*module, options.entry);
  if (mlir::succeeded(function))
    execution = interpret(*function, options);

  llvm::outs() << file << ": " << describe(execution);
  if (execution.checks > 0)
    llvm::outs() << " (" << execution.checks - execution.failedChecks << " of "
                 << execution.checks << ")";
  llvm::outs() << "\n";
  if (execution.results.empty())
    return exitCodeOf(execution.outcome);
  if (!options.quiet && options.files.size() == 1)
    for (auto [index, result] : llvm::enumerate(execution.results))
      printTensor(resultName(*function, index), result);
  if (!options.outputs.empty() &&
      mlir::failed(writeResults(*function, execution.results, options.outputs)))
    return ExitCode::Environment;
  return exitCodeOf(execution.outcome);
}

/// LLVM's streams end the process when an error is left in them: on standard
/// output it is one, on standard error nobody can be told.
ExitCode codeAfterOutput(ExitCode code) {
  llvm::errs().clear_error();
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  llvm::outs().clear_error();
  llvm::errs() << "error: cannot write to standard output\n";
  llvm::errs().clear_error();
  return ExitCode::Environment;
}

} // namespace

int main(int argumentCount, char **arguments) {
  prepareStandardStreams();
  Options options;
  CLI::App app("Runs programs in Shardsmith's interpreter.");
  app.add_option("files", options.files, "Programs in text form")->required();
  app.add_option("--entry", options.entry, "Function to run")
      ->capture_default_str();
  auto *seed =
      app.add_option("--seed", options.seed, "Seed of synthetic arguments");
  app.add_option("--inputs", options.inputs,
                 "Arguments by name, a safetensors file")
      ->excludes(seed);
  app.add_option("--outputs", options.outputs,
                 "Where to write results by name, a safetensors file");
  app.add_option("--steps", options.steps,
                 "Times to run; results replace arguments of the same name")
      ->check(CLI::PositiveNumber);
  app.add_option("--copies", options.copies,
                 "How far copies of a result on several devices may differ, "
                 "relative to its largest element")
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "Print no results");
  try {
    app.parse(argumentCount, arguments);
    if (options.files.size() > 1 && !options.outputs.empty())
      throw CLI::ValidationError("--outputs", "takes a single program");
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::Usage);
  }

  // The worst of all files: a mismatch before bad input before unsupported.
  ExitCode worst = ExitCode::Success;
  auto severity = [](ExitCode code) {
    return code == ExitCode::Unsupported ? 1 : static_cast<int>(code);
  };
  for (const std::string &file : options.files) {
    ExitCode code = ExitCode::Environment;
    try {
      code = interpretFile(file, options);
    } catch (const OutOfMemory &problem) {
      if (!problem.isReported)
        llvm::errs() << "error: " << problem.what() << "\n";
      llvm::outs() << file << ": out of memory\n";
    } catch (const std::bad_alloc &) {
      llvm::outs() << file << ": out of memory\n";
    }
    if (severity(code) > severity(worst))
      worst = code;
  }
  return static_cast<int>(codeAfterOutput(worst));
}
