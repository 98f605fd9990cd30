// SPDX-License-Identifier: Apache-2.0
//
// What has been made and sent so far while a schedule is replayed.

#ifndef SHARDSMITH_LIB_SCHEDULE_REPLAYSTATE_H
#define SHARDSMITH_LIB_SCHEDULE_REPLAYSTATE_H

#include "Dependencies.h"

#include <map>

namespace shardsmith::schedule {

/// One entry per stage and micro-batch.
template <typename Entry> class PassTable {
public:
  explicit PassTable(const Schedule &schedule)
      : width(static_cast<size_t>(schedule.microBatchCount)),
        table(static_cast<size_t>(schedule.stageCount) * width) {}

  Entry &at(int64_t stage, int64_t microBatch) {
    return table[static_cast<size_t>(stage) * width +
                 static_cast<size_t>(microBatch)];
  }
  const Entry &at(int64_t stage, int64_t microBatch) const {
    return const_cast<PassTable *>(this)->at(stage, microBatch);
  }
  std::vector<Entry> &entries() { return table; }

private:
  size_t width;
  std::vector<Entry> table;
};

/// What an action waits for, and the rank that has to provide it.
struct Blocked {
  std::string awaited;
  int64_t rank;
  /// The awaited value, unless that is something of a whole stage.
  std::optional<Value> value = std::nullopt;
};

/// Something that is missing once all lists have ended.
struct Leftover {
  std::string sentence;
  /// An action of the lists that shows it.
  Action action;
};

class ReplayState {
public:
  /// All stages and micro-batches that the schedule names must exist.
  explicit ReplayState(const Schedule &schedule);

  std::optional<Blocked> blocked(const Action &action) const;
  /// Runs an action that is not blocked; a sentence if it breaks a rule.
  std::string run(const Action &action);
  /// Messages without a counterpart, and stages that do not reduce their
  /// gradients where others do.
  std::vector<Leftover> leftovers() const;

private:
  struct Pass {
    /// By Product: made on the stage's own rank, arrived on the reader's.
    std::array<bool, 3> made = {}, arrived = {};
    std::array<bool, 3> sent = {}, received = {};
  };
  /// Messages from one rank to another: the k-th receive takes the k-th send.
  struct Channel {
    std::vector<Value> sends, receives;
  };
  struct StageState {
    bool gathersParameters = false, gathered = false;
    bool reducesGradients = false, reduced = false, updated = false;
    int64_t weightGradients = 0;
  };

  bool travels(const Value &value, const Action &reader) const;
  std::string post(const Value &value, int64_t from, int64_t to, bool isSend);
  std::string runOfWholeStage(const Action &action);

  const Schedule &schedule;
  bool messagesWrittenOut;
  std::vector<int64_t> owner;
  PassTable<Pass> passes;
  std::vector<StageState> stages;
  std::map<std::pair<int64_t, int64_t>, Channel> channels;
};

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_REPLAYSTATE_H
