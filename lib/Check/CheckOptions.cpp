// SPDX-License-Identifier: Apache-2.0

#include "Axes.h"
#include "OptionChecks.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace shardsmith::check {
namespace {

/// Options by which model, cluster and profile are found, or whose value the
/// plan states elsewhere, too.
constexpr std::string_view loadedBy[] = {
    "model",   "params",    "states",
    "batch",   "constants", "dim",
    "loss",    "seq",       "global-batch",
    "dtype",   "cluster",   "price",
    "profile", "margin",    "per-micro-batch-semantics"};

/// The two Adams keep equal states, which is all that a plan knows of them.
/// What follows `max-memory` is of the program alone.
constexpr std::string_view unseen[] = {"optimizer",
                                       "time-limit",
                                       "max-memory",
                                       "lr",
                                       "momentum",
                                       "nesterov",
                                       "b1",
                                       "b2",
                                       "eps",
                                       "weight-decay",
                                       "clip-norm",
                                       "expert-capacity",
                                       "compute-dtype",
                                       "expert-exchange",
                                       "attention-scores"};

bool isOneOf(std::span<const std::string_view> options, std::string_view name) {
  return std::ranges::find(options, name) != options.end();
}

std::vector<std::string_view> partsOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

std::optional<int64_t> numberIn(std::string_view text) {
  int64_t number = 0;
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// What --fix and --forbid call the degrees.
std::optional<int64_t> degreeNamed(std::string_view name,
                                   const Strategy &strategy) {
  for (const AxisRow &row : axisRows())
    if (name == row.name || name == row.abbreviation)
      return strategy[row.degree];
  const std::pair<std::string_view, int64_t> others[] = {
      {"mbs", strategy.microBatch}, {"devices", strategy.rankCount()}};
  for (const auto &[known, degree] : others)
    if (known == name)
      return degree;
  return std::nullopt;
}

/// `8`, `2..8`, `..8`, `2..`; nothing if it is none of them.
std::optional<bool> isWithin(int64_t degree, std::string_view range) {
  size_t dots = range.find("..");
  bool isRange = dots != std::string_view::npos;
  std::string_view first = range.substr(0, dots);
  std::string_view last = isRange ? range.substr(dots + 2) : first;
  std::optional<int64_t> least = first.empty() ? 1 : numberIn(first);
  std::optional<int64_t> most = last.empty() ? INT64_MAX : numberIn(last);
  if (!least || !most || (first.empty() && last.empty()))
    return std::nullopt;
  return degree >= *least && degree <= *most;
}

bool recomputes(const Strategy &strategy, std::string_view choice) {
  for (const Stage &stage : strategy.stages)
    for (Recompute unit : stage.recompute)
      if (choice.empty() ? unit != Recompute::None : nameOf(unit) == choice)
        return true;
  return false;
}

/// `3+1+2`: the units of each stage.
bool hasStages(const Strategy &strategy, std::string_view sizes) {
  auto isOfSize = [](std::string_view size, const Stage &stage) {
    return numberIn(size) == stage.end - stage.begin;
  };
  return std::ranges::equal(partsOf(sizes, '+'), strategy.stages, isOfSize);
}

/// `none+full:4`: what each unit recomputes. `mayKeep`: units that keep
/// everything have what they are asked for.
bool hasChoices(const Strategy &strategy, std::string_view choices,
                bool mayKeep) {
  std::vector<Recompute> had;
  for (const Stage &stage : strategy.stages)
    had.insert(had.end(), stage.recompute.begin(), stage.recompute.end());
  auto next = had.begin();
  for (std::string_view part : partsOf(choices, '+')) {
    size_t colon = part.find(':');
    int64_t count = colon == std::string_view::npos
                        ? 1
                        : numberIn(part.substr(colon + 1)).value_or(0);
    if (count < 1 || count > had.end() - next)
      return false;
    for (; count > 0; --count, ++next)
      if (nameOf(*next) != part.substr(0, colon) &&
          !(mayKeep && *next == Recompute::None))
        return false;
  }
  return next == had.end();
}

/// Whether the strategy has what one part of --fix asks for; nothing where
/// plans do not tell.
std::optional<bool> obeysFix(const Strategy &strategy, std::string_view name,
                             std::string_view value, bool onlyLayers) {
  if (auto degree = degreeNamed(name, strategy))
    return isWithin(*degree, value);
  if (name == "zero")
    return fmt::format("{}", strategy.zeroStage) == value;
  if (name == "fsdp")
    return strategy.zeroStage == 3;
  if (name == "schedule" && strategy.pipeline > 1)
    return nameOf(strategy.schedule) == value;
  if (name == "context-method" && strategy.context > 1)
    return nameOf(strategy.contextMethod) == value;
  if (name == "stages")
    return hasStages(strategy, value);
  if (name == "recompute" && value.find_first_of(":+") != value.npos)
    return hasChoices(strategy, value, onlyLayers);
  if (name == "recompute" && value == "none")
    return !recomputes(strategy, "");
  if (name == "recompute")
    return recomputes(strategy, value);
  return std::nullopt;
}

std::optional<bool> obeysForbid(const Strategy &strategy, std::string_view name,
                                std::string_view value) {
  if (auto degree = degreeNamed(name, strategy); degree && value.empty())
    return *degree == 1;
  if (name == "zero" && value.empty())
    return strategy.zeroStage == 0;
  if (name == "zero")
    return fmt::format("{}", strategy.zeroStage) != value;
  if (name == "fsdp")
    return strategy.zeroStage != 3;
  if (name == "recompute")
    return !recomputes(strategy, value);
  if (strategy.pipeline > 1)
    return nameOf(strategy.schedule) != (value.empty() ? name : value);
  return std::nullopt;
}

} // namespace

void checkOptions(const Claims &claims, Findings &findings,
                  CheckReport &report) {
  report.notLookedAt.push_back("/options/*/from");
  for (size_t i = 0; i < claims.options.size(); ++i) {
    const auto &[name, value] = claims.options[i];
    std::string item = fmt::format("/options/{}", i);
    ++report.compared;
    if (isOneOf(loadedBy, name))
      continue;
    if (name == "objective") {
      if (value != claims.objective)
        findings.differs(item + "/value", value, claims.objective,
                         "the objective of the search");
    } else if (name == "top") {
      auto shown = static_cast<int64_t>(claims.alternatives.size()) + 1;
      std::optional<int64_t> top = numberIn(value);
      if (!top || (claims.objective != "front" && shown > *top))
        findings.differs(item + "/value", value, fmt::format("{}", shown),
                         "plans in this file");
      // There may be fewer plans than were asked for.
      report.notLookedAt.push_back(item + "/value");
    } else if (name == "fix" || name == "forbid") {
      bool isFix = name == "fix", isSeen = true;
      // A mesh with both axes gives the data ranks as their product.
      bool hasMesh = value.find("fsdp") != std::string::npos;
      bool onlyLayers = value.find("recomputed=layers") != std::string::npos;
      for (std::string_view part : partsOf(value, ',')) {
        size_t equals = part.find('=');
        std::string_view key = part.substr(0, equals);
        std::string_view wanted = equals == std::string_view::npos
                                      ? std::string_view()
                                      : part.substr(equals + 1);
        if (hasMesh && degreeNamed(key, claims.strategy)) {
          isSeen = false;
          continue;
        }
        std::optional<bool> obeys =
            isFix ? obeysFix(claims.strategy, key, wanted, onlyLayers)
                  : obeysForbid(claims.strategy, key, wanted);
        isSeen &= obeys.has_value();
        if (obeys && !*obeys)
          findings.broken(item + "/value", "the plan does not obey '{}'", part);
      }
      if (!isSeen || !isFix || value.find("..") != std::string::npos)
        report.notLookedAt.push_back(item + "/value");
    } else if (isOneOf(unseen, name)) {
      report.notLookedAt.push_back(item + "/value");
    } else {
      findings.broken(item + "/name", "there is no option '{}'", name);
    }
  }
}

} // namespace shardsmith::check
