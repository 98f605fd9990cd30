// SPDX-License-Identifier: Apache-2.0
//
// Errors of the libraries that know which exit code of the tools they mean.

#ifndef SHARDSMITH_SUPPORT_CODEDERROR_H
#define SHARDSMITH_SUPPORT_CODEDERROR_H

#include "shardsmith/Support/ExitCode.h"

#include "llvm/Support/Error.h"

#include <string>

namespace shardsmith {

class CodedError : public llvm::ErrorInfo<CodedError> {
public:
  static char ID;

  CodedError(ExitCode code, std::string message)
      : code(code), text(std::move(message)) {}

  ExitCode getCode() const { return code; }
  std::string message() const override { return text; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  ExitCode code;
  std::string text;
};

llvm::Error makeError(ExitCode code, const std::string &message);

/// Takes an error of any kind; `message` gets its text. The code is Internal
/// for errors that know none.
ExitCode takeError(llvm::Error error, std::string &message);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_CODEDERROR_H
