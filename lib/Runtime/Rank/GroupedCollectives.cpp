// SPDX-License-Identifier: Apache-2.0
//
// Several collectives of one kind as one message: what they read is copied one
// behind the other, exchanged, and copied to where it belongs. Sums are those
// of the single collectives, bit by bit, for transports add up element by
// element in the order of the ranks.
//
//     all_reduce       [a b c]                   → [a b c]
//     all_gather       [a b c]                   → [a b c of rank 0 | … 1]
//     reduce_scatter   [a b c for rank 0 | … 1]  → [a b c]

#include "shardsmith/Runtime/Rank/Context.h"

#include "shardsmith/Runtime/Reduce.h"
#include "shardsmith/Support/Quantity.h"

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

using namespace shardsmith::runtime;
using shardsmith::ceilDivide;

namespace {

const std::byte *at(const void *base, int64_t offset) {
  return static_cast<const std::byte *>(base) + offset;
}
std::byte *at(void *base, int64_t offset) {
  return static_cast<std::byte *>(base) + offset;
}

void copyRows(std::byte *to, int64_t toStride, const std::byte *from,
              int64_t fromStride, int64_t rows, int64_t bytes) {
  for (int64_t row = 0; row < rows; ++row)
    std::memcpy(to + row * toStride, from + row * fromStride,
                static_cast<size_t>(bytes));
}

/// SMITH_ONE_BY_ONE=1 sends every collective in a message of its own, to
/// measure what groups are worth. All ranks must have the same.
bool oneByOne() {
  static const bool isSet = [] {
    const char *text = std::getenv("SMITH_ONE_BY_ONE");
    return text && std::string_view(text) == "1";
  }();
  return isSet;
}

} // namespace

int64_t smith_context::GroupedCall::bytes() const { return outer * rowBytes; }

void smith_context::beginGroup() { isGrouping = true; }

void smith_context::endGroup() {
  isGrouping = false;
  runGroup(std::exchange(grouped, {}));
}

int64_t smith_context::endGroupLater() {
  isGrouping = false;
  std::vector<GroupedCall> calls = std::exchange(grouped, {});
  if (exchangeThread)
    return exchangeThread->post(
        [this, calls = std::move(calls)] { runOnThread(calls); });
  runGroup(calls);
  return 0;
}

void smith_context::runOnThread(
    const std::vector<GroupedCall> &calls) noexcept {
  try {
    runGroup(calls);
  } catch (const Failure &failure) {
    end(failure);
  } catch (const std::exception &error) {
    end(Failure(ExitCode::Internal, error.what()));
  }
}

void smith_context::wait(int64_t exchange) {
  if (!exchangeThread)
    return;
  auto begin = profile.now();
  if (exchangeThread->wait(exchange))
    profile.addWait(begin);
}

void smith_context::settle() {
  if (exchangeThread && !exchangeThread->isCurrent())
    exchangeThread->finish();
}

void smith_context::runGroup(const std::vector<GroupedCall> &calls) {
  if (calls.empty())
    return;
  settle();
  if (oneByOne() || calls.size() == 1) {
    for (const GroupedCall &call : calls)
      runAlone(call);
    return;
  }
  const GroupedCall &first = calls.front();
  const Group &group = groupAt(first.group);
  for (const GroupedCall &call : calls)
    if (call.kind != first.kind || call.group != first.group ||
        call.type != first.type || call.reduction != first.reduction)
      fail(ExitCode::Internal, "a group of collectives has several kinds");
  bool isScatter = first.kind == CollectiveKind::ReduceScatter;
  int64_t parts = group.size();
  auto begin = profile.now();
  int64_t all = 0;
  for (const GroupedCall &call : calls) {
    int64_t inBytes = call.bytes() * (isScatter ? parts : 1);
    recorder.begin(call.kind, call.group, inBytes, step);
    traffic.add(call.group, call.kind,
                communicationBytes(call.kind, inBytes, group.size()));
    all += call.bytes();
  }
  if (all > 0)
    exchangeTogether(group, calls, all);
  recorder.end(calls.size());
  if (profile.isOn())
    profileCollective(first.kind, first.group, all * (isScatter ? parts : 1),
                      begin, calls.size());
}

/// `all`: the bytes that a rank has of all calls, in a reduce-scatter behind
/// it.
void smith_context::exchangeTogether(const Group &group,
                                     const std::vector<GroupedCall> &calls,
                                     int64_t all) {
  const GroupedCall &first = calls.front();
  int64_t parts = group.size();
  int64_t size = byteSize(first.type);
  bool isScatter = first.kind == CollectiveKind::ReduceScatter;
  bool isGather = first.kind == CollectiveKind::AllGather;
  // Two buffers, each of whole cache lines.
  int64_t inBytes = ceilDivide(all * (isScatter ? parts : 1), 64) * 64;
  int64_t outBytes = ceilDivide(all * (isGather ? parts : 1), 64) * 64;
  uint8_t *memory = transport->staging(inBytes + outBytes);
  if (!memory) {
    if (static_cast<int64_t>(packed.size()) < inBytes + outBytes)
      packed.resize(static_cast<size_t>(inBytes + outBytes));
    memory = packed.data();
  }
  std::byte *in = at(memory, 0);
  std::byte *out = parts == 1 ? in : at(memory, inBytes);
  int64_t offset = 0;
  for (const GroupedCall &call : calls) {
    for (int64_t part = 0; part < (isScatter ? parts : 1); ++part)
      copyRows(in + part * all + offset, call.rowBytes,
               at(call.in, part * call.rowBytes),
               call.rowBytes * (isScatter ? parts : 1), call.outer,
               call.rowBytes);
    offset += call.bytes();
  }
  if (parts > 1 && isScatter)
    transport->reduceScatter(group, first.type, first.reduction, in, out, 1,
                             all / size);
  else if (parts > 1 && isGather)
    transport->allGather(group, in, out, 1, all);
  else if (parts > 1)
    transport->allReduce(group, first.type, first.reduction, in, out,
                         all / size);
  offset = 0;
  for (const GroupedCall &call : calls) {
    for (int64_t part = 0; part < (isGather ? parts : 1); ++part)
      copyRows(at(call.out, part * call.rowBytes),
               call.rowBytes * (isGather ? parts : 1),
               out + part * all + offset, call.rowBytes, call.outer,
               call.rowBytes);
    offset += call.bytes();
  }
}
