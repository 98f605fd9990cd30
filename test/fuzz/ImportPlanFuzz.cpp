// SPDX-License-Identifier: Apache-2.0
//
// Scripts of other runtimes. What follows a line `----` is the schedule that
// they name.

#include "FuzzInput.h"
#include "shardsmith/Emit/ImportPlan.h"

using namespace shardsmith;

namespace {

std::string &table() {
  static std::string text;
  return text;
}

std::optional<std::string> readBeside(const std::string &,
                                      const std::string &) {
  return table();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = fuzz::asText(data, size);
  constexpr std::string_view border = "\n----\n";
  size_t end = text.find(border);
  table() =
      end == std::string_view::npos ? "" : text.substr(end + border.size());
  std::string error;
  auto plan = emit::importPlan(text.substr(0, end), "", readBeside, error);
  fuzz::require(plan.has_value() == error.empty(), "a refusal says why");
  fuzz::require(!plan || !plan->fixText().empty(),
                "a script decides something");
  return 0;
}
