// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_CODE_RUNPTXAS_H
#define SHARDSMITH_LIB_LOWER_CUDA_CODE_RUNPTXAS_H

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

#include <string>

namespace shardsmith::lower {

struct PtxasRun {
  bool succeeded = false;
  /// All that ptxas has printed, with why it could not be started.
  std::string report;
};

/// Runs ptxas on a file of PTX, with `further` options. `logFile` holds what it
/// prints while it runs, and is gone afterwards.
PtxasRun runPtxas(const std::string &ptxas, const DeviceChip &chip,
                  const std::string &ptxFile, const std::string &codeFile,
                  const std::string &logFile,
                  llvm::ArrayRef<llvm::StringRef> further = {});

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_CUDA_CODE_RUNPTXAS_H
