// SPDX-License-Identifier: Apache-2.0
//
// NAME  STATUS  ROLES   AGE  VERSION  LABELS
// n1    Ready   <none>  9d   v1.33.1  nvidia.com/gpu.count=8,nvidia.com/…=…
//
// The labels are those that NVIDIA's and AMD's device plugins and the clouds
// put on nodes.

#include "Readers.h"
#include "Words.h"

#include "shardsmith/Support/Json.h"

#include <fmt/format.h>

#include <map>

namespace shardsmith::detect {
namespace {

using Labels = std::map<std::string, std::string>;

/// The value of the first of these labels that is there.
std::string firstOf(const Labels &labels,
                    std::initializer_list<const char *> keys) {
  for (const char *key : keys)
    if (auto found = labels.find(key); found != labels.end())
      return found->second;
  return "";
}

struct LabelledNode {
  std::string name;
  Labels labels;
};

/// Lines of a table whose last column is labels.
std::vector<LabelledNode> readTable(std::string_view text) {
  std::vector<LabelledNode> nodes;
  for (const std::string &line : plainLines(text)) {
    std::vector<std::string> fields = words(line);
    if (fields.size() < 2 || fields.back().find('=') == std::string::npos)
      continue;
    LabelledNode node;
    node.name = fields.front();
    for (const std::string &label : words(fields.back(), ","))
      if (size_t equals = label.find('='); equals != std::string::npos)
        node.labels[label.substr(0, equals)] = label.substr(equals + 1);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// `metadata` of one node of the list that `-o json` prints.
LabelledNode readMetadata(const nlohmann::json &item) {
  LabelledNode node;
  if (!item.is_object() || !item.contains("metadata"))
    return node;
  const nlohmann::json &metadata = item["metadata"];
  if (!metadata.is_object())
    return node;
  if (auto name = metadata.find("name");
      name != metadata.end() && name->is_string())
    node.name = *name;
  if (auto labels = metadata.find("labels");
      labels != metadata.end() && labels->is_object())
    for (const auto &[key, value] : labels->items())
      if (value.is_string())
        node.labels[key] = value;
  return node;
}

std::optional<std::vector<LabelledNode>> readJson(std::string_view text,
                                                  std::string &error) {
  std::optional<nlohmann::json> json = parseJson(text, error);
  if (!json)
    return std::nullopt;
  std::vector<LabelledNode> nodes;
  if (json->is_object() && json->contains("items") &&
      (*json)["items"].is_array())
    for (const nlohmann::json &item : (*json)["items"])
      nodes.push_back(readMetadata(item));
  else
    nodes.push_back(readMetadata(*json));
  return nodes;
}

/// What a node's labels say; nothing if a number is none.
std::optional<NodeFacts> factsOf(const LabelledNode &node, std::string &error) {
  NodeFacts facts;
  facts.product = firstOf(node.labels,
                          {"nvidia.com/gpu.product", "amd.com/gpu.product-name",
                           "cloud.google.com/gke-accelerator"});
  facts.instance = firstOf(node.labels, {"node.kubernetes.io/instance-type",
                                         "beta.kubernetes.io/instance-type"});
  const std::pair<const char *, std::optional<int64_t> &> numbers[] = {
      {"nvidia.com/gpu.count", facts.devices},
      {"nvidia.com/gpu.memory", facts.deviceMebibytes}};
  for (auto [key, place] : numbers) {
    std::string text = firstOf(node.labels, {key});
    if (text.empty())
      continue;
    place = wholeNumber(text, mostMebibytes);
    if (!place || *place == 0) {
      error = fmt::format("node {}: expected a number in the label {}, found "
                          "\"{}\"",
                          node.name, key, text);
      return std::nullopt;
    }
  }
  if (facts.devices && *facts.devices > mostDevices) {
    error = fmt::format("node {}: {} devices are too many", node.name,
                        *facts.devices);
    return std::nullopt;
  }
  return facts;
}

/// What the instance's name says beside the labels; labels count more.
void addInstance(NodeFacts &facts) {
  std::string unknown;
  Found instance = readInstance(facts.instance, unknown);
  if (!instance)
    return;
  const NodeFacts &known = instance->kinds.front();
  if (!facts.devices)
    facts.devices = known.devices;
  if (facts.product.empty())
    facts.product = known.product;
  facts.interfaces = known.interfaces;
}

} // namespace

Found readKubernetes(std::string_view text, std::string &error) {
  std::vector<LabelledNode> nodes;
  if (trimmed(text.substr(0, text.find('\n'))).starts_with("{")) {
    std::optional<std::vector<LabelledNode>> read = readJson(text, error);
    if (!read)
      return std::nullopt;
    nodes = std::move(*read);
  } else {
    nodes = readTable(text);
  }
  if (nodes.empty()) {
    error =
        "expected nodes with labels as 'kubectl get nodes --show-labels' or "
        "'-o json' print them, found none";
    return std::nullopt;
  }
  FoundNodes found;
  for (const LabelledNode &node : nodes) {
    std::optional<NodeFacts> facts = factsOf(node, error);
    if (!facts)
      return std::nullopt;
    addInstance(*facts);
    if (facts->devices && !facts->product.empty())
      countNode(found, *facts);
    else
      found.notes.push_back(fmt::format("node {} is left out: its labels name "
                                        "no accelerator",
                                        node.name));
  }
  if (found.kinds.empty()) {
    error =
        fmt::format("none of {} nodes has labels of an accelerator, such as "
                    "nvidia.com/gpu.product and nvidia.com/gpu.count",
                    nodes.size());
    return std::nullopt;
  }
  return found;
}

} // namespace shardsmith::detect
