// SPDX-License-Identifier: Apache-2.0
//
// One program per coordinate p along the axis of stages, in the order of the
// schedule's list of rank p:
//
//     pass of stage s      receive what it takes from other ranks, run the
//                          fragment, send what others take of it
//     after all passes     what follows from the sums, each op on the rank that
//                          has the largest operand
//
// A rank sends a value as soon as it has it, once to every rank that takes it.
// Messages between two ranks arrive in the order of the sender's program, which
// is known in advance: a receiver takes them in up to the one that it needs.

#include "shardsmith/Partition/Passes.h"

#include "Fragments.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Schedule/ScheduleTable.h"

#include <map>

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SCHEDULESTAGES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

using schedule::Action;
using schedule::ActionKind;
using schedule::Schedule;

/// In place of a micro-batch, for values of the whole step.
constexpr int64_t wholeStep = -1;
using Message = std::pair<Value, int64_t>;

/// A number of a rank along the axis of stages.
using Coordinate = int64_t;

class StageScheduler {
public:
  StageScheduler(func::FuncOp main, const Schedule &schedule)
      : main(main), schedule(schedule), parts(main),
        fragments(main, parts, schedule.stageCount),
        rankOfStage(schedule.rankOfStage()),
        rankCount(Coordinate(schedule.ranks.size())), programs(rankCount),
        builder(main.getContext()) {}

  LogicalResult run() {
    if (failed(verifyAccumulated(parts)) || failed(fragments.run()))
      return failure();
    chooseOwners();
    findHolders();
    listMessages();
    for (Coordinate rank = 0; rank < rankCount; ++rank)
      writeProgram(rank);
    makeSignature();
    return success();
  }

private:
  struct Program {
    func::FuncOp function;
    /// Values of the whole step, and of micro-batches.
    IRMapping values;
    std::map<std::pair<void *, int64_t>, Value> parts;
    /// The sums so far of its fragments.
    llvm::DenseMap<Operation *, Value> sums;
    /// Arguments and results of @main that it has.
    llvm::SetVector<unsigned> arguments;
    /// How many messages of each rank it has received.
    std::map<Coordinate, size_t> received;
  };

  Coordinate rankOf(const Fragment &fragment) const {
    return rankOfStage[size_t(fragment.stage)];
  }

  /// The fragments of an action, in order.
  std::vector<const Fragment *> fragmentsOf(const Action &action) const {
    std::vector<const Fragment *> list;
    auto add = [&](FragmentPass pass) {
      if (const Fragment *fragment = fragments.find(pass, action.stage))
        list.push_back(fragment);
    };
    if (action.kind == ActionKind::Forward)
      add(FragmentPass::Forward);
    if (action.kind == ActionKind::Backward ||
        action.kind == ActionKind::BackwardInput)
      add(FragmentPass::BackwardInput);
    if (action.kind == ActionKind::Backward ||
        action.kind == ActionKind::BackwardWeight)
      add(FragmentPass::BackwardWeight);
    return list;
  }

  template <typename Visit> void forEachAction(Coordinate rank, Visit visit) {
    for (const schedule::Step &step : schedule.ranks[size_t(rank)]) {
      visit(step.action);
      if (step.partner)
        visit(*step.partner);
    }
  }

  /// Sums, and what follows from them, have an owner; all else anyone can
  /// compute.
  bool hasOwner(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && owners.contains(op);
  }

  void chooseOwners() {
    for (const Fragment &fragment : fragments.all())
      for (smith::AccumulateOp sum : fragment.sums)
        owners[sum] = rankOf(fragment);
    for (Operation *op : parts.after) {
      int64_t largest = -1;
      for (Value operand : op->getOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        if (!hasOwner(operand) || !type || type.getNumElements() <= largest)
          continue;
        largest = type.getNumElements();
        owners[op] = owners[operand.getDefiningOp()];
      }
    }
  }

