// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/FactorRuleInterface.h"

#include "shardsmith/Interfaces/FactorRuleInterface.cpp.inc"
