// SPDX-License-Identifier: Apache-2.0
//
// How the runtime reports that it cannot go on: an exception that carries the
// process's exit code. Generated code is never unwound through: functions of
// ABI.h turn a Failure into the end of the rank.

#ifndef SHARDSMITH_RUNTIME_FAILURE_H
#define SHARDSMITH_RUNTIME_FAILURE_H

#include "shardsmith/Support/ExitCode.h"

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace shardsmith::runtime {

using shardsmith::ExitCode;

class Failure : public std::runtime_error {
public:
  Failure(ExitCode code, const std::string &message)
      : std::runtime_error(message), exitCode(code) {}

  ExitCode code() const { return exitCode; }

private:
  ExitCode exitCode;
};

template <typename... Arguments>
[[noreturn]] void fail(ExitCode code, fmt::format_string<Arguments...> format,
                       Arguments &&...arguments) {
  throw Failure(code,
                fmt::format(format, std::forward<Arguments>(arguments)...));
}

/// "Disk full"-like text of an errno value.
std::string describeError(int errorNumber);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_FAILURE_H
