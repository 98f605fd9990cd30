// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/Session.h"

#include "mlir/IR/Diagnostics.h"

#include "shardsmith/InitAll.h"
#include "shardsmith/Support/AtomicFile.h"
#include "shardsmith/Support/ReadFile.h"
#include "shardsmith/Support/StandardStreams.h"

#include <fmt/format.h>

#include <set>

using namespace mlir;

namespace shardsmith {

struct Session::Implementation {
  std::string dumpFolder;
  DialectRegistry registry;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::set<std::string> notes;
};

namespace {

/// `file:line:column: error: text`, with notes indented below it.
LogicalResult printDiagnostic(Diagnostic &diagnostic) {
  const char *word = "note";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
    word = "error";
  else if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    word = "warning";
  std::string place;
  if (auto location =
          diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    place = fmt::format("{}:{}:{}: ", location.getFilename().str(),
                        location.getLine(), location.getColumn());
  fmt::print(stderr, "{}{}: {}\n", place, word, diagnostic.str());
  for (Diagnostic &note : diagnostic.getNotes()) {
    fmt::print(stderr, "  ");
    (void)printDiagnostic(note);
  }
  return success();
}

} // namespace

Session::Session(std::string dumpFolder)
    : implementation(std::make_unique<Implementation>()) {
  implementation->dumpFolder = std::move(dumpFolder);
  registerAllDialects(implementation->registry);
  context().appendDialectRegistry(implementation->registry);
  // The location says where; the op of a function is the whole model's text.
  context().printOpOnDiagnostic(false);
  context().getDiagEngine().registerHandler(printDiagnostic);
}

Session::~Session() = default;

MLIRContext &Session::context() { return implementation->context; }

void Session::dump(ModuleOp module, int number, const std::string &stage) {
  if (implementation->dumpFolder.empty())
    return;
  writeOutput(fmt::format("{}/{:02}-{}.mlir", implementation->dumpFolder,
                          number, stage),
              toText(module));
}

std::string Session::dumpPath(const std::string &file) const {
  const std::string &folder = implementation->dumpFolder;
  return folder.empty() ? "" : folder + "/" + file;
}

void Session::note(const std::string &text) {
  if (implementation->notes.insert(text).second)
    fmt::print(stderr, "note: {}\n", text);
}

std::string toText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.useLocalScope();
  module.print(stream, flags);
  stream << '\n';
  return text;
}

void writeOutput(const std::string &path, const std::string &text) {
  if (path == "-") {
    std::string failure = writeStandardOutput(text);
    if (!failure.empty())
      fail(ExitCode::Environment, failure);
    return;
  }
  std::string failure = writeFileAtomically(path, text);
  if (!failure.empty())
    fail(ExitCode::Environment, failure);
}

void requireWritable(const std::string &path) {
  if (path.empty() || path == "-")
    return;
  std::string problem = whyNotWritable(path);
  if (!problem.empty())
    fail(ExitCode::Environment, problem);
}

std::string requireText(const std::string &path) {
  std::string error;
  std::optional<std::string> text = readFile(path, error);
  if (!text)
    fail(ExitCode::BadInput, error);
  return std::move(*text);
}

void fail(ExitCode code, const std::string &message) {
  throw Failure{code, message};
}

void fail(llvm::Error error) {
  std::string message;
  ExitCode code = takeError(std::move(error), message);
  fail(code, message);
}

void require(ExitCode code) {
  if (code != ExitCode::Success)
    throw Stop{code};
}

} // namespace shardsmith
