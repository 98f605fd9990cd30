// SPDX-License-Identifier: Apache-2.0
//
// CA 'mlx5_0'
//         CA type: MT4129
//         Port 1:
//                 State: Active
//                 Physical state: LinkUp
//                 Rate: 400
//                 Link layer: InfiniBand

#include "Readers.h"
#include "Words.h"

#include <fmt/format.h>

namespace shardsmith::detect {
namespace {

/// A port of an adapter; an adapter's ports are interfaces of their own.
struct Port {
  FoundInterface interface;
  bool isActive = false;
};

constexpr int64_t mostGigabits = 100000;

std::string kindOf(std::string_view layer) {
  return layer == "InfiniBand" ? "infiniband" : "roce";
}

} // namespace

Found readIbstat(std::string_view text, std::string &error) {
  std::vector<Port> ports;
  std::string adapter;
  size_t number = 0;
  for (const std::string &line : plainLines(text)) {
    ++number;
    std::string_view content = trimmed(line);
    if (content.starts_with("CA '") && content.ends_with("'")) {
      adapter = content.substr(4, content.size() - 5);
      continue;
    }
    if (content.starts_with("Port ") && content.ends_with(":")) {
      if (adapter.empty()) {
        error =
            fmt::format("line {}: a port without an adapter, \"CA 'NAME'\", "
                        "before it",
                        number);
        return std::nullopt;
      }
      ports.emplace_back().interface.name = adapter;
      continue;
    }
    size_t colon = content.find(": ");
    if (ports.empty() || colon == std::string_view::npos)
      continue;
    std::string_view key = content.substr(0, colon);
    std::string_view value = trimmed(content.substr(colon + 2));
    Port &port = ports.back();
    if (key == "State")
      port.isActive = value == "Active";
    if (key == "Link layer")
      port.interface.kind = kindOf(value);
    if (key != "Rate")
      continue;
    std::optional<int64_t> rate = wholeNumber(value, mostGigabits);
    if (!rate) {
      error = fmt::format("line {}: expected Gb/s behind \"Rate:\", found "
                          "\"{}\"",
                          number, value);
      return std::nullopt;
    }
    port.interface.gigabitsPerSecond = static_cast<double>(*rate);
  }
  if (ports.empty()) {
    error =
        "expected adapters with ports as 'ibstat' prints them, \"CA 'NAME'\" "
        "and \"Port 1:\", found none";
    return std::nullopt;
  }
  FoundNodes found;
  NodeFacts node;
  node.interfaces.emplace();
  for (const Port &port : ports) {
    if (port.isActive)
      node.interfaces->push_back(port.interface);
    else
      found.notes.push_back(fmt::format("interface {} is left out: its port is "
                                        "not active",
                                        port.interface.name));
  }
  found.kinds.push_back(node);
  return found;
}

} // namespace shardsmith::detect
