// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Partition/CollectiveTraffic.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith {
namespace {

Bytes getInputBytes(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return getTensorBytes(type.getShape(),
                        getElementBytes(type.getElementType()));
}

/// True if the rank sends to another one.
bool sends(smith::CollectivePermuteOp op, int64_t rank) {
  for (int64_t pair = 0; pair < op.getPairCount(); ++pair)
    if (op.getSource(pair) == rank)
      return op.getTarget(pair) != rank;
  return false;
}

CollectiveTraffic getTraffic(Operation *op, sdy::MeshAttr mesh, int64_t rank) {
  auto overAxes = [&](CollectiveKind kind, ArrayAttr axes) {
    CollectiveTraffic traffic{
        kind, {}, smith::getGroupSize(mesh, axes), 1, Bytes()};
    for (auto axis : axes.getAsRange<StringAttr>())
      traffic.axes.push_back(axis.str());
    traffic.bytes =
        getCommunicationBytes(kind, traffic.groupSize, getInputBytes(op));
    return traffic;
  };
  return llvm::TypeSwitch<Operation *, CollectiveTraffic>(op)
      .Case([&](smith::AllGatherOp gather) {
        return overAxes(CollectiveKind::AllGather, gather.getAxes());
      })
      .Case([&](smith::AllReduceOp reduce) {
        return overAxes(CollectiveKind::AllReduce, reduce.getAxes());
      })
      .Case([&](smith::AllToAllOp exchange) {
        return overAxes(CollectiveKind::AllToAll, exchange.getAxes());
      })
      .Case([&](smith::ExchangeRowsOp exchange) {
        CollectiveTraffic traffic =
            overAxes(CollectiveKind::AllToAllRows, exchange.getAxes());
        auto type = cast<RankedTensorType>(exchange.getInput().getType());
        Bytes row = getTensorBytes(type.getShape().drop_front(3),
                                   getElementBytes(type.getElementType()));
        traffic.bytes =
            getCommunicationBytes(traffic.kind, traffic.groupSize,
                                  row * int64_t(exchange.getExpected()));
        return traffic;
      })
      .Case([&](smith::ReduceScatterOp scatter) {
        return overAxes(CollectiveKind::ReduceScatter, scatter.getAxes());
      })
      .Case([&](smith::CollectivePermuteOp permute) {
        Bytes bytes = sends(permute, rank) ? getInputBytes(op) : Bytes(0);
        if (permute.getAxes()) {
          CollectiveTraffic traffic =
              overAxes(CollectiveKind::Permute, *permute.getAxes());
          traffic.bytes = bytes;
          return traffic;
        }
        CollectiveTraffic traffic{
            CollectiveKind::Permute, {}, mesh.getDeviceCount(), 1, bytes};
        // Ranks of one stage exchange among themselves.
        if (mesh.getAxisSize(smith::kPipelineAxisName))
          for (sdy::MeshAxisAttr axis : mesh.getAxes())
            if (axis.getName() != smith::kPipelineAxisName)
              traffic.axes.push_back(axis.getName().str());
        return traffic;
      })
      .Case([&](smith::SendOp send) {
        return CollectiveTraffic{CollectiveKind::Send,
                                 {send.getAxis().str()},
                                 /*groupSize=*/2,
                                 1,
                                 getInputBytes(send)};
      });
}

bool communicates(Operation *op) {
  return isa<smith::AllGatherOp, smith::AllReduceOp, smith::AllToAllOp,
             smith::CollectivePermuteOp, smith::ExchangeRowsOp,
             smith::ReduceScatterOp, smith::SendOp>(op);
}

} // namespace

std::vector<CollectiveTraffic> collectTraffic(func::FuncOp function,
                                              int64_t rank) {
  std::vector<CollectiveTraffic> all;
  sdy::MeshAttr mesh = smith::getMesh(function);
  auto add = [&](CollectiveTraffic traffic) {
    auto same = llvm::find_if(all, [&](const CollectiveTraffic &other) {
      return other.kind == traffic.kind && other.axes == traffic.axes;
    });
    if (same == all.end()) {
      all.push_back(std::move(traffic));
      return;
    }
    same->calls += traffic.calls;
    same->bytes += traffic.bytes;
  };
  auto countsOf = [](Operation *op) {
    return op->getAttrOfType<DenseI64ArrayAttr>(smith::kCountsAttributeName);
  };
  auto isLeftOut = [&](Operation *op, std::optional<int64_t> microBatch) {
    DenseI64ArrayAttr counts = countsOf(function);
    return counts && microBatch && *microBatch >= counts[rank];
  };
  function.walk([&](Operation *op) {
    std::optional<int64_t> microBatch;
    if (auto run = dyn_cast<smith::RunOp>(op))
      microBatch = int64_t(run.getMicroBatch());
    if (auto part =
            op->getAttrOfType<IntegerAttr>(smith::kMicroBatchAttributeName))
      microBatch = part.getInt();
    if (isLeftOut(op, microBatch))
      return;
    if (communicates(op))
      add(getTraffic(op, mesh, rank));
    if (!isa<smith::RepeatOp, smith::RunOp>(op))
      return;
    auto repeat = dyn_cast<smith::RepeatOp>(op);
    int64_t times = repeat ? int64_t(repeat.getCount()) : 1;
    if (DenseI64ArrayAttr counts = countsOf(op))
      times = counts[rank];
    for (CollectiveTraffic traffic :
         collectTraffic(smith::getCallee(op), rank)) {
      traffic.calls *= times;
      traffic.bytes = traffic.bytes * times;
      add(std::move(traffic));
    }
  });
  return all;
}

Bytes getTotalBytes(const std::vector<CollectiveTraffic> &traffic) {
  Bytes total;
  for (const CollectiveTraffic &part : traffic)
    total += part.bytes;
  return total;
}

} // namespace shardsmith
