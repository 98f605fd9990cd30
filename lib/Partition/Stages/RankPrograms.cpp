// SPDX-License-Identifier: Apache-2.0

#include "RankPrograms.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardsmith/Dialect/Smith/ReplacedArgument.h"

using namespace mlir;

namespace shardsmith {
namespace {

using schedule::Action;
using schedule::ActionKind;

/// In place of a micro-batch, for values of the whole step.
constexpr int64_t wholeStep = -1;

} // namespace

RankPrograms::RankPrograms(func::FuncOp main,
                           const schedule::Schedule &schedule)
    : main(main), schedule(schedule), parts(main),
      fragments(main, parts, schedule.stageCount),
      rankOfStage(schedule.rankOfStage()),
      rankCount(Coordinate(schedule.ranks.size())), programs(rankCount),
      builder(main.getContext()) {}

LogicalResult RankPrograms::write() {
  if (failed(verifyAccumulated(parts)) || failed(fragments.run()))
    return failure();
  counts = countsOf(main, parts);
  chooseOwners();
  findHolders();
  listMessages();
  for (Coordinate rank = 0; rank < rankCount; ++rank)
    writeProgram(rank);
  // @main says no more than what arguments and results there are.
  main.getBody().getBlocks().clear();
  main.setPrivate();
  return success();
}

RankPrograms::Coordinate RankPrograms::rankOf(const Fragment &fragment) const {
  return rankOfStage[size_t(fragment.stage)];
}

std::vector<const Fragment *>
RankPrograms::fragmentsOf(const Action &action) const {
  std::vector<const Fragment *> list;
  auto add = [&](FragmentPass pass) {
    if (const Fragment *fragment = fragments.find(pass, action.stage))
      list.push_back(fragment);
  };
  bool isWhole = action.kind == ActionKind::Backward;
  if (action.kind == ActionKind::Forward)
    add(FragmentPass::Forward);
  if (isWhole || action.kind == ActionKind::BackwardInput)
    add(FragmentPass::BackwardInput);
  if (isWhole || action.kind == ActionKind::BackwardWeight)
    add(FragmentPass::BackwardWeight);
  return list;
}

void RankPrograms::forEachAction(
    Coordinate rank, llvm::function_ref<void(const Action &)> visit) const {
  for (const schedule::Step &step : schedule.ranks[size_t(rank)]) {
    visit(step.action);
    if (step.partner)
      visit(*step.partner);
  }
}

bool RankPrograms::hasOwner(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && owners.contains(op);
}

void RankPrograms::chooseOwners() {
  for (const Fragment &fragment : fragments.all())
    for (smith::AccumulateOp sum : fragment.sums)
      owners[sum] = rankOf(fragment);
  for (Operation *op : parts.after) {
    int64_t largest = -1;
    Coordinate owner = 0;
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!hasOwner(operand) || !type || type.getNumElements() <= largest)
        continue;
      largest = type.getNumElements();
      owner = owners.lookup(operand.getDefiningOp());
    }
    owners[op] = owner;
  }
}

void RankPrograms::addArguments(Value value,
                                llvm::SetVector<unsigned> &arguments) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    arguments.insert(argument.getArgNumber());
    return;
  }
  if (hasOwner(value) || fragments.makerOf(value) >= 0)
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    addArguments(operand, arguments);
}

/// A rank has the arguments that it reads, and those whose new values it makes.
/// What nobody reads is with the first rank.
void RankPrograms::findHolders() {
  for (const Fragment &fragment : fragments.all())
    for (Value value : fragment.taken)
      addArguments(value, programs[rankOf(fragment)].arguments);
  for (Operation *op : parts.after)
    for (Value operand : op->getOperands())
      addArguments(operand, programs[owners.lookup(op)].arguments);
  Operation *terminator = main.front().getTerminator();
  for (unsigned result = 0; result < main.getNumResults(); ++result) {
    int64_t argument = smith::replacedArgument(main, result);
    Value value = terminator->getOperand(result);
    if (argument >= 0 && hasOwner(value))
      programs[owners.lookup(value.getDefiningOp())].arguments.insert(argument);
  }
  for (unsigned argument = 0; argument < main.getNumArguments(); ++argument)
    if (llvm::none_of(programs, [&](const Program &program) {
          return program.arguments.contains(argument);
        }))
      programs.front().arguments.insert(argument);
  // A new value that anyone can compute may need further arguments.
  for (Coordinate rank = 0; rank < rankCount; ++rank)
    for (unsigned result = 0; result < main.getNumResults(); ++result)
      if (hasResult(rank, result))
        addArguments(terminator->getOperand(result), programs[rank].arguments);
}

