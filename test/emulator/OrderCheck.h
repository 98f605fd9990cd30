// SPDX-License-Identifier: Apache-2.0
//
// Whether the streams of one device are ordered where they touch the same
// memory: every read comes after the last write, and every write after all
// that was read and written, by the order of a stream, by an event, or because
// the host has waited. What is wrong is found when work is put into a stream,
// in whichever order it will run. Shares nothing with the runtime, which
// decides which events there are.

#ifndef SHARDSMITH_TEST_EMULATOR_ORDERCHECK_H
#define SHARDSMITH_TEST_EMULATOR_ORDERCHECK_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardsmith::emulator {

/// Bytes [begin, end) of the device's memory.
struct Touch {
  uint64_t begin, end;
  bool isWrite;
};

class OrderCheck {
public:
  void addStream(const std::string &name);
  /// Work is put into a stream. Returns what is wrong, or nothing.
  std::string add(size_t stream, const std::string &work,
                  const std::vector<Touch> &touches);
  void record(size_t stream, size_t event);
  void wait(size_t stream, size_t event);
  void hostWaits(size_t stream);

private:
  /// By stream: how much of its work has ended for sure.
  using Progress = std::map<size_t, int64_t>;
  struct Moment {
    size_t stream;
    int64_t number;
    std::string work;
  };
  struct Segment {
    uint64_t end;
    bool isWritten = false;
    std::vector<Moment> touches; ///< last write, then reads since then
  };
  static void merge(Progress &into, const Progress &from);
  std::string touch(Segment &segment, uint64_t begin, bool isWrite,
                    const Moment &now);
  void splitAt(uint64_t position);

  struct StreamState {
    std::string name;
    int64_t count = 0;
    Progress known;
  };
  std::vector<StreamState> streams;
  std::map<size_t, Progress> events;
  Progress host;
  std::map<uint64_t, Segment> segments;
};

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_ORDERCHECK_H
