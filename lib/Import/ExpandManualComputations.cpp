// SPDX-License-Identifier: Apache-2.0

#include "Manual/Body.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDMANUALCOMPUTATIONS
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// The mesh that all shardings of the computation name; null with a
/// diagnostic if there is no such mesh or it lacks a manual axis.
sdy::MeshAttr meshOf(sdy::ManualComputationOp op) {
  sdy::TensorShardingAttr first;
  for (auto list : {op.getInShardings(), op.getOutShardings()})
    for (sdy::TensorShardingAttr sharding : list.getShardings()) {
      if (first && sharding.getMeshOrRef() != first.getMeshOrRef()) {
        op.emitError() << "unsupported: a manual computation over two meshes";
        return nullptr;
      }
      first = sharding;
    }
  sdy::MeshAttr mesh = first ? first.getMesh(op) : nullptr;
  if (!mesh) {
    op.emitError() << "unsupported: a manual computation without a mesh";
    return nullptr;
  }
  for (StringAttr axis : op.getManualAxes().getValue())
    if (!mesh.getAxisSize(axis.getValue())) {
      op.emitError() << "unsupported: the manual axis " << axis
                     << ", of which shardings name parts";
      return nullptr;
    }
  return mesh;
}

LogicalResult expand(sdy::ManualComputationOp op) {
  sdy::MeshAttr mesh = meshOf(op);
  if (!mesh)
    return failure();
  manual::Body body(op, mesh);
  Block &block = op.getBody().front();
  for (auto [argument, whole, sharding] :
       llvm::zip_equal(block.getArguments(), op.getTensors(),
                       op.getInShardings().getShardings()))
    body.set(argument, body.split(whole, sharding,
                                  cast<RankedTensorType>(argument.getType())));
  if (failed(manual::expandBlock(body, block)))
    return failure();
  for (auto [result, local, sharding] :
       llvm::zip_equal(op.getResults(), block.getTerminator()->getOperands(),
                       op.getOutShardings().getShardings()))
    result.replaceAllUsesWith(
        body.merge(local, sharding, cast<RankedTensorType>(result.getType())));
  op.erase();
  return success();
}

struct ExpandManualComputations
    : impl::ExpandManualComputationsBase<ExpandManualComputations> {
  void runOnOperation() override {
    // Inner computations have the axes that outer ones leave; their values
    // would need both.
    WalkResult walked =
        getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
          auto computation = dyn_cast<sdy::ManualComputationOp>(op);
          if (!computation ||
              !computation->getParentOfType<sdy::ManualComputationOp>())
            return WalkResult::advance();
          op->emitError() << "unsupported: a manual computation in another";
          return WalkResult::interrupt();
        });
    if (walked.wasInterrupted())
      return signalPassFailure();
    SmallVector<sdy::ManualComputationOp> computations;
    getOperation().walk(
        [&](sdy::ManualComputationOp op) { computations.push_back(op); });
    for (sdy::ManualComputationOp op : computations)
      if (failed(expand(op)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
