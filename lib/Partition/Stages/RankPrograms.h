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

#ifndef SHARDSMITH_LIB_PARTITION_STAGES_RANKPROGRAMS_H
#define SHARDSMITH_LIB_PARTITION_STAGES_RANKPROGRAMS_H

#include "Fragments.h"
#include "shardsmith/Schedule/Schedule.h"

#include "mlir/IR/IRMapping.h"

#include <map>

namespace shardsmith {

class RankPrograms {
public:
  /// The schedule replays, and is for the micro-batches of the step.
  RankPrograms(mlir::func::FuncOp main, const schedule::Schedule &schedule);

  /// Adds the programs and their fragments to the module, and leaves of @main
  /// its signature. Emits a diagnostic if the step cannot be cut.
  llvm::LogicalResult write();

private:
  /// A rank's number along the axis of stages.
  using Coordinate = int64_t;
  /// A value of a micro-batch, or of the whole step.
  using Message = std::pair<mlir::Value, int64_t>;

  struct Program {
    mlir::func::FuncOp function;
    /// By value of @main: those of the whole step, and those of micro-batches.
    mlir::IRMapping values;
    std::map<std::pair<const void *, int64_t>, mlir::Value> parts;
    /// The sums so far of its fragments.
    llvm::DenseMap<mlir::Operation *, mlir::Value> sums;
    /// Arguments of @main that it has.
    llvm::SetVector<unsigned> arguments;
    /// How many messages of each rank it has received.
    std::map<Coordinate, size_t> received;
  };

  Coordinate rankOf(const Fragment &fragment) const;
  /// The fragments of an action, in order.
  std::vector<const Fragment *>
  fragmentsOf(const schedule::Action &action) const;
  void
  forEachAction(Coordinate rank,
                llvm::function_ref<void(const schedule::Action &)> visit) const;

  /// Sums, and what follows from them, have an owner; all else anyone can
  /// compute.
  bool hasOwner(mlir::Value value) const;
  void chooseOwners();

  /// Adds what a value that anyone can compute is computed from.
  void addArguments(mlir::Value value,
                    llvm::SetVector<unsigned> &arguments) const;
  void findHolders();
  bool hasArgument(Coordinate rank, unsigned argument) const;
  /// New values are where the old ones are, all else is everywhere.
  bool hasResult(Coordinate rank, unsigned result);

  /// What every rank sends every other one, in order.
  void listMessages();

  void writeProgram(Coordinate rank);
  void runFragment(Coordinate rank, const Fragment &fragment,
                   int64_t microBatch);
  /// Ops that the rank owns.
  void writeRest(Coordinate rank);
  void writeReturn(Coordinate rank);
  void copyAttributes(Coordinate rank, llvm::ArrayRef<unsigned> results);

  /// A value in the program of a rank, which computes it, or waits for it.
  mlir::Value get(Coordinate rank, mlir::Value value, int64_t microBatch);
  void send(Coordinate rank, const Message &message);
  void markMessage(mlir::Operation *message, int64_t microBatch);
  /// All messages up to the one that is needed.
  void receive(Coordinate rank, Coordinate from, const Message &needed);

  mlir::func::FuncOp main;
  const schedule::Schedule &schedule;
  StepParts parts;
  /// By device how many micro-batches it does; null if all do all.
  mlir::DenseI64ArrayAttr counts;
  Fragments fragments;
  std::vector<int64_t> rankOfStage;
  Coordinate rankCount;
  std::vector<Program> programs;
  llvm::DenseMap<mlir::Operation *, Coordinate> owners;
  /// By value the ranks that take it; by sender and receiver what is sent.
  std::map<const void *, llvm::SetVector<Coordinate>> takers;
  std::map<std::pair<Coordinate, Coordinate>, std::vector<Message>> messages;
  mlir::OpBuilder builder;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_STAGES_RANKPROGRAMS_H
