// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/DifferentiableInterface.h"

#include "shardsmith/Interfaces/DifferentiableInterface.cpp.inc"