bool RankPrograms::hasArgument(Coordinate rank, unsigned argument) const {
  return programs[rank].arguments.contains(argument);
}

bool RankPrograms::hasResult(Coordinate rank, unsigned result) {
  int64_t argument = smith::replacedArgument(main, result);
  return argument < 0 || hasArgument(rank, unsigned(argument));
}

void RankPrograms::listMessages() {
  auto take = [&](Value value, Coordinate rank) {
    takers[value.getAsOpaquePointer()].insert(rank);
  };
  for (const Fragment &fragment : fragments.all())
    for (Value value : fragment.taken)
      take(value, rankOf(fragment));
  for (Operation *op : parts.after)
    for (Value operand : op->getOperands())
      take(operand, owners.lookup(op));
  Operation *terminator = main.front().getTerminator();
  for (Coordinate rank = 0; rank < rankCount; ++rank)
    for (unsigned result = 0; result < main.getNumResults(); ++result)
      if (hasResult(rank, result))
        take(terminator->getOperand(result), rank);

  auto add = [&](Value value, int64_t microBatch, Coordinate from) {
    for (Coordinate to : takers[value.getAsOpaquePointer()])
      if (to != from)
        messages[{from, to}].push_back({value, microBatch});
  };
  for (Coordinate rank = 0; rank < rankCount; ++rank) {
    forEachAction(rank, [&](const Action &action) {
      for (const Fragment *fragment : fragmentsOf(action))
        for (Value output : fragment->outputs)
          add(output, action.microBatch, rank);
    });
    for (Operation &op : main.front())
      if (auto owner = owners.find(&op);
          owner != owners.end() && owner->second == rank)
        for (Value value : op.getResults())
          add(value, wholeStep, rank);
  }
}

