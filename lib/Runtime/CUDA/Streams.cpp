// SPDX-License-Identifier: Apache-2.0

#include "Streams.h"

#include <cmath>

namespace shardsmith::runtime::cuda {

Streams::~Streams() {
  for (DriverEvent event : events)
    gpu.driver().destroyEvent(event);
  for (DriverStream stream : streams)
    gpu.driver().destroyStream(stream);
}

int Streams::makeStream() {
  DriverStream made = nullptr;
  gpu.check(gpu.driver().createStream(&made, streamNonBlocking),
            "cuStreamCreate");
  streams.push_back(made);
  return static_cast<int>(streams.size()) - 1;
}

int Streams::makeEvent() { return makeEvent(eventDisableTiming); }

int Streams::makeTimedEvent() { return makeEvent(0u); }

int Streams::makeEvent(unsigned flags) {
  DriverEvent made = nullptr;
  gpu.check(gpu.driver().createEvent(&made, flags), "cuEventCreate");
  events.push_back(made);
  return static_cast<int>(events.size()) - 1;
}

void Streams::record(int number, int event) {
  gpu.check(gpu.driver().recordEvent(events.at(static_cast<size_t>(event)),
                                     stream(number)),
            "cuEventRecord");
}

void Streams::wait(int number, int event) {
  gpu.check(gpu.driver().waitForEvent(stream(number),
                                      events.at(static_cast<size_t>(event)), 0),
            "cuStreamWaitEvent");
}

bool Streams::isIdle(int number) const {
  DriverResult result = gpu.driver().queryStream(stream(number));
  if (result == driverNotReady)
    return false;
  gpu.check(result, "the GPU, while it ran the step,");
  return true;
}

int64_t Streams::nanosecondsBetween(int from, int to) const {
  float milliseconds = 0;
  gpu.check(gpu.driver().elapsedTime(&milliseconds,
                                     events.at(static_cast<size_t>(from)),
                                     events.at(static_cast<size_t>(to))),
            "cuEventElapsedTime");
  constexpr double nanoseconds = 1e6;
  return std::llround(static_cast<double>(milliseconds) * nanoseconds);
}

} // namespace shardsmith::runtime::cuda
