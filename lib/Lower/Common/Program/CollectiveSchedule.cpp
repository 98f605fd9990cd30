// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/CollectiveSchedule.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"

#include "llvm/ADT/TypeSwitch.h"

#include <deque>
#include <map>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Collects the exchanges of a function and of what it calls.
class Reader {
public:
  std::vector<CollectiveStep> steps;

  void read(func::FuncOp function, const std::string &name,
            int64_t microBatch) {
    auto module = function->getParentOfType<ModuleOp>();
    for (Operation &op : function.getBody().front())
      llvm::TypeSwitch<Operation *>(&op)
          .Case([&](smith::RepeatOp repeat) {
            auto called = module.lookupSymbol<func::FuncOp>(repeat.getCallee());
            for (int64_t i = 0; i < static_cast<int64_t>(repeat.getCount());
                 ++i)
              read(called, repeat.getCallee().str(), i);
          })
          .Case([&](smith::RunOp run) {
            read(module.lookupSymbol<func::FuncOp>(run.getCallee()),
                 run.getCallee().str(), run.getMicroBatch());
          })
          .Default([&](Operation *other) { add(other, name, microBatch); });
  }

private:
  void add(Operation *op, const std::string &function, int64_t microBatch) {
    CollectiveStep step;
    bool isExchange =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case<smith::AllReduceOp, smith::ReduceScatterOp>([&](auto reduce) {
              step.reduction =
                  stringifyReductionKind(reduce.getKind().getValue()).str();
              step.axes = axisNames(reduce.getAxes());
              return true;
            })
            .Case<smith::AllGatherOp, smith::AllToAllOp,
                  smith::ExchangeBlocksOp, smith::ExchangeRowsOp>(
                [&](auto exchange) {
                  step.axes = axisNames(exchange.getAxes());
                  return true;
                })
            .Case([&](smith::CollectivePermuteOp permute) {
              step.pairs = permute.getPairs().vec();
              if (permute.getAxes())
                step.axes = axisNames(*permute.getAxes());
              return true;
            })
            .Case([&](smith::SendOp send) {
              step.axes = {send.getAxis().str()};
              step.peer = send.getTo();
              return true;
            })
            .Case([&](smith::ReceiveOp receive) {
              step.axes = {receive.getAxis().str()};
              step.peer = receive.getFrom();
              return true;
            })
            .Default([](Operation *) { return false; });
    if (!isExchange)
      return;
    step.kind = op->getName().stripDialect().str();
    auto type = cast<RankedTensorType>(op->getNumOperands()
                                           ? op->getOperand(0).getType()
                                           : op->getResult(0).getType());
    llvm::raw_string_ostream(step.element) << type.getElementType();
    step.elements = type.getNumElements();
    step.bytes = Bytes(bufferBytes(type));
    step.function = function;
    step.microBatch = microBatch;
    steps.push_back(std::move(step));
  }
};

std::string describeStep(const CollectiveStep &step) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << step.kind;
  if (!step.reduction.empty())
    out << ' ' << step.reduction;
  if (step.peer >= 0)
    out << (step.kind == "send" ? " to " : " from ") << step.peer;
  if (!step.axes.empty()) {
    out << " over ";
    llvm::interleave(step.axes, out, ",");
  }
  out << ", " << step.elements << " x " << step.element;
  return text;
}

/// All ranks, run side by side.
class CollectiveReplay {
public:
  explicit CollectiveReplay(const CollectiveSchedule &schedule)
      : schedule(schedule), next(schedule.mesh().rankCount(), 0) {}

  std::string run() {
    int64_t ranks = next.size();
    for (bool hasMoved = true; hasMoved && problem.empty();) {
      hasMoved = false;
      for (int64_t rank = 0; rank < ranks; ++rank)
        while (problem.empty() && advance(rank))
          hasMoved = true;
    }
    for (int64_t rank = 0; rank < ranks && problem.empty(); ++rank)
      if (const CollectiveStep *step = stepOf(rank))
        problem = where(rank) + " waits for ever at " + describeStep(*step);
    return problem;
  }

private:
  const CollectiveStep *stepOf(int64_t rank) const {
    const auto &steps = schedule.programs()[schedule.programOf(rank)];
    return next[rank] < steps.size() ? &steps[next[rank]] : nullptr;
  }
  std::string where(int64_t rank) const {
    return ("rank " + Twine(rank) + ", exchange " + Twine(next[rank])).str();
  }

