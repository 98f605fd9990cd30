// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_RUNTIMEFILES_H
#define SHARDSMITH_SUPPORT_RUNTIMEFILES_H

#include <string>

namespace shardsmith {

/// Path of a file that programs are linked with, such as
/// `libshardsmith_runtime.a`: in `$SHARDSMITH_RUNTIME_DIR`, else in `../lib`
/// beside the folder of the running executable. Empty if it is in neither.
std::string findRuntimeFile(const std::string &name);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_RUNTIMEFILES_H
