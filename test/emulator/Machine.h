// SPDX-License-Identifier: Apache-2.0
//
// A machine of emulated devices, one per rank, in one process.
//
// Every rank's host is a thread, but only one of them runs at a time. Between
// its calls, and whenever it waits, something that can go on is drawn at
// random: the first work of a stream of any device, or another host. So every
// run is one order that a real machine might have, and the same one for the
// same seed. If nothing can go on, it is said where each rank waits.
//
// Collectives and messages have the rules of NCCL: ranks meet in the order of
// their communicator, with equal kinds, counts and types; a communicator is
// used in one stream; the host waits for nothing inside a group; a send ends
// when it was received.

#ifndef SHARDSMITH_TEST_EMULATOR_MACHINE_H
#define SHARDSMITH_TEST_EMULATOR_MACHINE_H

#include "DeviceProgram.h"

#include "shardsmith/Runtime/Device/Device.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace shardsmith::emulator {

class EmulatedDevice;

/// A function, and which of its arguments it reads and writes.
struct MachineFunction {
  explicit MachineFunction(DeviceProgram program);

  DeviceProgram program;
  std::vector<bool> reads, writes;
};

struct MachineOptions {
  int ranks = 1;
  uint64_t seed = 0;
  /// Whether streams that touch the same memory must be ordered.
  bool checksOrder = true;
  /// Whether products give their GELU, too.
  bool hasEpilogues = true;
};

class Machine {
public:
  Machine(const MachineOptions &options,
          const std::vector<MachineFunction> &functions);
  ~Machine();

  /// Runs a host per rank to its end, and all that was put into streams.
  /// Returns what went wrong first, or nothing.
  std::string
  run(const std::function<void(int rank, runtime::device::Device &)> &body);

private:
  friend class EmulatedDevice;

  struct Host {
    std::function<bool()> isReady; ///< null: it runs, or could
    std::string waitsFor;
    bool isFinished = false;
  };
  /// A communicator as all its ranks know it.
  struct Members {
    std::vector<int> ranks;
    std::string describe() const;
  };

  void runHost(int rank,
               const std::function<void(int, runtime::device::Device &)> &body);
  /// Lets something else go on; `rank` is the host that runs. False if there is
  /// nothing that could.
  bool goOn(int rank);
  /// Some of what could go on does.
  void maybeGoOn(int rank);
  void waitUntil(int rank, const std::string &what,
                 const std::function<bool()> &isReady);
  void passTurn(int from, int to);
  [[noreturn]] void reportHang();
  [[noreturn]] void fail(const std::string &what);

  MachineOptions options;
  const std::vector<MachineFunction> &functions;
  std::mt19937_64 random;
  std::vector<std::unique_ptr<EmulatedDevice>> devices;
  std::vector<Host> hosts;
  /// By number of the call that made them.
  std::vector<std::vector<std::vector<int>>> communicatorLists;

  std::mutex mutex;
  std::condition_variable turnPassed;
  int turn = 0;
  bool isStopped = false;
  std::string problem;
};

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_MACHINE_H
