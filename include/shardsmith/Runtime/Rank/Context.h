// SPDX-License-Identifier: Apache-2.0
//
// Everything one rank has while it runs a program: what `smith_context`
// stands for in generated code.

#ifndef SHARDSMITH_RUNTIME_RANK_CONTEXT_H
#define SHARDSMITH_RUNTIME_RANK_CONTEXT_H

#include "shardsmith/Runtime/Collective.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/LaunchEnvironment.h"
#include "shardsmith/Runtime/Manifest.h"
#include "shardsmith/Runtime/Placement.h"
#include "shardsmith/Runtime/Rank/ExchangeThread.h"
#include "shardsmith/Runtime/Rank/Profile.h"
#include "shardsmith/Runtime/ThreadTeam.h"
#include "shardsmith/Runtime/Transport/Transport.h"

#include <memory>
#include <vector>

namespace shardsmith::runtime {

struct ProcessorLibraries;

/// Which pass over which micro-batch was the last to begin; `name` is null
/// before the first one. Read by signal handlers.
struct PassMark {
  const char *name = nullptr;
  int32_t microBatch = 0;
  bool isRunning = false;
  /// None of the step at hand has begun.
  bool isOfStepBefore = false;
};

} // namespace shardsmith::runtime

/// Members are public to the runtime; programs see an opaque type.
struct smith_context {
  smith_context(const shardsmith::runtime::Manifest &manifest,
                const shardsmith::runtime::LaunchEnvironment &environment,
                std::unique_ptr<shardsmith::runtime::Transport> transport,
                const shardsmith::runtime::ThreadTeam &team,
                const shardsmith::runtime::GroupTable &groups);

  const shardsmith::runtime::Manifest &manifest;
  shardsmith::runtime::LaunchEnvironment environment;
  std::unique_ptr<shardsmith::runtime::Transport> transport;
  const shardsmith::runtime::ThreadTeam &team;
  const shardsmith::runtime::GroupTable &groups;
  /// Null until `processorLibraries` makes them.
  std::shared_ptr<shardsmith::runtime::ProcessorLibraries> libraries;
  shardsmith::runtime::Traffic traffic;
  shardsmith::runtime::FlightRecorder recorder;
  /// For collectives beside kernels; null where the rank has no core for it.
  /// While something is under way there, this rank exchanges nothing else and
  /// leaves `traffic`, `recorder` and `transport` alone.
  std::unique_ptr<shardsmith::runtime::ExchangeThread> exchangeThread;
  shardsmith::runtime::Profile profile;
  /// What the steps run on, for reports; empty: the processor.
  std::string device;
  int64_t step = 0;
  /// Rows that experts had no room for, since this was read last.
  int64_t droppedRows = 0;
  /// The pass that runs, or ran last in this step.
  shardsmith::runtime::PassMark pass;

  int rank() const { return environment.rank; }

  /// What this rank holds of a tensor, and where; null: it holds nothing.
  shardsmith::runtime::Shard
  shardOf(const shardsmith::runtime::Tensor &tensor) const;
  template <typename Byte>
  Byte *placeOf(const shardsmith::runtime::Tensor &tensor, Byte *arena) const {
    return shardsmith::runtime::placeOf(manifest, tensor, rank(), arena);
  }

  /// The collectives of ABI.h, counted and recorded; these throw.
  void allReduce(int group, smith_dtype type, smith_reduction reduction,
                 const void *in, void *out, int64_t count);
  void allGather(int group, const void *in, void *out, int64_t outer,
                 int64_t chunkBytes);
  void reduceScatter(int group, smith_dtype type, smith_reduction reduction,
                     const void *in, void *out, int64_t outer, int64_t chunk);
  void allToAll(int group, const void *in, void *out, int64_t blockBytes);
  void exchangeRows(int group, const smith_row_exchange &exchange,
                    const void *in, const int32_t *sends,
                    const int32_t *receives, void *out);
  void permute(int group, const int32_t *sources, const void *in, void *out,
               int64_t bytes);
  /// Between these the first three are noted, then done in one message.
  void beginGroup();
  void endGroup();
  /// Does them while kernels run, if there is a thread for it. Returns the
  /// number to wait for.
  int64_t endGroupLater();
  void wait(int64_t exchange);
  /// Waits for all that goes on beside kernels.
  void settle();
  /// The messages of ABI.h, likewise.
  void send(int to, const void *data, int64_t bytes);
  void receive(int from, void *data, int64_t bytes);

  /// Not counted: what the runtime needs for itself.
  void barrier();
  /// The largest value of all ranks.
  int64_t maximum(int64_t value);
  /// The values of all ranks, by rank.
  std::vector<int64_t> gather(int64_t value);
  /// Of every rank the list that it has; all are as long.
  std::vector<std::vector<int64_t>>
  gatherLists(const std::vector<int64_t> &values);
  void noteProgress();

  /// `rank 1, step 3, in 1F2`: where it is. Calls nothing that a signal handler
  /// may not; cut where `size` ends.
  void describePlace(char *text, size_t size) const;

  /// Prints why the rank stops and its last collectives and messages, tells
  /// the others and ends the process. A failure without words is one that
  /// another rank reports.
  [[noreturn]] void end(const shardsmith::runtime::Failure &failure) noexcept;

private:
  /// A collective of a group: `outer` rows, of `rowBytes` bytes for each rank.
  struct GroupedCall {
    shardsmith::runtime::CollectiveKind kind;
    int group;
    smith_dtype type;
    smith_reduction reduction;
    const void *in;
    void *out;
    int64_t outer, rowBytes;

    int64_t bytes() const;
  };
  bool isGrouping = false;
  std::vector<GroupedCall> grouped;
  /// Where a message is put together if the transport has no place for it.
  std::vector<uint8_t> packed;
  /// A group that is complete, or all of its calls alone.
  void runGroup(const std::vector<GroupedCall> &calls);
  void take(const GroupedCall &call);
  void runAlone(const GroupedCall &call);
  void runOnThread(const std::vector<GroupedCall> &calls) noexcept;
  void exchangeTogether(const shardsmith::runtime::Group &group,
                        const std::vector<GroupedCall> &calls, int64_t all);

  /// Notes in the profile what began at `begin`, a message of `calls`
  /// collectives.
  void profileCollective(shardsmith::runtime::CollectiveKind kind, int group,
                         int64_t bytes,
                         shardsmith::runtime::Profile::Clock::time_point begin,
                         size_t calls = 1);
  const shardsmith::runtime::Group &groupAt(int index) const;
  template <typename Call>
  void record(shardsmith::runtime::CollectiveKind kind, int group,
              int64_t inBytes, int64_t sentBytes, Call call);
  template <typename Call>
  void exchange(shardsmith::runtime::MessageKind kind, int peer, int64_t bytes,
                Call call);
};

#endif // SHARDSMITH_RUNTIME_RANK_CONTEXT_H
