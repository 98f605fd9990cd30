// SPDX-License-Identifier: Apache-2.0
//
// One rank's program on its device: memory, streams and communicators made
// once, and the actions of a step put into the streams.

#ifndef SHARDSMITH_RUNTIME_DEVICE_STEPRUNNER_H
#define SHARDSMITH_RUNTIME_DEVICE_STEPRUNNER_H

#include "shardsmith/Runtime/Device/ActionList.h"
#include "shardsmith/Runtime/Device/Device.h"

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace shardsmith::runtime::device {

class StepRunner {
public:
  /// All ranks make theirs at the same time. `constants` must live as long.
  StepRunner(Device &device, const ActionList &list,
             std::span<const std::byte> constants);

  /// Runs all kernels and products of a step once, from zeros and without
  /// exchanges, and waits for them: what devices load and choose on first use
  /// is there then. It overwrites the arena. A device that loads a kernel while
  /// its exchange waits for another rank, which does the same, may wait for
  /// ever.
  void warmUp();

  // Copies between the host and bytes of the arena, in the order of the calls
  // of `enqueue`. Memory of the host is not to be touched before `finish`.
  void upload(int64_t place, const void *from, int64_t bytes);
  void download(void *to, int64_t place, int64_t bytes);
  // What is copied in every step goes through memory that the device gave to
  // the host, kept for the place: no call waits for the copy. Of one place once
  // before each `finish`, which writes what is downloaded.
  void uploadOfStep(int64_t place, const void *from, int64_t bytes);
  void downloadOfStep(void *to, int64_t place, int64_t bytes);

  /// Puts a whole step into the streams, from the second one on with one call
  /// where the device can keep a step. The host waits where data decides how
  /// often a loop is done, and for nothing else.
  void enqueue();
  /// Waits for all that was put into the streams.
  void finish();

private:
  Address at(int64_t place) const {
    return memory + static_cast<Address>(place);
  }
  /// Memory of the host that is kept for copies of a place.
  std::byte *onHost(int64_t place, int64_t bytes);
  void putActions();
  void makeGraph();
  /// The number of the action before the one that comes next.
  size_t decide(size_t number, const DecideAction &decision);
  void run(const MarkAction &, Stream) {}
  void run(const DecideAction &, Stream) {}
  void run(const LaunchAction &launch, Stream stream);
  void run(const CopyAction &copy, Stream stream);
  void run(const FillAction &fill, Stream stream);
  void run(const MultiplyAction &multiply, Stream stream);
  void run(const AllReduceAction &reduce, Stream stream);
  void run(const AllGatherAction &gather, Stream stream);
  void run(const ReduceScatterAction &scatter, Stream stream);
  void run(const ExchangeAction &exchange, Stream stream);

  Device &device;
  const ActionList &list;
  Address memory = 0;
  std::vector<Stream> streams;
  std::vector<Function> functions;
  std::vector<Communicator> communicators;
  std::vector<Event> events; ///< by action; of those that are awaited
  std::vector<Event> ends;   ///< by stream, of graphs
  bool hasRun = false, canBeKept = true;
  std::optional<Graph> graph;
  /// By place and bytes.
  std::map<std::pair<int64_t, int64_t>, std::byte *> hostMemory;
  struct Download {
    void *to;
    const std::byte *from;
    int64_t bytes;
  };
  std::vector<Download> downloads; ///< that `finish` ends
};

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_STEPRUNNER_H
