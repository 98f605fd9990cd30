// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DRIVER_SESSION_H
#define SHARDSMITH_DRIVER_SESSION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "shardsmith/Support/CodedError.h"

#include <memory>
#include <string>

namespace shardsmith {

/// Ends a subcommand whose diagnostics are printed; the code is what the
/// process returns.
struct Stop {
  ExitCode code;
};

/// The same with a message that is still to be printed.
struct Failure {
  ExitCode code;
  std::string message;
};

/// What every command that touches IR needs: a context with all dialects,
/// diagnostics on standard error, and numbered dumps of each stage.
class Session {
public:
  /// `dumpFolder` may be empty: nothing is dumped.
  explicit Session(std::string dumpFolder = "");
  ~Session();

  mlir::MLIRContext &context();

  /// Writes `module` to `DIR/NN-stage.mlir` if dumps were asked for.
  void dump(mlir::ModuleOp module, int number, const std::string &stage);

  /// Path of a file in the dump folder; empty if nothing is dumped.
  std::string dumpPath(const std::string &file) const;

  /// Prints a note on standard error, once however often the model is read.
  void note(const std::string &text);

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

/// The module's text, as the tools write it to files.
std::string toText(mlir::ModuleOp module);

/// Writes to a file, or to standard output for "-". Throws Failure.
void writeOutput(const std::string &path, const std::string &text);

/// Before long work: throws Failure if nothing could be written to `path`.
/// Empty paths and "-" pass.
void requireWritable(const std::string &path);

/// The text of a file. Throws Failure.
std::string requireText(const std::string &path);

// They throw Failure.
[[noreturn]] void fail(ExitCode code, const std::string &message);

[[noreturn]] void fail(llvm::Error error);

/// Throws Stop unless `code` is Success.
void require(ExitCode code);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_SESSION_H
