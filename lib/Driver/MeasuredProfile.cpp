// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/MeasuredProfile.h"

#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/StableSort.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

using nlohmann::json;
using schedule::Action;
using schedule::ActionKind;

/// What the passes of programs without stages are called, before their number.
constexpr std::string_view wholePass = "micro-batch ";

/// A file that is no profile of a program.
struct Unreadable {
  std::string why;
};

struct Event {
  enum class Kind { Pass, Send, Receive, Other } kind = Kind::Other;
  Action pass;
  /// Of a message the rank at the other end and its size, as a text.
  std::string message;
  bool onlyWaits = false; ///< no part of a message's time is its copy
  int64_t begin = 0, end = 0;
};

struct MeasuredStep {
  int64_t begin = 0, end = 0;
  std::vector<Event> events;
};

/// One rank of the program.
struct Process {
  size_t pipelineRank = 0;
  std::map<int64_t, MeasuredStep> steps;
};

/// What one rank does in one step.
struct StepTimes {
  std::vector<std::pair<Action, int64_t>> passes;
  int64_t update = 0;
};

int64_t nanoseconds(const json &microseconds) {
  double value = microseconds.get<double>() * 1000;
  // A step of a month is none.
  if (!(std::abs(value) < 3e15))
    throw Unreadable{"it has times beyond a month"};
  return std::llround(value);
}

int64_t median(std::vector<int64_t> values) {
  size_t middle = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + ptrdiff_t(middle));
  return values[middle];
}

class ProfileReader {
public:
  explicit ProfileReader(const json &file) : file(file) {}

  MeasuredProfile read() {
    if (file.at("otherData").at("format") != "shardsmith-profile/1")
      throw Unreadable{"its format is not \"shardsmith-profile/1\""};
    MeasuredProfile profile;
    profile.planHash = file.at("otherData").at("plan_hash").get<std::string>();
    for (const json &event : file.at("traceEvents"))
      readEvent(event);
    if (processes.empty() || processes.begin()->second.steps.empty())
      throw Unreadable{"it has no step"};
    profile.steps = int64_t(processes.begin()->second.steps.size());
    size_t ranks = 0;
    for (const auto &[number, process] : processes)
      ranks = std::max(ranks, process.pipelineRank + 1);
    if (ranks > processes.size())
      throw Unreadable{"pipeline ranks are missing in it"};
    profile.hasStages = hasStages;
    profile.passes.resize(ranks);
    profile.updates.resize(ranks);
    for (auto &[number, process] : processes)
      take(process, profile);
    profile.step = Nanoseconds(longestStep());
    return profile;
  }

private:
  void readEvent(const json &event) {
    int64_t process = event.at("pid").get<int64_t>();
    const std::string &phase = event.at("ph").get_ref<const std::string &>();
    const std::string &name = event.at("name").get_ref<const std::string &>();
    if (phase == "M" && name == "process_name") {
      int64_t rank = event.at("args").at("pipeline_rank").get<int64_t>();
      if (rank < 0 || rank >= (1 << 20))
        throw Unreadable{fmt::format("pipeline rank {} is absurd", rank)};
      processes[process].pipelineRank = size_t(rank);
    }
    if (phase != "X")
      return;
    if (!processes.contains(process))
      throw Unreadable{fmt::format("process {} has no name", process)};
    MeasuredStep &step = processes[process].steps[event.at("args").at("step")];
    int64_t begin = nanoseconds(event.at("ts"));
    int64_t end = begin + nanoseconds(event.at("dur"));
    if (end < begin)
      throw Unreadable{fmt::format("{} ends before it begins", name)};
    const std::string &category =
        event.at("cat").get_ref<const std::string &>();
    // Passes say what its streams did.
    if (category == "device")
      return;
    if (category == "step") {
      step.begin = begin;
      step.end = end;
      return;
    }
    Event read;
    read.begin = begin;
    read.end = end;
    if (category == "compute") {
      read.kind = Event::Kind::Pass;
      read.pass = passOf(name);
      (name.starts_with(wholePass) ? hasWholes : hasStages) = true;
      if (hasWholes && hasStages)
        throw Unreadable{"some of its passes are of stages, others are not"};
    } else if (name.starts_with("send to ")) {
      read.kind = Event::Kind::Send;
    } else if (name.starts_with("receive from ")) {
      read.kind = Event::Kind::Receive;
      read.onlyWaits = event.at("args").value("only_waits", false);
      read.message = fmt::format("{}, {} bytes", name,
                                 event.at("args").at("bytes").get<int64_t>());
    }
    step.events.push_back(read);
  }

