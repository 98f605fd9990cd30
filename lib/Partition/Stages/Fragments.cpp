// SPDX-License-Identifier: Apache-2.0

#include "Fragments.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"

using namespace mlir;

namespace shardsmith {

std::string Fragment::name() const {
  const char *prefix = pass == FragmentPass::Forward         ? "forward_"
                       : pass == FragmentPass::BackwardInput ? "backward_"
                                                             : "weights_";
  return prefix + std::to_string(stage);
}

std::string Fragment::passName() const {
  const char *kind = pass == FragmentPass::Forward         ? "F"
                     : pass == FragmentPass::BackwardInput ? "I"
                                                           : "W";
  return std::to_string(stage) + kind;
}

Fragments::Fragments(func::FuncOp step, const StepParts &parts, int64_t stages)
    : step(step), parts(parts), stages(stages), fragments(3 * stages),
      builder(step.getContext()), locals(3 * stages) {
  for (int64_t stage = 0; stage < stages; ++stage)
    for (FragmentPass pass :
         {FragmentPass::Forward, FragmentPass::BackwardInput,
          FragmentPass::BackwardWeight}) {
      Fragment &fragment = fragments[positionOf(pass, stage)];
      fragment.pass = pass;
      fragment.stage = stage;
    }
}

int64_t Fragments::positionOf(FragmentPass pass, int64_t stage) const {
  switch (pass) {
  case FragmentPass::Forward:
    return stage;
  case FragmentPass::BackwardInput:
    return 2 * stages - 1 - stage;
  case FragmentPass::BackwardWeight:
    return 2 * stages + stage;
  }
  llvm_unreachable("all passes are handled");
}

const Fragment *Fragments::find(FragmentPass pass, int64_t stage) const {
  const Fragment &fragment = fragments[positionOf(pass, stage)];
  return fragment.ops.empty() ? nullptr : &fragment;
}

int64_t Fragments::makerOf(Value value) const {
  auto found = fragmentOf.find(value.getDefiningOp());
  return found == fragmentOf.end() ? -1 : found->second;
}

int64_t Fragments::positionOf(Operation *op) const {
  auto found = fragmentOf.find(op);
  return found == fragmentOf.end() ? -1 : found->second;
}

LogicalResult Fragments::assign() {
  findGroups();
  findBatchDerived();
  if (failed(place()))
    return failure();
  separateWeights();
  return success();
}

LogicalResult Fragments::run() {
  if (failed(assign()))
    return failure();
  for (Operation *op : parts.repeated)
    if (auto found = fragmentOf.find(op); found != fragmentOf.end())
      fragments[found->second].ops.push_back(op);
  makeFunctions();
  finishFunctions();
  return success();
}

std::optional<int64_t> Fragments::markOf(Operation *op) const {
  auto stage = op->getAttrOfType<IntegerAttr>(smith::kStageAttributeName);
  if (!stage)
    return std::nullopt;
  return positionOf(op->hasAttr(smith::kBackwardAttributeName)
                        ? FragmentPass::BackwardInput
                        : FragmentPass::Forward,
                    stage.getInt());
}

void Fragments::findGroups() {
  smith::LoopNest nest(step.front());
  llvm::DenseMap<int64_t, size_t> groupOfLoop;
  for (Operation &op : step.front().without_terminator()) {
    smith::LoopChain chain = nest.loopsOf(&op);
    size_t group = groups.size();
    if (!chain.empty())
      group = groupOfLoop.try_emplace(chain.front(), group).first->second;
    if (group == groups.size())
      groups.emplace_back();
    groups[group].push_back(&op);
  }
}

void Fragments::findBatchDerived() {
  auto isDerived = [&](Value value) {
    if (Operation *maker = value.getDefiningOp())
      return batchDerived.contains(maker);
    auto role = step.getArgAttrOfType<StringAttr>(
        cast<BlockArgument>(value).getArgNumber(), smith::kRoleAttributeName);
    return role &&
           (role.getValue() == "batch" || role.getValue() == "constant");
  };
  for (const Group &group : groups) {
    // Of a loop, the ops themselves are no reason against it.
    batchDerived.insert(group.begin(), group.end());
    bool isWhole = llvm::all_of(group, [&](Operation *op) {
      return !isa<smith::AccumulateOp>(op) && !exchanges(op) &&
             llvm::all_of(op->getOperands(), isDerived);
    });
    if (!isWhole)
      for (Operation *op : group)
        batchDerived.erase(op);
  }
}

void Fragments::assignGroup(const Group &group, int64_t position) {
  for (Operation *op : group)
    fragmentOf[op] = position;
}

LogicalResult Fragments::place() {
  SmallVector<const Group *> open;
  for (const Group &group : groups) {
    if (!parts.repeated.contains(group.front()) ||
        batchDerived.contains(group.front()))
      continue;
    int64_t position = -1;
    for (Operation *op : group) {
      if (std::optional<int64_t> mark = markOf(op)) {
        if (*mark < 0 || *mark >= 2 * stages)
          return op->emitOpError()
                 << "is marked for a stage that the schedule, "
                 << "which has " << stages << ", does not have";
        position = std::max(position, *mark);
      }
      for (Value operand : op->getOperands())
        position = std::max(position, makerOf(operand));
    }
    if (position >= 0)
      assignGroup(group, position);
    else
      open.push_back(&group);
  }
  // What reads nothing that has a place goes to its first reader.
  for (const Group *group : llvm::reverse(open)) {
    int64_t position = stages - 1;
    for (Operation *op : *group)
      for (Operation *user : op->getUsers())
        if (auto found = fragmentOf.find(user); found != fragmentOf.end())
          position = std::min(position, found->second);
    assignGroup(*group, position);
  }
  return success();
}

/// Of the backward pass of a stage, what no other fragment waits for.
void Fragments::separateWeights() {
  llvm::DenseSet<Operation *> awaited;
  auto isAwaited = [&](Operation *op, int64_t position) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      auto other = fragmentOf.find(user);
      return other != fragmentOf.end() &&
             (other->second != position || awaited.contains(user));
    });
  };
  for (const Group &group : llvm::reverse(groups)) {
    int64_t position = positionOf(group.front());
    if (position >= stages && llvm::any_of(group, [&](Operation *op) {
          return isAwaited(op, position);
        }))
      awaited.insert(group.begin(), group.end());
  }
  for (const Group &group : groups) {
    Operation *op = group.front();
    int64_t position = positionOf(op);
    if (position < stages || awaited.contains(op))
      continue;
    // What is summed up of what others wait for is summed up at once.
    if (isa<smith::AccumulateOp>(op) &&
        awaited.contains(op->getOperand(0).getDefiningOp()))
      continue;
    assignGroup(group, positionOf(FragmentPass::BackwardWeight,
                                  fragments[position].stage));
  }
}

