// SPDX-License-Identifier: Apache-2.0

#include "FailureKind.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// The word in quotes that ends before `location` of `text`, if any.
StringRef quotedBefore(Location location, StringRef text) {
  auto position = dyn_cast<FileLineColLoc>(location);
  if (!position)
    return "";
  size_t end = 0;
  for (unsigned line = 1; line < position.getLine(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  text = text.take_front(end + position.getColumn() - 1).rtrim();
  return text.consume_back("\"") ? text.rsplit('"').second : "";
}

/// The op named by an error with which MLIR refuses an op it does not know,
/// or an empty string for any other error. The wordings are those of MLIR's
/// parser and verifier for pretty and generic form, unknown op and dialect.
StringRef unknownOp(StringRef message, Location location, StringRef text) {
  if (message.starts_with("operation being parsed with an unregistered"))
    return quotedBefore(location, text);
  bool unknownName =
      message.starts_with("unregistered operation '") ||
      (message.starts_with("custom op '") && message.contains("' is unknown"));
  bool unknownDialect = message.starts_with("Dialect `") &&
                        message.contains("not found for custom op '");
  if (!unknownName && !unknownDialect)
    return "";
  // The dialect stands in quotes before the op: `vhlo'.
  if (unknownDialect)
    message = message.split('\'').second;
  return message.split('\'').second.split('\'').first;
}

} // namespace

FailureKind::FailureKind(MLIRContext &context, StringRef text)
    : handler(&context, [this, text](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        std::string message = diagnostic.str();
        StringRef op = unknownOp(message, diagnostic.getLocation(), text);
        sawUnsupported |= !op.empty();
        sawUnsupported |= StringRef(message).starts_with("unsupported");
        if (op.empty() || text.empty())
          return failure();
        unknown.push_back({diagnostic.getLocation(), op.str()});
        return success();
      }) {}

} // namespace shardsmith
