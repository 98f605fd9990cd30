// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_FAILURE_H
#define SHARDSMITH_LIB_IMPORT_ONNX_FAILURE_H

#include "shardsmith/Support/ExitCode.h"

#include <fmt/format.h>

#include <string>

namespace shardsmith::onnx {

/// Ends the reading of a file. It is thrown and caught within this folder, so
/// that a translation of an op reads as the definition it implements.
struct Failure {
  ExitCode code;
  std::string message;
};

template <typename... Args>
[[noreturn]] void badInput(fmt::format_string<Args...> format, Args &&...args) {
  throw Failure{ExitCode::BadInput,
                fmt::format(format, std::forward<Args>(args)...)};
}

/// Messages of this kind begin with "unsupported", as all in lib/Import do;
/// what is not supported follows without an article or a pronoun.
template <typename... Args>
[[noreturn]] void unsupported(fmt::format_string<Args...> format,
                              Args &&...args) {
  throw Failure{ExitCode::Unsupported,
                "unsupported " +
                    fmt::format(format, std::forward<Args>(args)...)};
}

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_FAILURE_H
