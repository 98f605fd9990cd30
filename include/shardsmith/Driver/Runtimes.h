// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of other runtimes: which plans they can run. They are data,
// profiles/runtimes/*.json or files of users; docs/runtime-schema.json is their
// schema.

#ifndef SHARDSMITH_DRIVER_RUNTIMES_H
#define SHARDSMITH_DRIVER_RUNTIMES_H

#include "shardsmith/Emit/Emit.h"
#include "shardsmith/Plan/Space/Restrictions.h"

namespace shardsmith {

/// A part of a runtime's space, in the words of --fix and --forbid.
struct RuntimeConstraints {
  std::string fix, forbid;
  bool onlyWithExperts = false;

  bool operator==(const RuntimeConstraints &) const = default;
};

/// What two texts in the words of --fix, or of --forbid, say together.
std::string joinConstraints(const std::string &first,
                            const std::string &second);

struct RuntimeDescription {
  std::string name;
  const emit::Target *target = nullptr;
  std::string checkedAgainst;
  /// The stack profile that prices its plans.
  std::string profile;
  /// A plan is in the space if it is in one of these, and in a form that the
  /// target can say.
  std::vector<RuntimeConstraints> spaces;
};

/// The parts of the spaces that restrict one choice alone.
RuntimeConstraints partsAbout(const Restriction &choice,
                              const RuntimeDescription &runtime);
/// The runtime if that choice were open in all of its spaces.
RuntimeDescription withoutRestriction(const Restriction &choice,
                                      RuntimeDescription runtime);
/// What the runtime asks of plans in one of its spaces.
SearchConstraints constraintsOf(const RuntimeConstraints &space);

/// A built-in runtime or a file. Throws Failure.
RuntimeDescription requireRuntime(const std::string &nameOrPath);
/// In the order of their names.
std::vector<std::string> builtinRuntimeNames();
/// docs/runtime-schema.json.
std::string_view runtimeSchema();

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_RUNTIMES_H