  /// False if the rank waits, or is at its end.
  bool advance(int64_t rank) {
    const CollectiveStep *step = stepOf(rank);
    if (!step)
      return false;
    std::vector<int64_t> ranks = schedule.ranksOf(*step, rank);
    if (step->kind == "send") {
      sent[{ranks[0], ranks[1]}].push_back(step);
      ++next[rank];
      return true;
    }
    if (step->kind == "receive")
      return receive(rank, *step, {ranks[0], ranks[1]});
    for (int64_t other : ranks)
      if (!isThere(rank, *step, ranks, other))
        return false;
    for (int64_t member : ranks)
      ++next[member];
    return true;
  }

  bool receive(int64_t rank, const CollectiveStep &step,
               std::pair<int64_t, int64_t> way) {
    auto &waiting = sent[way];
    if (waiting.empty())
      return false;
    const CollectiveStep &message = *waiting.front();
    if (message.element != step.element || message.elements != step.elements) {
      problem = where(rank) + ": expects " + describeStep(step) +
                ", but rank " + std::to_string(way.first) + " sends " +
                describeStep(message);
      return false;
    }
    waiting.pop_front();
    ++next[rank];
    return true;
  }

  /// True if `other` has come to the exchange that `rank` is at. It is wrong to
  /// be at another one of which both are part.
  bool isThere(int64_t rank, const CollectiveStep &step,
               const std::vector<int64_t> &ranks, int64_t other) {
    const CollectiveStep *there = stepOf(other);
    if (!there) {
      problem = where(rank) + ": " + describeStep(step) + ", but rank " +
                std::to_string(other) + " is at its end";
      return false;
    }
    bool isMessage = there->kind == "send" || there->kind == "receive";
    std::vector<int64_t> theirs = schedule.ranksOf(*there, other);
    if (!isMessage && there->matches(step) && theirs == ranks)
      return true;
    if (!isMessage && llvm::is_contained(theirs, rank))
      problem = where(rank) + ": " + describeStep(step) + "; but " +
                where(other) + ": " + describeStep(*there);
    return false;
  }

  const CollectiveSchedule &schedule;
  std::vector<size_t> next;
  std::map<std::pair<int64_t, int64_t>, std::deque<const CollectiveStep *>>
      sent;
  std::string problem;
};

} // namespace

CollectiveSchedule::CollectiveSchedule(func::FuncOp main)
    : rankMesh(smith::getMesh(main)) {
  SmallVector<func::FuncOp> entries = rankFunctions(main);
  if (entries.empty())
    entries.push_back(main);
  for (func::FuncOp entry : entries) {
    Reader reader;
    reader.read(entry, "", -1);
    allPrograms.push_back(std::move(reader.steps));
  }
}

size_t CollectiveSchedule::programOf(int64_t rank) const {
  if (allPrograms.size() == 1)
    return 0;
  const RankMesh::Axis &stages = rankMesh.axis(smith::kPipelineAxisName);
  return rank / stages.stride % stages.size;
}

std::vector<int64_t> CollectiveSchedule::ranksOf(const CollectiveStep &step,
                                                 int64_t rank) const {
  if (step.peer >= 0) {
    const RankMesh::Axis &axis = rankMesh.axis(step.axes.front());
    int64_t own = rank / axis.stride % axis.size;
    int64_t other = rank + (step.peer - own) * axis.stride;
    if (step.kind == "send")
      return {rank, other};
    return {other, rank};
  }
  // A permute without axes is for all ranks that run the same program.
  std::vector<std::string> axes = step.axes;
  if (step.kind == "collective_permute" && axes.empty()) {
    for (const RankMesh::Axis &axis : rankMesh.allAxes())
      if (allPrograms.size() == 1 || axis.name != smith::kPipelineAxisName)
        axes.push_back(axis.name);
  }
  int64_t first = rank;
  std::vector<int64_t> ranks{0};
  for (const std::string &name : axes) {
    const RankMesh::Axis &axis = rankMesh.axis(name);
    first -= rank / axis.stride % axis.size * axis.stride;
    std::vector<int64_t> all;
    for (int64_t offset : ranks)
      for (int64_t i = 0; i < axis.size; ++i)
        all.push_back(offset + i * axis.stride);
    ranks = std::move(all);
  }
  for (int64_t &member : ranks)
    member += first;
  return ranks;
}

std::string CollectiveSchedule::findProblem() const {
  return CollectiveReplay(*this).run();
}

} // namespace shardsmith::lower