  /// Adds what a value that anyone can compute is computed from.
  void addArguments(Value value, llvm::SetVector<unsigned> &arguments) const {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      arguments.insert(argument.getArgNumber());
      return;
    }
    if (hasOwner(value) || fragments.makerOf(value) >= 0)
      return;
    for (Value operand : value.getDefiningOp()->getOperands())
      addArguments(operand, arguments);
  }

  /// The argument that a result replaces, −1 for others.
  int64_t replacedBy(unsigned result) {
    auto role = main.getResultAttrOfType<StringAttr>(
        result, smith::kRoleAttributeName);
    auto name = main.getResultAttrOfType<StringAttr>(
        result, smith::kNameAttributeName);
    if (!role || !name ||
        (role.getValue() != "param" && role.getValue() != "state"))
      return -1;
    for (unsigned number = 0; number < main.getNumArguments(); ++number)
      if (main.getArgAttrOfType<StringAttr>(
              number, smith::kNameAttributeName) == name)
        return number;
    return -1;
  }

  /// Which rank has which arguments: all that it reads, and those whose new
  /// values it makes. What nobody reads is with the first.
  void findHolders() {
    for (const Fragment &fragment : fragments.all())
      for (Value value : fragment.taken)
        addArguments(value, programs[rankOf(fragment)].arguments);
    for (Operation *op : parts.after)
      for (Value operand : op->getOperands())
        addArguments(operand, programs[owners[op]].arguments);
    Operation *terminator = main.front().getTerminator();
    for (unsigned result = 0; result < main.getNumResults(); ++result) {
      int64_t argument = replacedBy(result);
      Value value = terminator->getOperand(result);
      if (argument >= 0 && hasOwner(value))
        programs[owners[value.getDefiningOp()]].arguments.insert(argument);
    }
    for (unsigned argument = 0; argument < main.getNumArguments(); ++argument)
      if (llvm::none_of(programs, [&](const Program &program) {
            return program.arguments.contains(argument);
          }))
        programs.front().arguments.insert(argument);
    // A new value that anyone can compute may need further arguments.
    for (Program &program : programs)
      for (unsigned result = 0; result < main.getNumResults(); ++result)
        if (holds(program, result))
          addArguments(terminator->getOperand(result), program.arguments);
  }

  /// New values are where the old ones are, all else is everywhere.
  bool holds(const Program &program, unsigned result) {
    int64_t argument = replacedBy(result);
    return argument < 0 || program.arguments.contains(unsigned(argument));
  }

  /// What every rank sends every other one, in order.
  void listMessages() {
    // Ranks that take a value of a micro-batch, or of the step.
    std::map<void *, llvm::SetVector<Coordinate>> takers;
    for (const Fragment &fragment : fragments.all())
      for (Value value : fragment.taken)
        takers[value.getAsOpaquePointer()].insert(rankOf(fragment));
    for (Operation *op : parts.after)
      for (Value operand : op->getOperands())
        takers[operand.getAsOpaquePointer()].insert(owners[op]);
    Operation *terminator = main.front().getTerminator();
    for (Coordinate rank = 0; rank < rankCount; ++rank)
      for (unsigned result = 0; result < main.getNumResults(); ++result)
        if (holds(programs[rank], result))
          takers[terminator->getOperand(result).getAsOpaquePointer()].insert(
              rank);

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

  void writeProgram(Coordinate rank) {
    Program &program = programs[rank];
    builder.setInsertionPointToEnd(
        main->getParentOfType<ModuleOp>().getBody());
    program.function = func::FuncOp::create(
        builder, main.getLoc(), "rank_" + std::to_string(rank),
        builder.getFunctionType({}, {}));
    program.function.setPrivate();
    Block *body = program.function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    for (unsigned number = 0; number < main.getNumArguments(); ++number) {
      BlockArgument argument = main.getArgument(number);
      if (!held(rank, number))
        continue;
      program.values.map(argument, body->addArgument(argument.getType(),
                                                     argument.getLoc()));
    }
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

  void runFragment(Coordinate rank, const Fragment &fragment,
                   int64_t microBatch) {
    Program &program = programs[rank];
    SmallVector<Value> inputs, carried;
    for (Value value : fragment.taken)
      inputs.push_back(get(rank, value,
                           fragments.makerOf(value) >= 0 ? microBatch
                                                         : wholeStep));
    for (smith::AccumulateOp sum : fragment.sums)
      carried.push_back(program.sums[sum]);
    func::FuncOp function = fragment.function;
    auto run = smith::RunOp::create(
        builder, main.getLoc(), function.getFunctionType().getResults(),
        FlatSymbolRefAttr::get(function),
        builder.getI64IntegerAttr(microBatch), inputs, carried);
    size_t next = 0;
    for (Value output : fragment.outputs)
      program.parts[{output.getAsOpaquePointer(), microBatch}] =
          run.getResult(next++);
    for (smith::AccumulateOp sum : fragment.sums)
      program.sums[sum] = run.getResult(next++);
    for (Value output : fragment.outputs)
      send(rank, {output, microBatch});
  }

  void writeRest(Coordinate rank) {
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

  /// A value in the program of a rank, which computes it, or waits for it.
  Value get(Coordinate rank, Value value, int64_t microBatch) {
    Program &program = programs[rank];
    std::pair<void *, int64_t> key{value.getAsOpaquePointer(), microBatch};
    if (microBatch != wholeStep) {
      const Fragment &maker = fragments.all()[fragments.makerOf(value)];
      if (!program.parts.contains(key))
        receive(rank, rankOf(maker), {value, microBatch});
      return program.parts.at(key);
    }
    if (program.values.contains(value))
      return program.values.lookup(value);
    Operation *op = value.getDefiningOp();
    if (hasOwner(value)) {
      receive(rank, owners[op], {value, microBatch});
    } else {
      for (Value operand : op->getOperands())
        get(rank, operand, wholeStep);
      builder.clone(*op, program.values);
    }
    return program.values.lookup(value);
  }

  void send(Coordinate rank, const Message &message) {
    Program &program = programs[rank];
    for (Coordinate to = 0; to < rankCount; ++to) {
      auto found = messages.find({rank, to});
      if (found == messages.end() ||
          !llvm::is_contained(found->second, message))
        continue;
      auto [value, microBatch] = message;
      Value own = microBatch == wholeStep
                      ? program.values.lookup(value)
                      : program.parts[{value.getAsOpaquePointer(), microBatch}];
      smith::SendOp::create(builder, value.getLoc(), own, to,
                            smith::kPipelineAxisName);
    }
  }

  /// All messages up to the one that is needed.
  void receive(Coordinate rank, Coordinate from, const Message &needed) {
    Program &program = programs[rank];
    const std::vector<Message> &list = messages[{from, rank}];
    size_t &next = program.received[from];
    while (next < list.size()) {
      auto [value, microBatch] = list[next++];
      Value received = smith::ReceiveOp::create(
          builder, value.getLoc(), value.getType(), from,
          smith::kPipelineAxisName);
      if (microBatch == wholeStep)
        program.values.map(value, received);
      else
        program.parts[{value.getAsOpaquePointer(), microBatch}] = received;
      if (Message(value, microBatch) == needed)
        return;
    }
    llvm_unreachable("what a rank takes from another is sent by it");
  }

  bool held(Coordinate rank, unsigned argument) const {
    return programs[rank].arguments.contains(argument);
  }

  void writeReturn(Coordinate rank) {
    Program &program = programs[rank];
    SmallVector<Value> values;
    SmallVector<unsigned> positions;
    Operation *terminator = main.front().getTerminator();
    for (unsigned result = 0; result < main.getNumResults(); ++result) {
      if (!holds(program, result))
        continue;
      values.push_back(get(rank, terminator->getOperand(result), wholeStep));
      positions.push_back(result);
    }
    func::ReturnOp::create(builder, main.getLoc(), values);
    func::FuncOp function = program.function;
    Block &body = function.front();
    function.setType(builder.getFunctionType(body.getArgumentTypes(),
                                             TypeRange(ValueRange(values))));
    function->setAttr(smith::kCoordinateAttributeName,
                      builder.getI64IntegerAttr(rank));
    unsigned next = 0;
    for (unsigned number = 0; number < main.getNumArguments(); ++number) {
      if (!held(rank, number))
        continue;
      if (DictionaryAttr attributes = main.getArgAttrDict(number))
        function.setArgAttrs(next, attributes);
      function.setArgAttr(next++, smith::kPositionAttributeName,
                          builder.getI64IntegerAttr(number));
    }
    for (auto [number, position] : llvm::enumerate(positions)) {
      if (DictionaryAttr attributes = main.getResultAttrDict(position))
        function.setResultAttrs(number, attributes);
      function.setResultAttr(number, smith::kPositionAttributeName,
                             builder.getI64IntegerAttr(position));
    }
  }

  /// @main says no more than what arguments and results there are.
  void makeSignature() {
    main.getBody().getBlocks().clear();
    main.setPrivate();
  }

  func::FuncOp main;
  const Schedule &schedule;
  StepParts parts;
  Fragments fragments;
  std::vector<int64_t> rankOfStage;
  Coordinate rankCount;
  std::vector<Program> programs;
  llvm::DenseMap<Operation *, Coordinate> owners;
  std::map<std::pair<Coordinate, Coordinate>, std::vector<Message>> messages;
  OpBuilder builder;
};

struct ScheduleStagesPass : impl::ScheduleStagesBase<ScheduleStagesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto table =
        module->getAttrOfType<StringAttr>(smith::kScheduleAttributeName);
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!table || !main || !main.getBody().hasOneBlock())
      return;
    std::string error;
    std::optional<Schedule> schedule =
        schedule::scheduleFromTable(table.getValue().str(), error);
    if (!schedule)
      return fail(error);
    for (const std::string &problem : schedule::replay(*schedule, 1))
      return fail(problem);
    if (schedule->hasCommunication())
      return fail("expected passes alone; messages follow from the program");
    sdy::MeshAttr mesh = smith::getMesh(module);
    int64_t ranks =
        mesh ? mesh.getAxisSize(smith::kPipelineAxisName).value_or(1) : 1;
    if (int64_t lists = int64_t(schedule->ranks.size()); lists != ranks)
      return fail(("it has lists for " + Twine(lists) +
                   " ranks, but the mesh has " + Twine(ranks) +
                   " along its axis \"pipeline\"")
                      .str());
    int64_t count = smith::getMicroBatchCount(main);
    if (!smith::isInMicroBatches(main))
      return fail("@main is not in micro-batches; run split-micro-batches "
                  "before");
    if (schedule->microBatchCount != count)
      return fail(("it has " + Twine(schedule->microBatchCount) +
                   " micro-batches, but @main has " + Twine(count))
                      .str());
    if (failed(StageScheduler(main, *schedule).run()))
      signalPassFailure();
  }

  void fail(const std::string &why) {
    getOperation().emitError() << "attribute \"smith.schedule\": " << why;
    signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
