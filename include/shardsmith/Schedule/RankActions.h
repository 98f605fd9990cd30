// SPDX-License-Identifier: Apache-2.0
//
// What each rank executes: its list of a schedule with all messages written
// out, each with the rank at its other end and its number among the messages
// of that direction. Ranks need to know nothing else of each other:
//
//     rank 0   0F0  →1 #0  0F1  →1 #1  ←1 #0  0B0 …
//     rank 1   ←0 #0  1F0  1B0  →0 #0  ←0 #1  1F1 …
//
// Lists that were made here fit together: every send has one receive, the k-th
// message that a rank sends to another is the k-th that the other receives from
// it, and nobody waits for ever where links hold enough messages
// (`leastBuffers` says how many).
//
// The model of a list in which sends and receives block on bounded channels is
// that of Kahn process networks (G. Kahn, "The semantics of a simple language
// for parallel programming", IFIP 1974): whether it ends does not depend on how
// fast anybody is.

#ifndef SHARDSMITH_SCHEDULE_RANKACTIONS_H
#define SHARDSMITH_SCHEDULE_RANKACTIONS_H

#include "shardsmith/Schedule/Schedule.h"

namespace shardsmith::schedule {

/// The other end of a send or receive.
struct MessageEnd {
  int64_t peer = 0;
  /// Counts the messages from the sender to the receiver.
  int64_t number = 0;

  bool operator==(const MessageEnd &) const = default;
};

struct RankAction {
  Step step;
  /// Of sends and receives.
  std::optional<MessageEnd> message;

  bool operator==(const RankAction &) const = default;
};

/// Per rank.
using RankActions = std::vector<std::vector<RankAction>>;

/// Fails with what `replay` finds. What the schedule has not written out is
/// added first, as `addCommunication` does.
std::optional<RankActions>
rankActions(const Schedule &schedule, std::string &error,
            const CommunicationOptions &options = {});

/// What a receive does until its message is there.
enum class ReceiveKind {
  /// Waits.
  Blocking,
  /// Makes room for the message; the pass that reads it waits.
  Posted,
};

/// The least number of messages that every direction of every link has to hold
/// so that nobody waits for ever: a send waits while so many messages of its
/// direction have been sent and not yet received. Nothing if no number is
/// enough, which is so for some tables with receives written out that block.
std::optional<int64_t> leastBuffers(const RankActions &actions,
                                    ReceiveKind receives);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_RANKACTIONS_H
