// SPDX-License-Identifier: Apache-2.0
//
// What every emitted file opens with: what was chosen, what that is predicted
// to cost, and how to start it.

#ifndef SHARDSMITH_LIB_EMIT_HEADING_H
#define SHARDSMITH_LIB_EMIT_HEADING_H

#include "shardsmith/Emit/Emit.h"

#include <nlohmann/json_fwd.hpp>

namespace shardsmith::emit {

struct Heading {
  std::string plan;
  std::string chosen;
  std::string predicted;
  std::string start;
};
Heading headingOf(const EmitInput &input, std::string start);

/// Lines that begin with `# `.
std::string commentsOf(const Heading &heading);
/// An object with the members of the heading.
nlohmann::ordered_json jsonOf(const Heading &heading);

/// Names from files may hold anything; a line break in a comment would end it.
std::string onOneLine(std::string text);

/// `--nnodes 8 --nproc-per-node 8`: as torchrun has it.
std::string torchrunSizes(const EmitInput &input);
/// The command up to the training script, in lines of a shell script.
std::string torchrunLines(const EmitInput &input);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_HEADING_H
