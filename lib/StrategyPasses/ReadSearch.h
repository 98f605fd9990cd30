// SPDX-License-Identifier: Apache-2.0
//
// What passes that search read of the module and of their options.

#ifndef SHARDSMITH_LIB_STRATEGYPASSES_READSEARCH_H
#define SHARDSMITH_LIB_STRATEGYPASSES_READSEARCH_H

#include "shardsmith/Plan/Search/Search.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace shardsmith {

/// The options of these passes, as they are given.
struct SearchTexts {
  const std::string &cluster, &profile, &fix, &forbid;
  double margin = 0;
  /// In seconds; 0 for none.
  double timeLimit = 0;
};

/// The problem of a search, which stays where it is.
struct SearchProblem {
  SearchProblem(workload::Workload workload, Cluster machines,
                StackProfile stack)
      : workload(std::move(workload)), cluster(std::move(machines)),
        profile(std::move(stack)), topology(cluster) {}
  SearchProblem(const SearchProblem &) = delete;
  SearchProblem &operator=(const SearchProblem &) = delete;

  CostContext context() const {
    return {workload, topology, profile, estimate};
  }

  workload::Workload workload;
  Cluster cluster;
  StackProfile profile;
  ClusterTopology topology;
  EstimateOptions estimate;
  SearchOptions options;
};

/// Null if the module or an option is wrong; an error has been emitted then.
std::unique_ptr<SearchProblem> readSearch(mlir::ModuleOp module,
                                          const SearchTexts &texts);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_STRATEGYPASSES_READSEARCH_H