void RankPrograms::writeProgram(Coordinate rank) {
  Program &program = programs[rank];
  builder.setInsertionPointToEnd(main->getParentOfType<ModuleOp>().getBody());
  program.function = func::FuncOp::create(builder, main.getLoc(),
                                          "rank_" + std::to_string(rank),
                                          builder.getFunctionType({}, {}));
  program.function.setPrivate();
  Block *body = program.function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  for (BlockArgument argument : main.getArguments())
    if (hasArgument(rank, argument.getArgNumber()))
      program.values.map(
          argument, body->addArgument(argument.getType(), argument.getLoc()));
  for (const Fragment &fragment : fragments.all())
    if (rankOf(fragment) == rank)
      for (smith::AccumulateOp sum : fragment.sums)
        program.sums[sum] = startOf(builder, sum);
  forEachAction(rank, [&](const Action &action) {
    for (const Fragment *fragment : fragmentsOf(action))
      runFragment(rank, *fragment, action.microBatch);
  });
  writeRest(rank);
  writeReturn(rank);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void RankPrograms::runFragment(Coordinate rank, const Fragment &fragment,
                               int64_t microBatch) {
  Program &program = programs[rank];
  SmallVector<Value> inputs, carried;
  for (Value value : fragment.taken) {
    bool isPart = fragments.makerOf(value) >= 0;
    inputs.push_back(get(rank, value, isPart ? microBatch : wholeStep));
  }
  for (smith::AccumulateOp sum : fragment.sums)
    carried.push_back(program.sums[sum]);
  func::FuncOp function = fragment.function;
  auto run = smith::RunOp::create(
      builder, main.getLoc(), function.getFunctionType().getResults(),
      FlatSymbolRefAttr::get(function), builder.getI64IntegerAttr(microBatch),
      inputs, carried);
  size_t next = 0;
  for (Value output : fragment.outputs)
    program.parts[{output.getAsOpaquePointer(), microBatch}] =
        run.getResult(next++);
  for (smith::AccumulateOp sum : fragment.sums)
    program.sums[sum] = run.getResult(next++);
  for (Value output : fragment.outputs)
    send(rank, {output, microBatch});
}

void RankPrograms::writeRest(Coordinate rank) {
  Program &program = programs[rank];
  for (Operation &op : main.front()) {
    auto owner = owners.find(&op);
    if (owner == owners.end() || owner->second != rank)
      continue;
    if (isa<smith::AccumulateOp>(op)) {
      program.values.map(op.getResult(0), program.sums[&op]);
    } else {
      for (Value operand : op.getOperands())
        get(rank, operand, wholeStep);
      builder.clone(op, program.values);
    }
    for (Value value : op.getResults())
      send(rank, {value, wholeStep});
  }
}

Value RankPrograms::get(Coordinate rank, Value value, int64_t microBatch) {
  Program &program = programs[rank];
  if (microBatch != wholeStep) {
    std::pair<const void *, int64_t> key{value.getAsOpaquePointer(),
                                         microBatch};
    const Fragment &maker = fragments.all()[fragments.makerOf(value)];
    if (!program.parts.contains(key))
      receive(rank, rankOf(maker), {value, microBatch});
    return program.parts.at(key);
  }
  if (program.values.contains(value))
    return program.values.lookup(value);
  Operation *op = value.getDefiningOp();
  if (hasOwner(value)) {
    receive(rank, owners.lookup(op), {value, microBatch});
  } else {
    for (Value operand : op->getOperands())
      get(rank, operand, wholeStep);
    builder.clone(*op, program.values);
  }
  return program.values.lookup(value);
}

void RankPrograms::send(Coordinate rank, const Message &message) {
  Program &program = programs[rank];
  auto [value, microBatch] = message;
  Value own = microBatch == wholeStep
                  ? program.values.lookup(value)
                  : program.parts[{value.getAsOpaquePointer(), microBatch}];
  for (Coordinate to : takers[value.getAsOpaquePointer()])
    if (to != rank)
      markMessage(smith::SendOp::create(builder, value.getLoc(), own, to,
                                        smith::kPipelineAxisName),
                  microBatch);
}

/// What is part of a micro-batch is left out with it.
void RankPrograms::markMessage(Operation *message, int64_t microBatch) {
  if (counts && microBatch != wholeStep)
    message->setAttr(smith::kMicroBatchAttributeName,
                     builder.getI64IntegerAttr(microBatch));
}

void RankPrograms::receive(Coordinate rank, Coordinate from,
                           const Message &needed) {
  Program &program = programs[rank];
  const std::vector<Message> &list = messages[{from, rank}];
  size_t &next = program.received[from];
  while (next < list.size()) {
    auto [value, microBatch] = list[next++];
    auto received =
        smith::ReceiveOp::create(builder, value.getLoc(), value.getType(), from,
                                 smith::kPipelineAxisName);
    markMessage(received, microBatch);
    if (microBatch == wholeStep)
      program.values.map(value, received.getResult());
    else
      program.parts[{value.getAsOpaquePointer(), microBatch}] =
          received.getResult();
    if (Message(value, microBatch) == needed)
      return;
  }
  llvm_unreachable("what a rank takes from another is sent by it");
}

void RankPrograms::writeReturn(Coordinate rank) {
  SmallVector<Value> values;
  SmallVector<unsigned> results;
  Operation *terminator = main.front().getTerminator();
  for (unsigned result = 0; result < main.getNumResults(); ++result) {
    if (!hasResult(rank, result))
      continue;
    values.push_back(get(rank, terminator->getOperand(result), wholeStep));
    results.push_back(result);
  }
  func::ReturnOp::create(builder, main.getLoc(), values);
  func::FuncOp function = programs[rank].function;
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           TypeRange(ValueRange(values))));
  copyAttributes(rank, results);
}

void RankPrograms::copyAttributes(Coordinate rank, ArrayRef<unsigned> results) {
  func::FuncOp function = programs[rank].function;
  function->setAttr(smith::kCoordinateAttributeName,
                    builder.getI64IntegerAttr(rank));
  if (counts)
    function->setAttr(smith::kCountsAttributeName, counts);
  unsigned own = 0;
  for (unsigned number = 0; number < main.getNumArguments(); ++number) {
    if (!hasArgument(rank, number))
      continue;
    if (DictionaryAttr attributes = main.getArgAttrDict(number))
      function.setArgAttrs(own, attributes);
    function.setArgAttr(own++, smith::kPositionAttributeName,
                        builder.getI64IntegerAttr(number));
  }
  for (auto [place, number] : llvm::enumerate(results)) {
    if (DictionaryAttr attributes = main.getResultAttrDict(number))
      function.setResultAttrs(place, attributes);
    function.setResultAttr(place, smith::kPositionAttributeName,
                           builder.getI64IntegerAttr(number));
  }
}

} // namespace shardsmith