void Fragments::makeFunctions() {
  builder.setInsertionPointAfter(step);
  for (auto [fragment, mapping] : llvm::zip_equal(fragments, locals)) {
    if (fragment.ops.empty())
      continue;
    fragment.function =
        func::FuncOp::create(builder, step.getLoc(), fragment.name(),
                             builder.getFunctionType({}, {}));
    fragment.function.setPrivate();
    fragment.function->setAttr(smith::kPassAttributeName,
                               builder.getStringAttr(fragment.passName()));
    Block *body = fragment.function.addEntryBlock();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    Value index = body->addArgument(
        RankedTensorType::get({}, builder.getI32Type()), step.getLoc());
    for (Operation *op : parts.repeated)
      if (isa<smith::MicroBatchIndexOp>(op))
        mapping.map(op->getResult(0), index);
    for (Operation *op : fragment.ops) {
      if (auto sum = dyn_cast<smith::AccumulateOp>(op)) {
        take(fragment, sum.getInput());
        fragment.sums.push_back(sum);
        continue;
      }
      takeAndClone(fragment, op);
    }
  }
}

/// Sees to it that the function has a value: by an argument, or by computing it
/// itself.
void Fragments::take(Fragment &fragment, Value value) {
  IRMapping &mapping = locals[&fragment - fragments.data()];
  if (mapping.contains(value))
    return;
  Operation *op = value.getDefiningOp();
  int64_t maker = makerOf(value);
  if (!op || maker >= 0 || parts.once.contains(op)) {
    mapping.map(value, fragment.function.front().addArgument(value.getType(),
                                                             value.getLoc()));
    fragment.taken.push_back(value);
    if (maker >= 0)
      fragments[maker].outputs.insert(value);
    return;
  }
  takeAndClone(fragment, op);
}

/// Regions may read values from outside.
void Fragments::takeAndClone(Fragment &fragment, Operation *op) {
  llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  for (Value value : read)
    take(fragment, value);
  builder.clone(*op, locals[&fragment - fragments.data()]);
}

/// Which outputs a fragment has is known when all have been made.
void Fragments::finishFunctions() {
  for (auto [fragment, mapping] : llvm::zip_equal(fragments, locals)) {
    if (fragment.ops.empty())
      continue;
    Block &body = fragment.function.front();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    SmallVector<Value> results;
    for (Value output : fragment.outputs)
      results.push_back(mapping.lookup(output));
    for (smith::AccumulateOp sum : fragment.sums)
      results.push_back(combine(builder, sum.getLoc(), sum.getKind().getValue(),
                                body.addArgument(sum.getType(), sum.getLoc()),
                                mapping.lookup(sum.getInput())));
    func::ReturnOp::create(builder, step.getLoc(), results);
    fragment.function.setType(builder.getFunctionType(
        body.getArgumentTypes(), TypeRange(ValueRange(results))));
    tieCarried(fragment.function, fragment.sums.size());
  }
}

} // namespace shardsmith
