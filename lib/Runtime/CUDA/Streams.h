// SPDX-License-Identifier: Apache-2.0
//
// Streams and events of one rank, by number.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_STREAMS_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_STREAMS_H

#include "GpuContext.h"

namespace shardsmith::runtime::cuda {

class Streams {
public:
  explicit Streams(const GpuContext &gpu) : gpu(gpu) {}
  ~Streams();
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;

  int makeStream();
  int makeEvent();
  /// One whose time can be asked for.
  int makeTimedEvent();
  DriverStream stream(int number) const {
    return streams.at(static_cast<size_t>(number));
  }
  void record(int stream, int event);
  void wait(int stream, int event);
  /// Whether all that was put into the stream has run. Throws a Failure if the
  /// GPU has failed.
  bool isIdle(int stream) const;
  /// Between two timed events that have happened.
  int64_t nanosecondsBetween(int from, int to) const;

private:
  int makeEvent(unsigned flags);

  const GpuContext &gpu;
  std::vector<DriverStream> streams;
  std::vector<DriverEvent> events;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_STREAMS_H
