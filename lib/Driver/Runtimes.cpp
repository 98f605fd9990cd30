// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/Runtimes.h"

#include "BuiltinRuntimes.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/Json.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace shardsmith {
namespace {

using Json = nlohmann::json;

RuntimeConstraints constraintsIn(const Json &json) {
  return {json.value("fix", ""), json.value("forbid", ""),
          json.value("only_with_experts", false)};
}

/// Every choice of one entry of each list, on top of what always holds.
std::vector<RuntimeConstraints> spacesOf(const Json &json) {
  std::vector<RuntimeConstraints> spaces = {constraintsIn(json.at("space"))};
  for (const Json &list : json.value("either", Json::array())) {
    std::vector<RuntimeConstraints> finer;
    for (const RuntimeConstraints &space : spaces)
      for (const Json &entry : list) {
        RuntimeConstraints more = constraintsIn(entry);
        finer.push_back({joinConstraints(space.fix, more.fix),
                         joinConstraints(space.forbid, more.forbid),
                         space.onlyWithExperts || more.onlyWithExperts});
      }
    spaces = std::move(finer);
  }
  return spaces;
}

/// What is wrong with a space, if anything is.
std::optional<std::string> add(const RuntimeConstraints &space,
                               SearchConstraints &constraints) {
  std::optional<std::string> problem;
  if (!space.fix.empty())
    problem = constraints.fix(space.fix);
  if (!problem && !space.forbid.empty())
    problem = constraints.forbid(space.forbid);
  return problem;
}

/// The constraints make sense by themselves.
void checkSpaces(const RuntimeDescription &runtime, const std::string &place) {
  for (const RuntimeConstraints &space : runtime.spaces) {
    SearchConstraints constraints;
    if (std::optional<std::string> problem = add(space, constraints))
      fail(ExitCode::BadInput, place + ": " + *problem);
  }
}

/// A space of single parts, in the order in which they were written.
std::vector<RuntimeConstraints> partsOf(const RuntimeConstraints &space) {
  std::vector<RuntimeConstraints> parts;
  for (std::string RuntimeConstraints::*text :
       {&RuntimeConstraints::fix, &RuntimeConstraints::forbid}) {
    std::istringstream stream(space.*text);
    for (std::string part; std::getline(stream, part, ',');)
      parts.emplace_back().*text = part;
  }
  return parts;
}

bool isAbout(const Restriction &choice, const RuntimeConstraints &part) {
  SearchConstraints constraints = constraintsOf(part);
  choice.lift(constraints);
  return constraints == SearchConstraints();
}

/// Those parts that are about the choice alone, or all others.
RuntimeConstraints filtered(const RuntimeConstraints &space,
                            const Restriction &choice, bool keepsThose) {
  RuntimeConstraints kept;
  kept.onlyWithExperts = space.onlyWithExperts;
  for (const RuntimeConstraints &part : partsOf(space))
    if (isAbout(choice, part) == keepsThose) {
      kept.fix = joinConstraints(kept.fix, part.fix);
      kept.forbid = joinConstraints(kept.forbid, part.forbid);
    }
  return kept;
}

RuntimeDescription read(std::string_view text, const std::string &place) {
  std::string error;
  std::optional<Json> json = parseJson(text, error);
  if (!json)
    fail(ExitCode::BadInput, place + ": " + error);
  if (auto finding = checkSchema(*json, runtimeSchema()))
    fail(ExitCode::BadInput,
         fmt::format("{}:{}: {}", place, finding->pointer, finding->message));
  RuntimeDescription runtime;
  runtime.name = json->at("name");
  std::string target = json->at("target");
  runtime.target = emit::targetNamed(target);
  if (!runtime.target)
    fail(ExitCode::BadInput,
         fmt::format("{}:/target: \"{}\" is no target; expected one of {}",
                     place, target, fmt::join(emit::targetNames(), ", ")));
  runtime.checkedAgainst = json->at("checked_against");
  runtime.profile = json->value("profile", "generic");
  runtime.spaces = spacesOf(*json);
  checkSpaces(runtime, place);
  return runtime;
}

} // namespace

std::string joinConstraints(const std::string &first,
                            const std::string &second) {
  return first.empty() || second.empty() ? first + second
                                         : first + "," + second;
}

SearchConstraints constraintsOf(const RuntimeConstraints &space) {
  SearchConstraints constraints;
  if (std::optional<std::string> problem = add(space, constraints))
    fail(ExitCode::BadInput, *problem);
  return constraints;
}

RuntimeConstraints partsAbout(const Restriction &choice,
                              const RuntimeDescription &runtime) {
  RuntimeConstraints all;
  std::vector<RuntimeConstraints> met;
  for (const RuntimeConstraints &space : runtime.spaces)
    for (const RuntimeConstraints &part :
         partsOf(filtered(space, choice, true))) {
      if (std::ranges::find(met, part) != met.end())
        continue;
      met.push_back(part);
      all.fix = joinConstraints(all.fix, part.fix);
      all.forbid = joinConstraints(all.forbid, part.forbid);
    }
  return all;
}

RuntimeDescription withoutRestriction(const Restriction &choice,
                                      RuntimeDescription runtime) {
  std::vector<RuntimeConstraints> open;
  for (const RuntimeConstraints &space : runtime.spaces) {
    RuntimeConstraints rest = filtered(space, choice, false);
    if (std::ranges::find(open, rest) == open.end())
      open.push_back(std::move(rest));
  }
  runtime.spaces = std::move(open);
  return runtime;
}

std::vector<std::string> builtinRuntimeNames() {
  std::vector<std::string> names;
  for (const auto &[name, text] : builtinRuntimeTexts())
    names.push_back(name);
  return names;
}

RuntimeDescription requireRuntime(const std::string &nameOrPath) {
  auto builtin = builtinRuntimeTexts().find(nameOrPath);
  if (builtin != builtinRuntimeTexts().end())
    return read(builtin->second, "runtime " + nameOrPath);
  std::error_code ignored;
  if (std::filesystem::exists(nameOrPath, ignored))
    return read(requireText(nameOrPath), nameOrPath);
  std::vector<std::string> targets = emit::targetNames();
  if (std::ranges::find(targets, nameOrPath) != targets.end())
    fail(ExitCode::Usage,
         fmt::format("--for {0}: no runtime; any plan can be written for it: "
                     "plan without --for, then emit PLAN --to {0}",
                     nameOrPath));
  std::string hint = closestWord(nameOrPath, builtinRuntimeNames());
  fail(ExitCode::Usage,
       fmt::format("--for {}: neither a file nor a runtime; {}expected one of "
                   "{}, or all",
                   nameOrPath,
                   hint.empty() ? "" : "did you mean " + hint + "? ",
                   fmt::join(builtinRuntimeNames(), ", ")));
}

} // namespace shardsmith
