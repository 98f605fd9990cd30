// SPDX-License-Identifier: Apache-2.0

#include "WeightNames.h"

#include <charconv>

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

/// The digits that `text` begins with.
std::string_view leadingDigits(std::string_view text) {
  return text.substr(0, text.find_first_not_of("0123456789"));
}

/// Where the `#` of a pattern matched, if it has one.
struct NumberPlace {
  size_t start = 0, length = 0;
};

std::optional<NumberPlace> match(std::string_view pattern,
                                 std::string_view name) {
  NumberPlace number;
  size_t at = 0;
  for (char expected : pattern) {
    if (expected == '*' || expected == '#') {
      size_t digits = leadingDigits(name.substr(at)).size();
      if (digits == 0)
        return std::nullopt;
      if (expected == '#')
        number = {at, digits};
      at += digits;
    } else if (at < name.size() && name[at] == expected) {
      ++at;
    } else {
      return std::nullopt;
    }
  }
  return at == name.size() ? std::optional(number) : std::nullopt;
}

} // namespace

bool matchesNumbered(std::string_view pattern, std::string_view name) {
  return match(pattern, name).has_value();
}

std::optional<MatrixName> matchMatrix(std::string_view pattern,
                                      std::string_view name) {
  std::optional<NumberPlace> place = match(pattern, name);
  if (!place || place->length == 0)
    return std::nullopt;
  MatrixName found;
  std::string_view digits = name.substr(place->start, place->length);
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), found.number);
  if (error != std::errc())
    return std::nullopt;
  size_t rest = place->start + place->length;
  if (name.substr(rest, 1) == ".")
    ++rest;
  found.stack.append(name.substr(0, place->start)).append(name.substr(rest));
  return found;
}

WeightNames::WeightNames(const Manifest &manifest)
    : spelling(manifest.weights) {
  // Of several with rows of one tensor the first stands for all.
  for (const Argument &argument : manifest.arguments)
    if (argument.role != Role::Batch)
      arguments.try_emplace(argument.name, &argument);
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
  return matrixOfStack(name);
}

std::optional<TensorMeaning>
WeightNames::matrixOfStack(const std::string &name) const {
  for (const std::string &pattern : spelling.stacked) {
    std::optional<MatrixName> matrix = matchMatrix(pattern, name);
    if (!matrix)
      continue;
    auto stack = arguments.find(matrix->stack);
    if (stack == arguments.end() || stack->second->globalShape.size() != 3 ||
        matrix->number >= stack->second->globalShape[0])
      return std::nullopt;
    return TensorMeaning{TensorMeaning::Kind::Argument, stack->second,
                         matrix->number};
  }
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
