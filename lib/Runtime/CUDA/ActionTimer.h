// SPDX-License-Identifier: Apache-2.0
//
// When actions begin and end on the GPU, by events before and behind each.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_ACTIONTIMER_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_ACTIONTIMER_H

#include "Streams.h"

#include "shardsmith/Runtime/CUDA/CudaDevice.h"

namespace shardsmith::runtime::cuda {

/// Off until `restart`; then every action costs two events.
class ActionTimer {
public:
  explicit ActionTimer(Streams &streams) : streams(streams) {}

  /// Forgets all actions; times count from now on.
  void restart();
  bool isOn() const { return reference >= 0; }
  void begin(int stream, size_t number, const std::string &name);
  void end(int stream);
  std::vector<ActionTime> times() const;

private:
  struct Timed {
    std::string name;
    int stream = 0;
    size_t number = 0;
    int begin = -1, end = -1; ///< events
  };
  int nextEvent();

  Streams &streams;
  int reference = -1; ///< the event that times count from; −1: off
  std::vector<Timed> actions;
  /// All that were ever made; the first `usedEvents` belong to actions.
  std::vector<int> events;
  size_t usedEvents = 0;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_ACTIONTIMER_H
