// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_SIZECHECKS_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_SIZECHECKS_H

#include "ModelSpec.h"

#include <string>

namespace shardsmith::huggingface {

/// Empty, or a sentence that names the first tensor of `spec` with more
/// elements than fit 56 bits, so that its bytes fit 64, or rows than fit 31.
std::string findOverflow(const ModelSpec &spec, int64_t batch, int64_t length);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_SIZECHECKS_H
