// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Rank/Context.h"

#include "shardsmith/Runtime/Reduce.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <unistd.h>

using namespace shardsmith::runtime;

smith_context::smith_context(const Manifest &manifest,
                             const LaunchEnvironment &environment,
                             std::unique_ptr<Transport> transport,
                             const ThreadTeam &team, const GroupTable &groups)
    : manifest(manifest), environment(environment),
      transport(std::move(transport)), team(team), groups(groups),
      traffic(static_cast<int>(groups.groups.size()), manifest.mesh.size()) {}

Shard smith_context::shardOf(const Tensor &tensor) const {
  return shardsmith::runtime::shardOf(manifest, tensor, rank());
}

const Group &smith_context::groupAt(int index) const {
  if (index < 0 || index >= static_cast<int>(manifest.groups.size()))
    fail(ExitCode::Internal,
         "a collective names group {}, but the program has {} groups", index,
         manifest.groups.size());
  return groups.groups[index];
}

void smith_context::profileCollective(CollectiveKind kind, int group,
                                      int64_t bytes,
                                      Profile::Clock::time_point begin,
                                      size_t calls) {
  std::vector<std::string> all = {"all ranks"};
  bool isWorld = group >= static_cast<int>(manifest.groups.size());
  const std::vector<std::string> &axes =
      isWorld ? all : manifest.groups[group].axes;
  std::string text =
      fmt::format("{} over {}", name(kind), fmt::join(axes, ", "));
  if (calls > 1)
    text += fmt::format(", {} in one message", calls);
  if (exchangeThread && exchangeThread->isCurrent())
    text += ", beside kernels";
  profile.addExchange(text, bytes, begin);
}

/// Runs a collective between two entries of the flight recorder. Zero bytes
/// need no one's help, nor does a group of one.
template <typename Call>
void smith_context::record(CollectiveKind kind, int group, int64_t inBytes,
                           int64_t sentBytes, Call call) {
  settle();
  auto begin = profile.now();
  recorder.begin(kind, group, inBytes, step);
  if (inBytes > 0)
    call();
  recorder.end();
  if (profile.isOn())
    profileCollective(kind, group, inBytes, begin);
  traffic.add(group, kind, sentBytes);
}

void smith_context::allReduce(int index, ElementType type, Reduction reduction,
                              const void *in, void *out, int64_t count) {
  checkReduction(type, reduction);
  take({CollectiveKind::AllReduce, index, type, reduction, in, out, 1,
        count * byteSize(type)});
}

void smith_context::allGather(int index, const void *in, void *out,
                              int64_t outer, int64_t chunkBytes) {
  take({CollectiveKind::AllGather, index, SMITH_U8, SMITH_SUM, in, out, outer,
        chunkBytes});
}

void smith_context::reduceScatter(int index, ElementType type,
                                  Reduction reduction, const void *in,
                                  void *out, int64_t outer, int64_t chunk) {
  checkReduction(type, reduction);
  take({CollectiveKind::ReduceScatter, index, type, reduction, in, out, outer,
        chunk * byteSize(type)});
}

void smith_context::runAlone(const GroupedCall &call) {
  const Group &group = groupAt(call.group);
  bool isScatter = call.kind == CollectiveKind::ReduceScatter;
  int64_t bytes = call.bytes() * (isScatter ? group.size() : 1);
  int64_t elements = call.rowBytes / byteSize(call.type);
  record(call.kind, call.group, bytes,
         communicationBytes(call.kind, bytes, group.size()), [&] {
           if (group.size() == 1)
             team.copy(call.out, call.in, bytes);
           else if (isScatter)
             transport->reduceScatter(group, call.type, call.reduction, call.in,
                                      call.out, call.outer, elements);
           else if (call.kind == CollectiveKind::AllGather)
             transport->allGather(group, call.in, call.out, call.outer,
                                  call.rowBytes);
           else
             transport->allReduce(group, call.type, call.reduction, call.in,
                                  call.out, elements);
         });
}

/// Does a collective, or notes it for the group that is being put together.
void smith_context::take(const GroupedCall &call) {
  groupAt(call.group); // fails where there is none
  if (isGrouping)
    grouped.push_back(call);
  else
    runAlone(call);
}

void smith_context::allToAll(int index, const void *in, void *out,
                             int64_t blockBytes) {
  const Group &group = groupAt(index);
  int64_t bytes = blockBytes * group.size();
  CollectiveKind kind = CollectiveKind::AllToAll;
  record(kind, index, bytes, communicationBytes(kind, bytes, group.size()),
         [&] {
           if (group.size() == 1)
             return team.copy(out, in, bytes);
           transport->allToAll(group, in, out, blockBytes);
         });
}

/// The bytes in use of each block, which is one behind the other in `ends`.
static std::vector<int64_t> usedBytes(const smith_row_exchange &exchange,
                                      const int32_t *ends, int64_t blocks) {
  std::vector<int64_t> bytes;
  for (int64_t block = 1; block <= blocks; ++block) {
    int64_t rows = ends[block * exchange.experts - 1];
    if (rows < 0 || rows > exchange.slots)
      fail(ExitCode::Internal, "{} rows are in use of {} slots", rows,
           exchange.slots);
    bytes.push_back(rows * exchange.row_bytes);
  }
  return bytes;
}

