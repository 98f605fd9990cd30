// SPDX-License-Identifier: Apache-2.0
//
// What depends on the rank: collectives, messages between stages, and the
// number of a shard.

#include "ProgramEmitter.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// Elements before and from dimension `d` on.
struct Split {
  int64_t outer = 1, inner = 1;
};

Split splitAt(Type tensor, int64_t d) {
  Split split;
  for (auto [i, size] :
       llvm::enumerate(cast<RankedTensorType>(tensor).getShape()))
    (static_cast<int64_t>(i) < d ? split.outer : split.inner) *= size;
  return split;
}

} // namespace

void ProgramEmitter::emitShardIndex(smith::ShardIndexOp op) {
  Type i32 = builder.getI32Type();
  Value rank = runtime.call("smith_rank", {frame.context}, i32);
  Value index = runtime.integer32(0);
  for (const std::string &name : lower::axisNames(op.getAxes())) {
    const lower::RankMesh::Axis &axis = groups.mesh().axis(name);
    Value size = runtime.integer32(axis.size);
    Value coordinate =
        LLVM::UDivOp::create(builder, rank, runtime.integer32(axis.stride));
    coordinate = LLVM::URemOp::create(builder, coordinate, size);
    index = LLVM::AddOp::create(
        builder, LLVM::MulOp::create(builder, index, size), coordinate);
  }
  LLVM::StoreOp::create(builder, index, addressOf(op.getResult()));
}

void ProgramEmitter::emitCollective(Operation *op) {
  Value input = op->getOperand(0), result = op->getResult(0);
  Value from = addressOf(input), to = addressOf(result);
  Type element = getElementTypeOrSelf(input);
  Value dtype = runtime.integer32(dtypeOf(element));
  auto reduction = [&](auto collective) {
    // The two enumerations list the kinds in the same order.
    return runtime.integer32(
        static_cast<int32_t>(collective.getKind().getValue()));
  };
  auto group = [&](ArrayAttr axes) {
    return runtime.integer32(groups.indexOf(axes));
  };
  if (auto reduce = dyn_cast<smith::AllReduceOp>(op)) {
    runtime.call("smith_all_reduce",
                 {frame.context, group(reduce.getAxes()), dtype,
                  reduction(reduce), from, to,
                  runtime.integer64(splitAt(input.getType(), 0).inner)});
  } else if (auto gather = dyn_cast<smith::AllGatherOp>(op)) {
    Split split = splitAt(input.getType(), gather.getDim());
    runtime.call("smith_all_gather",
                 {frame.context, group(gather.getAxes()), from, to,
                  runtime.integer64(split.outer),
                  runtime.integer64(split.inner * storageBytes(element))});
  } else if (auto scatter = dyn_cast<smith::ReduceScatterOp>(op)) {
    Split split = splitAt(result.getType(), scatter.getDim());
    runtime.call("smith_reduce_scatter",
                 {frame.context, group(scatter.getAxes()), dtype,
                  reduction(scatter), from, to, runtime.integer64(split.outer),
                  runtime.integer64(split.inner)});
  } else if (auto exchange = dyn_cast<smith::ExchangeBlocksOp>(op)) {
    Split split = splitAt(input.getType(), 1);
    runtime.call("smith_all_to_all",
                 {frame.context, group(exchange.getAxes()), from, to,
                  runtime.integer64(split.inner * storageBytes(element))});
  } else {
    auto permute = cast<smith::CollectivePermuteOp>(op);
    std::vector<int32_t> sources(groups.mesh().rankCount(), -1);
    for (int64_t i = 0; i < permute.getPairCount(); ++i)
      sources[permute.getTarget(i)] = permute.getSource(i);
    Value table =
        runtime.bytes(("permutation_" + Twine(constantCount++)).str(),
                      StringRef(reinterpret_cast<const char *>(sources.data()),
                                sources.size() * sizeof(int32_t)),
                      alignof(int32_t));
    runtime.call("smith_collective_permute",
                 {frame.context,
                  runtime.integer32(groups.permuteGroup(permute.getAxes())),
                  table, from, to,
                  runtime.integer64(lower::bufferBytes(input.getType()))});
  }
}

/// Ranks that differ along one axis alone differ by a multiple of its stride.
void ProgramEmitter::emitMessage(Operation *op) {
  auto send = dyn_cast<smith::SendOp>(op);
  auto receive = dyn_cast<smith::ReceiveOp>(op);
  StringRef name = send ? send.getAxis() : receive.getAxis();
  int64_t other = send ? send.getTo() : receive.getFrom();
  const lower::RankMesh::Axis &axis = groups.mesh().axis(name);
  Value rank =
      runtime.call("smith_rank", {frame.context}, builder.getI32Type());
  Value stride = runtime.integer32(axis.stride);
  Value own =
      LLVM::URemOp::create(builder, LLVM::UDivOp::create(builder, rank, stride),
                           runtime.integer32(axis.size));
  Value steps = LLVM::SubOp::create(builder, runtime.integer32(other), own);
  Value peer = LLVM::AddOp::create(builder, rank,
                                   LLVM::MulOp::create(builder, steps, stride));
  Value tensor = send ? send.getInput() : receive.getResult();
  auto emitIt = [&] {
    runtime.call(send ? "smith_send" : "smith_receive",
                 {frame.context, peer, addressOf(tensor),
                  runtime.integer64(lower::bufferBytes(tensor.getType()))});
  };
  if (auto part =
          op->getAttrOfType<IntegerAttr>(smith::kMicroBatchAttributeName))
    unlessLeftOut(op, part.getInt(), emitIt);
  else
    emitIt();
}

} // namespace shardsmith::cpu
