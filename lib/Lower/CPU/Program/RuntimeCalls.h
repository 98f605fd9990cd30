// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C functions in shardsmith/Runtime/ABI.h.

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_RUNTIMECALLS_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_RUNTIMECALLS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "shardsmith/Runtime/ABI.h"

#include <type_traits>

namespace shardsmith::cpu {

/// Builds calls in `smith_step` and declares the functions they need.
class RuntimeCalls {
public:
  RuntimeCalls(mlir::ModuleOp module, mlir::ImplicitLocOpBuilder &builder)
      : module(module), builder(builder) {}

  /// Calls a runtime function; its declaration follows from the arguments.
  /// Returns the result, null for functions without one.
  mlir::Value call(llvm::StringRef name, mlir::ValueRange arguments,
                   mlir::Type result = {});

  mlir::Value integer32(int64_t value);
  mlir::Value integer64(int64_t value);

  /// The address of a read-only global with these bytes.
  mlir::Value bytes(llvm::StringRef name, llvm::StringRef contents,
                    unsigned alignment);

  /// The address of a read-only copy of what ABI.h describes a call with.
  template <typename Descriptor>
  mlir::Value descriptor(const llvm::Twine &name,
                         const Descriptor &descriptor) {
    static_assert(std::is_trivially_copyable_v<Descriptor>);
    return bytes(
        name.str(),
        {reinterpret_cast<const char *>(&descriptor), sizeof(descriptor)},
        alignof(Descriptor));
  }

  mlir::Type pointer() {
    return mlir::LLVM::LLVMPointerType::get(builder.getContext());
  }

private:
  mlir::ModuleOp module;
  mlir::ImplicitLocOpBuilder &builder;
};

/// The runtime's name of an element type.
smith_dtype dtypeOf(mlir::Type element);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_RUNTIMECALLS_H
