// SPDX-License-Identifier: Apache-2.0
//
// A device function as a list of instructions on registers, for the emulator.
//
// Every lane of every value has a register of 64 bits with the bits of the
// element: an f32 in the lower half, an integer without its sign; a memref has
// one with its number. Control flow is jumps; what needs other threads,
// barriers, shuffles and matrix instructions, is where a thread stops.

#ifndef SHARDSMITH_TEST_EMULATOR_DEVICEPROGRAM_H
#define SHARDSMITH_TEST_EMULATOR_DEVICEPROGRAM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardsmith::emulator {

struct Instruction;

/// The value of one lane from those of up to three operands.
using LaneFunction = uint64_t (*)(const Instruction &, uint64_t, uint64_t,
                                  uint64_t);

struct Instruction {
  enum class Kind : uint8_t {
    Compute,    ///< target = function(a, b, c), lane by lane
    Copy,       ///< target lane i = the register sources[i]
    ThreadId,   ///< target = the thread's number in its block
    BlockId,    ///< target = the block's number
    Load,       ///< target = memory[a], lanes neighbours
    Store,      ///< memory[a] = b, lanes neighbours
    Jump,       ///< to `destination`
    JumpUnless, ///< to `destination` if a is false
    Barrier,
    Shuffle, ///< target = a of the thread whose number is mine xor b
    /// A matrix instruction of the warp: target, four lanes, from the registers
    /// in `sources`: four of the left factor, two of the right, four sums.
    Multiply,
    /// target = the bits of a, whose lanes have another width.
    Bitcast,
    Return,
  };
  Kind kind;
  LaneFunction function = nullptr;
  uint32_t target = 0;
  /// First registers of the operands, and whether all lanes read the first.
  uint32_t operands[3] = {0, 0, 0};
  bool isScalar[3] = {false, false, false};
  uint32_t lanes = 1;
  /// Bits of an operand's and of the result's elements.
  uint32_t fromBits = 64, toBits = 64;
  /// A predicate, for comparisons.
  uint32_t predicate = 0;
  uint32_t memory = 0;
  /// Memories of which the register `operands[2]` says the one; empty: it is
  /// `memory`.
  std::vector<uint32_t> choices;
  uint32_t destination = 0;
  /// Bytes by which the first lane of an access has to be aligned.
  uint32_t alignment = 1;
  std::vector<uint32_t> sources;
  mlir::Operation *op = nullptr;
};

/// A memref that the function knows: its arguments come first, then memory
/// that the threads of a block share.
struct MemoryShape {
  int64_t elements;
  int64_t elementBytes;
  bool isShared;
};

struct DeviceProgram {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<MemoryShape> memories;
  /// Values of registers before the first instruction: constants.
  std::vector<uint64_t> registers;
  int64_t threads = 0, blocks = 0;
};

/// Translates a function whose math was expanded. An op that the emulator does
/// not know is an error with a diagnostic.
llvm::FailureOr<DeviceProgram> translate(mlir::gpu::GPUFuncOp function);

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_DEVICEPROGRAM_H
