// SPDX-License-Identifier: Apache-2.0

#include "Manual/Body.h"
#include "Unsupported.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDMANUALCOMPUTATIONS
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// The mesh that all shardings of the computation name. Null if there is no
/// such mesh or it lacks a manual axis; `reason` says so.
sdy::MeshAttr meshOf(sdy::ManualComputationOp op, std::string &reason) {
  sdy::TensorShardingAttr first;
  for (auto list : {op.getInShardings(), op.getOutShardings()})
    for (sdy::TensorShardingAttr sharding : list.getShardings()) {
      if (first && sharding.getMeshOrRef() != first.getMeshOrRef()) {
        reason = "a manual computation over two meshes";
        return nullptr;
      }
      first = sharding;
    }
  sdy::MeshAttr mesh = first ? first.getMesh(op) : nullptr;
  if (!mesh) {
    reason = "a manual computation without a mesh";
    return nullptr;
  }
  for (StringAttr axis : op.getManualAxes().getValue())
    if (!mesh.getAxisSize(axis.getValue())) {
      reason = "the manual axis \"" + axis.str() +
               "\", of which shardings name parts";
      return nullptr;
    }
  return mesh;
}

/// Puts what all devices compute before `op`.
LogicalResult build(sdy::ManualComputationOp op, manual::Body &body) {
  Block &block = op.getBody().front();
  for (auto [argument, whole, sharding] :
       llvm::zip_equal(block.getArguments(), op.getTensors(),
                       op.getInShardings().getShardings()))
    body.set(argument, body.split(whole, sharding,
                                  cast<RankedTensorType>(argument.getType())));
  if (failed(manual::expandBlock(body, block)) || body.hasRefused())
    return failure();
  for (auto [result, local, sharding] :
       llvm::zip_equal(op.getResults(), block.getTerminator()->getOperands(),
                       op.getOutShardings().getShardings()))
    result.replaceAllUsesWith(
        body.merge(local, sharding, cast<RankedTensorType>(result.getType())));
  op.erase();
  return success();
}

void expand(sdy::ManualComputationOp op, ErrorList &unsupported) {
  std::string reason;
  sdy::MeshAttr mesh = meshOf(op, reason);
  if (!mesh) {
    unsupported.add(op.getLoc(), "unsupported: " + reason);
    replaceByZeros(op);
    return;
  }
  Operation *before = op->getPrevNode();
  manual::Body body(op, mesh, unsupported);
  if (succeeded(build(op, body)))
    return;
  while (op->getPrevNode() != before)
    op->getPrevNode()->erase();
  replaceByZeros(op);
}

struct ExpandManualComputations
    : impl::ExpandManualComputationsBase<ExpandManualComputations> {
  using ExpandManualComputationsBase::ExpandManualComputationsBase;

  void runOnOperation() override {
    ErrorList unsupported;
    SmallVector<sdy::ManualComputationOp> computations;
    getOperation().walk<WalkOrder::PreOrder>([&](sdy::ManualComputationOp op) {
      computations.push_back(op);
      return WalkResult::skip();
    });
    for (sdy::ManualComputationOp op : computations)
      if (Operation *inner = findInner(op)) {
        // Inner computations have the axes that outer ones leave; their values
        // would need both.
        unsupported.add(inner->getLoc(),
                        "unsupported: a manual computation in another");
        replaceByZeros(op);
      } else {
        expand(op, unsupported);
      }
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }

private:
  static Operation *findInner(sdy::ManualComputationOp op) {
    Operation *inner = nullptr;
    op.getBody().walk([&](sdy::ManualComputationOp found) {
      inner = found;
      return WalkResult::interrupt();
    });
    return inner;
  }
};

} // namespace
} // namespace shardsmith
