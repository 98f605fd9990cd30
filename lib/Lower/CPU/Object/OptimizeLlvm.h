// SPDX-License-Identifier: Apache-2.0
//
// The part that talks to LLVM: optimise a module and write machine code.

#ifndef SHARDSMITH_LIB_LOWER_CPU_OBJECT_OPTIMIZELLVM_H
#define SHARDSMITH_LIB_LOWER_CPU_OBJECT_OPTIMIZELLVM_H

#include "shardsmith/Lower/CPU/CodeOptions.h"

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace shardsmith::cpu {

/// Compiles `module` into object code. Returns an empty string or what went
/// wrong.
std::string compileModule(llvm::Module &module, const CodeOptions &options,
                          llvm::SmallVectorImpl<char> &object);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_OBJECT_OPTIMIZELLVM_H
