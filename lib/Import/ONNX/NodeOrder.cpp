// SPDX-License-Identifier: Apache-2.0

#include "NodeOrder.h"

#include "Failure.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <queue>
#include <set>

namespace shardsmith::onnx {
namespace {

void collectReads(const format::Node &node, std::set<std::string> &names) {
  names.insert(node.input().begin(), node.input().end());
  auto collectBody = [&](const format::Graph &body) {
    for (const format::Node &inner : body.node())
      collectReads(inner, names);
    for (const format::Value &output : body.output())
      names.insert(output.name());
  };
  for (const format::Attribute &attribute : node.attribute()) {
    if (attribute.has_g())
      collectBody(attribute.g());
    for (const format::Graph &body : attribute.graphs())
      collectBody(body);
  }
}

} // namespace

std::string describe(const format::Node &node) {
  std::string name = node.name();
  if (name.empty() && node.output_size() > 0)
    name = node.output(0);
  std::string type = isStandardDomain(node.domain())
                         ? node.op_type()
                         : node.domain() + "." + node.op_type();
  return fmt::format("node '{}' ({})", name, type);
}

std::vector<const format::Node *> inOrder(const Nodes &nodes) {
  llvm::StringMap<int> producers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &name : nodes[i].output())
      if (!name.empty() && !producers.try_emplace(name, i).second)
        badInput("'{}' is a result of two nodes, {} and {}", name,
                 describe(nodes[producers[name]]), describe(nodes[i]));

  std::vector<std::vector<int>> readers(nodes.size());
  std::vector<int> waiting(nodes.size(), 0);
  for (int i = 0; i < nodes.size(); ++i) {
    std::set<std::string> names;
    collectReads(nodes[i], names);
    std::set<int> before;
    for (const std::string &name : names)
      if (auto found = producers.find(name); found != producers.end())
        before.insert(found->second);
    for (int producer : before)
      readers[producer].push_back(i);
    waiting[i] = static_cast<int>(before.size());
  }

  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i)
    if (waiting[i] == 0)
      ready.push(i);
  std::vector<const format::Node *> ordered;
  while (!ready.empty()) {
    int next = ready.top();
    ready.pop();
    ordered.push_back(&nodes[next]);
    for (int reader : readers[next])
      if (--waiting[reader] == 0)
        ready.push(reader);
  }
  for (int i = 0; i < nodes.size(); ++i)
    if (waiting[i] > 0)
      badInput("the graph has a cycle: {} waits for a result that is computed "
               "from its own",
               describe(nodes[i]));
  return ordered;
}

} // namespace shardsmith::onnx
