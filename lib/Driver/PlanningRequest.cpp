// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/PlanningRequest.h"

#include "shardsmith/Driver/Session.h"

#include <fmt/format.h>

#include <charconv>

namespace shardsmith {
namespace {

// Text of an option's value, empty if it is not set, and back.

std::string textOf(const std::string &value) { return value; }
std::string textOf(double value) { return fmt::format("{}", value); }
std::string textOf(size_t value) { return fmt::format("{}", value); }
/// Positions and counts: negative ones stand for "not given".
std::string textOf(int64_t value) {
  return value < 0 ? "" : fmt::format("{}", value);
}
std::string textOf(bool value) { return value ? "on" : ""; }
template <typename Value> std::string textOf(std::optional<Value> value) {
  return value ? textOf(*value) : "";
}

std::string textOf(ExpertExchange exchange) { return nameOf(exchange).str(); }

void parse(const char *, const std::string &text, std::string &value) {
  value = text;
}
void parse(const char *name, const std::string &text, ExpertExchange &value) {
  std::optional<ExpertExchange> named = expertExchangeNamed(text);
  if (!named)
    fail(ExitCode::BadInput,
         fmt::format("option {} is \"{}\", expected \"cheaper\", \"fixed\" or "
                     "\"rows\"",
                     name, text));
  value = *named;
}
void parse(const char *name, const std::string &text, bool &value) {
  if (text != "on")
    fail(ExitCode::BadInput,
         fmt::format("option {} is \"{}\", expected \"on\"", name, text));
  value = true;
}
template <typename Number>
void parse(const char *name, const std::string &text, Number &value) {
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end)
    fail(ExitCode::BadInput,
         fmt::format("option {} is \"{}\", expected a number", name, text));
}
template <typename Number>
void parse(const char *name, const std::string &text,
           std::optional<Number> &value) {
  parse(name, text, value.emplace());
}

/// An option that plan files record.
struct Entry {
  const char *name;
  std::string (*get)(const PlanningRequest &request);
  void (*set)(PlanningRequest &request, const char *name,
              const std::string &text);
  /// Of a program alone: recorded if it was given, as no plan depends on it.
  bool isOfProgram = false;
};

/// `field` maps a request to a reference to the option's value.
template <typename Field> Entry entry(const char *name, Field) {
  return {
      name,
      [](const PlanningRequest &request) { return textOf(Field()(request)); },
      [](PlanningRequest &request, const char *name, const std::string &text) {
        parse(name, text, Field()(request));
      }};
}

/// What a train step is made with.
template <typename Field> Entry programEntry(const char *name, Field field) {
  Entry result = entry(name, field);
  result.isOfProgram = true;
  return result;
}

Entry computeTypeEntry() {
  auto get = [](const PlanningRequest &request) -> std::string {
    return nameOf(request.train.computeType).str();
  };
  auto set = [](PlanningRequest &request, const char *name,
                const std::string &text) {
    std::optional<ComputeType> type = computeTypeNamed(text);
    if (!type)
      fail(ExitCode::BadInput,
           fmt::format(
               "option {} is \"{}\", expected \"f32\", \"bf16\" or \"f8\"",
               name, text));
    request.train.computeType = *type;
  };
  return {"compute-dtype", get, set, /*isOfProgram=*/true};
}

/// In the order of plan files.
const std::vector<Entry> &entries() {
  static const std::vector<Entry> all = {
      entry("model", [](auto &r) -> auto & { return r.model.path; }),
      entry("params", [](auto &r) -> auto & { return r.model.import.params; }),
      entry("states", [](auto &r) -> auto & { return r.model.import.states; }),
      entry("batch", [](auto &r) -> auto & { return r.model.import.batch; }),
      entry("constants",
            [](auto &r) -> auto & { return r.model.import.constants; }),
      entry("loss", [](auto &r) -> auto & { return r.model.loss; }),
      entry("dim", [](auto &r) -> auto & { return r.model.dimensions; }),
      entry(
          "seq",
          [](auto &r) -> auto & { return r.model.description.sequenceLength; }),
      entry("global-batch",
            [](auto &r) -> auto & { return r.model.description.globalBatch; }),
      entry("dtype",
            [](auto &r) -> auto & { return r.model.description.elementType; }),
      entry("per-micro-batch-semantics",
            [](auto &r) -> auto & { return r.model.perMicroBatch; }),
      entry("cluster", [](auto &r) -> auto & { return r.cluster; }),
      entry("price", [](auto &r) -> auto & { return r.price; }),
      entry("profile", [](auto &r) -> auto & { return r.profile; }),
      entry("optimizer",
            [](auto &r) -> auto & { return r.train.optimizer.name; }),
      entry("margin", [](auto &r) -> auto & { return r.memoryMargin; }),
      entry("objective", [](auto &r) -> auto & { return r.objective; }),
      entry("fix", [](auto &r) -> auto & { return r.fix; }),
      entry("forbid", [](auto &r) -> auto & { return r.forbid; }),
      entry("top", [](auto &r) -> auto & { return r.top; }),
      entry("time-limit", [](auto &r) -> auto & { return r.timeLimit; }),
      entry("max-memory", [](auto &r) -> auto & { return r.maxMemory; }),
      programEntry(
          "lr",
          [](auto &r) -> auto & { return r.train.optimizer.learningRate; }),
      programEntry(
          "momentum",
          [](auto &r) -> auto & { return r.train.optimizer.momentum; }),
      programEntry(
          "nesterov",
          [](auto &r) -> auto & { return r.train.optimizer.nesterov; }),
      programEntry(
          "b1", [](auto &r) -> auto & { return r.train.optimizer.firstDecay; }),
      programEntry(
          "b2",
          [](auto &r) -> auto & { return r.train.optimizer.secondDecay; }),
      programEntry("eps",
                   [](auto &r) -> auto & { return r.train.optimizer.epsilon; }),
      programEntry(
          "weight-decay",
          [](auto &r) -> auto & { return r.train.optimizer.weightDecay; }),
      programEntry("clip-norm",
                   [](auto &r) -> auto & { return r.train.clipNorm; }),
      computeTypeEntry(),
      programEntry("expert-capacity",
                   [](auto &r) -> auto & { return r.train.expertCapacity; }),
      programEntry("expert-exchange",
                   [](auto &r) -> auto & { return r.train.expertExchange; }),
      programEntry(
          "attention-scores",
          [](auto &r) -> auto & { return r.train.leastAttentionScores; }),
  };
  return all;
}

} // namespace

