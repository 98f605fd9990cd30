// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/ReopenedPlan.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Driver/Session.h"

namespace shardsmith {

PlanningRequest requestOf(const std::vector<PlanOption> &options,
                          const PlanSources &sources) {
  PlanningRequest request = toRequest(options);
  if (!sources.model.empty())
    request.model.path = sources.model;
  if (!sources.cluster.empty())
    request.cluster = sources.cluster;
  if (!sources.profile.empty())
    request.profile = sources.profile;
  return request;
}

PlanDocument requireDocument(const std::string &path) {
  std::string error;
  std::optional<PlanDocument> document = readPlanDocument(path, error);
  if (!document)
    fail(ExitCode::BadInput, error);
  return std::move(*document);
}

PlanDocument requireStrategy(const std::string &path) {
  PlanDocument document = requireDocument(path);
  if (!document.hasStrategy())
    fail(ExitCode::BadInput,
         planFileAt(path) + ": this plan has no strategy: it is for a train "
                            "step, or for a graph that is no chain of blocks; "
                            "'shardsmith inspect' shows what it decides");
  return document;
}

PlanDocument requireProgramPlan(const std::string &path) {
  PlanDocument document = requireDocument(path);
  if (!document.program)
    fail(ExitCode::BadInput, planFileAt(path) + ": " + kNoProgram);
  return document;
}

ReopenedPlan::ReopenedPlan(Session &session, const PlanSources &sources) {
  document = requireStrategy(sources.plan);
  request = requestOf(document.options, sources);
  request.model.plannedHash = document.model.identity.hash;
  inputs = loadInputs(session, request, model,
                      document.program ? Layers::Inlined : Layers::Written);
  std::string different =
      differentInputs(document, inputs->workload().modelHash,
                      inputs->cluster().hash(), hashOf(inputs->profile()));
  if (!different.empty())
    fail(ExitCode::BadInput, different + "; plan it again");
  std::string error = bindLayouts(inputs->workload(), document);
  if (error.empty())
    error = verifyPlacement(inputs->context().topology, document.strategy);
  if (!error.empty())
    fail(ExitCode::BadInput, planFileAt(sources.plan) + ": " + error);
}

} // namespace shardsmith
