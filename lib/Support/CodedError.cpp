// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/CodedError.h"

#include "llvm/Support/raw_ostream.h"

namespace shardsmith {

char CodedError::ID = 0;

void CodedError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code CodedError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error makeError(ExitCode code, const std::string &message) {
  return llvm::make_error<CodedError>(code, message);
}

ExitCode takeError(llvm::Error error, std::string &message) {
  ExitCode code = ExitCode::Internal;
  llvm::handleAllErrors(
      std::move(error),
      [&](const CodedError &coded) {
        code = coded.getCode();
        message = coded.message();
      },
      [&](const llvm::ErrorInfoBase &other) { message = other.message(); });
  return code;
}

} // namespace shardsmith
