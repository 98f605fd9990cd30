// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Import/LoadModel.h"
#include "FailureKind.h"
#include "SizeLimits.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Parser/Parser.h"
#include "shardsmith/Support/ErrorList.h"
#include "shardsmith/Support/ReadFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

using namespace mlir;

namespace shardsmith {
namespace {

/// What brackets tell about a text before it is parsed.
struct BracketScan {
  /// Position of the first bracket nested deeper than allowed.
  std::optional<size_t> tooDeep;
  /// Position of the innermost `(`, `[` or `{` that is never closed.
  std::optional<size_t> neverClosed;
  /// How many are never closed.
  size_t openAtEnd = 0;
};

/// Scans outside strings and comments. Angle brackets count for depth alone:
/// `->` and `<=` leave them unbalanced in correct text.
BracketScan scanBrackets(StringRef text) {
  BracketScan scan;
  SmallVector<size_t> open;
  size_t angles = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"':
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\')
          ++i;
      continue;
    case '/':
      if (text.substr(i).starts_with("//"))
        i = std::min(text.find('\n', i), text.size());
      continue;
    case '(':
    case '[':
    case '{':
      open.push_back(i);
      break;
    case '<':
      ++angles;
      break;
    case ')':
    case ']':
    case '}':
      if (!open.empty())
        open.pop_back();
      continue;
    case '>':
      if (angles > 0 && text[i - 1] != '-')
        --angles;
      continue;
    default:
      continue;
    }
    if (open.size() + angles > maxNesting && !scan.tooDeep)
      scan.tooDeep = i;
  }
  scan.openAtEnd = open.size();
  if (!open.empty())
    scan.neverClosed = open.back();
  return scan;
}

Location locationOf(StringRef path, StringRef text, size_t position,
                    MLIRContext &context) {
  StringRef before = text.take_front(position);
  size_t lineStart = before.rfind('\n');
  size_t column =
      lineStart == StringRef::npos ? position + 1 : position - lineStart;
  return FileLineColLoc::get(&context, path, before.count('\n') + 1, column);
}

/// The file's contents, or nothing after a diagnostic.
std::optional<std::string> readText(StringRef path, MLIRContext &context) {
  Location location = FileLineColLoc::get(&context, path, 1, 1);
  if (llvm::sys::fs::is_directory(path)) {
    emitError(location) << "'" << path << "' is a folder, not a model file";
    return std::nullopt;
  }
  std::string error;
  std::optional<std::string> contents = readInput(path.str(), error);
  if (!contents) {
    emitError(location) << error;
    return std::nullopt;
  }
  StringRef text = *contents;
  if (text.trim().empty()) {
    emitError(location) << "model file '" << path << "' is empty";
    return std::nullopt;
  }
  if (text.starts_with("ML\xEFR")) {
    emitError(location) << "'" << path
                        << "' is MLIR bytecode (a serialized artifact); write "
                        << "text instead: jax.jit(f).lower(…).as_text()";
    return std::nullopt;
  }
  if (text.contains('\0')) {
    emitError(location) << "'" << path << "' is not a text file";
    return std::nullopt;
  }
  return contents;
}

/// True if brackets do not forbid parsing; else a diagnostic was emitted.
bool checkBrackets(StringRef path, StringRef text, MLIRContext &context) {
  BracketScan scan = scanBrackets(text);
  if (scan.tooDeep) {
    emitError(locationOf(path, text, *scan.tooDeep, context))
        << "brackets are nested more than " << maxNesting << " deep";
    return false;
  }
  if (scan.openAtEnd > 0) {
    auto diagnostic =
        emitError(locationOf(path, text, text.rtrim().size(), context));
    diagnostic << "the file ends with " << scan.openAtEnd
               << " brackets open: it is truncated, or a bracket is missing";
    diagnostic.attachNote(locationOf(path, text, *scan.neverClosed, context))
        << "opened here";
    return false;
  }
  return true;
}

/// The ops of a text that no dialect has; none if it cannot be read to its end
/// without knowing them, as those in a form of their own cannot.
SmallVector<FailureKind::UnknownOp> unknownOpsOf(const llvm::SourceMgr &text,
                                                 MLIRContext &context) {
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  bool allowed = context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      text, ParserConfig(&context, /*verifyAfterParse=*/false));
  context.allowUnregisteredDialects(allowed);
  SmallVector<FailureKind::UnknownOp> unknown;
  if (module)
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!op->isRegistered())
        unknown.push_back({op->getLoc(), op->getName().getStringRef().str()});
    });
  return unknown;
}

void report(ArrayRef<FailureKind::UnknownOp> unknown) {
  ErrorList errors;
  for (const FailureKind::UnknownOp &op : unknown)
    errors.add(op.location,
               "unsupported op '" + op.name + "'" +
                   (StringRef(op.name).starts_with("vhlo.")
                        ? ": this is the versioned form of StableHLO; write "
                          "the readable form instead: "
                          "jax.jit(f).lower(…).as_text()"
                        : ""));
  errors.emit();
}

} // namespace

OwningOpRef<ModuleOp> loadModel(StringRef path, MLIRContext &context,
                                ExitCode &failure) {
  failure = ExitCode::BadInput;
  std::optional<std::string> text = readText(path, context);
  if (!text || !checkBrackets(path, *text, context))
    return nullptr;

  FailureKind kind(context, *text);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(*text, path),
                             llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module) {
    failure = kind.exitCode();
    if (kind.unknownOps().empty())
      return nullptr;
    SmallVector<FailureKind::UnknownOp> all = unknownOpsOf(sources, context);
    report(all.empty() ? kind.unknownOps() : ArrayRef(all));
  } else if (failed(checkSizes(*module)))
    return nullptr;
  return module;
}

} // namespace shardsmith
