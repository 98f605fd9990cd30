// SPDX-License-Identifier: Apache-2.0
//
// NodeName=n1 Arch=x86_64 CoresPerSocket=48
//    CPUTot=192 RealMemory=2063000 State=IDLE
//    Gres=gpu:h100:8(S:0-1)
//
// Records are separated by empty lines; with -o a record is one line.

#include "Readers.h"
#include "Words.h"

#include <fmt/format.h>

namespace shardsmith::detect {
namespace {

/// States in which a node runs nothing: DOWN, DRAINED, FAIL, …, alone or with
/// further words behind a plus sign.
bool isAway(std::string_view state) {
  for (const std::string &word : words(state, "+*"))
    for (std::string_view away :
         {"DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING",
          "NOT_RESPONDING", "POWERED_DOWN", "FUTURE"})
      if (word == away)
        return true;
  return false;
}

/// A record while it is read.
struct Record {
  std::string name, state, resources;
  NodeFacts facts;
};

/// `gpu:h100:8(S:0-1)`, `gpu:8`; others, such as `shard:32`, are passed over.
bool readResources(Record &record, std::string &problem) {
  // Commas within parentheses belong to one resource.
  std::string flat;
  int depth = 0;
  for (char letter : record.resources) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (depth == 0 && letter != ')')
      flat.push_back(letter);
  }
  for (const std::string &resource : words(flat, ",")) {
    std::vector<std::string> parts = words(resource, ":");
    if (parts.empty() || parts.front() != "gpu")
      continue;
    std::optional<int64_t> count =
        parts.size() > 1 ? wholeNumber(parts.back(), mostDevices) : 1;
    if (!count || *count == 0) {
      problem = fmt::format("expected a number of devices in Gres=\"{}\"",
                            record.resources);
      return false;
    }
    std::string product = parts.size() > 2 ? parts[1] : "";
    if (record.facts.devices && record.facts.product != product) {
      problem = fmt::format("node {} has devices of two kinds, \"{}\" and "
                            "\"{}\"; write such a cluster as a file",
                            record.name, record.facts.product, product);
      return false;
    }
    record.facts.devices = record.facts.devices.value_or(0) + *count;
    record.facts.product = product;
  }
  return true;
}

} // namespace

Found readSlurm(std::string_view text, std::string &error) {
  std::vector<Record> records;
  size_t number = 0;
  for (const std::string &line : plainLines(text)) {
    ++number;
    for (const std::string &field : words(line)) {
      size_t equals = field.find('=');
      if (equals == std::string::npos)
        continue;
      std::string key = field.substr(0, equals);
      std::string value = field.substr(equals + 1);
      if (key == "NodeName") {
        records.emplace_back().name = value;
        continue;
      }
      if (records.empty())
        continue;
      Record &record = records.back();
      if (key == "State")
        record.state = value;
      if (key == "Gres" && value != "(null)")
        record.resources = value;
      if (key != "CPUTot" && key != "RealMemory")
        continue;
      std::optional<int64_t> amount = wholeNumber(value, mostMebibytes);
      if (!amount) {
        error = fmt::format("line {}: expected a number behind {}=, found "
                            "\"{}\"",
                            number, key, value);
        return std::nullopt;
      }
      (key == "CPUTot" ? record.facts.cores : record.facts.hostMebibytes) =
          amount;
    }
  }
  if (records.empty()) {
    error = "expected records that begin with NodeName= as 'scontrol show "
            "node' prints them, found none";
    return std::nullopt;
  }
  FoundNodes found;
  for (Record &record : records) {
    if (!readResources(record, error))
      return std::nullopt;
    if (isAway(record.state))
      found.notes.push_back(fmt::format("node {} is left out: its state is {}",
                                        record.name, record.state));
    else if (!record.facts.devices)
      found.notes.push_back(fmt::format(
          "node {} is left out: it has no gpu in Gres=", record.name));
    else
      countNode(found, record.facts);
  }
  if (found.kinds.empty()) {
    error =
        fmt::format("none of {} nodes has devices and is up", records.size());
    return std::nullopt;
  }
  return found;
}

} // namespace shardsmith::detect
