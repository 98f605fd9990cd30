// SPDX-License-Identifier: Apache-2.0

#include "ReplayState.h"

#include "Messages.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

std::string nameOf(const Value &value) {
  const char *product = "";
  switch (value.product) {
  case Product::Activation:
    product = "F";
    break;
  case Product::InputGradient:
    product = "I";
    break;
  case Product::WeightGradient:
    product = "W";
    break;
  }
  return fmt::format("{}{}{}", value.stage, product, value.microBatch);
}

} // namespace

ReplayState::ReplayState(const Schedule &schedule)
    : schedule(schedule), messagesWrittenOut(schedule.hasCommunication()),
      owner(schedule.rankOfStage()), passes(schedule),
      stages(static_cast<size_t>(schedule.stageCount)) {
  for (const auto &steps : schedule.ranks)
    for (const Step &step : steps) {
      StageState &stage = stages[static_cast<size_t>(step.action.stage)];
      stage.gathersParameters |= step.action.kind == ActionKind::Unshard;
      stage.reducesGradients |= step.action.kind == ActionKind::ReduceGradients;
    }
}

bool ReplayState::travels(const Value &value, const Action &reader) const {
  return messagesWrittenOut && owner[static_cast<size_t>(value.stage)] !=
                                   owner[static_cast<size_t>(reader.stage)];
}

std::optional<Blocked> ReplayState::blocked(const Action &action) const {
  int64_t here = owner[static_cast<size_t>(action.stage)];
  auto isMade = [&](const Value &value) {
    return passes.at(value.stage, value.microBatch).made[size_t(value.product)];
  };
  if (isCompute(action.kind)) {
    for (const Value &value : needs(action, schedule.stageCount)) {
      int64_t maker = owner[static_cast<size_t>(value.stage)];
      bool there = travels(value, action)
                       ? passes.at(value.stage, value.microBatch)
                             .arrived[size_t(value.product)]
                       : isMade(value);
      if (!there)
        return Blocked{nameOf(value), maker, value};
    }
    return std::nullopt;
  }
  if (isSend(action.kind)) {
    Value value = carriedBy(action);
    if (!isMade(value))
      return Blocked{nameOf(value), here, value};
    return std::nullopt;
  }
  const StageState &stage = stages[static_cast<size_t>(action.stage)];
  bool waitsForGradients = action.kind == ActionKind::ReduceGradients ||
                           action.kind == ActionKind::Update;
  if (waitsForGradients && stage.weightGradients < schedule.microBatchCount)
    return Blocked{
        fmt::format("the last weight gradient of stage {}", action.stage),
        here};
  if (action.kind == ActionKind::Update && stage.reducesGradients &&
      !stage.reduced)
    return Blocked{fmt::format("{}REDUCE_GRAD", action.stage), here};
  return std::nullopt;
}

std::string ReplayState::post(const Value &value, int64_t from, int64_t to,
                              bool isSend) {
  Pass &pass = passes.at(value.stage, value.microBatch);
  bool &before = (isSend ? pass.sent : pass.received)[size_t(value.product)];
  if (before)
    return fmt::format("{} is {} a second time", nameOf(value),
                       isSend ? "sent" : "received");
  before = true;
  Channel &channel = channels[{from, to}];
  std::vector<Value> &mine = isSend ? channel.sends : channel.receives;
  const std::vector<Value> &theirs = isSend ? channel.receives : channel.sends;
  size_t position = mine.size();
  mine.push_back(value);
  if (position >= theirs.size())
    return {};
  if (theirs[position] != value)
    return fmt::format("message {} from rank {} to rank {} is {} where it is "
                       "sent and {} where it is received",
                       position, from, to, nameOf(channel.sends[position]),
                       nameOf(channel.receives[position]));
  pass.arrived[size_t(value.product)] = true;
  return {};
}

std::string ReplayState::run(const Action &action) {
  StageState &stage = stages[static_cast<size_t>(action.stage)];
  if (isCompute(action.kind)) {
    Pass &pass = passes.at(action.stage, action.microBatch);
    pass.made[size_t(Product::Activation)] |=
        action.kind == ActionKind::Forward;
    pass.made[size_t(Product::InputGradient)] |=
        makesInputGradient(action.kind);
    if (makesWeightGradient(action.kind))
      ++stage.weightGradients;
    if (stage.gathersParameters && !stage.gathered)
      return fmt::format("{} runs while the parameters of stage {} are not "
                         "gathered",
                         str(action), action.stage);
    return {};
  }
  if (isCommunication(action.kind)) {
    int64_t peer = peerStage(action);
    if (peer < 0 || peer >= schedule.stageCount)
      return fmt::format("{} has no stage to talk to", str(action));
    int64_t here = owner[static_cast<size_t>(action.stage)];
    int64_t there = owner[static_cast<size_t>(peer)];
    if (here == there)
      return fmt::format("{} is a message of rank {} to itself", str(action),
                         here);
    bool sends = isSend(action.kind);
    return post(carriedBy(action), sends ? here : there, sends ? there : here,
                sends);
  }
  return runOfWholeStage(action);
}

std::string ReplayState::runOfWholeStage(const Action &action) {
  StageState &stage = stages[static_cast<size_t>(action.stage)];
  switch (action.kind) {
  case ActionKind::Unshard:
    if (stage.gathered)
      return fmt::format("{} gathers parameters that are gathered already",
                         str(action));
    stage.gathered = true;
    return {};
  case ActionKind::Reshard:
    if (!stage.gathered)
      return fmt::format("{} frees parameters that are not gathered",
                         str(action));
    stage.gathered = false;
    return {};
  case ActionKind::ReduceGradients:
    if (stage.reduced)
      return fmt::format("{} is the second reduction of its stage",
                         str(action));
    stage.reduced = true;
    return {};
  default:
    if (stage.updated)
      return fmt::format("{} is the second update of its stage", str(action));
    stage.updated = true;
    return {};
  }
}

std::vector<Leftover> ReplayState::leftovers() const {
  std::vector<Leftover> leftovers;
  for (const auto &[pair, channel] : channels) {
    size_t matched = std::min(channel.sends.size(), channel.receives.size());
    for (size_t i = matched; i < channel.sends.size(); ++i)
      leftovers.push_back(
          {fmt::format("{} is sent from rank {} to rank {} and never received",
                       nameOf(channel.sends[i]), pair.first, pair.second),
           sendOf(channel.sends[i])});
    for (size_t i = matched; i < channel.receives.size(); ++i)
      leftovers.push_back(
          {fmt::format("rank {} waits to receive {} from rank {}, which never "
                       "sends it",
                       pair.second, nameOf(channel.receives[i]), pair.first),
           receiveOf(channel.receives[i])});
  }
  bool anyReduces = std::ranges::any_of(stages, &StageState::reducesGradients);
  for (int64_t stage = 0; stage < schedule.stageCount && anyReduces; ++stage)
    if (!stages[static_cast<size_t>(stage)].reducesGradients)
      leftovers.push_back(
          {fmt::format("stage {} never reduces its gradients, and others do",
                       stage),
           {ActionKind::Forward, stage, schedule.microBatchCount - 1}});
  return leftovers;
}

} // namespace shardsmith::schedule
