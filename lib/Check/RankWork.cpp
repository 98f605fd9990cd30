// SPDX-License-Identifier: Apache-2.0

#include "RankWork.h"

#include "Rounding.h"

#include <algorithm>

namespace shardsmith::check {

void RankWork::add(const UnitWork &unit, workload::BlockIndex block,
                   Recompute choice) {
  auto index = static_cast<size_t>(choice);
  forward += unit.forward;
  backwardInput += unit.backwardInput;
  backwardWeight += unit.backwardWeight;
  recompute += unit.again[index];
  for (const Message &message : unit.messages)
    exposed[message.axis] += message.exposed;
  forwardExposed += unit.exposed(Pass::Forward);
  backwardExposed += unit.exposed(Pass::Backward);
  saved += unit.saved[index];
  // While a unit is recomputed, all that it would have saved is there.
  Bytes missing = unit.saved.front() - unit.saved[index];
  workingSet =
      std::max(workingSet, unit.workingSet + std::max(missing, Bytes(0)));
  Elements all = unit.parameters();
  parameters.add(unit.own);
  uses.add(all);
  for (const auto &[group, elements] : unit.common)
    ++common[group][elements];
  largestUnitParameters =
      std::max(largestUnitParameters, added(all.dense, all.expert));
  handedOn = unit.handedOn;
  if (unitsOfBlock.size() <= block)
    unitsOfBlock.resize(block + 1);
  ++unitsOfBlock[block];
}

void RankWork::addCommon(const SharedNames &names) {
  for (const auto &[group, unitsWith] : common) {
    parameters.add(names.held(group, unitsWith));
    Elements elements = names.heldElsewhere(group, unitsWith);
    if (elements.dense > 0 || elements.expert > 0)
      joint.push_back({elements, names.unitsOf(group)});
  }
}

} // namespace shardsmith::check
