// SPDX-License-Identifier: Apache-2.0
//
// From a model, or a plan for one, to a folder with an executable.

#ifndef SHARDSMITH_DRIVER_COMPILEPROGRAM_H
#define SHARDSMITH_DRIVER_COMPILEPROGRAM_H

#include "shardsmith/Driver/CompileTarget.h"
#include "shardsmith/Driver/PlanningRequest.h"
#include "shardsmith/Driver/PlayedSchedule.h"
#include "shardsmith/Driver/ProgramPlan.h"
#include "shardsmith/Lower/CPU/CodeOptions.h"
#include "shardsmith/Lower/CPU/Target.h"

#include <string>

namespace shardsmith {

class Session;

struct CompileRequest {
  /// `model.path` is a model file, or a folder that `plan` has written.
  PlanningRequest planning;
  /// A plan.json to use; empty: that of the folder, or a new one.
  std::string planFile;
  /// In place of the schedule of the plan's family.
  GivenSchedule schedule;
};

/// Whether `path` is a folder of a plan, not one of a checkpoint, which has a
/// config.json instead.
bool isPlanFolder(const std::string &path);

/// What the program is for if nobody says: what the devices of the cluster are,
/// the given one or that of the plan (`impliedTarget`). Throws Failure.
CompileTarget targetOf(const CompileRequest &request);

/// The plan that was given, checked against model and cluster, or a new one;
/// with the schedule that was given, if one was. Nothing is searched for a
/// model of which no program for `target` can be built. Throws Stop or Failure.
ProgramPlan findProgramPlan(Session &session, const CompileRequest &request,
                            const lower::TargetTraits &target = cpuTarget());

/// Before long work: throws Failure if the files of a program could not take
/// their places in the folder.
void requireProgramFolder(const std::string &path);

/// Writes the program of a plan into a folder, with train step, annotated graph
/// and plan.json, all of them or none. The plan's estimates of memory and
/// traffic become those of the program. Throws Stop or Failure.
void compileProgram(Session &session, ProgramPlan &planned,
                    const std::string &output, const CodeOptions &code = {});

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_COMPILEPROGRAM_H
