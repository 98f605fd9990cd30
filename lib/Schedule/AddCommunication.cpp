// SPDX-License-Identifier: Apache-2.0

#include "Messages.h"

#include <map>
#include <set>

namespace shardsmith::schedule {
namespace {

using RankPair = std::pair<int64_t, int64_t>;

/// The values that one rank sends another, in order, and how many of them the
/// receiver has posted a receive for.
struct Channel {
  std::vector<Value> sent;
  std::map<Value, size_t> position;
  size_t posted = 0;
};

class Writer {
public:
  Writer(const Schedule &schedule, CommunicationOptions missing)
      : schedule(schedule), options(missing), owner(schedule.rankOfStage()),
        writesMessages(!schedule.hasCommunication()) {
    for (const auto &steps : schedule.ranks)
      for (const Step &step : steps) {
        ActionKind kind = step.action.kind;
        options.gatherParameters &= kind != ActionKind::Unshard;
        options.reduceGradients &= kind != ActionKind::ReduceGradients;
        options.update &= kind != ActionKind::Update;
        forEachAction(step, [&](const Action &pass) { noteSend(pass); });
      }
  }

  std::vector<Step> write(const std::vector<Step> &steps) {
    std::vector<Step> written;
    std::map<int64_t, size_t> lastUse = lastUses(steps);
    for (size_t i = 0; i < steps.size(); ++i) {
      std::set<int64_t> here = stagesOf(steps[i]);
      std::set<int64_t> before =
          i > 0 ? stagesOf(steps[i - 1]) : std::set<int64_t>();
      std::set<int64_t> behind =
          i + 1 < steps.size() ? stagesOf(steps[i + 1]) : std::set<int64_t>();
      forEachAction(steps[i],
                    [&](const Action &pass) { receive(pass, written); });
      if (options.gatherParameters)
        appendMissing(ActionKind::Unshard, here, before, written);
      written.push_back(steps[i]);
      forEachAction(steps[i], [&](const Action &pass) { send(pass, written); });
      if (options.gatherParameters)
        appendMissing(ActionKind::Reshard, here, behind, written);
      for (int64_t stage : here)
        if (options.reduceGradients && lastUse.at(stage) == i)
          written.push_back({{ActionKind::ReduceGradients, stage}, {}});
    }
    for (const auto &[stage, last] : lastUse)
      if (options.update)
        written.push_back({{ActionKind::Update, stage}, {}});
    return written;
  }

private:
  static std::set<int64_t> stagesOf(const Step &step) {
    std::set<int64_t> stages;
    forEachAction(step, [&](const Action &pass) { stages.insert(pass.stage); });
    return stages;
  }

  static std::map<int64_t, size_t> lastUses(const std::vector<Step> &steps) {
    std::map<int64_t, size_t> last;
    for (size_t i = 0; i < steps.size(); ++i)
      for (int64_t stage : stagesOf(steps[i]))
        last[stage] = i;
    return last;
  }

  /// One action of kind `kind` per stage that is in `here` and not in `other`.
  static void appendMissing(ActionKind kind, const std::set<int64_t> &here,
                            const std::set<int64_t> &other,
                            std::vector<Step> &written) {
    for (int64_t stage : here)
      if (!other.count(stage))
        written.push_back({{kind, stage}, {}});
  }

  int64_t ownerOf(int64_t stage) const {
    return owner[static_cast<size_t>(stage)];
  }

  /// The pair of ranks that what `pass` makes has to travel between.
  std::optional<RankPair> route(const Action &pass) const {
    std::optional<int64_t> reader = readerOf(pass, schedule.stageCount);
    if (!writesMessages || !reader || ownerOf(*reader) == ownerOf(pass.stage))
      return std::nullopt;
    return RankPair(ownerOf(pass.stage), ownerOf(*reader));
  }

  static Value madeBy(const Action &pass) {
    return {pass.kind == ActionKind::Forward ? Product::Activation
                                             : Product::InputGradient,
            pass.stage, pass.microBatch};
  }

  void noteSend(const Action &pass) {
    std::optional<RankPair> pair = route(pass);
    if (!pair)
      return;
    Channel &channel = channels[*pair];
    channel.position[madeBy(pass)] = channel.sent.size();
    channel.sent.push_back(madeBy(pass));
  }

  void send(const Action &pass, std::vector<Step> &written) const {
    if (!route(pass))
      return;
    written.push_back({sendOf(madeBy(pass)), {}});
  }

  /// Posts receives up to and including what `pass` needs.
  void receive(const Action &pass, std::vector<Step> &written) {
    for (const Value &value : needs(pass, schedule.stageCount)) {
      RankPair pair(ownerOf(value.stage), ownerOf(pass.stage));
      if (pair.first == pair.second)
        continue;
      Channel &channel = channels[pair];
      auto needed = channel.position.find(value);
      if (needed == channel.position.end())
        continue;
      while (channel.posted <= needed->second)
        written.push_back({receiveOf(channel.sent[channel.posted++]), {}});
    }
  }

  const Schedule &schedule;
  /// What is still to be written out.
  CommunicationOptions options;
  std::vector<int64_t> owner;
  bool writesMessages;
  std::map<RankPair, Channel> channels;
};

} // namespace

Schedule addCommunication(const Schedule &schedule,
                          const CommunicationOptions &options) {
  Writer writer(schedule, options);
  Schedule written = schedule;
  for (std::vector<Step> &steps : written.ranks)
    steps = writer.write(steps);
  return written;
}

} // namespace shardsmith::schedule
