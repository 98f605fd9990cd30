// SPDX-License-Identifier: Apache-2.0

#include "WeightNames.h"

#include <algorithm>

namespace shardsmith::runtime {
namespace {

/// `name` in the spelling of the program: each part that older files spell
/// otherwise is replaced once.
std::string respelled(std::string name, const WeightSpelling &spelling) {
  for (const auto &[older, newer] : spelling.older)
    if (size_t at = name.find(older); at != std::string::npos)
      name.replace(at, older.size(), newer);
  return name;
}

} // namespace

bool matchesNumbered(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    if (pattern.front() != '*') {
      if (name.empty() || name.front() != pattern.front())
        return false;
      name.remove_prefix(1);
    } else {
      size_t digits =
          std::min(name.find_first_not_of("0123456789"), name.size());
      if (digits == 0)
        return false;
      name.remove_prefix(digits);
    }
    pattern.remove_prefix(1);
  }
  return name.empty();
}

WeightNames::WeightNames(const Manifest &manifest)
    : spelling(manifest.weights) {
  for (const Argument &argument : manifest.arguments)
    if (argument.role != Role::Batch)
      arguments[argument.name] = &argument;
}

std::optional<TensorMeaning>
WeightNames::exactly(const std::string &name) const {
  using Kind = TensorMeaning::Kind;
  if (auto found = arguments.find(name); found != arguments.end())
    return TensorMeaning{Kind::Argument, found->second};
  for (const auto &[copy, original] : spelling.copies)
    if (copy == name)
      return TensorMeaning{Kind::Copy, arguments.at(original)};
  for (const std::string &pattern : spelling.ignored)
    if (matchesNumbered(pattern, name))
      return TensorMeaning{Kind::Ignored, nullptr};
  return std::nullopt;
}

/// Checkpoints hold states as `KIND.PARAMETER`; those of another optimizer have
/// no place here.
bool WeightNames::isStateOfParameter(const std::string &name) const {
  for (size_t dot = name.find('.'); dot != std::string::npos;
       dot = name.find('.', dot + 1)) {
    auto found = arguments.find(name.substr(dot + 1));
    if (found != arguments.end() && found->second->role == Role::Param)
      return true;
  }
  return false;
}

std::optional<TensorMeaning>
WeightNames::meaningOf(const std::string &name) const {
  std::string ours = respelled(name, spelling);
  for (const std::string &candidate : {name, ours, spelling.prefix + ours})
    if (std::optional<TensorMeaning> meaning = exactly(candidate))
      return meaning;
  if (isStateOfParameter(name))
    return TensorMeaning{TensorMeaning::Kind::Ignored, nullptr};
  return std::nullopt;
}

} // namespace shardsmith::runtime