  static Action passOf(const std::string &name) {
    if (name.starts_with(wholePass)) {
      std::string_view number = std::string_view(name).substr(wholePass.size());
      int64_t microBatch = -1;
      auto [end, problem] = std::from_chars(
          number.data(), number.data() + number.size(), microBatch);
      if (problem == std::errc() && end == number.data() + number.size() &&
          microBatch >= 0)
        return {ActionKind::Forward, 0, microBatch};
    }
    std::optional<Action> pass = schedule::actionNamed(name);
    if (!pass || !schedule::isCompute(pass->kind))
      throw Unreadable{
          fmt::format("'{}' is no pass of a stage, nor a micro-batch", name)};
    return *pass;
  }

  void take(Process &process, MeasuredProfile &profile) {
    for (auto &[number, step] : process.steps)
      stableSortBy(step.events, &Event::begin);
    findCopies(process);
    std::map<Action, std::vector<int64_t>> times;
    std::vector<int64_t> updates;
    std::vector<Action> order;
    for (const auto &[number, step] : process.steps) {
      StepTimes each = timesOf(step);
      std::vector<Action> passes;
      for (const auto &[pass, time] : each.passes) {
        times[pass].push_back(time);
        passes.push_back(pass);
      }
      if (!order.empty() && passes != order)
        throw Unreadable{"its steps differ in what ranks did"};
      order = std::move(passes);
      updates.push_back(each.update);
    }
    std::vector<Action> &known = profile.passes[process.pipelineRank];
    if (!known.empty() && known != order)
      throw Unreadable{"ranks with the same stages did different things"};
    known = std::move(order);
    for (auto &[pass, each] : times) {
      Nanoseconds &time = profile.times[pass];
      time = std::max(time, Nanoseconds(median(std::move(each))));
    }
    Nanoseconds &update = profile.updates[process.pipelineRank];
    update = std::max(update, Nanoseconds(median(std::move(updates))));
  }

  /// What takes messages of each kind without waiting.
  void findCopies(const Process &process) {
    copies.clear();
    for (const auto &[number, step] : process.steps)
      for (const Event &event : step.events)
        if (event.kind == Event::Kind::Receive) {
          int64_t time = event.onlyWaits ? 0 : event.end - event.begin;
          auto [found, isNew] = copies.emplace(event.message, time);
          found->second = std::min(found->second, time);
        }
  }

  StepTimes timesOf(const MeasuredStep &step) const {
    StepTimes result;
    int64_t previous = step.begin, waited = 0;
    /// The pass whose result is being sent, if any.
    std::optional<Action> sending;
    int64_t ended = 0;
    auto close = [&] {
      if (sending)
        result.passes.emplace_back(*sending, ended - previous - waited);
      if (sending) {
        previous = ended;
        waited = 0;
      }
      sending.reset();
    };
    for (const Event &event : step.events) {
      // What happens within a pass is part of it.
      if (sending && event.end <= ended && event.kind != Event::Kind::Pass)
        continue;
      switch (event.kind) {
      case Event::Kind::Pass:
        close();
        sending = event.pass;
        ended = event.end;
        break;
      case Event::Kind::Send:
        ended = std::max(ended, event.end);
        break;
      case Event::Kind::Receive:
        close();
        waited += event.end - event.begin - copies.at(event.message);
        break;
      case Event::Kind::Other:
        close();
        break;
      }
    }
    close();
    result.update = std::max<int64_t>(0, step.end - previous - waited);
    return result;
  }

  /// Median over steps of the longest one of any rank.
  int64_t longestStep() const {
    std::map<int64_t, int64_t> longest;
    for (const auto &[number, process] : processes)
      for (const auto &[each, step] : process.steps)
        longest[each] = std::max(longest[each], step.end - step.begin);
    std::vector<int64_t> values;
    for (const auto &[each, time] : longest)
      values.push_back(time);
    return median(std::move(values));
  }

  const json &file;
  bool hasStages = false, hasWholes = false;
  std::map<int64_t, Process> processes;
  std::map<std::string, int64_t> copies;
};

} // namespace

std::optional<MeasuredProfile> readProfile(std::string_view text,
                                           std::string &error) {
  std::optional<json> file = parseJson(text, error);
  if (!file)
    return std::nullopt;
  try {
    return ProfileReader(*file).read();
  } catch (const Unreadable &unreadable) {
    error = unreadable.why;
  } catch (const json::exception &) {
    error = "it is no profile of a program";
  }
  error += "; expected a file that 'shardsmith run --profile FILE' wrote";
  return std::nullopt;
}

} // namespace shardsmith
