// SPDX-License-Identifier: Apache-2.0
//
// Names of what ranks with different experts exchange.

#include "shardsmith/Train/ExpertRows.h"

#include "llvm/ADT/StringSwitch.h"

namespace shardsmith {

llvm::StringRef nameOf(ExpertExchange exchange) {
  switch (exchange) {
  case ExpertExchange::Cheaper:
    return "cheaper";
  case ExpertExchange::Fixed:
    return "fixed";
  case ExpertExchange::Rows:
    return "rows";
  }
  return "";
}

std::optional<ExpertExchange> expertExchangeNamed(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ExpertExchange>>(name)
      .Case("cheaper", ExpertExchange::Cheaper)
      .Case("fixed", ExpertExchange::Fixed)
      .Case("rows", ExpertExchange::Rows)
      .Default(std::nullopt);
}

} // namespace shardsmith
