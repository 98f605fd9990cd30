// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/LocalizeInterface.h"

#include "shardsmith/Interfaces/LocalizeInterface.cpp.inc"
