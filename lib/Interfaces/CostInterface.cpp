// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/CostInterface.h"

#include "shardsmith/Interfaces/CostInterface.cpp.inc"
