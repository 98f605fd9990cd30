// SPDX-License-Identifier: Apache-2.0
//
// Instances of clouds by name, from a data file.

#include "Instances.h"
#include "Readers.h"
#include "Words.h"

#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>

namespace shardsmith::detect {

Found readInstance(std::string_view name, std::string &error) {
  std::string wanted = lowerCase(trimmed(name));
  std::optional<nlohmann::json> file = parseJson(instancesText(), error);
  if (!file)
    return std::nullopt;
  std::vector<std::string> names;
  for (const nlohmann::json &entry : file->at("instances")) {
    names.push_back(entry.at("name"));
    if (lowerCase(names.back()) != wanted)
      continue;
    NodeFacts node;
    node.instance = names.back();
    node.product = entry.at("device");
    node.devices = entry.at("devices");
    int64_t interfaces = entry.at("interfaces");
    double rate = entry.at("network_gbit_per_s");
    node.interfaces.emplace();
    for (int64_t i = 0; i < interfaces; ++i)
      node.interfaces->push_back(
          {.name = fmt::format("interface {}", i),
           .gigabitsPerSecond = rate / static_cast<double>(interfaces),
           .kind = entry.at("kind"),
           .isNear = true});
    return FoundNodes{.kinds = {node}, .notes = {}};
  }
  std::string closest = closestWord(wanted, names);
  error = fmt::format(
      "there is no instance \"{}\" in profiles/clouds/instances.json; {}",
      trimmed(name),
      closest.empty() ? "such as p5.48xlarge, a3-highgpu-8g, "
                        "Standard_ND96isr_H100_v5, BM.GPU.H100.8"
                      : fmt::format("did you mean \"{}\"?", closest));
  return std::nullopt;
}

} // namespace shardsmith::detect
