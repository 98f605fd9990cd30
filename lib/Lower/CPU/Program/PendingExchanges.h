// SPDX-License-Identifier: Apache-2.0
//
// Which collectives may still be under way where an op is emitted, and whether
// the op has to wait for one of them.

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_PENDINGEXCHANGES_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_PENDINGEXCHANGES_H

#include "mlir/IR/Operation.h"

namespace shardsmith::cpu {

/// Bytes that an op reads or writes: in the function's own memory, or in a
/// buffer of its caller.
struct MemoryRange {
  int64_t tableEntry = -1; ///< of a caller's buffer; −1: own memory
  int64_t begin = 0, end = 0;

  bool meets(const MemoryRange &other) const {
    return tableEntry == other.tableEntry && begin < other.end &&
           other.begin < end;
  }
};

/// The places of an op's operands and results, its workspace included.
struct MemoryUse {
  llvm::SmallVector<MemoryRange> reads, writes;

  void add(mlir::Operation *op);
};

/// Messages that the runtime does in the order in which they began.
class PendingExchanges {
public:
  /// A message of these ops began; `number` is what to wait for.
  void begin(llvm::ArrayRef<mlir::Operation *> message, mlir::Value number);
  /// The last message that has to be done before the op; null if there is none.
  /// It is no longer pending then, nor are those before it.
  mlir::Value takeInTheWayOf(mlir::Operation *op);
  /// The last message that has not been waited for; null if there is none.
  mlir::Value takeLast();

private:
  struct Message {
    MemoryUse use;
    mlir::Value number;
  };
  llvm::SmallVector<Message> messages;
};

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_PENDINGEXCHANGES_H
