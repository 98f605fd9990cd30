// SPDX-License-Identifier: Apache-2.0
//
// Data ranks with different numbers of micro-batches (MicroBatchShares.h) work
// on slots. A device may leave a slot out if all it would add is neutral, and
// nobody waits for it:
//
//   - wherever samples are combined, their rows lie on data ranks as the shares
//     have them, so that those of a rank are all neutral or none is;
//   - nothing is exchanged over the axes of data ranks per slot. That is looked
//     at where the exchanges are known (leaveSlotsOut in StepParts.h).

#include "shardsmith/Partition/Passes.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_COUNTMICROBATCHES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

struct CountMicroBatchesPass
    : impl::CountMicroBatchesBase<CountMicroBatchesPass> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || !main.getBody().hasOneBlock())
      return;
    auto shares =
        main->getAttrOfType<DenseI64ArrayAttr>(smith::kSharesAttributeName);
    if (!shares)
      return;
    FailureOr<NamedMesh> mesh = getProgramMesh(getOperation());
    if (failed(mesh) || failed(checkMarks(main)))
      return signalPassFailure();
    AxisList axes;
    bool isAlike = findAxes(main, *mesh, shares.size(), axes);
    for (Operation &op : main.front())
      op.removeAttr(smith::kCountedRowsAttributeName);
    if (!isAlike)
      return;
    SmallVector<int64_t> counts;
    for (int64_t device = 0; device < mesh->mesh.getDeviceCount(); ++device)
      counts.push_back(shares[mesh->mesh.getShardIndex(device, axes)]);
    Builder builder(&getContext());
    main->setAttr(smith::kCountsAttributeName,
                  builder.getDenseI64ArrayAttr(counts));
    main->setAttr(smith::kCountAxesAttributeName,
                  toAxisNames(&getContext(), mesh->mesh, axes));
  }

private:
  /// That what is marked has the dimension that its mark names.
  static LogicalResult checkMarks(func::FuncOp main) {
    for (Operation &op : main.front()) {
      Attribute mark = op.getAttr(smith::kCountedRowsAttributeName);
      if (!mark)
        continue;
      auto dim = dyn_cast<IntegerAttr>(mark);
      auto type = op.getNumResults() == 0
                      ? RankedTensorType()
                      : dyn_cast<RankedTensorType>(op.getResult(0).getType());
      if (!dim || !type || dim.getInt() < 0 || dim.getInt() >= type.getRank())
        return op.emitError()
               << smith::kCountedRowsAttributeName << " is " << mark
               << ": expected a dimension of the first result";
    }
    return success();
  }

  /// The axes over which the rows of a slot lie, major to minor; false if they
  /// are not the same wherever samples are combined.
  static bool findAxes(func::FuncOp main, const NamedMesh &mesh, int64_t ranks,
                       AxisList &axes) {
    for (Operation &op : main.front()) {
      auto dim =
          op.getAttrOfType<IntegerAttr>(smith::kCountedRowsAttributeName);
      if (!dim)
        continue;
      Value rows = op.getResult(0);
      FailureOr<Layout> layout =
          toLayout(sdy::getSharding(rows),
                   cast<RankedTensorType>(rows.getType()).getRank(), mesh, &op);
      if (failed(layout))
        return false;
      AxisList own;
      for (MeshAxis axis : layout->dims[dim.getInt()])
        if (mesh.mesh.countShards(own) < ranks)
          own.push_back(axis);
      if (mesh.mesh.countShards(own) != ranks || (!axes.empty() && own != axes))
        return false;
      axes = own;
    }
    return !axes.empty();
  }
};

} // namespace
} // namespace shardsmith
