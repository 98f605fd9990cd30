// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Plan.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardsmith {

char PlanError::ID = 0;

void PlanError::log(raw_ostream &os) const { os << text; }

std::error_code PlanError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

Error makePlanError(ExitCode code, const std::string &message) {
  return make_error<PlanError>(code, message);
}

ExitCode takePlanError(Error error, std::string &message) {
  ExitCode code = ExitCode::Internal;
  handleAllErrors(
      std::move(error),
      [&](const PlanError &plan) {
        code = plan.getCode();
        message = plan.message();
      },
      [&](const ErrorInfoBase &other) { message = other.message(); });
  return code;
}

Mesh Plan::getMesh() const {
  SmallVector<Mesh::Axis> axes;
  for (const FixedAxis &axis : mesh)
    axes.push_back({axis.name, axis.size});
  return Mesh(axes);
}

} // namespace shardsmith
