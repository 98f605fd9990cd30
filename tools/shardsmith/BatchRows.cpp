// SPDX-License-Identifier: Apache-2.0

#include "BatchRows.h"

#include "shardsmith/Driver/PlanningInputs.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Support/ReadFile.h"

#include <sstream>

namespace shardsmith {

std::vector<BatchLine> readBatchFile(const std::string &path) {
  std::string error;
  std::optional<std::string> contents = readInput(path, error);
  if (!contents)
    fail(ExitCode::BadInput, error);
  std::istringstream text(std::move(*contents));
  return readBatch(text);
}

LoadWorkload workloadLoader(Session &session) {
  return [&session](
             const RowModel &model,
             std::string &error) -> std::shared_ptr<const workload::Workload> {
    ModelOptions options;
    options.path = model.model;
    options.description.sequenceLength = model.sequenceLength;
    options.description.elementType = model.elementType;
    if (!isModelDescription(options.path))
      options.description = {};
    try {
      workload::Workload workload = *loadModelOf(session, options).workload;
      workload.globalBatch = 1;
      return std::make_shared<const workload::Workload>(std::move(workload));
    } catch (const Failure &failure) {
      error = failure.message;
    } catch (const Stop &) {
      error = "the model cannot be read; see the message on standard error";
    }
    return nullptr;
  };
}

} // namespace shardsmith
