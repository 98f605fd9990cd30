// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Workload/ParameterNames.h"

#include <algorithm>
#include <charconv>

namespace shardsmith::workload {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isLetterOrDigit(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Numbers with more digits are text, so that what counts up does not
/// overflow.
constexpr size_t mostDigits = 17;

/// Whether `digits` of `name` from `begin` on are a number that stands alone.
bool standsAlone(std::string_view name, size_t begin, size_t digits) {
  return digits <= mostDigits && (name[begin] != '0' || digits == 1) &&
         (begin == 0 || !isLetterOrDigit(name[begin - 1])) &&
         (begin + digits == name.size() ||
          !isLetterOrDigit(name[begin + digits]));
}

} // namespace

NumberedName::NumberedName(std::string_view name) : prefix(name) {
  for (size_t begin = 0; begin < name.size(); ++begin) {
    if (!isDigit(name[begin]))
      continue;
    size_t end = begin;
    while (end < name.size() && isDigit(name[end]))
      ++end;
    if (standsAlone(name, begin, end - begin)) {
      std::from_chars(name.data() + begin, name.data() + end, number.emplace());
      prefix.resize(begin);
      suffix = name.substr(end);
      return;
    }
    begin = end - 1;
  }
}

std::string NumberedName::text() const {
  return number ? prefix + std::to_string(*number) + suffix : prefix;
}

std::string NameRun::name(int64_t index) const {
  if (!countsUp)
    return first.text();
  NumberedName own = first;
  *own.number += index;
  return own.text();
}

namespace {

/// Adds the name that `run` has next, if it is `name`.
bool extends(NameRun &run, const NumberedName &name) {
  bool isSame = name == run.first;
  bool isNext = name.number && run.first.number &&
                *name.number == *run.first.number + run.count &&
                name.prefix == run.first.prefix &&
                name.suffix == run.first.suffix;
  // One name alone may go on in both ways.
  bool mayCount = run.countsUp || run.count == 1;
  bool mayStay = !run.countsUp;
  if (!(isSame && mayStay) && !(isNext && mayCount))
    return false;
  run.countsUp = isNext;
  ++run.count;
  return true;
}

} // namespace

ParameterNames::ParameterNames(
    std::initializer_list<std::vector<std::string>> repetitions) {
  for (const std::vector<std::string> &names : repetitions)
    add(names);
}

void ParameterNames::add(const std::vector<std::string> &names) {
  ++count;
  runs.resize(std::max(runs.size(), names.size()));
  for (size_t position = 0; position < names.size(); ++position) {
    std::vector<NameRun> &own = runs[position];
    NumberedName name(names[position]);
    if (own.empty() || !extends(own.back(), name))
      own.push_back({std::move(name)});
  }
}

bool ParameterNames::goOn(int64_t more) {
  auto ends = [](const std::vector<NameRun> &own) {
    return own.empty() || own.back().count < 2;
  };
  if (std::ranges::any_of(runs, ends))
    return false;
  count += more;
  for (std::vector<NameRun> &own : runs)
    own.back().count += more;
  return true;
}

int64_t ParameterNames::namesOf(size_t position) const {
  int64_t names = 0;
  for (const NameRun &run : runs[position])
    names += run.count;
  return names;
}

std::string ParameterNames::name(int64_t repetition, size_t position) const {
  auto run = runs[position].begin();
  while (repetition >= run->count)
    repetition -= run++->count;
  return run->name(repetition);
}

std::vector<std::string> ParameterNames::namesIn(int64_t repetition) const {
  std::vector<std::string> names;
  for (size_t position = 0; position < runs.size(); ++position)
    if (repetition < namesOf(position))
      names.push_back(name(repetition, position));
  return names;
}

} // namespace shardsmith::workload
