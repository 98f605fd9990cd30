// SPDX-License-Identifier: Apache-2.0

#include "NcclExchanges.h"

#include "LoadLibraries.h"

#include "shardsmith/Runtime/CUDA/ReductionForm.h"
#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

namespace shardsmith::runtime::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto pollPause = std::chrono::microseconds(50);

const void *readable(DevicePointer address) {
  return reinterpret_cast<const void *>(address);
}
void *writable(DevicePointer address) {
  return reinterpret_cast<void *>(address);
}

std::string versionText(int64_t number) {
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100,
                     number % 100);
}

} // namespace

NcclExchanges::NcclExchanges(const Streams &streams, Rendezvous &rendezvous,
                             FlightLog &log)
    : streams(streams), rendezvous(rendezvous), log(log) {
  if (rendezvous.ranks() == 1)
    return;
  api = loadNccl();
  int version = 0;
  if (NcclResult result = api.getVersion(&version); result != ncclOk)
    refuse("ncclGetVersion", result, nullptr);
  if (version < oldestNccl)
    fail(ExitCode::Environment, "NCCL is of version {}; install {} or later",
         versionText(version), versionText(oldestNccl));
}

NcclExchanges::~NcclExchanges() {
  // Children before the one that they were split from.
  std::vector<NcclComm> all;
  for (NcclComm comm : comms)
    if (comm && comm != world)
      all.push_back(comm);
  if (world)
    all.push_back(world);
  for (NcclComm comm : all) {
    NcclResult result = api.finalize(comm);
    Clock::time_point since = Clock::now();
    while (result == ncclStillRunning &&
           Clock::now() - since < rendezvous.deadline()) {
      std::this_thread::sleep_for(pollPause);
      if (api.getAsyncError(comm, &result) != ncclOk)
        break;
    }
    if (result == ncclOk)
      api.destroy(comm);
    else
      api.abort(comm);
  }
}

void NcclExchanges::refuse(const char *function, NcclResult result,
                           NcclComm comm, std::optional<std::string> exchange) {
  std::string from = function;
  if (exchange)
    from += fmt::format(" for {}", *exchange);
  std::string text =
      fmt::format("NCCL says: {} (from {})", api.getErrorString(result), from);
  if (const char *last = api.getLastError(comm); last && *last)
    text += fmt::format("; {}", last);
  if (std::optional<std::string> unfinished = log.unfinished())
    text += fmt::format("; the first exchange that has not ended is {}",
                        *unfinished);
  fail(ExitCode::Environment, "{}", text);
}

void NcclExchanges::settle(const char *function, NcclResult result,
                           NcclComm comm) {
  Clock::time_point since = Clock::now();
  while (result == ncclStillRunning) {
    NcclResult state = ncclOk;
    if (NcclResult asked = api.getAsyncError(comm, &state); asked != ncclOk)
      refuse("ncclCommGetAsyncError", asked, comm);
    if (state != ncclStillRunning) {
      result = state;
      break;
    }
    rendezvous.checkPeers();
    // For those that came through, or gave up, and wait for this one.
    rendezvous.noteProgress();
    if (Clock::now() - since > rendezvous.deadline())
      fail(ExitCode::Environment,
           "{} has waited for other ranks for {} s; see what they say, or give "
           "a longer --timeout",
           function, static_cast<double>(rendezvous.deadline().count()) / 1000);
    std::this_thread::sleep_for(pollPause);
  }
  if (result != ncclOk)
    refuse(function, result, comm, log.announced());
}

void NcclExchanges::connect() {
  if (rendezvous.ranks() == 1)
    return;
  int version = 0;
  api.getVersion(&version);
  std::vector<int64_t> versions = rendezvous.gather(version);
  for (size_t other = 0; other < versions.size(); ++other)
    if (versions[other] != versions.front())
      fail(ExitCode::Environment,
           "rank 0 has NCCL {}, but rank {} has {}; all ranks need the same "
           "version",
           versionText(versions.front()), other, versionText(versions[other]));
  NcclId id = {};
  if (rendezvous.rank() == 0)
    if (NcclResult result = api.makeId(&id); result != ncclOk)
      refuse("ncclGetUniqueId", result, nullptr);
  rendezvous.broadcast(reinterpret_cast<std::byte *>(id.bytes),
                       sizeof id.bytes);
  NcclConfig config;
  NcclResult result =
      api.init(&world, rendezvous.ranks(), id, rendezvous.rank(), &config);
  settle("ncclCommInitRankConfig", result, world);
}