Bytes PlanningRequest::memoryLimit() const { return memoryOf(maxMemory); }

Bytes memoryOf(double gibibytes) {
  constexpr double gibibyte = 1 << 30;
  return gibibytes > 0 ? Bytes(int64_t(gibibytes * gibibyte))
                       : Bytes::saturated();
}

std::vector<std::string> recordedOptions() {
  std::vector<std::string> names;
  for (const Entry &entry : entries())
    names.push_back(entry.name);
  return names;
}

std::vector<PlanOption> toOptions(const PlanningRequest &request) {
  std::vector<PlanOption> options;
  for (const Entry &entry : entries()) {
    bool isGiven = request.given.contains(entry.name);
    if (entry.isOfProgram && !isGiven)
      continue;
    if (std::string value = entry.get(request); !value.empty())
      options.push_back({entry.name, value, isGiven});
  }
  return options;
}

PlanningRequest toRequest(const std::vector<PlanOption> &options) {
  PlanningRequest request;
  for (const PlanOption &option : options)
    for (const Entry &entry : entries())
      if (option.name == entry.name) {
        entry.set(request, entry.name, option.value);
        if (option.given)
          request.given.insert(option.name);
      }
  return request;
}

void takeGiven(const PlanningRequest &from, PlanningRequest &to) {
  for (const Entry &entry : entries())
    if (std::string value = entry.get(from);
        from.given.contains(entry.name) && !value.empty()) {
      entry.set(to, entry.name, value);
      to.given.insert(entry.name);
    }
}

std::string givenOfTrainStep(const PlanningRequest &request) {
  for (const Entry &entry : entries()) {
    bool isOfStep =
        entry.isOfProgram || std::string_view(entry.name) == "optimizer";
    if (isOfStep && request.given.contains(entry.name))
      return entry.name;
  }
  return "";
}

SearchConstraints constraintsOf(const PlanningRequest &request) {
  SearchConstraints constraints;
  std::optional<std::string> problem;
  if (!request.fix.empty())
    problem = constraints.fix(request.fix);
  if (problem)
    fail(ExitCode::Usage, "--fix: " + *problem);
  if (!request.forbid.empty())
    problem = constraints.forbid(request.forbid);
  if (problem)
    fail(ExitCode::Usage, "--forbid: " + *problem);
  return constraints;
}

} // namespace shardsmith
