// SPDX-License-Identifier: Apache-2.0
//
// A pipeline schedule as data: for every rank the list of things it does, in
// order. Who made the list (a rule, a table read from a file) does not matter
// to those who replay, price or draw it.
//
// Time is not part of a schedule. Actions of one rank run in list order; what
// they wait for on other ranks follows from the data:
//
//     F(s, m) after F(s-1, m)        I(s, m) after F(s, m) and I(s+1, m)
//     W(s, m) after I(s, m)          B = I and W at once

#ifndef SHARDSMITH_SCHEDULE_SCHEDULE_H
#define SHARDSMITH_SCHEDULE_SCHEDULE_H

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardsmith::schedule {

enum class ActionKind {
  Forward,
  /// Both halves of the backward pass at once.
  Backward,
  /// The half that the stage before waits for: gradients of activations.
  BackwardInput,
  /// The other half: gradients of parameters.
  BackwardWeight,
  /// Activations to the stage behind; gradients to the stage before. The
  /// action names the stage that runs it, so SendForward of stage 2 meets
  /// ReceiveForward of stage 3.
  SendForward,
  ReceiveForward,
  SendBackward,
  ReceiveBackward,
  /// Gather and free a stage's parameters where data ranks share them.
  Unshard,
  Reshard,
  /// Sum the stage's gradients over data ranks.
  ReduceGradients,
  /// The optimizer's step for the stage.
  Update,
};
/// `F`, `B`, `I`, `W`, `SEND_F`, …: the names of torch.distributed.pipelining;
/// `UPDATE`, which it lacks.
std::string_view nameOf(ActionKind kind);
/// Runs kernels for one micro-batch: F, B, I or W.
bool isCompute(ActionKind kind);
bool isCommunication(ActionKind kind);

/// Actions of a whole stage have this in place of a micro-batch.
inline constexpr int64_t noMicroBatch = -1;

struct Action {
  ActionKind kind = ActionKind::Forward;
  int64_t stage = 0;
  int64_t microBatch = noMicroBatch;

  auto operator<=>(const Action &) const = default;
};
/// `2F5`: stage 2, micro-batch 5.
std::string str(const Action &action);

/// One entry of a rank's list: an action, or a forward and a backward pass of
/// different stages that run at the same time.
struct Step {
  Action action;
  std::optional<Action> partner;

  bool operator==(const Step &) const = default;
};
/// `2F5` or `(2F5;3B1)OVERLAP_F_B`.
std::string str(const Step &step);

struct Schedule {
  int64_t stageCount = 0;
  int64_t microBatchCount = 0;
  std::vector<std::vector<Step>> ranks;

  /// Sends and receives are written out. Without them every F and I hands its
  /// result on by itself.
  bool hasCommunication() const;
  /// Per stage the rank that runs it; the last one that mentions it, and -1 if
  /// none does.
  std::vector<int64_t> rankOfStage() const;
  bool operator==(const Schedule &) const = default;
};

struct CommunicationOptions {
  /// Parameters are gathered before a stage's first use and freed behind each
  /// run of consecutive uses.
  bool gatherParameters = false;
  /// One reduction per stage behind its last gradient.
  bool reduceGradients = false;
  /// One optimizer step per stage behind everything else.
  bool update = false;
};

/// The passes of a schedule in their order, without anything that
/// `addCommunication` writes out.
Schedule passesOf(const Schedule &schedule);

/// The schedule with sends, receives and the chosen actions of whole stages
/// written out. Receives are posted in the order in which the sender sends, no
/// later than their first use. Kinds of actions that the schedule has written
/// out already (messages, gathers, reductions, updates) stay as they are.
Schedule addCommunication(const Schedule &schedule,
                          const CommunicationOptions &options = {});

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_SCHEDULE_H
