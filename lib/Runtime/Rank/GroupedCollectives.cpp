// SPDX-License-Identifier: Apache-2.0
//
// Several collectives of one kind as one message: what they read is copied one
// behind the other, exchanged, and copied to where it belongs. Sums are those
// of the single collectives, bit by bit, for transports add up element by
// element in the order of the ranks.
//
//     all_reduce       [a b c]                      → [a b c]
//     all_gather       [a b c]                      → [a b c of rank 0 | … of
//     1] reduce_scatter   [a b c for rank 0 | … for 1] → [a b c]

#include "shardsmith/Runtime/Rank/Context.h"

#include "shardsmith/Runtime/Reduce.h"

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

using namespace shardsmith::runtime;

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

void smith_context::runAlone(const GroupedCall &call) {
  int64_t elements = call.rowBytes / byteSize(call.type);
  if (call.kind == CollectiveKind::AllReduce)
    allReduce(call.group, call.type, call.reduction, call.in, call.out,
              elements);
  else if (call.kind == CollectiveKind::AllGather)
    allGather(call.group, call.in, call.out, call.outer, call.rowBytes);
  else
    reduceScatter(call.group, call.type, call.reduction, call.in, call.out,
                  call.outer, elements);
}

int64_t smith_context::GroupedCall::bytes() const { return outer * rowBytes; }

void smith_context::beginGroup() { isGrouping = true; }

void smith_context::endGroup() {
  isGrouping = false;
  std::vector<GroupedCall> calls = std::exchange(grouped, {});
  if (calls.empty())
    return;
  if (oneByOne()) {
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
  std::vector<std::byte> in(static_cast<size_t>(all * (isScatter ? parts : 1)));
  std::vector<std::byte> out(static_cast<size_t>(all * (isGather ? parts : 1)));
  int64_t offset = 0;
  for (const GroupedCall &call : calls) {
    for (int64_t part = 0; part < (isScatter ? parts : 1); ++part)
      copyRows(at(in.data(), part * all + offset), call.rowBytes,
               at(call.in, part * call.rowBytes),
               call.rowBytes * (isScatter ? parts : 1), call.outer,
               call.rowBytes);
    offset += call.bytes();
  }
  if (parts == 1)
    out = in;
  else if (isScatter)
    transport->reduceScatter(group, first.type, first.reduction, in.data(),
                             out.data(), 1, all / size);
  else if (isGather)
    transport->allGather(group, in.data(), out.data(), 1, all);
  else
    transport->allReduce(group, first.type, first.reduction, in.data(),
                         out.data(), all / size);
  offset = 0;
  for (const GroupedCall &call : calls) {
    for (int64_t part = 0; part < (isGather ? parts : 1); ++part)
      copyRows(at(call.out, part * call.rowBytes),
               call.rowBytes * (isGather ? parts : 1),
               at(out.data(), part * all + offset), call.rowBytes, call.outer,
               call.rowBytes);
    offset += call.bytes();
  }
}
