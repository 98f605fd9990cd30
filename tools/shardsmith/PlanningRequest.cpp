// SPDX-License-Identifier: Apache-2.0

#include "PlanningRequest.h"

#include "NumberIn.h"
#include "Session.h"

#include "shardsmith/Cluster/ClusterReader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <thread>

namespace shardsmith {
namespace {

constexpr const char *kPlanning = "Planning";

// Text of an option's value, empty if it is not set, and back.

std::string textOf(const std::string &value) { return value; }
std::string textOf(double value) { return fmt::format("{}", value); }
std::string textOf(size_t value) { return fmt::format("{}", value); }
/// Positions and counts: negative ones stand for "not given".
std::string textOf(int64_t value) {
  return value < 0 ? "" : fmt::format("{}", value);
}
template <typename Value> std::string textOf(std::optional<Value> value) {
  return value ? textOf(*value) : "";
}

void parse(const char *, const std::string &text, std::string &value) {
  value = text;
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

/// In the order of plan files.
const std::vector<Entry> &entries() {
  static const std::vector<Entry> all = {
      entry("model", [](auto &r) -> auto & { return r.model.path; }),
      entry("params", [](auto &r) -> auto & { return r.model.import.params; }),
      entry("states", [](auto &r) -> auto & { return r.model.import.states; }),
      entry("batch", [](auto &r) -> auto & { return r.model.import.batch; }),
      entry("constants",
            [](auto &r) -> auto & { return r.model.import.constants; }),
      entry("loss", [](auto &r) -> auto & { return r.model.import.loss; }),
      entry(
          "seq",
          [](auto &r) -> auto & { return r.model.description.sequenceLength; }),
      entry("global-batch",
            [](auto &r) -> auto & { return r.model.description.globalBatch; }),
      entry("dtype",
            [](auto &r) -> auto & { return r.model.description.elementType; }),
      entry("cluster", [](auto &r) -> auto & { return r.cluster; }),
      entry("price", [](auto &r) -> auto & { return r.price; }),
      entry("profile", [](auto &r) -> auto & { return r.profile; }),
      entry("optimizer", [](auto &r) -> auto & { return r.optimizer; }),
      entry("margin", [](auto &r) -> auto & { return r.memoryMargin; }),
      entry("objective", [](auto &r) -> auto & { return r.objective; }),
      entry("fix", [](auto &r) -> auto & { return r.fix; }),
      entry("forbid", [](auto &r) -> auto & { return r.forbid; }),
      entry("top", [](auto &r) -> auto & { return r.top; }),
      entry("time-limit", [](auto &r) -> auto & { return r.timeLimit; }),
      entry("max-memory", [](auto &r) -> auto & { return r.maxMemory; }),
  };
  return all;
}

} // namespace

void addTargetOptions(CLI::App &command, PlanningRequest &request) {
  command
      .add_option("--cluster", request.cluster,
                  fmt::format("Cluster file, or a built-in one: {}",
                              fmt::join(builtinClusterExamples(), ", ")))
      ->group(kPlanning);
  command
      .add_option("--price", request.price,
                  "Dollars per device and hour in place of the cluster's: 2.9, "
                  "or by type h100=2.9,a100-80=1.5")
      ->group(kPlanning);
  command
      .add_option("--profile", request.profile,
                  fmt::format("Software stack, a file or a built-in one: {}; "
                              "default: shardsmith on CPUs, else generic",
                              fmt::join(builtinProfileNames(), ", ")))
      ->group(kPlanning);
  command
      .add_option("--margin,--memory-margin", request.memoryMargin,
                  "Share of each device's memory to leave free")
      ->check(numberIn(0, 0.95))
      ->capture_default_str()
      ->group(kPlanning);
}

Bytes PlanningRequest::memoryLimit() const { return memoryOf(maxMemory); }

Bytes memoryOf(double gibibytes) {
  constexpr double gibibyte = 1 << 30;
  return gibibytes > 0 ? Bytes(int64_t(gibibytes * gibibyte))
                       : Bytes::saturated();
}

void addMemoryOption(CLI::App &command, double &maxMemory) {
  command
      .add_option("--max-memory", maxMemory,
                  "GiB of memory for planning itself, 0 for no limit; it ends "
                  "with the best plan so far")
      ->check(numberIn(0, 1e6))
      ->capture_default_str()
      ->group(kPlanning);
}

void addSearchOptions(CLI::App &command, PlanningRequest &request) {
  command
      .add_option("--fix", request.fix,
                  "Part of the plan: tp=8,pp=4,dp=2,zero=1,recompute=full, …; "
                  "values may be ranges as tp=2..8")
      ->group(kPlanning);
  command
      .add_option("--forbid", request.forbid,
                  "What no plan may use: pp,zero=3,recompute=full, …")
      ->group(kPlanning);
  command
      .add_option(
          "--top", request.top,
          "Plans to show; those at most 1 % behind the first are the best "
          "there are, others the best that were met; a front is shown whole")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->group(kPlanning);
  command
      .add_option("--time-limit", request.timeLimit,
                  "Seconds for the search, 0 for no limit; it ends with the "
                  "best plan so far, and exit code 124 if a limit was given")
      ->check(numberIn(0, 1e6))
      ->capture_default_str()
      ->group(kPlanning);
  addMemoryOption(command, request.maxMemory);
  request.threads = std::max(1u, std::thread::hardware_concurrency());
  command
      .add_option("--threads", request.threads,
                  "Threads of the search; the plan is the same for any number")
      ->check(CLI::Range(1, 1024))
      ->group(kPlanning);
  command
      .add_option("--objective", request.objective,
                  "What to minimise: time; dollars where all devices have a "
                  "price; front for every plan that no other is as fast as and "
                  "as cheap as")
      ->check(CLI::IsMember({"time", "dollars", "front"}))
      ->capture_default_str()
      ->group(kPlanning);
}

void addOptimizerOption(CLI::App &command, PlanningRequest &request) {
  command.add_option("--optimizer", request.optimizer, "sgd, adam or adamw")
      ->check(CLI::IsMember({"sgd", "adam", "adamw"}))
      ->capture_default_str()
      ->group("Training");
}

void noteGiven(const CLI::App &command, PlanningRequest &request) {
  for (const Entry &entry : entries()) {
    const CLI::Option *option =
        command.get_option_no_throw(fmt::format("--{}", entry.name));
    if (option && option->count() > 0)
      request.given.insert(entry.name);
  }
  request.given.insert("model");
}

std::vector<PlanOption> toOptions(const PlanningRequest &request) {
  std::vector<PlanOption> options;
  for (const Entry &entry : entries())
    if (std::string value = entry.get(request); !value.empty())
      options.push_back(
          {entry.name, value, request.given.contains(entry.name)});
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
