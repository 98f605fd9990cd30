// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/PositionOrderInterface.h"

#include "shardsmith/Interfaces/PositionOrderInterface.cpp.inc"
