// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Failure.h"

#include <system_error>

std::string shardsmith::runtime::describeError(int errorNumber) {
  return std::generic_category().message(errorNumber);
}
