// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_BATCHROWS_H
#define SHARDSMITH_TOOLS_SHARDSMITH_BATCHROWS_H

#include "shardsmith/Calibrate/RowBatch.h"

namespace shardsmith {

class Session;

/// The lines of a file, or of standard input for "-". Throws Failure.
std::vector<BatchLine> readBatchFile(const std::string &path);

/// Loads models as the other commands do. The session must outlive it.
LoadWorkload workloadLoader(Session &session);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_BATCHROWS_H
