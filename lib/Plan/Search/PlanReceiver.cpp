// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Search/PlanReceiver.h"

namespace shardsmith {

PlanReceiver::~PlanReceiver() = default;

} // namespace shardsmith
