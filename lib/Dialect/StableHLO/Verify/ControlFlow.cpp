// SPDX-License-Identifier: Apache-2.0
// Loops and branches.

#include "Bodies.h"
#include "Rules.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace {

/// A branch takes nothing and returns what the op does.
LogicalResult checkBranch(const Reporter &report, Region &region,
                          StringRef name, TypeRange results) {
  return failure(failed(checkArguments(report, region, name, {})) ||
                 failed(checkReturn(report, region, name, results)));
}

} // namespace

LogicalResult WhileOp::verify() {
  if (areCompatibleTypes(getOperandTypes(), getResultTypes()))
    return success();
  return emitOpError() << "needs results of the operands' types ("
                       << getOperandTypes() << "), found (" << getResultTypes()
                       << ')';
}

LogicalResult WhileOp::verifyRegions() {
  Reporter report = reporterOf(*this);
  Type predicate = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  TypeRange values = getOperandTypes();
  return failure(
      failed(checkArguments(report, getCond(), "the condition", values)) ||
      failed(checkReturn(report, getCond(), "the condition", predicate)) ||
      failed(checkArguments(report, getBody(), "the body", values)) ||
      failed(checkReturn(report, getBody(), "the body", values)));
}

LogicalResult IfOp::verify() {
  if (getPred().getType().getRank() == 0)
    return success();
  return emitOpError() << "needs a scalar predicate, found "
                       << getPred().getType();
}

LogicalResult IfOp::verifyRegions() {
  Reporter report = reporterOf(*this);
  return failure(failed(checkBranch(report, getTrueBranch(), "true_branch",
                                    getResultTypes())) ||
                 failed(checkBranch(report, getFalseBranch(), "false_branch",
                                    getResultTypes())));
}

LogicalResult CaseOp::verify() {
  RankedTensorType index = getIndex().getType();
  if (index.getRank() != 0 || !index.getElementType().isSignlessInteger(32))
    return emitOpError() << "needs an index of tensor<i32>, found " << index;
  if (getBranches().empty())
    return emitOpError() << "needs at least one branch";
  return success();
}

LogicalResult CaseOp::verifyRegions() {
  Reporter report = reporterOf(*this);
  for (Region &branch : getBranches())
    if (failed(checkBranch(report, branch,
                           ("branch " + Twine(branch.getRegionNumber())).str(),
                           getResultTypes())))
      return failure();
  return success();
}
