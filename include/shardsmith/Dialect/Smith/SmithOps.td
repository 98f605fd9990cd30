// SPDX-License-Identifier: Apache-2.0
//
// The ops of the dialect. Ops of one purpose have a file of their own, which
// this one includes.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHOPS_TD

include "shardsmith/Dialect/Smith/SmithCollectiveOps.td"
include "shardsmith/Dialect/Smith/SmithKernelOps.td"

#endif
