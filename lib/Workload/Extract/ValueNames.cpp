// SPDX-License-Identifier: Apache-2.0

#include "ValueNames.h"

#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

std::string nameOfArgument(const ModelGraph &graph, Value argument) {
  auto name = graph.getMain().getArgAttrOfType<StringAttr>(
      cast<BlockArgument>(argument).getArgNumber(), smith::kNameAttributeName);
  if (name)
    return name.str();
  return "arg" + std::to_string(cast<BlockArgument>(argument).getArgNumber());
}

std::string nameOfValue(const ModelGraph &graph, Value value,
                        int64_t iteration);

/// The first element that a view of a stack has.
int64_t firstElementOf(Value view) {
  int64_t first = 0;
  for (Operation *op = view.getDefiningOp(); op && isView(op);
       op = op->getOperand(0).getDefiningOp())
    if (auto slice = dyn_cast<stablehlo::SliceOp>(op))
      first += slice.getStartIndices()[0];
  return first;
}

/// Of a stack of parameters: one element for each layer, or all of them if they
/// are in one block.
std::string nameOfElement(const ModelGraph &graph, smith::LoopSliceOp taken,
                          int64_t iteration) {
  std::string name = nameOfValue(graph, taken.getInput(), iteration);
  if (graph.outermostLoopOf(taken) != int64_t(taken.getLoop()) ||
      !graph.layerLoopOf(taken))
    // A stack that is also read as a whole is there as well.
    return sourceOf(graph, taken.getInput()).root.hasOneUse() ? name
                                                              : name + "[:]";
  int64_t element = taken.getReversed()
                        ? int64_t(taken.getCount()) - 1 - iteration
                        : iteration;
  element += firstElementOf(taken.getInput());
  return name + "[" + std::to_string(element) + "]";
}

std::string nameOfValue(const ModelGraph &graph, Value value,
                        int64_t iteration) {
  value = sourceOf(graph, value).root;
  if (auto taken = value.getDefiningOp<smith::LoopSliceOp>())
    return nameOfElement(graph, taken, iteration);
  auto element = value.getDefiningOp<stablehlo::SliceOp>();
  if (!element)
    return nameOfArgument(graph, value);
  return nameOfArgument(graph, element.getOperand()) + "[" +
         std::to_string(element.getStartIndices()[0]) + "]";
}

} // namespace

std::string nameOfParameter(const ModelGraph &graph, Value value,
                            Operation *call, int64_t iteration) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() != &graph.getMain().getBody().front())
    value = call->getOperand(argument.getArgNumber());
  return nameOfValue(graph, value, iteration);
}

std::string nameOfData(const ModelGraph &graph, Value value) {
  llvm::SetVector<Value> visited;
  visited.insert(value);
  for (size_t next = 0; next < visited.size(); ++next) {
    Value current = graph.callerValue(visited[next]);
    Operation *op = current.getDefiningOp();
    if (!op && graph.originOf(current) == Origin::Data)
      return nameOfArgument(graph, current);
    if (op)
      visited.insert(op->operand_begin(), op->operand_end());
  }
  return "data";
}

std::string withStar(const std::string &a, const std::string &b) {
  size_t most = std::min(a.size(), b.size()), front = 0, back = 0;
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  while (front < most && a[front] == b[front])
    ++front;
  while (front > 0 && isDigit(a[front - 1]))
    --front;
  while (back < most - front && a.end()[-1 - back] == b.end()[-1 - back])
    ++back;
  while (back > 0 && isDigit(a.end()[-back]))
    --back;
  return a.substr(0, front) + "*" + a.substr(a.size() - back);
}

} // namespace shardsmith::workload
