// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Schedule.h"

#include <algorithm>

namespace shardsmith::schedule {

std::string_view nameOf(ActionKind kind) {
  switch (kind) {
  case ActionKind::Forward:
    return "F";
  case ActionKind::Backward:
    return "B";
  case ActionKind::BackwardInput:
    return "I";
  case ActionKind::BackwardWeight:
    return "W";
  case ActionKind::SendForward:
    return "SEND_F";
  case ActionKind::ReceiveForward:
    return "RECV_F";
  case ActionKind::SendBackward:
    return "SEND_B";
  case ActionKind::ReceiveBackward:
    return "RECV_B";
  case ActionKind::Unshard:
    return "UNSHARD";
  case ActionKind::Reshard:
    return "RESHARD";
  case ActionKind::ReduceGradients:
    return "REDUCE_GRAD";
  case ActionKind::Update:
    return "UPDATE";
  }
  return "?";
}

bool isCompute(ActionKind kind) {
  return kind == ActionKind::Forward || kind == ActionKind::Backward ||
         kind == ActionKind::BackwardInput ||
         kind == ActionKind::BackwardWeight;
}

bool isCommunication(ActionKind kind) {
  return kind == ActionKind::SendForward ||
         kind == ActionKind::ReceiveForward ||
         kind == ActionKind::SendBackward ||
         kind == ActionKind::ReceiveBackward;
}

std::string str(const Action &action) {
  std::string text = std::to_string(action.stage);
  text += nameOf(action.kind);
  if (action.microBatch != noMicroBatch)
    text += std::to_string(action.microBatch);
  return text;
}

std::string str(const Step &step) {
  if (!step.partner)
    return str(step.action);
  return "(" + str(step.action) + ";" + str(*step.partner) + ")OVERLAP_F_B";
}

bool Schedule::hasCommunication() const {
  return std::any_of(ranks.begin(), ranks.end(), [](const auto &steps) {
    return std::any_of(steps.begin(), steps.end(), [](const Step &step) {
      return isCommunication(step.action.kind);
    });
  });
}

Schedule passesOf(const Schedule &schedule) {
  Schedule result = schedule;
  for (std::vector<Step> &steps : result.ranks)
    std::erase_if(
        steps, [](const Step &step) { return !isCompute(step.action.kind); });
  return result;
}

std::vector<int64_t> Schedule::rankOfStage() const {
  std::vector<int64_t> owner(static_cast<size_t>(stageCount), -1);
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    for (const Step &step : ranks[rank]) {
      owner[static_cast<size_t>(step.action.stage)] =
          static_cast<int64_t>(rank);
      if (step.partner)
        owner[static_cast<size_t>(step.partner->stage)] =
            static_cast<int64_t>(rank);
    }
  return owner;
}

} // namespace shardsmith::schedule
