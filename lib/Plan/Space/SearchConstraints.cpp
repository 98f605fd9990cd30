// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Space/SearchConstraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <vector>

namespace shardsmith {

namespace {

using Problem = std::optional<std::string>;

using Range = DegreeRange SearchConstraints::*;

/// What has a range beside the degrees.
constexpr std::pair<std::string_view, Range> otherRanges[] = {
    {"micro-batch", &SearchConstraints::microBatch},
    {"mbs", &SearchConstraints::microBatch},
    {"devices", &SearchConstraints::devices}};

/// The degrees in the order in which users are told of them: parts of the data
/// axis behind it.
std::vector<const DegreeTraits *> degreesAsTold() {
  std::vector<const DegreeTraits *> all;
  for (const DegreeTraits &traits : allDegrees())
    if (traits.degree != Degree::Expert)
      all.push_back(&traits);
  auto data = std::ranges::find(all, Degree::Data, &DegreeTraits::degree);
  all.insert(data + 1, &allDegrees()[size_t(Degree::Expert)]);
  return all;
}

constexpr std::string_view otherNames =
    "fsdp, zero, zero-groups, stages, schedule, rounds, recompute, "
    "recomputed, "
    "context-method, order, sp, features, even";

const DegreeTraits *degreeNamed(std::string_view name) {
  for (const DegreeTraits &traits : allDegrees())
    if (traits.name == name || traits.abbreviation == name)
      return &traits;
  return nullptr;
}

DegreeRange *rangeNamed(SearchConstraints &constraints, std::string_view name) {
  if (const DegreeTraits *traits = degreeNamed(name))
    return &constraints[traits->degree];
  for (auto [other, range] : otherRanges)
    if (other == name)
      return &(constraints.*range);
  return nullptr;
}

std::string knownNames() {
  std::string names;
  for (const DegreeTraits *traits : degreesAsTold())
    names += fmt::format("{}, {}, ", traits->name, traits->abbreviation);
  for (auto [name, range] : otherRanges)
    names += fmt::format("{}, ", name);
  return names + std::string(otherNames);
}

std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  while (true) {
    size_t end = text.find(separator);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return found;
    text.remove_prefix(end + 1);
  }
}

std::optional<int64_t> degreeOf(std::string_view text) {
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    return std::nullopt;
  return number;
}

Problem notANumber(std::string_view name, std::string_view value) {
  return fmt::format("{}={}: expected a number of at least 1, or a range "
                     "such as 2..8",
                     name, value);
}

/// `8`, `2..8`, `..8`, `2..`
Problem narrow(DegreeRange &range, std::string_view name,
               std::string_view value) {
  DegreeRange given = range;
  size_t dots = value.find("..");
  std::string_view least = value.substr(0, dots);
  std::string_view most =
      dots == std::string_view::npos ? value : value.substr(dots + 2);
  if (least.empty() && most.empty())
    return notANumber(name, value);
  for (auto [text, bound] :
       {std::pair(least, &given.least), std::pair(most, &given.most)}) {
    if (text.empty())
      continue;
    std::optional<int64_t> number = degreeOf(text);
    if (!number)
      return notANumber(name, value);
    *bound = *number;
  }
  if (given.least > given.most || given.most < range.least ||
      given.least > range.most)
    return fmt::format("{}={} contradicts an earlier {}", name, value,
                       given.least > given.most ? "bound" : "value");
  range = {std::max(given.least, range.least),
           std::min(given.most, range.most)};
  return std::nullopt;
}

/// Leaves only `index`, which must be allowed still.
template <size_t Count>
Problem choose(std::array<bool, Count> &allowed, size_t index,
               std::string_view name, std::string_view value) {
  if (!allowed[index])
    return fmt::format("{}={} contradicts what was given before", name, value);
  allowed.fill(false);
  allowed[index] = true;
  return std::nullopt;
}

template <size_t Count>
Problem exclude(std::array<bool, Count> &allowed, size_t index,
                std::string_view name) {
  allowed[index] = false;
  if (std::ranges::find(allowed, true) == allowed.end())
    return fmt::format("with '{}' nothing of its kind is left", name);
  return std::nullopt;
}

/// More units than any model has, so that sums of them fit 64 bits.
constexpr int64_t mostUnits = int64_t(1) << 20;

/// `3+1+2`: the number of units of each stage.
std::optional<std::vector<int64_t>> stageSizesNamed(std::string_view text) {
  std::vector<int64_t> sizes;
  for (std::string_view part : parts(text, '+')) {
    std::optional<int64_t> size = degreeOf(part);
    if (!size || *size > mostUnits)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// `none:1+full:3`: so many units with each choice, in the order of the chain.
/// A choice without a number is that of one unit.
std::optional<std::vector<Recompute>>
unitRecomputeNamed(std::string_view text) {
  std::vector<Recompute> choices;
  for (std::string_view part : parts(text, '+')) {
    size_t colon = part.find(':');
    std::optional<Recompute> choice = recomputeNamed(part.substr(0, colon));
    std::optional<int64_t> count = 1;
    if (colon != std::string_view::npos)
      count = degreeOf(part.substr(colon + 1));
    if (!choice || !count || *count > mostUnits - int64_t(choices.size()))
      return std::nullopt;
    choices.insert(choices.end(), size_t(*count), *choice);
  }
  return choices;
}

/// Whether a choice of one unit each, and not one of all units.
bool isPerUnit(std::string_view recompute) {
  return recompute.find_first_of(":+") != std::string_view::npos;
}

Problem chooseUnitRecompute(SearchConstraints &constraints,
                            std::string_view name, std::string_view value) {
  std::optional<std::vector<Recompute>> choices = unitRecomputeNamed(value);
  if (!choices)
    return fmt::format("{}={}: expected none, selective or full of so many "
                       "units in turn, such as none:1+full:3",
                       name, value);
  std::array<bool, recomputeChoices> used = {};
  for (Recompute choice : *choices)
    used[size_t(choice)] = true;
  bool isAllowed =
      constraints.unitRecompute.empty() &&
      std::ranges::equal(used, constraints.recompute,
                         [](bool uses, bool may) { return !uses || may; });
  if (!isAllowed)
    return fmt::format("{}={} contradicts what was given before", name, value);
  constraints.recompute = used;
  constraints.unitRecompute = std::move(*choices);
  return std::nullopt;
}

std::optional<size_t> zeroNamed(std::string_view text) {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '3')
    return size_t(text[0] - '0');
  return std::nullopt;
}

std::optional<size_t> methodNamed(std::string_view text) {
  for (ContextMethod method : {ContextMethod::Ring, ContextMethod::AllToAll})
    if (nameOf(method) == text)
      return size_t(method);
  return std::nullopt;
}

std::optional<std::vector<PlanAxis>> orderNamed(std::string_view text) {
  std::vector<PlanAxis> order;
  for (std::string_view name : parts(text, '-')) {
    const DegreeTraits *traits = degreeNamed(name);
    if (!traits || !traits->axis)
      return std::nullopt;
    order.push_back(*traits->axis);
  }
  std::vector<PlanAxis> sorted = order;
  std::ranges::sort(sorted);
  std::vector<PlanAxis> all = usualDeviceOrder();
  std::ranges::sort(all);
  if (sorted != all)
    return std::nullopt;
  return order;
}

std::string scheduleNames() {
  std::string names;
  for (size_t family = 0; family < scheduleFamilies; ++family)
    names += fmt::format("{}{}", family == 0 ? "" : ", ",
                         nameOf(ScheduleFamily(family)));
  return names;
}

bool SearchConstraints::*switchNamed(std::string_view name) {
  if (name == "sp")
    return &SearchConstraints::sequenceParallel;
  if (name == "features")
    return &SearchConstraints::splitsFeatures;
  if (name == "even")
    return &SearchConstraints::onlyEven;
  if (name == "zero-groups")
    return &SearchConstraints::zeroGroups;
  return nullptr;
}

Problem fixOne(SearchConstraints &constraints, std::string_view name,
               std::string_view value) {
  if (DegreeRange *range = rangeNamed(constraints, name))
    return narrow(*range, name, value);
  auto unknown = [&](std::string_view expected) {
    return fmt::format("{}={}: expected {}", name, value, expected);
  };
  if (name == "fsdp") {
    std::optional<int64_t> ranks = degreeOf(value);
    if (!ranks)
      return unknown("a number of at least 1");
    constraints.dataRanksPerCopy = ranks;
    return choose(constraints.zero, 3, name, value);
  }
  if (name == "zero") {
    std::optional<size_t> stage = zeroNamed(value);
    return stage ? choose(constraints.zero, *stage, name, value)
                 : unknown("0, 1, 2 or 3");
  }
  if (name == "recompute" && isPerUnit(value))
    return chooseUnitRecompute(constraints, name, value);
  if (name == "recompute") {
    std::optional<Recompute> choice = recomputeNamed(value);
    if (!choice)
      return unknown("none, selective or full");
    if (!constraints.unitRecompute.empty())
      return fmt::format("{}={} contradicts what was given before", name,
                         value);
    return choose(constraints.recompute, size_t(*choice), name, value);
  }
  if (name == "stages") {
    std::optional<std::vector<int64_t>> sizes = stageSizesNamed(value);
    if (!sizes)
      return unknown("the number of units of each stage, such as 3+1+2");
    if (!constraints.stageSizes.empty() && constraints.stageSizes != *sizes)
      return fmt::format("{}={} contradicts an earlier value", name, value);
    constraints.stageSizes = std::move(*sizes);
    return std::nullopt;
  }
  if (name == "schedule") {
    std::optional<ScheduleFamily> family = scheduleNamed(value);
    return family ? choose(constraints.schedules, size_t(*family), name, value)
                  : unknown(scheduleNames());
  }
  if (name == "context-method") {
    std::optional<size_t> method = methodNamed(value);
    return method ? choose(constraints.contextMethods, *method, name, value)
                  : unknown("ring or all-to-all");
  }
  if (name == "order") {
    constraints.deviceOrder = orderNamed(value);
    return constraints.deviceOrder
               ? Problem()
               : unknown("all four axes from neighbouring to distant "
                         "devices, such as tp-cp-dp-pp");
  }
  if (bool SearchConstraints::*choice = switchNamed(name)) {
    if (value != "0" && value != "1" && value != "on" && value != "off")
      return unknown("on or off");
    constraints.*choice = value == "1" || value == "on";
    return std::nullopt;
  }
  if (name == "recomputed") {
    if (value != "layers" && value != "any")
      return unknown("layers or any");
    constraints.onlyLayersRecompute = value == "layers";
    return std::nullopt;
  }
  if (name == "rounds") {
    if (value != "whole" && value != "any")
      return unknown("whole or any");
    constraints.onlyWholeRounds = value == "whole";
    return std::nullopt;
  }
  return fmt::format("'{}' is no choice of a plan; known are {}", name,
                     knownNames());
}

/// Whether some unit was given the choice that is forbidden, or any but none.
bool hasGivenUnits(const SearchConstraints &constraints,
                   std::string_view forbidden) {
  return std::ranges::any_of(constraints.unitRecompute, [&](Recompute choice) {
    return forbidden.empty() ? choice != Recompute::None
                             : nameOf(choice) == forbidden;
  });
}

Problem forbidOne(SearchConstraints &constraints, std::string_view name,
                  std::string_view value) {
  if (DegreeRange *range = rangeNamed(constraints, name);
      range && value.empty())
    return narrow(*range, name, "1");
  if (name == "fsdp" && value.empty())
    return exclude(constraints.zero, 3, name);
  if ((name == "sp" || name == "features" || name == "zero-groups") &&
      value.empty()) {
    constraints.*switchNamed(name) = false;
    return std::nullopt;
  }
  if (name == "zero" && value.empty())
    return choose(constraints.zero, 0, name, "0");
  if (name == "recompute" && hasGivenUnits(constraints, value))
    return fmt::format("{}{}{} contradicts what was given before", name,
                       value.empty() ? "" : "=", value);
  if (name == "recompute" && value.empty())
    return choose(constraints.recompute, 0, name, "none");
  if (name == "zero")
    if (std::optional<size_t> stage = zeroNamed(value))
      return exclude(constraints.zero, *stage, name);
  if (name == "recompute")
    if (std::optional<Recompute> choice = recomputeNamed(value))
      return exclude(constraints.recompute, size_t(*choice), name);
  if (name == "context-method")
    if (std::optional<size_t> method = methodNamed(value))
      return exclude(constraints.contextMethods, *method, name);
  if (std::optional<ScheduleFamily> family =
          scheduleNamed(name == "schedule" ? value : name))
    return exclude(constraints.schedules, size_t(*family), name);
  return fmt::format("'{}{}{}' cannot be forbidden; expected an axis (pp), a "
                     "schedule ({}), zero=…, recompute=…, context-method=…, "
                     "fsdp, zero-groups, features or sp",
                     name, value.empty() ? "" : "=", value, scheduleNames());
}

template <typename One>
Problem each(SearchConstraints &constraints, std::string_view text, One one) {
  SearchConstraints result = constraints;
  for (std::string_view part : parts(text, ',')) {
    size_t equals = part.find('=');
    std::string_view value =
        equals == std::string_view::npos ? "" : part.substr(equals + 1);
    if (Problem problem = one(result, part.substr(0, equals), value))
      return problem;
  }
  constraints = std::move(result);
  return std::nullopt;
}

} // namespace

std::optional<std::string> SearchConstraints::fix(std::string_view text) {
  return each(*this, text, fixOne);
}

std::optional<std::string> SearchConstraints::forbid(std::string_view text) {
  return each(*this, text, forbidOne);
}

std::string SearchConstraints::whyNotOf(int64_t units) const {
  auto other = [&](std::string_view name, int64_t said) {
    return fmt::format("{} has {} units, and the model has {}", name, said,
                       units);
  };
  int64_t inStages =
      std::accumulate(stageSizes.begin(), stageSizes.end(), int64_t(0));
  if (!stageSizes.empty() && inStages != units)
    return other("stages", inStages);
  if (!unitRecompute.empty() && int64_t(unitRecompute.size()) != units)
    return other("recompute", int64_t(unitRecompute.size()));
  return {};
}

bool SearchConstraints::mayHaveRanks(int64_t pipeline) const {
  auto stages = int64_t(stageSizes.size());
  // A rank that has no others has one stage.
  return stages == 0 || (pipeline == 1 ? stages == 1 : stages % pipeline == 0);
}

} // namespace shardsmith
