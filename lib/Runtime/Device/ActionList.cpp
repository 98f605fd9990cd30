// SPDX-License-Identifier: Apache-2.0
//
// What devices have no single call for is taken apart here:
//
//   gather, reduce-scatter of an inner dimension
//       parts of all ranks one after another in staging memory, and strided
//       copies between there and the tensor
//   exchange of blocks, permute
//       messages that begin together, and a copy of what stays
//   collective of one rank
//       a copy
//   message
//       is received into a ring and copied from there, so that the sender
//       waits for nobody as long as no more is under way than its channel has

#include "shardsmith/Runtime/Device/ActionList.h"

#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Placement.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <numeric>

namespace shardsmith::runtime::device {
namespace {

constexpr int64_t alignment = 256;
constexpr int deepestCall = 8;

int64_t aligned(int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// A place of a function, as bytes of the rank's memory.
struct Frame {
  int64_t base = 0;           ///< of the arena or workspace
  std::vector<int64_t> table; ///< of the caller
};

class ActionLister {
public:
  ActionLister(ActionList &list, const StepProgram &program,
               const Manifest &manifest, int rank)
      : list(list), program(program), manifest(manifest), rank(rank) {
    for (size_t i = 0; i < manifest.channels.size(); ++i) {
      const Channel &channel = manifest.channels[i];
      if (channel.from == rank || channel.to == rank) {
        channelStreams[{channel.from, channel.to}] = list.streams.size();
        list.streams.push_back(
            fmt::format("messages {} to {}", channel.from, channel.to));
      }
    }
  }

  /// Numbers of micro-batches and staging memory that a function needs.
  void measure(const StepFunction &function, int64_t times, int depth);
  /// Memory behind all else; returns its end.
  int64_t layOut(int64_t place);
  void run();

private:
  void listSteps(const StepFunction &function, const Frame &frame);
  /// Adds what the function touches to `accesses`.
  LaunchAction launchOf(const LaunchStep &step, const Frame &frame,
                        std::vector<Access> &accesses);
  void add(const LaunchStep &step, const Frame &frame);
  void add(const CopyStep &step, const Frame &frame);
  void add(const GemmStep &step, const Frame &frame);
  void add(const AllReduceStep &step, const Frame &frame);
  void add(const AllGatherStep &step, const Frame &frame);
  void add(const ReduceScatterStep &step, const Frame &frame);
  void add(const ExchangeBlocksStep &step, const Frame &frame);
  void add(const PermuteStep &step, const Frame &frame);
  void add(const ShardIndexStep &step, const Frame &frame);
  void add(const MessageStep &step, const Frame &frame);
  void add(const CallStep &step, const Frame &frame);

  /// Appends an action that follows, and is followed by, everything; returns
  /// its number.
  template <typename Work> size_t join(Work work);
  int64_t resolve(const Place &place, const Frame &frame) const;
  /// The bytes of a tensor as an access, which must lie in the memory.
  Access access(int64_t place, int64_t bytes, bool isWrite) const;
  template <typename Work>
  void append(Work work, size_t stream, std::vector<Access> accesses,
              std::string name);
  /// "all_reduce over data, exchange 4 of the step: 4096 bytes".
  std::string nameOf(std::string_view kind, std::string_view with,
                     int64_t bytes);
  std::string axesOf(size_t group) const {
    return fmt::format("over {}", fmt::join(manifest.groups[group].axes, ", "));
  }
  void appendCopy(int64_t from, int64_t to, int64_t bytes, size_t stream);
  void appendStrided(const CopyAction &copy);
  const std::vector<int> &groupOf(size_t group) const;
  /// Fails if the rank is none of these.
  int positionIn(const std::vector<int> &ranks, int member) const {
    auto place = std::ranges::find(ranks, member);
    if (place == ranks.end())
      fail(ExitCode::BadInput,
           "device program: rank {} exchanges with rank {}, which is not in "
           "its group",
           rank, member);
    return static_cast<int>(place - ranks.begin());
  }
  /// The steps of a function that is called for a micro-batch.
  void listPass(const StepFunction &function, const Frame &frame,
                int64_t microBatch);
  int64_t counterBytes() const { return aligned(list.counters * 4); }
  size_t worldCommunicator() const { return manifest.groups.size(); }

  ActionList &list;
  const StepProgram &program;
  const Manifest &manifest;
  int rank;
  /// Where the messages of a channel to this rank arrive.
  struct Ring {
    int64_t messages = 0, largest = 0; ///< of one step, of one message
    int64_t place = 0, bytes = 0, next = 0;
  };
  /// Sender and receiver.
  using Ends = std::pair<int, int>;
  Ends endsOf(const MessageStep &step) const;
  size_t channelOf(Ends ends) const;

  std::map<Ends, Ring> rings;
  std::map<Ends, size_t> channelStreams;
  int64_t stagingBytes = 0, stagingPlace = 0;
  int64_t exchanges = 0;      ///< so far
  std::optional<size_t> pass; ///< that is being listed
  std::map<std::string, size_t> functionNumbers;
  std::unique_ptr<Dependencies> dependencies;
};

void ActionLister::measure(const StepFunction &function, int64_t times,
                           int depth) {
  if (depth > deepestCall)
    fail(ExitCode::BadInput,
         "device program: functions call one another more than {} deep",
         deepestCall);
  for (const Step &step : function.steps) {
    if (const auto *call = std::get_if<CallStep>(&step)) {
      list.numbers = std::max(list.numbers, call->first + call->count);
      measure(program.functions.at(call->function), times * call->count,
              depth + 1);
    } else if (const auto *message = std::get_if<MessageStep>(&step)) {
      if (message->isSend)
        continue;
      Ring &ring = rings[endsOf(*message)];
      ring.messages += times;
      ring.largest = std::max(ring.largest, aligned(message->bytes));
    } else if (const auto *launch = std::get_if<LaunchStep>(&step)) {
      for (size_t i = 0; i < launch->buffers.size(); ++i)
        if (launch->buffers[i].kind == Place::Kind::Counters)
          list.counters = std::max(list.counters, launch->bytes[i] / 4);
    } else if (const auto *gather = std::get_if<AllGatherStep>(&step)) {
      auto size = static_cast<int64_t>(groupOf(gather->group).size());
      if (gather->outer > 1)
        stagingBytes =
            std::max(stagingBytes, size * gather->outer * gather->chunkBytes);
    } else if (const auto *scatter = std::get_if<ReduceScatterStep>(&step)) {
      auto size = static_cast<int64_t>(groupOf(scatter->group).size());
      if (scatter->outer > 1)
        stagingBytes =
            std::max(stagingBytes, size * scatter->outer * scatter->chunk *
                                       byteSize(scatter->type));
    }
  }
}

// Messages begin at multiples of the alignment, and none goes around the end of
// its ring: what that may waste is added to what the channel has.
int64_t ActionLister::layOut(int64_t place) {
  list.countersPlace = place;
  place += 2 * counterBytes();
  stagingPlace = place;
  place += aligned(stagingBytes);
  for (auto &[ends, ring] : rings) {
    ring.place = place;
    ring.bytes = aligned(manifest.channels[channelOf(ends)].bytes) +
                 ring.largest + ring.messages * alignment;
    place += ring.bytes;
  }
  return place;
}

template <typename Work> size_t ActionLister::join(Work work) {
  list.actions.push_back({std::move(work), ActionList::computeStream,
                          dependencies->addJoin(ActionList::computeStream),
                          false, "", pass, std::nullopt});
  return list.actions.size() - 1;
}

void ActionLister::run() {
  dependencies = std::make_unique<Dependencies>(list.streams.size());
  join(MarkAction());
  if (list.counters > 0)
    append(FillAction{list.countersPlace, 0, 2 * counterBytes() / 4},
           ActionList::computeStream,
           {access(list.countersPlace, 2 * counterBytes(), true)}, "fill");
  listSteps(program.entryOf(manifest, rank), Frame());
  join(MarkAction());
  for (const Action &action : list.actions)
    for (size_t other : action.waits)
      list.actions[other].isAwaited = true;
}

void ActionLister::listSteps(const StepFunction &function, const Frame &frame) {
  for (const Step &step : function.steps)
    std::visit([&](const auto &each) { add(each, frame); }, step);
}

int64_t ActionLister::resolve(const Place &place, const Frame &frame) const {
  switch (place.kind) {
  case Place::Kind::Memory:
    return frame.base + place.value;
  case Place::Kind::Entry:
    if (place.value >= static_cast<int64_t>(frame.table.size()))
      fail(ExitCode::BadInput,
           "device program: a function has no entry {} in its table of {}",
           place.value, frame.table.size());
    return frame.table[static_cast<size_t>(place.value)];
  case Place::Kind::Counters: {
    std::vector<int64_t> coordinates = coordinatesOf(manifest, rank);
    bool isFirst = std::ranges::all_of(
        place.axes, [&](size_t axis) { return coordinates[axis] == 0; });
    return list.countersPlace + (isFirst ? 0 : counterBytes());
  }
  case Place::Kind::Constant:
    break;
  }
  return list.constantsPlace +
         program.constants[static_cast<size_t>(place.value)].offset;
}

Access ActionLister::access(int64_t place, int64_t bytes, bool isWrite) const {
  if (bytes < 0 || place > list.memoryBytes - bytes)
    fail(ExitCode::BadInput,
         "device program: bytes {} to {} of a memory of {} bytes", place,
         place + bytes, list.memoryBytes);
  if (isWrite && place + bytes > list.constantsPlace &&
      place < list.countersPlace)
    fail(ExitCode::BadInput, "device program: writes to constants");
  return {place, place + bytes, isWrite};
}

template <typename Work>
void ActionLister::append(Work work, size_t stream,
                          std::vector<Access> accesses, std::string name) {
  std::vector<size_t> waits = dependencies->add(stream, accesses);
  list.actions.push_back({std::move(work), stream, std::move(waits), false,
                          std::move(name), pass, std::nullopt});
}

std::string ActionLister::nameOf(std::string_view kind, std::string_view with,
                                 int64_t bytes) {
  return fmt::format("{} {}, exchange {} of the step: {} bytes", kind, with,
                     ++exchanges, bytes);
}

void ActionLister::appendStrided(const CopyAction &copy) {
  if (copy.rows == 0 || copy.rowBytes == 0)
    return;
  auto span = [&](int64_t pitch) {
    return (copy.rows - 1) * pitch + copy.rowBytes;
  };
  append(copy, ActionList::collectiveStream,
         {access(copy.from, span(copy.fromPitch), false),
          access(copy.to, span(copy.toPitch), true)},
         fmt::format("copy of {} x {} bytes", copy.rows, copy.rowBytes));
}

void ActionLister::appendCopy(int64_t from, int64_t to, int64_t bytes,
                              size_t stream) {
  if (from == to || bytes == 0)
    return;
  append(CopyAction{from, to, 1, bytes, bytes, bytes}, stream,
         {access(from, bytes, false), access(to, bytes, true)},
         fmt::format("copy of {} bytes", bytes));
}

const std::vector<int> &ActionLister::groupOf(size_t group) const {
  for (const std::vector<int> &ranks : manifest.groups[group].ranks)
    if (std::ranges::find(ranks, rank) != ranks.end())
      return ranks;
  fail(ExitCode::BadInput, "program manifest: no list of group {} has rank {}",
       group, rank);
}

LaunchAction ActionLister::launchOf(const LaunchStep &step, const Frame &frame,
                                    std::vector<Access> &accesses) {
  auto [found, isNew] =
      functionNumbers.try_emplace(step.function, list.functions.size());
  if (isNew)
    list.functions.push_back(step.function);
  LaunchAction launch{found->second, step.grid, step.block, {}};
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    bool isWritten = i + step.written >= step.buffers.size();
    launch.arguments.push_back(resolve(step.buffers[i], frame));
    accesses.push_back(
        access(launch.arguments.back(), step.bytes[i], isWritten));
  }
  return launch;
}

void ActionLister::add(const LaunchStep &step, const Frame &frame) {
  std::vector<Access> accesses;
  LaunchAction launch = launchOf(step, frame, accesses);
  append(std::move(launch), ActionList::computeStream, std::move(accesses),
         step.function);
}

void ActionLister::add(const CopyStep &step, const Frame &frame) {
  appendCopy(resolve(step.from, frame), resolve(step.to, frame), step.bytes,
             ActionList::computeStream);
}

void ActionLister::add(const GemmStep &step, const Frame &frame) {
  auto place = [&](const GemmStep::View &view) {
    return resolve(view.place, frame);
  };
  int64_t a = place(step.lhs), b = place(step.rhs), c = place(step.result);
  int64_t elementBytes = byteSize(step.gemm.c_dtype);
  MultiplyAction multiply;
  multiply.gemm = step.gemm;
  multiply.a = a + step.lhs.offset * byteSize(step.gemm.a_dtype);
  multiply.b = b + step.rhs.offset * byteSize(step.gemm.b_dtype);
  multiply.c = c + step.result.offset * elementBytes;
  std::vector<Access> accesses{access(a, step.lhs.bytes, false),
                               access(b, step.rhs.bytes, false),
                               access(c, step.result.bytes, true)};
  if (step.sum) {
    int64_t sum = resolve(*step.sum, frame);
    accesses.push_back(access(sum, step.result.bytes, false));
    multiply.sum = sum + step.result.offset * elementBytes;
  }
  if (step.bias) {
    multiply.bias = resolve(*step.bias, frame);
    accesses.push_back(
        access(*multiply.bias, step.gemm.n * elementBytes, false));
  }
  if (step.scale) {
    multiply.scale = resolve(*step.scale, frame);
    accesses.push_back(access(*multiply.scale, byteSize(SMITH_F32), false));
  }
  if (step.gelu)
    multiply.gelu = launchOf(*step.gelu, frame, accesses);
  append(std::move(multiply), ActionList::computeStream, std::move(accesses),
         fmt::format("product of {} x {} x {}", step.gemm.m, step.gemm.n,
                     step.gemm.k));
}

void ActionLister::add(const AllReduceStep &step, const Frame &frame) {
  int64_t in = resolve(step.input, frame), out = resolve(step.result, frame);
  int64_t bytes = step.count * byteSize(step.type);
  if (groupOf(step.group).size() == 1)
    return appendCopy(in, out, bytes, ActionList::collectiveStream);
  if (bytes > 0)
    append(AllReduceAction{step.group, step.type, step.reduction, in, out,
                           step.count},
           ActionList::collectiveStream,
           {access(in, bytes, false), access(out, bytes, true)},
           nameOf("all_reduce", axesOf(step.group), bytes));
}

void ActionLister::add(const AllGatherStep &step, const Frame &frame) {
  int64_t in = resolve(step.input, frame), out = resolve(step.result, frame);
  int64_t bytes = step.outer * step.chunkBytes;
  auto size = static_cast<int64_t>(groupOf(step.group).size());
  if (size == 1)
    return appendCopy(in, out, bytes, ActionList::collectiveStream);
  if (bytes == 0)
    return;
  int64_t gathered = step.outer == 1 ? out : stagingPlace;
  append(AllGatherAction{step.group, in, gathered, bytes},
         ActionList::collectiveStream,
         {access(in, bytes, false), access(gathered, size * bytes, true)},
         nameOf("all_gather", axesOf(step.group), bytes));
  for (int64_t p = 0; gathered != out && p < size; ++p)
    appendStrided({gathered + p * bytes, out + p * step.chunkBytes, step.outer,
                   step.chunkBytes, step.chunkBytes, size * step.chunkBytes});
}

void ActionLister::add(const ReduceScatterStep &step, const Frame &frame) {
  int64_t in = resolve(step.input, frame), out = resolve(step.result, frame);
  int64_t chunkBytes = step.chunk * byteSize(step.type);
  int64_t bytes = step.outer * chunkBytes;
  auto size = static_cast<int64_t>(groupOf(step.group).size());
  if (size == 1)
    return appendCopy(in, out, bytes, ActionList::collectiveStream);
  if (bytes == 0)
    return;
  int64_t parts = step.outer == 1 ? in : stagingPlace;
  for (int64_t p = 0; parts != in && p < size; ++p)
    appendStrided({in + p * chunkBytes, parts + p * bytes, step.outer,
                   chunkBytes, size * chunkBytes, chunkBytes});
  append(ReduceScatterAction{step.group, step.type, step.reduction, parts, out,
                             step.outer * step.chunk},
         ActionList::collectiveStream,
         {access(parts, size * bytes, false), access(out, bytes, true)},
         nameOf("reduce_scatter", axesOf(step.group), size * bytes));
}

void ActionLister::add(const ExchangeBlocksStep &step, const Frame &frame) {
  const std::vector<int> &ranks = groupOf(step.group);
  int64_t in = resolve(step.input, frame), out = resolve(step.result, frame);
  int own = positionIn(ranks, rank);
  appendCopy(in + own * step.blockBytes, out + own * step.blockBytes,
             step.blockBytes, ActionList::collectiveStream);
  if (ranks.size() == 1 || step.blockBytes == 0)
    return;
  ExchangeAction exchange{
      CollectiveKind::AllToAll, step.group, step.blockBytes, {}};
  std::vector<Access> accesses;
  for (int peer = 0; peer < static_cast<int>(ranks.size()); ++peer) {
    if (peer == own)
      continue;
    for (bool isSend : {true, false}) {
      int64_t place = (isSend ? in : out) + peer * step.blockBytes;
      exchange.messages.push_back({isSend, peer, place});
      accesses.push_back(access(place, step.blockBytes, !isSend));
    }
  }
  append(std::move(exchange), ActionList::collectiveStream, std::move(accesses),
         nameOf("exchange_blocks", axesOf(step.group),
                step.blockBytes * static_cast<int64_t>(ranks.size())));
}

void ActionLister::add(const PermuteStep &step, const Frame &frame) {
  int64_t in = resolve(step.input, frame), out = resolve(step.result, frame);
  if (step.bytes == 0)
    return;
  ExchangeAction exchange{CollectiveKind::Permute,
                          step.group.value_or(worldCommunicator()),
                          step.bytes,
                          {}};
  size_t members = step.group ? groupOf(*step.group).size()
                              : static_cast<size_t>(manifest.ranks);
  std::vector<Access> accesses;
  auto positionOf = [&](int other) {
    return step.group ? positionIn(groupOf(*step.group), other) : other;
  };
  for (int other = 0; other < manifest.ranks; ++other)
    if (other != rank && step.sources[static_cast<size_t>(other)] == rank) {
      exchange.messages.push_back({true, positionOf(other), in});
      accesses.push_back(access(in, step.bytes, false));
    }
  auto source = static_cast<int>(step.sources[static_cast<size_t>(rank)]);
  if (source >= 0 && source != rank) {
    exchange.messages.push_back({false, positionOf(source), out});
    accesses.push_back(access(out, step.bytes, true));
  }
  // All come to it, also those who neither send nor receive.
  if (members > 1)
    append(std::move(exchange), ActionList::collectiveStream,
           std::move(accesses),
           nameOf("collective_permute",
                  step.group ? axesOf(*step.group) : "between all ranks",
                  step.bytes));
  if (source == rank)
    appendCopy(in, out, step.bytes, ActionList::collectiveStream);
  if (source < 0)
    // Buffers are whole multiples of 256 bytes.
    append(FillAction{out, 0, (step.bytes + 3) / 4},
           ActionList::collectiveStream,
           {access(out, (step.bytes + 3) / 4 * 4, true)}, "fill");
}

void ActionLister::add(const ShardIndexStep &step, const Frame &frame) {
  std::vector<int64_t> coordinates = coordinatesOf(manifest, rank);
  int64_t index = 0;
  for (size_t axis : step.axes)
    index = index * manifest.mesh[axis].size + coordinates[axis];
  int64_t place = resolve(step.result, frame);
  append(FillAction{place, static_cast<uint32_t>(index), 1},
         ActionList::computeStream, {access(place, 4, true)}, "shard_index");
}

ActionLister::Ends ActionLister::endsOf(const MessageStep &step) const {
  std::vector<int64_t> coordinates = coordinatesOf(manifest, rank);
  coordinates[step.axis] = step.peer;
  int peer = 0;
  for (size_t axis = 0; axis < coordinates.size(); ++axis)
    peer =
        static_cast<int>(peer * manifest.mesh[axis].size + coordinates[axis]);
  return step.isSend ? Ends(rank, peer) : Ends(peer, rank);
}

size_t ActionLister::channelOf(Ends ends) const {
  for (size_t i = 0; i < manifest.channels.size(); ++i)
    if (Ends(manifest.channels[i].from, manifest.channels[i].to) == ends)
      return i;
  fail(ExitCode::BadInput,
       "device program: the program has no channel from rank {} to {}",
       ends.first, ends.second);
}

void ActionLister::add(const MessageStep &step, const Frame &frame) {
  if (step.bytes == 0)
    return;
  Ends ends = endsOf(step);
  int64_t place = resolve(step.place, frame), arrives = place;
  if (!step.isSend) {
    Ring &ring = rings.at(ends);
    if (ring.next + aligned(step.bytes) > ring.bytes)
      ring.next = 0;
    arrives = ring.place + ring.next;
    ring.next += aligned(step.bytes);
  }
  // The sender is at position 0 of the communicator, the receiver at 1.
  append(ExchangeAction{std::nullopt,
                        worldCommunicator() + 1 + channelOf(ends),
                        step.bytes,
                        {{step.isSend, step.isSend ? 1 : 0, arrives}}},
         channelStreams.at(ends), {access(arrives, step.bytes, !step.isSend)},
         nameOf(step.isSend ? "send" : "receive",
                step.isSend ? fmt::format("to rank {}", ends.second)
                            : fmt::format("from rank {}", ends.first),
                step.bytes));
  size_t message = list.actions.size() - 1;
  appendCopy(arrives, place, step.bytes, ActionList::computeStream);
  if (!step.isSend)
    list.actions.back().takes = message;
}

void ActionLister::listPass(const StepFunction &function, const Frame &frame,
                            int64_t microBatch) {
  // A loop within a micro-batch is part of its pass.
  if (pass)
    return listSteps(function, frame);
  pass = list.passes.size();
  list.passes.push_back({function.pass.empty() ? "micro-batch " : function.pass,
                         static_cast<int32_t>(microBatch)});
  listSteps(function, frame);
  pass.reset();
}

void ActionLister::add(const CallStep &step, const Frame &frame) {
  Frame called;
  called.base = frame.base + step.workspace;
  called.table.push_back(0); // the number, below
  for (const Place &input : step.inputs)
    called.table.push_back(resolve(input, frame));
  size_t outputs = step.outputs.size() - step.carried.size();
  for (size_t i = 0; i < step.carried.size(); ++i) {
    int64_t kept = resolve(step.outputs[outputs + i], frame);
    appendCopy(resolve(step.carried[i], frame), kept, step.carriedBytes[i],
               ActionList::computeStream);
    called.table.push_back(kept);
  }
  for (size_t i = 0; i < outputs; ++i)
    called.table.push_back(resolve(step.outputs[i], frame));
  const StepFunction &function = program.functions.at(step.function);
  if (step.decider) {
    called.table.front() = list.numbersPlace;
    int64_t flag = called.table[1 + step.inputs.size() + *step.decider];
    access(flag, 1, false);
    size_t begin = join(DecideAction{flag, 0});
    listSteps(function, called);
    size_t end = join(DecideAction{flag, begin});
    std::get<DecideAction>(list.actions[begin].work).other = end;
    return;
  }
  for (int64_t i = 0; i < step.count; ++i) {
    called.table.front() =
        list.numbersPlace + (step.first + i) * ActionList::numberPitch;
    listPass(function, called, step.first + i);
  }
}

} // namespace

ActionList::ActionList(const StepProgram &program, const Manifest &manifest,
                       int rank, int64_t constantBytes)
    : streams{"compute", "collectives"} {
  for (const RankGroups &group : manifest.groups)
    communicators.push_back(group.ranks);
  std::vector<int> all(static_cast<size_t>(manifest.ranks));
  std::iota(all.begin(), all.end(), 0);
  communicators.push_back({all});
  for (const Channel &channel : manifest.channels)
    communicators.push_back({{channel.from, channel.to}});

  ActionLister lister(*this, program, manifest, rank);
  lister.measure(program.entryOf(manifest, rank), 1, 0);
  arenaBytes = arenaBytesOf(manifest, rank);
  constantsPlace = aligned(arenaBytes);
  numbersPlace = constantsPlace + aligned(constantBytes);
  memoryBytes = lister.layOut(numbersPlace + numbers * numberPitch);
  lister.run();
}

size_t ActionList::waitCount() const {
  size_t count = 0;
  for (const Action &action : actions)
    count += action.waits.size();
  return count;
}

} // namespace shardsmith::runtime::device
