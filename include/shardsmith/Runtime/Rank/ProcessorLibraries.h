// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_RANK_PROCESSORLIBRARIES_H
#define SHARDSMITH_RUNTIME_RANK_PROCESSORLIBRARIES_H

#include "shardsmith/Runtime/Convolution.h"
#include "shardsmith/Runtime/Gemm.h"
#include "shardsmith/Runtime/GroupedProduct.h"

struct smith_context;

namespace shardsmith::runtime {

/// What one rank computes with on a processor, through oneDNN. Programs for
/// GPUs have none, and are not linked with it.
struct ProcessorLibraries {
  explicit ProcessorLibraries(const ThreadTeam &team)
      : gemms(team), convolutions(team), groupedProducts(team) {}

  GemmLibrary gemms;
  ConvolutionLibrary convolutions;
  GroupedProductLibrary groupedProducts;
};

/// Those of a rank, which are made when they are first asked for.
ProcessorLibraries &processorLibraries(smith_context &context);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_RANK_PROCESSORLIBRARIES_H
