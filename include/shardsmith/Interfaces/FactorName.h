// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_FACTORNAME_H
#define SHARDSMITH_INTERFACES_FACTORNAME_H

#include "shardsmith/Interfaces/FactorRule.h"

#include <string>

namespace shardsmith {

/// The name of a factor in the text of a rule: i…z, then z_1, z_2, …, as Shardy
/// names them.
std::string factorName(FactorIndex factor);

} // namespace shardsmith

#endif // SHARDSMITH_INTERFACES_FACTORNAME_H
