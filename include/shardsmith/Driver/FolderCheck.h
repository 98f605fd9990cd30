// SPDX-License-Identifier: Apache-2.0
//
// The files that lie beside a plan.json, for `check`.

#ifndef SHARDSMITH_DRIVER_FOLDERCHECK_H
#define SHARDSMITH_DRIVER_FOLDERCHECK_H

#include "shardsmith/Check/PlanCheck.h"
#include "shardsmith/Driver/PlanningInputs.h"

namespace shardsmith {

class Session;

/// Adds what is wrong with the train step, its annotations, the program and
/// what the plan says of them; nothing where the plan has no program. Throws
/// Stop or Failure for files that cannot be read.
void checkProgramFiles(Session &session, const std::string &planFile,
                       const std::string &planText, check::CheckReport &report);

/// The same of the options in force and of the cluster, as written beside the
/// plan.
void checkOtherFiles(const std::string &planFile,
                     const std::vector<PlanOption> &options,
                     const Cluster &cluster, check::CheckReport &report);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_FOLDERCHECK_H
