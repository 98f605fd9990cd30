// SPDX-License-Identifier: Apache-2.0
//
// The files that `compile` has written beside plan.json, and what the plan
// says of the program: docs/check.md, "Compiled folders".

#ifndef SHARDSMITH_CHECK_PROGRAMCHECK_H
#define SHARDSMITH_CHECK_PROGRAMCHECK_H

#include "shardsmith/Check/PlanCheck.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace shardsmith::check {

/// What the annotated step costs when it is partitioned and lowered again.
struct ProgramCounts {
  struct Traffic {
    std::string collective;
    std::vector<std::string> axes;
    int64_t calls = 0;
    Bytes bytes;
    /// Of each rank; empty where they are equal.
    std::vector<Bytes> ofRanks;
  };
  struct PipelineRank {
    std::vector<Traffic> traffic;
    Bytes arena;
  };
  /// Of the first rank.
  std::vector<Traffic> traffic;
  /// Of the rank that holds most.
  Bytes parameters, states, batch, temporaries, arena;
  /// By coordinate along the axis of stages; empty where all ranks run one
  /// program.
  std::vector<PipelineRank> pipelineRanks;
};

struct ProgramInputs {
  /// `train-step.mlir` and `annotated.mlir`.
  mlir::ModuleOp step, annotated;
  /// Bytes of the executable; empty where there is none.
  std::string executable;
  /// Counts again; empty where there is no program to count. Called only if
  /// nothing else is wrong.
  std::function<ProgramCounts()> count;
};

/// Checks what a plan.json says of its train step (`kTrainStepParts`), and
/// everything else that plans without a strategy have. Fails with `error` if it
/// is no plan that programs are built from.
std::optional<CheckReport> checkProgram(std::string_view planJson,
                                        const ProgramInputs &inputs,
                                        std::string &error);

} // namespace shardsmith::check

#endif // SHARDSMITH_CHECK_PROGRAMCHECK_H
