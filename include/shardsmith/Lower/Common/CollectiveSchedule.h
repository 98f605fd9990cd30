// SPDX-License-Identifier: Apache-2.0
//
// What every rank exchanges with others in one step, in order.

#ifndef SHARDSMITH_LOWER_COMMON_COLLECTIVESCHEDULE_H
#define SHARDSMITH_LOWER_COMMON_COLLECTIVESCHEDULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Lower/Common/RankGroups.h"
#include "shardsmith/Support/Quantity.h"

#include <string>
#include <vector>

namespace shardsmith::lower {

/// A collective, or one side of a message between stages.
struct CollectiveStep {
  /// As the dialect names it, without `smith.`: `all_reduce`, `send`.
  std::string kind;
  /// Of reductions: `sum`.
  std::string reduction;
  /// Along which the ranks of a group differ; of a message that of stages.
  std::vector<std::string> axes;
  /// The coordinate along that axis of the other rank of a message, else −1.
  int64_t peer = -1;
  /// Of a permute: source and target in turn, as ranks of the mesh.
  std::vector<int64_t> pairs;
  /// Elements and bytes of what one rank gives, or gets if it gives nothing.
  std::string element;
  int64_t elements = 0;
  Bytes bytes;
  /// The function of the program that it is in; empty: the rank's program.
  std::string function;
  /// The micro-batch that the function is called for, −1 for none.
  int64_t microBatch = -1;

  /// True if ranks that come to both take part in one exchange.
  bool matches(const CollectiveStep &other) const {
    return kind == other.kind && reduction == other.reduction &&
           axes == other.axes && pairs == other.pairs &&
           element == other.element && elements == other.elements;
  }
};

/// The exchanges of all ranks. Functions that are called several times count
/// as often.
class CollectiveSchedule {
public:
  /// Of `@main` of a local program, lowered or not.
  explicit CollectiveSchedule(mlir::func::FuncOp main);
  /// For tests: of a mesh and programs, one for each coordinate along the axis
  /// `pipeline`, or one for all ranks.
  CollectiveSchedule(RankMesh mesh,
                     std::vector<std::vector<CollectiveStep>> programs)
      : rankMesh(std::move(mesh)), allPrograms(std::move(programs)) {}

  const RankMesh &mesh() const { return rankMesh; }
  const std::vector<std::vector<CollectiveStep>> &programs() const {
    return allPrograms;
  }
  /// The number of the program that a rank runs.
  size_t programOf(int64_t rank) const;
  /// The ranks that take part when `rank` comes to a step, itself included, in
  /// the order of their positions; of a message both ends, the sender first.
  std::vector<int64_t> ranksOf(const CollectiveStep &step, int64_t rank) const;

  /// Runs all ranks side by side: a collective goes on when all its ranks have
  /// come to it, a message is received in the order of sending. Returns what
  /// is wrong where two ranks of a group come to different exchanges, or wait
  /// for ever; nothing if all come to their end.
  std::string findProblem() const;

  /// `shardsmith-collectives/1`, as docs/lowering-cuda.md describes it.
  std::string toJson() const;
  /// A table for people.
  std::string describe() const;

private:
  RankMesh rankMesh;
  std::vector<std::vector<CollectiveStep>> allPrograms;
};

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_COLLECTIVESCHEDULE_H
