// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_SESSION_H
#define SHARDSMITH_TOOLS_SHARDSMITH_SESSION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "shardsmith/Support/ExitCode.h"

#include <memory>
#include <string>

namespace shardsmith {

/// Ends a subcommand: the message has been or will be printed, the code is
/// what the process returns.
struct Stop {
  ExitCode code;
};

/// The same with a message that is still to be printed, for callers that may
/// want to go on.
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

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

/// The module's text, as the tools write it to files.
std::string toText(mlir::ModuleOp module);

/// Writes to a file, or to standard output for "-". Throws Stop.
void writeOutput(const std::string &path, const std::string &text);

/// Prints "error: …" and throws Stop.
[[noreturn]] void fail(ExitCode code, const std::string &message);

/// Throws Stop unless `code` is Success.
void require(ExitCode code);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_SESSION_H
