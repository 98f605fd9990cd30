// SPDX-License-Identifier: Apache-2.0
//
// One pattern per row of the table in the pass description, in its order.

#include "shardsmith/Partition/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Sharding/Layout.h"

#include <set>

using namespace mlir;
using namespace shardsmith::sdy;

namespace shardsmith {

#define GEN_PASS_DEF_CANONICALIZECOLLECTIVES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

using AxisRefs = SmallVector<AxisRefAttr>;

bool isEmpty(ListOfAxisRefListsAttr lists) {
  return llvm::all_of(lists.getValue(), [](AxisRefListAttr list) {
    return list.getValue().empty();
  });
}

AxisRefs flatten(ListOfAxisRefListsAttr lists) {
  AxisRefs axes;
  for (AxisRefListAttr list : lists.getValue())
    llvm::append_range(axes, list.getValue());
  return axes;
}

bool isSameSet(ArrayRef<AxisRefAttr> a, ArrayRef<AxisRefAttr> b) {
  return a.size() == b.size() && llvm::all_of(a, [&](AxisRefAttr axis) {
           return llvm::is_contained(b, axis);
         });
}

int64_t countShards(ArrayRef<AxisRefAttr> axes, MeshAttr mesh) {
  int64_t count = 1;
  for (AxisRefAttr axis : axes)
    count *= axis.getSize(mesh);
  return count;
}

/// The op that makes `value` if nothing else uses it.
template <typename OpT> OpT getOnlyProducer(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<OpT>() : OpT();
}

template <typename OpT> bool hasNoEffect(OpT op);
template <> bool hasNoEffect(AllGatherOp op) {
  return isEmpty(op.getGatheringAxes());
}
template <> bool hasNoEffect(AllSliceOp op) {
  return isEmpty(op.getSlicingAxes());
}
template <> bool hasNoEffect(AllReduceOp op) {
  return op.getReductionAxes().getValue().empty();
}
template <> bool hasNoEffect(ReduceScatterOp op) {
  return isEmpty(op.getReduceScatterAxes());
}
template <> bool hasNoEffect(CollectivePermuteOp op) {
  return getSharding(op.getTensor()) == op.getOutSharding();
}

template <typename OpT>
LogicalResult dropWithoutEffect(OpT op, PatternRewriter &rewriter) {
  if (!hasNoEffect(op))
    return failure();
  rewriter.replaceOp(op, op.getTensor());
  return success();
}

// all_slice A (all_gather A %0) -> %0
LogicalResult cancelGatherAndSlice(AllSliceOp slice,
                                   PatternRewriter &rewriter) {
  auto gather = slice.getTensor().getDefiningOp<AllGatherOp>();
  if (!gather || gather.getGatheringAxes() != slice.getSlicingAxes() ||
      getSharding(gather.getTensor()) != slice.getOutSharding())
    return failure();
  rewriter.replaceOp(slice, gather.getTensor());
  return success();
}

// all_slice S (all_reduce A %0), where S begins with axes of A in every
// dimension, and the shards of each step are parts of those before
//   -> all_slice S\A (reduce_scatter (all_reduce A\S %0))
LogicalResult mergeReduceAndSlice(AllSliceOp slice, PatternRewriter &rewriter) {
  auto reduce = getOnlyProducer<AllReduceOp>(slice.getTensor());
  if (!reduce)
    return failure();
  ArrayRef<AxisRefAttr> reduced = reduce.getReductionAxes().getValue();
  MLIRContext *context = slice.getContext();

  // Per dimension: scattered axes of A, then axes that are only sliced.
  SmallVector<AxisRefListAttr> scattered, sliced;
  SmallVector<DimensionShardingAttr> dims;
  AxisRefs allScattered;
  MeshAttr mesh = reduce.getOutSharding().getMesh(slice);
  auto type = cast<RankedTensorType>(slice.getType());
  for (auto [list, before, size] : llvm::zip_equal(
           slice.getSlicingAxes().getValue(),
           reduce.getOutSharding().getDimShardings(), type.getShape())) {
    ArrayRef<AxisRefAttr> axes = list.getValue();
    ArrayRef<AxisRefAttr> first = axes.take_while(
        [&](AxisRefAttr axis) { return llvm::is_contained(reduced, axis); });
    ArrayRef<AxisRefAttr> rest = axes.drop_front(first.size());
    if (llvm::any_of(rest, [&](AxisRefAttr axis) {
          return llvm::is_contained(reduced, axis);
        }))
      return failure();
    int64_t shards = countShards(before.getAxes(), mesh);
    int64_t scatteredShards = shards * countShards(first, mesh);
    if (!isNestedSplit(size, shards, scatteredShards) ||
        !isNestedSplit(size, scatteredShards,
                       scatteredShards * countShards(rest, mesh)))
      return failure();
    scattered.push_back(AxisRefListAttr::get(context, first));
    sliced.push_back(AxisRefListAttr::get(context, rest));
    llvm::append_range(allScattered, first);
    AxisRefs longer(before.getAxes());
    llvm::append_range(longer, first);
    dims.push_back(DimensionShardingAttr::get(context, ArrayRef(longer)));
  }
  if (allScattered.empty())
    return failure();

  TensorShardingAttr after = reduce.getOutSharding();
  AxisRefs remaining;
  for (AxisRefAttr axis : reduced)
    if (!llvm::is_contained(allScattered, axis))
      remaining.push_back(axis);
  Value value = reduce.getTensor();
  if (!remaining.empty()) {
    // What will be scattered is still partial after this part.
    AxisRefs unreduced(after.getUnreducedAxes());
    for (MeshAxisAttr axis : mesh.getAxes())
      for (AxisRefAttr ref : allScattered)
        if (ref.getName() == axis.getName())
          unreduced.push_back(ref);
    auto partial = TensorShardingAttr::get(
        context, after.getMeshOrRef(), after.getDimShardings(),
        ArrayRef<AxisRefAttr>(), ArrayRef(unreduced),
        reduce.getReductionKind());
    value = AllReduceOp::create(
        rewriter, reduce.getLoc(), reduce.getReductionAttr(),
        AxisRefListAttr::get(context, ArrayRef(remaining)), value, partial);
  }
  auto scatteredSharding = TensorShardingAttr::get(
      context, after.getMeshOrRef(), ArrayRef(dims), ArrayRef<AxisRefAttr>(),
      after.getUnreducedAxes(), after.getUnreducedKind());
  value = ReduceScatterOp::create(
      rewriter, reduce.getLoc(), reduce.getReductionAttr(),
      ListOfAxisRefListsAttr::get(context, ArrayRef(scattered)), value,
      scatteredSharding);
  auto slicedLists = ListOfAxisRefListsAttr::get(context, ArrayRef(sliced));
  if (!isEmpty(slicedLists))
    value = AllSliceOp::create(rewriter, slice.getLoc(), slicedLists, value,
                               slice.getOutSharding());
  rewriter.replaceOp(slice, value);
  return success();
}

// all_to_all P (all_to_all Q %0), disjoint dimensions -> all_to_all P ∪ Q
LogicalResult mergeAllToAlls(AllToAllOp second, PatternRewriter &rewriter) {
  auto first = getOnlyProducer<AllToAllOp>(second.getTensor());
  if (!first)
    return failure();
  SmallVector<AllToAllParamAttr> params(first.getParams().getValue());
  llvm::append_range(params, second.getParams().getValue());
  std::set<int64_t> seen;
  for (AllToAllParamAttr param : params)
    if (!seen.insert(param.getSrcDim()).second ||
        !seen.insert(param.getTgtDim()).second)
      return failure();
  llvm::sort(params, [](AllToAllParamAttr a, AllToAllParamAttr b) {
    return a.getSrcDim() < b.getSrcDim();
  });
  rewriter.replaceOpWithNewOp<AllToAllOp>(
      second, AllToAllParamListAttr::get(second.getContext(), ArrayRef(params)),
      first.getTensor(), second.getOutSharding());
  return success();
}

// all_reduce A (replicated_to_unreduced A %0) -> %0
LogicalResult cancelReplicatedToUnreduced(AllReduceOp reduce,
                                          PatternRewriter &rewriter) {
  auto producer = reduce.getTensor().getDefiningOp<ReplicatedToUnreducedOp>();
  if (!producer || getSharding(producer.getTensor()) != reduce.getOutSharding())
    return failure();
  if (!isSameSet(producer.getAxes().getValue(),
                 reduce.getReductionAxes().getValue()))
    return failure();
  rewriter.replaceOp(reduce, producer.getTensor());
  return success();
}

// all_reduce A (sharded_to_unreduced A %0) -> all_gather A %0
LogicalResult mergeShardedToUnreduced(AllReduceOp reduce,
                                      PatternRewriter &rewriter) {
  auto producer = getOnlyProducer<ShardedToUnreducedOp>(reduce.getTensor());
  if (!producer || reduce.getReductionKind() != ReductionKind::Sum ||
      !isSameSet(flatten(producer.getAxes()),
                 reduce.getReductionAxes().getValue()))
    return failure();
  rewriter.replaceOpWithNewOp<AllGatherOp>(reduce, producer.getAxes(),
                                           producer.getTensor(),
                                           reduce.getOutSharding());
  return success();
}

// all_reduce B (all_reduce A %0), same kind -> all_reduce A ∪ B
LogicalResult mergeAllReduces(AllReduceOp second, PatternRewriter &rewriter) {
  auto first = getOnlyProducer<AllReduceOp>(second.getTensor());
  if (!first || first.getReductionKind() != second.getReductionKind())
    return failure();
  AxisRefs axes(first.getReductionAxes().getValue());
  llvm::append_range(axes, second.getReductionAxes().getValue());
  rewriter.replaceOpWithNewOp<AllReduceOp>(
      second, second.getReductionAttr(),
      AxisRefListAttr::get(second.getContext(), ArrayRef(axes)),
      first.getTensor(), second.getOutSharding());
  return success();
}

// reshard (reshard %0) -> reshard %0
LogicalResult mergeReshards(ReshardOp second, PatternRewriter &rewriter) {
  auto first = getOnlyProducer<ReshardOp>(second.getInput());
  if (!first)
    return failure();
  rewriter.replaceOpWithNewOp<ReshardOp>(second, first.getInput(),
                                         second.getSharding());
  return success();
}

struct CanonicalizeCollectivesPass
    : public impl::CanonicalizeCollectivesBase<CanonicalizeCollectivesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(dropWithoutEffect<AllGatherOp>);
    patterns.add(dropWithoutEffect<AllSliceOp>);
    patterns.add(dropWithoutEffect<AllReduceOp>);
    patterns.add(dropWithoutEffect<ReduceScatterOp>);
    patterns.add(dropWithoutEffect<CollectivePermuteOp>);
    patterns.add(cancelGatherAndSlice);
    patterns.add(mergeReduceAndSlice);
    patterns.add(mergeAllToAlls);
    patterns.add(cancelReplicatedToUnreduced);
    patterns.add(mergeShardedToUnreduced);
    patterns.add(mergeAllReduces);
    patterns.add(mergeReshards);
    // Constants must stay where the layouts of their users want them.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
