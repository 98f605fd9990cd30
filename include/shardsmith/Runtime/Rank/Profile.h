// SPDX-License-Identifier: Apache-2.0
//
// When a rank did what: passes of micro-batches, collectives and messages of
// the last steps.

#ifndef SHARDSMITH_RUNTIME_RANK_PROFILE_H
#define SHARDSMITH_RUNTIME_RANK_PROFILE_H

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct smith_context;

namespace shardsmith::runtime {

/// Off until `start`; then the last steps are kept.
///
///     step 4   ├────────────────────────────────────────────┤
///     passes       ├─ 0F0 ─┤   ├─ 0F1 ─┤     ├─ 0I0 ─┤
///     exchanges             ├┤          ├┤ ├─┤            ├─┤
///
/// An exchange may go on beside a pass; then the time that the rank waited for
/// it is in the thread of passes.
class Profile {
public:
  using Clock = std::chrono::steady_clock;
  /// Steps that are kept; the first of a run is none of them unless it is the
  /// only one, since memory is touched for the first time in it.
  static constexpr size_t keptSteps = 10;

  bool isOn() const { return origin.has_value(); }
  /// Called by all ranks at one moment: their clocks are compared there.
  void start() { origin = Clock::now(); }

  /// The clock is read only where somebody looks at it.
  Clock::time_point now() const {
    return isOn() ? Clock::now() : Clock::time_point();
  }

  void beginStep(int64_t number);
  void endStep();
  /// `name` outlives the profile. Passes do not overlap.
  void beginPass(const char *name, int32_t microBatch);
  void endPass();
  /// What began at `begin` and ends now.
  void addExchange(std::string what, int64_t bytes, Clock::time_point begin);

  /// The rank has waited since `begin` for exchanges that went on beside it.
  void addWait(Clock::time_point begin);

  /// A pass of a device; `name` as above.
  void addPass(const char *name, int32_t microBatch, Clock::time_point begin,
               Clock::time_point end);
  /// The kernels of a device stood still for a message from a rank.
  void addMessageWait(int from, int64_t bytes, Clock::time_point begin,
                      Clock::time_point end);

  /// What a device did in a stream.
  void addDeviceWork(const std::string &stream, std::string what,
                     Clock::time_point begin, Clock::time_point end);

  /// Streams of the device, in the order in which they came; threads of the
  /// trace behind those of passes and exchanges.
  const std::vector<std::string> &deviceStreams() const { return streams; }
  /// Events in Chrome's trace event format, separated by commas; those of rank
  /// `process`.
  std::string events(int process) const;

private:
  struct Pass {
    const char *name;
    int32_t microBatch;
    int64_t begin, end;
  };
  struct Exchange {
    std::string what;
    int64_t bytes;
    int64_t begin, end;
    bool isWait = false; ///< nothing but waiting
  };
  struct DeviceWork {
    size_t stream; ///< of `streams`
    std::string what;
    int64_t begin, end;
  };
  struct Step {
    int64_t number = 0, begin = 0, end = 0;
    std::vector<Pass> passes;
    std::vector<Exchange> exchanges;
    std::vector<std::pair<int64_t, int64_t>> waits;
    std::vector<DeviceWork> work;
  };

  /// Nanoseconds since the start.
  int64_t sinceStart(Clock::time_point time) const;

  std::optional<Clock::time_point> origin;
  std::deque<Step> steps;
  std::vector<std::string> streams;
  /// Steps since the start.
  int64_t begun = 0;
  bool isInStep = false;
};

/// Writes the timelines of all ranks to a file, from rank 0; all ranks call it.
/// Throws Failure where the file cannot be written.
void writeProfile(smith_context &context, const std::string &path);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_RANK_PROFILE_H
