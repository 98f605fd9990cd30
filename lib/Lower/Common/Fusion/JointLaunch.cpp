// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/JointLaunch.h"

#include "shardsmith/Lower/Common/KernelText.h"

using namespace mlir;

namespace shardsmith::lower {

bool areInOneLaunch(Operation *a, Operation *b) {
  Attribute first = a ? a->getAttr(jointLaunchAttributeName) : nullptr;
  return first && b && first == b->getAttr(jointLaunchAttributeName);
}

JointLaunch::JointLaunch(smith::KernelOp member) {
  Operation *op = member;
  while (areInOneLaunch(op->getPrevNode(), op))
    op = op->getPrevNode();
  members.push_back(cast<smith::KernelOp>(op));
  for (; areInOneLaunch(op, op->getNextNode()); op = op->getNextNode())
    members.push_back(cast<smith::KernelOp>(op->getNextNode()));
  unsigned inputs = first().getInputs().size();
  shared.resize(inputs, members.size() > 1);
  for (smith::KernelOp other : members)
    for (unsigned i = 0; i < inputs; ++i)
      if (other.getInputs()[i] != first().getInputs()[i])
        shared.reset(i);
}

SmallVector<Value> JointLaunch::inputs() const {
  SmallVector<Value> all;
  for (auto [number, member] : llvm::enumerate(members))
    for (auto [i, input] : llvm::enumerate(smith::KernelOp(member).getInputs()))
      if (isOwn(number, i))
        all.push_back(input);
  return all;
}

SmallVector<Value> JointLaunch::results() const {
  SmallVector<Value> all;
  for (smith::KernelOp member : members)
    llvm::append_range(all, member.getOutputs());
  return all;
}

SmallVector<SmallVector<unsigned>> JointLaunch::arguments() const {
  SmallVector<SmallVector<unsigned>> numbers(members.size());
  unsigned next = 0;
  for (size_t member = 0; member < members.size(); ++member)
    for (unsigned i = 0; i < shared.size(); ++i)
      numbers[member].push_back(isOwn(member, i) ? next++ : i);
  for (SmallVector<unsigned> &ofMember : numbers)
    for (unsigned i = 0; i < first().getOutputs().size(); ++i)
      ofMember.push_back(next++);
  return numbers;
}

std::string JointLaunch::text() const {
  std::string text = textOf(first());
  if (members.size() == 1)
    return text;
  text += "\nmembers " + std::to_string(members.size()) + " share";
  for (unsigned input : shared.set_bits())
    text += " " + std::to_string(input);
  return text;
}

} // namespace shardsmith::lower
