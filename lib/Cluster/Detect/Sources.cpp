// SPDX-License-Identifier: Apache-2.0
//
// Which sources there are, and what several of them say together.

#include "Readers.h"
#include "Words.h"

#include "shardsmith/Support/ClosestWord.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith {
namespace {

struct Source {
  const char *name;
  detect::Found (*read)(std::string_view text, std::string &error);
};

constexpr Source sources[] = {{"nvidia-smi-topo", detect::readTopologyTable},
                              {"ibstat", detect::readIbstat},
                              {"scontrol", detect::readSlurm},
                              {"kubernetes", detect::readKubernetes},
                              {"instance", detect::readInstance}};

bool isSameKind(const NodeFacts &one, const NodeFacts &other) {
  return one.devices == other.devices && one.product == other.product &&
         one.deviceMebibytes == other.deviceMebibytes &&
         one.instance == other.instance && one.cores == other.cores;
}

/// The rates and kinds of interfaces from one source, and how near they are
/// from another one, by name.
void addInterfaces(std::vector<FoundInterface> &all,
                   const std::vector<FoundInterface> &more) {
  for (FoundInterface &interface : all)
    for (const FoundInterface &other : more) {
      if (other.name != interface.name)
        continue;
      interface.isNear |= other.isNear;
      if (interface.gigabitsPerSecond == 0)
        interface.gigabitsPerSecond = other.gigabitsPerSecond;
      if (interface.kind.empty())
        interface.kind = other.kind;
    }
}

template <typename T>
bool take(std::optional<T> &known, const std::optional<T> &more,
          const char *what, std::string &error) {
  if (known && more && *known != *more) {
    error = fmt::format("one source says {} {}, another one {}", *known, what,
                        *more);
    return false;
  }
  if (!known)
    known = more;
  return true;
}

bool addToKind(NodeFacts &node, const NodeFacts &more, std::string &error) {
  if (!take(node.nodes, more.nodes, "nodes", error) ||
      !take(node.devices, more.devices, "devices per node", error))
    return false;
  bool isCertain = true;
  std::string known =
      deviceOfProduct(node.product, node.deviceMebibytes, isCertain);
  std::string other =
      deviceOfProduct(more.product, more.deviceMebibytes, isCertain);
  // A shorter name of the same product leaves its memory open.
  if (known != other && !node.product.empty() && !more.product.empty() &&
      isCertain) {
    error = fmt::format("one source says the devices are \"{}\", another one "
                        "\"{}\"",
                        node.product, more.product);
    return false;
  }
  if (node.product.size() < more.product.size())
    node.product = more.product;
  if (!node.deviceMebibytes)
    node.deviceMebibytes = more.deviceMebibytes;
  if (node.links.empty())
    node.links = more.links;
  if (node.interfaces && more.interfaces) {
    // The longer list has been cut by what is not active in the other one.
    std::vector<FoundInterface> merged =
        node.interfaces->size() <= more.interfaces->size() ? *node.interfaces
                                                           : *more.interfaces;
    addInterfaces(merged, *node.interfaces);
    addInterfaces(merged, *more.interfaces);
    node.interfaces = merged;
  } else if (!node.interfaces) {
    node.interfaces = more.interfaces;
  }
  if (!node.cores)
    node.cores = more.cores;
  if (!node.hostMebibytes)
    node.hostMebibytes = more.hostMebibytes;
  if (node.instance.empty())
    node.instance = more.instance;
  return true;
}

} // namespace

void detect::countNode(FoundNodes &nodes, const NodeFacts &one) {
  for (NodeFacts &kind : nodes.kinds)
    if (isSameKind(kind, one)) {
      ++*kind.nodes;
      return;
    }
  nodes.kinds.push_back(one);
  nodes.kinds.back().nodes = 1;
}

std::vector<std::string> detectSources() {
  std::vector<std::string> names;
  for (const Source &source : sources)
    names.emplace_back(source.name);
  return names;
}

std::optional<FoundNodes> readNodes(std::string_view name,
                                    std::string_view text, std::string &error) {
  for (const Source &source : sources)
    if (name == source.name)
      return source.read(text, error);
  std::string closest = closestWord(name, detectSources());
  error = fmt::format(
      "there is no source \"{}\"; {}", name,
      closest.empty()
          ? fmt::format("it is one of {}", fmt::join(detectSources(), ", "))
          : fmt::format("did you mean \"{}\"?", closest));
  return std::nullopt;
}

bool addFacts(FoundNodes &nodes, const FoundNodes &more, std::string &error) {
  nodes.notes.insert(nodes.notes.end(), more.notes.begin(), more.notes.end());
  if (nodes.kinds.size() > 1 && more.kinds.size() > 1) {
    error = "two sources name several kinds of nodes each; give one of them";
    return false;
  }
  FoundNodes single = more;
  if (nodes.kinds.size() == 1 && more.kinds.size() > 1)
    std::swap(nodes.kinds, single.kinds);
  for (NodeFacts &kind : nodes.kinds)
    if (!addToKind(kind, single.kinds.front(), error))
      return false;
  return true;
}

} // namespace shardsmith
