// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_SIZECHECKS_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_SIZECHECKS_H

#include "ModelSpec.h"

#include <string>

namespace shardsmith::huggingface {

/// Empty, or a sentence that names the first tensor of `spec` with more
/// elements than fit 48 bits, or rows than fit 31. All sums and products of
/// bytes over a model then fit 64 bits.
std::string findOverflow(const ModelSpec &spec, int64_t batch, int64_t length);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_SIZECHECKS_H
