// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops whose conditions and counts are known when the model is
// read: the branch that is taken, and the body as often as it runs.

#include "../Registry.h"
#include "../Translator.h"

namespace shardsmith::onnx {
namespace {

/// Iterations that a file may ask for; nodes are counted besides.
constexpr int64_t mostIterations = 100'000;

void branch(Node &node) {
  bool condition = node.knownNumber(0) != 0;
  const format::Graph &body =
      node.graph(condition ? "then_branch" : "else_branch");
  for (auto [i, value] :
       llvm::enumerate(node.translator.callBody(body, {}, node.opset())))
    node.result(i, value);
}

void loop(Node &node) {
  Builder &build = node.build;
  int64_t most = mostIterations + 1;
  if (node.hasInput(0))
    most = static_cast<int64_t>(node.knownNumber(0));
  bool condition = !node.hasInput(1) || node.knownNumber(1) != 0;
  const format::Graph &body = node.graph("body");
  llvm::SmallVector<Value> carried;
  for (int64_t i = 2; i < node.inputCount(); ++i)
    carried.push_back(node.input(i));
  int64_t scans = body.output_size() - 1 - static_cast<int64_t>(carried.size());
  if (scans < 0)
    badInput("its body has {} outputs, too few for {} values",
             body.output_size(), carried.size());
  std::vector<llvm::SmallVector<Value>> collected(scans);
  for (int64_t i = 0; i < most && condition; ++i) {
    if (i >= mostIterations)
      unsupported("loop of more than {} iterations", mostIterations);
    llvm::SmallVector<Value> inputs{
        build.constant(Tensor::scalar<int64_t>(ElementType::I64, i)),
        build.constant(Tensor::scalar<bool>(ElementType::Bool, true))};
    inputs.append(carried);
    auto outputs = node.translator.callBody(body, inputs, node.opset());
    Tensor next =
        node.translator.valueOf(outputs.front(), "condition of a loop");
    condition = next.size() == 1 && next.asInteger(0) != 0;
    std::copy_n(outputs.begin() + 1, carried.size(), carried.begin());
    for (int64_t scan = 0; scan < scans; ++scan) {
      Value part = outputs[1 + carried.size() + scan];
      Sizes shape{1};
      shape.append(shapeOf(part).begin(), shapeOf(part).end());
      collected[scan].push_back(build.reshape(part, shape));
    }
  }
  for (auto [i, value] : llvm::enumerate(carried))
    node.result(i, value);
  for (int64_t scan = 0; scan < scans; ++scan) {
    if (collected[scan].empty())
      unsupported("loop that collects values but never runs");
    node.result(carried.size() + scan, build.concatenate(collected[scan], 0));
  }
}

} // namespace

void registerControlFlow(Registry &registry) {
  registry.add("If", branch);
  registry.add("Loop", loop);
}

} // namespace shardsmith::onnx