void smith_context::exchangeRows(int index, const smith_row_exchange &exchange,
                                 const void *in, const int32_t *sends,
                                 const int32_t *receives, void *out) {
  const Group &group = groupAt(index);
  int64_t all = exchange.blocks * group.size();
  int64_t blockBytes = exchange.slots * exchange.row_bytes;
  RowBlocks blocks{exchange.blocks, blockBytes, usedBytes(exchange, sends, all),
                   usedBytes(exchange, receives, all)};
  int64_t sent = 0;
  for (int64_t block = 0; block < all; ++block)
    if (block / exchange.blocks != group.position)
      sent += blocks.sends[size_t(block)];
  record(CollectiveKind::AllToAllRows, index, all * blockBytes, sent, [&] {
    if (group.size() > 1)
      return transport->exchangeRows(group, in, out, blocks);
    if (in != out)
      team.copy(out, in, all * blockBytes);
    for (int64_t block = 0; block < all; ++block) {
      int64_t used = blocks.receives[size_t(block)];
      std::memset(static_cast<std::byte *>(out) + block * blockBytes + used, 0,
                  size_t(blockBytes - used));
    }
  });
}

void smith_context::permute(int index, const int32_t *sources, const void *in,
                            void *out, int64_t bytes) {
  const Group &group = index < 0 ? groups.world() : groupAt(index);
  bool sends = false;
  for (int other = 0; other < manifest.ranks; ++other)
    sends |= other != rank() && sources[other] == rank();
  record(CollectiveKind::Permute, group.index, bytes, sends ? bytes : 0, [&] {
    if (group.size() > 1)
      return transport->permute(group, sources, in, out, bytes);
    if (sources[rank()] == rank())
      team.copy(out, in, bytes);
    else
      std::memset(out, 0, static_cast<size_t>(bytes));
  });
}

/// Runs one side of a message between two entries of the flight recorder;
/// `call` gets the channel. Failures say which message they ended.
template <typename Call>
void smith_context::exchange(MessageKind kind, int peer, int64_t bytes,
                             Call call) {
  settle();
  auto begin = profile.now();
  recorder.begin(kind, peer, bytes, step);
  bool isSend = kind == MessageKind::Send;
  int from = isSend ? rank() : peer, to = isSend ? peer : rank();
  try {
    std::optional<size_t> channel = groups.channels.find(from, to);
    if (!channel)
      fail(ExitCode::Internal, "the program has no channel from rank {} to {}",
           from, to);
    call(*channel);
  } catch (const Failure &failure) {
    throw Failure(failure.code(),
                  fmt::format("{}: {}", describe(kind, peer), failure.what()));
  }
  recorder.end();
  if (profile.isOn())
    profile.addExchange(describe(kind, peer), bytes, begin);
}

void smith_context::send(int to, const void *data, int64_t bytes) {
  exchange(MessageKind::Send, to, bytes,
           [&](size_t channel) { transport->send(channel, data, bytes); });
  traffic.addSend(
      axisBetween(manifest, rank(), to).value_or(manifest.mesh.size()), bytes);
}

void smith_context::receive(int from, void *data, int64_t bytes) {
  exchange(MessageKind::Receive, from, bytes, [&](size_t channel) {
    int64_t sent = transport->receive(channel, data, bytes);
    if (sent != bytes)
      fail(ExitCode::Internal,
           "rank {} sent {} bytes, but rank {} expects {} in step {}", from,
           sent, rank(), bytes, step);
  });
}

void smith_context::barrier() {
  settle();
  if (manifest.ranks > 1)
    transport->barrier(groups.world());
}

int64_t smith_context::maximum(int64_t value) {
  settle();
  if (manifest.ranks > 1)
    transport->allReduce(groups.world(), SMITH_I64, SMITH_MAX, &value, &value,
                         1);
  return value;
}

std::vector<int64_t> smith_context::gather(int64_t value) {
  settle();
  std::vector<int64_t> values(manifest.ranks, value);
  if (manifest.ranks > 1)
    transport->allGather(groups.world(), &value, values.data(), 1,
                         sizeof value);
  return values;
}

std::vector<std::vector<int64_t>>
smith_context::gatherLists(const std::vector<int64_t> &values) {
  if (manifest.ranks == 1)
    return {values};
  settle();
  // In pieces that travel without a place in the arena.
  constexpr size_t most = 256;
  std::vector<std::vector<int64_t>> lists(manifest.ranks);
  for (size_t begin = 0; begin < values.size(); begin += most) {
    size_t count = std::min(most, values.size() - begin);
    std::vector<int64_t> ofRanks(count * lists.size());
    transport->allGather(groups.world(), values.data() + begin, ofRanks.data(),
                         1, int64_t(count * sizeof(int64_t)));
    for (size_t rank = 0; rank < lists.size(); ++rank) {
      auto from = ofRanks.begin() + std::ptrdiff_t(rank * count);
      lists[rank].insert(lists[rank].end(), from, from + std::ptrdiff_t(count));
    }
  }
  return lists;
}

void smith_context::noteProgress() { transport->noteProgress(); }

void smith_context::describePlace(char *text, size_t size) const {
  if (pass.name)
    std::snprintf(text, size, "rank %d, step %lld, %s %s%d%s", rank(),
                  static_cast<long long>(step), pass.isRunning ? "in" : "after",
                  pass.name, pass.microBatch,
                  pass.isOfStepBefore ? " of the step before" : "");
  else
    std::snprintf(text, size, "rank %d, step %lld", rank(),
                  static_cast<long long>(step));
}

void smith_context::end(const Failure &failure) noexcept {
  transport->announceFailure(failure.code());
  shardsmith::removeTemporaryPaths();
  std::fflush(stdout);
  std::string_view reason = failure.what();
  if (reason.empty()) // another rank says it
    _exit(static_cast<int>(failure.code()));
  char place[96];
  describePlace(place, sizeof place);
  std::string text = fmt::format("shardsmith: {}: {}\n", place, reason);
  if (recorder.count() > 0)
    text += fmt::format("shardsmith: rank {}: last exchanges:\n{}", rank(),
                        recorder.describe());
  // One write, so that the reports of several ranks do not mix.
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
  _exit(static_cast<int>(failure.code()));
}
