// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Partition/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "shardsmith/Sharding/Reshard.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_RESHARDSTOCOLLECTIVES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

class CollectiveBuilder {
public:
  CollectiveBuilder(sdy::ReshardOp reshard, const NamedMesh &mesh)
      : builder(reshard.getLoc(), reshard), mesh(mesh) {}

  Value build(Value input, const ReshardStep &step) {
    sdy::TensorShardingAttr out =
        toAttribute(builder.getContext(), mesh, step.after);
    switch (step.kind) {
    case ReshardStep::Kind::AllSlice:
      return sdy::AllSliceOp::create(builder, listPerDimension(step), input,
                                     out);
    case ReshardStep::Kind::CollectivePermute:
      return sdy::CollectivePermuteOp::create(builder, input, out);
    case ReshardStep::Kind::AllToAll:
      return sdy::AllToAllOp::create(builder, move(step), input, out);
    case ReshardStep::Kind::AllGather:
      return sdy::AllGatherOp::create(builder, listPerDimension(step), input,
                                      out);
    case ReshardStep::Kind::AllReduce:
      return sdy::AllReduceOp::create(builder, reductionKind(step),
                                      list(step.axes), input, out);
    case ReshardStep::Kind::ReduceScatter:
      return sdy::ReduceScatterOp::create(builder, reductionKind(step),
                                          listPerDimension(step), input, out);
    case ReshardStep::Kind::MakePartial:
      return sdy::ReplicatedToUnreducedOp::create(builder, list(step.axes),
                                                  input, out);
    }
    llvm_unreachable("all kinds of steps are handled");
  }

private:
  sdy::AxisRefListAttr list(ArrayRef<MeshAxis> axes) {
    return sdy::AxisRefListAttr::get(
        builder.getContext(), llvm::map_to_vector(axes, [&](MeshAxis axis) {
          return sdy::AxisRefAttr::get(builder.getContext(),
                                       mesh.mesh.getName(axis));
        }));
  }

  sdy::ListOfAxisRefListsAttr listPerDimension(const ReshardStep &step) {
    SmallVector<sdy::AxisRefListAttr> lists(step.after.getRank(), list({}));
    lists[step.dim] = list(step.axes);
    return sdy::ListOfAxisRefListsAttr::get(builder.getContext(), lists);
  }

  sdy::AllToAllParamListAttr move(const ReshardStep &step) {
    auto param = sdy::AllToAllParamAttr::get(builder.getContext(),
                                             list(step.axes).getValue(),
                                             step.dim, step.targetDim);
    return sdy::AllToAllParamListAttr::get(builder.getContext(), {param});
  }

  sdy::ReductionKindAttr reductionKind(const ReshardStep &step) {
    if (step.reduction == ReductionKind::Sum)
      return nullptr;
    return sdy::ReductionKindAttr::get(builder.getContext(), step.reduction);
  }

  ImplicitLocOpBuilder builder;
  const NamedMesh &mesh;
};

LogicalResult replaceReshard(sdy::ReshardOp reshard, const NamedMesh &mesh) {
  auto type = dyn_cast<RankedTensorType>(reshard.getType());
  if (!type || !type.hasStaticShape())
    return reshard.emitOpError("changes the sharding of ")
           << reshard.getType() << ", which has no static shape";
  FailureOr<Layout> from = toLayout(sdy::getSharding(reshard.getInput()),
                                    type.getRank(), mesh, reshard);
  FailureOr<Layout> to =
      toLayout(reshard.getSharding(), type.getRank(), mesh, reshard);
  if (failed(from) || failed(to))
    return failure();
  CollectiveBuilder builder(reshard, mesh);
  Value value = reshard.getInput();
  for (const ReshardStep &step :
       decomposeReshard(mesh.mesh, type.getShape(),
                        getElementBytes(type.getElementType()), *from, *to))
    value = builder.build(value, step);
  reshard.getResult().replaceAllUsesWith(value);
  reshard.erase();
  return success();
}

struct ReshardsToCollectivesPass
    : public impl::ReshardsToCollectivesBase<ReshardsToCollectivesPass> {
  void runOnOperation() override {
    FailureOr<NamedMesh> mesh = getMesh(getOperation());
    if (failed(mesh))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](sdy::ReshardOp reshard) {
      return failed(replaceReshard(reshard, *mesh)) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
