// SPDX-License-Identifier: Apache-2.0
//
// How a plan splits values of the model's file. A dimension of a value may be
// several of the tensor's; of those only the first can be split there:
//
//     value    [8, 64, 768]      as [batch, positions, heads × features]
//     tensor   [8, 64, 12, 64]   12 heads over tensor ranks: the last dimension

#ifndef SHARDSMITH_LIB_EMIT_NAMEDVALUES_H
#define SHARDSMITH_LIB_EMIT_NAMEDVALUES_H

#include "DeviceMesh.h"
#include "Placement.h"

namespace shardsmith::emit {

/// The axes that split each dimension of the value; nothing if its layout
/// cannot be said so, or ranks do not divide it.
std::optional<DimensionAxes>
axesOf(const NamedValue &value, const EmitInput &input, const DeviceMesh &mesh);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_NAMEDVALUES_H
