// SPDX-License-Identifier: Apache-2.0
//
// What the emitters need of a plan, from the model and the cluster that it was
// made for.

#ifndef SHARDSMITH_DRIVER_EMITINPUTS_H
#define SHARDSMITH_DRIVER_EMITINPUTS_H

#include "shardsmith/Driver/PlanningInputs.h"
#include "shardsmith/Emit/Emit.h"

namespace shardsmith {

/// Shapes of the arguments of `@main` by name; of calls that stand for several,
/// those of each. Values of ops whose location has a name.
emit::ModelNames namesOf(const LoadedModel &model);

/// For a plan without its model.
const emit::ModelNames &noNames();

/// The arguments must outlive the result.
emit::EmitInput emitInput(const PlanDocument &document,
                          const PlanningInputs &inputs,
                          const emit::ModelNames &names = noNames());

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_EMITINPUTS_H