int NcclExchanges::makeCommunicator(
    const std::vector<std::vector<int>> &lists) {
  auto number = static_cast<int>(comms.size());
  comms.push_back(nullptr);
  bool isAlone = std::ranges::all_of(
      lists, [](const std::vector<int> &ranks) { return ranks.size() <= 1; });
  if (!world || isAlone)
    return number;
  std::vector<int> all(static_cast<size_t>(rendezvous.ranks()));
  std::iota(all.begin(), all.end(), 0);
  // A communicator is used in one stream, so only one can be that of all.
  if (!isWorldTaken && lists.size() == 1 && lists.front() == all) {
    isWorldTaken = true;
    comms.back() = world;
    return number;
  }
  int color = ncclNoColor, key = 0;
  for (size_t i = 0; i < lists.size(); ++i) {
    auto found = std::ranges::find(lists[i], rendezvous.rank());
    if (found == lists[i].end() || lists[i].size() == 1)
      continue;
    color = static_cast<int>(i);
    key = static_cast<int>(found - lists[i].begin());
  }
  NcclConfig config;
  NcclComm made = nullptr;
  NcclResult result = api.split(world, color, key, &made, &config);
  settle("ncclCommSplit", result, world);
  if (color == ncclNoColor)
    return number;
  settle("ncclCommSplit", ncclStillRunning, made);
  comms.back() = made;
  return number;
}

NcclComm NcclExchanges::at(int communicator) const {
  NcclComm comm = comms.at(static_cast<size_t>(communicator));
  if (!comm)
    fail(ExitCode::BadInput,
         "the program uses a communicator that has no other rank");
  return comm;
}

void NcclExchanges::put(const char *function, NcclResult result,
                        int communicator, int stream) {
  settle(function, result, at(communicator));
  log.add(stream);
}

static ReductionForm formOf(ElementType type, Reduction reduction) {
  std::optional<ReductionForm> form = findReductionForm(type, reduction);
  if (!form)
    fail(ExitCode::Unsupported, "NCCL has no such reduction of {}", name(type));
  return *form;
}

void NcclExchanges::allReduce(int stream, int communicator, ElementType type,
                              Reduction reduction, DevicePointer in,
                              DevicePointer out, int64_t count) {
  ReductionForm form = formOf(type, reduction);
  put("ncclAllReduce",
      api.allReduce(readable(in), writable(out), static_cast<size_t>(count),
                    static_cast<NcclType>(form.type),
                    static_cast<NcclReduction>(form.reduction),
                    at(communicator), streams.stream(stream)),
      communicator, stream);
}

void NcclExchanges::allGather(int stream, int communicator, DevicePointer in,
                              DevicePointer out, int64_t bytes) {
  put("ncclAllGather",
      api.allGather(readable(in), writable(out), static_cast<size_t>(bytes),
                    ncclI8, at(communicator), streams.stream(stream)),
      communicator, stream);
}

void NcclExchanges::reduceScatter(int stream, int communicator,
                                  ElementType type, Reduction reduction,
                                  DevicePointer in, DevicePointer out,
                                  int64_t count) {
  ReductionForm form = formOf(type, reduction);
  put("ncclReduceScatter",
      api.reduceScatter(readable(in), writable(out), static_cast<size_t>(count),
                        static_cast<NcclType>(form.type),
                        static_cast<NcclReduction>(form.reduction),
                        at(communicator), streams.stream(stream)),
      communicator, stream);
}

void NcclExchanges::exchange(int stream, int communicator, int64_t bytes,
                             std::span<const device::Message> messages) {
  if (messages.empty())
    return;
  NcclComm comm = at(communicator);
  auto require = [&](const char *function, NcclResult result) {
    if (result != ncclOk && result != ncclStillRunning)
      refuse(function, result, comm, log.announced());
  };
  require("ncclGroupStart", api.groupStart());
  for (const device::Message &message : messages) {
    auto count = static_cast<size_t>(bytes);
    DriverStream into = streams.stream(stream);
    if (message.isSend)
      require("ncclSend", api.send(readable(message.at), count, ncclI8,
                                   message.peer, comm, into));
    else
      require("ncclRecv", api.receive(writable(message.at), count, ncclI8,
                                      message.peer, comm, into));
  }
  put("ncclGroupEnd", api.groupEnd(), communicator, stream);
}

void NcclExchanges::checkErrors() {
  std::set<NcclComm> all(comms.begin(), comms.end());
  for (NcclComm comm : all) {
    if (!comm)
      continue;
    NcclResult state = ncclOk;
    NcclResult asked = api.getAsyncError(comm, &state);
    if (asked != ncclOk)
      refuse("ncclCommGetAsyncError", asked, comm);
    if (state != ncclOk && state != ncclStillRunning)
      refuse("the work on the GPU", state, comm);
  }
}

void NcclExchanges::abort() noexcept {
  for (NcclComm comm : comms)
    if (comm && comm != world)
      api.abort(comm);
  if (world)
    api.abort(world);
  comms.clear();
  world = nullptr;
}

} // namespace shardsmith::runtime::cuda
