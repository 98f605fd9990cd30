// SPDX-License-Identifier: Apache-2.0

#include "Channels.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/RankGroups.h"

#include <map>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Of a rank's program: to or from which coordinate, and how much.
struct Message {
  bool isSend = false;
  size_t other = 0;
  int64_t bytes = 0;
};
/// By coordinate along the axis of stages, in order.
using Programs = std::vector<std::vector<Message>>;
/// From one coordinate to another.
using Way = std::pair<size_t, size_t>;

Programs readPrograms(ArrayRef<func::FuncOp> functions) {
  Programs programs;
  for (func::FuncOp function : functions) {
    auto &list = programs.emplace_back();
    function.walk([&](Operation *op) {
      if (auto send = dyn_cast<smith::SendOp>(op))
        list.push_back({true, size_t(send.getTo()),
                        bufferBytes(send.getInput().getType())});
      if (auto receive = dyn_cast<smith::ReceiveOp>(op))
        list.push_back(
            {false, size_t(receive.getFrom()), bufferBytes(receive.getType())});
    });
  }
  return programs;
}

/// The programs, run side by side without time.
class ChannelReplay {
public:
  explicit ChannelReplay(const Programs &programs)
      : programs(programs), next(programs.size(), 0) {}

  /// Goes on with all ranks but `still` until each waits or is at its end.
  void runOthers(size_t still) {
    for (bool hasMoved = true; hasMoved;) {
      hasMoved = false;
      for (size_t rank = 0; rank < programs.size(); ++rank)
        while (rank != still && step(rank))
          hasMoved = true;
    }
  }

  /// False if the rank waits, or is at its end.
  bool step(size_t rank) {
    if (next[rank] == programs[rank].size())
      return false;
    const Message &message = programs[rank][next[rank]];
    Way way =
        message.isSend ? Way(rank, message.other) : Way(message.other, rank);
    if (!message.isSend && counts[way] == 0)
      return false;
    counts[way] += message.isSend ? 1 : -1;
    bytes[way] += message.isSend ? message.bytes : -message.bytes;
    ++next[rank];
    return true;
  }

  const std::map<Way, int64_t> &underWay() const { return bytes; }

private:
  const Programs &programs;
  std::vector<size_t> next;
  std::map<Way, int64_t> counts, bytes;
};

std::map<Way, int64_t> mostUnderWay(const Programs &programs) {
  std::map<Way, int64_t> most;
  for (size_t still = 0; still < programs.size(); ++still) {
    ChannelReplay replay(programs);
    do {
      replay.runOthers(still);
      for (auto [way, bytes] : replay.underWay())
        if (way.second == still)
          most[way] = std::max(most[way], bytes);
    } while (replay.step(still));
  }
  return most;
}

} // namespace

std::vector<Channel> findChannels(func::FuncOp main) {
  Programs once = readPrograms(rankFunctions(main)), twice = once;
  for (auto [list, again] : llvm::zip_equal(twice, once))
    list.insert(list.end(), again.begin(), again.end());
  std::map<Way, int64_t> most = mostUnderWay(twice);
  // Every combination of the other coordinates has channels of its own.
  RankMesh mesh(smith::getMesh(main));
  const RankMesh::Axis &axis = mesh.axis(smith::kPipelineAxisName);
  std::vector<Channel> channels;
  for (int64_t rank = 0; rank < mesh.rankCount(); ++rank)
    for (auto [way, bytes] : most) {
      int64_t own = rank / axis.stride % axis.size;
      if (own != int64_t(way.first))
        continue;
      int64_t to = rank + (int64_t(way.second) - own) * axis.stride;
      channels.push_back({rank, to, Bytes(bytes)});
    }
  return channels;
}

} // namespace shardsmith::lower
