// SPDX-License-Identifier: Apache-2.0
//
// What the ranks do in one step, as the compiler writes it: the functions of
// `shardsmith-device-program/4` (docs/device-runtime.md), read and checked.

#ifndef SHARDSMITH_RUNTIME_DEVICE_STEPPROGRAM_H
#define SHARDSMITH_RUNTIME_DEVICE_STEPPROGRAM_H

#include "shardsmith/Runtime/Manifest.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardsmith::runtime::device {

/// Where a tensor is, as seen by a function.
struct Place {
  enum class Kind {
    Memory,   ///< bytes from the start of the arena or workspace
    Entry,    ///< number of an entry of the function's table
    Constant, ///< number of a constant
    Counters, ///< the rank's counters; `axes` says whether they count
  };
  Kind kind = Kind::Memory;
  int64_t value = 0;
  /// Of the mesh. Of ranks that differ along these, only the first one counts.
  std::vector<size_t> axes;
};

struct LaunchStep {
  std::string function;
  int64_t grid = 1, block = 1;
  std::vector<Place> buffers;
  std::vector<int64_t> bytes; ///< of each buffer
  size_t written = 0;         ///< the last so many buffers are written
};

struct CopyStep {
  Place from, to;
  int64_t bytes = 0;
};

struct GemmStep {
  struct View {
    Place place;
    int64_t bytes = 0;  ///< of the whole tensor
    int64_t offset = 0; ///< elements
  };
  smith_gemm gemm = {};
  View lhs, rhs, result;
  std::optional<Place> sum;   ///< lies as the result does, and may be there
  std::optional<Place> bias;  ///< one element of the result's type per column
  std::optional<Place> scale; ///< an f32 by which the product is multiplied
  /// Launched with the result for its GELU, unless the library computes it.
  std::optional<LaunchStep> gelu;
};

struct AllReduceStep {
  size_t group = 0;
  ElementType type = SMITH_F32;
  Reduction reduction = SMITH_SUM;
  Place input, result;
  int64_t count = 0;
};

/// `input` is [outer][chunk], `result` [outer][position in the group][chunk].
struct AllGatherStep {
  size_t group = 0;
  Place input, result;
  int64_t outer = 1, chunkBytes = 0;
};

/// The other way round; `chunk` in elements.
struct ReduceScatterStep {
  size_t group = 0;
  ElementType type = SMITH_F32;
  Reduction reduction = SMITH_SUM;
  Place input, result;
  int64_t outer = 1, chunk = 0;
};

/// Block p of the result is this rank's block of the rank at position p.
struct ExchangeBlocksStep {
  size_t group = 0;
  Place input, result;
  int64_t blockBytes = 0;
};

struct PermuteStep {
  std::optional<size_t> group;  ///< none: all ranks
  std::vector<int64_t> sources; ///< by rank of the mesh; −1: zeros
  Place input, result;
  int64_t bytes = 0;
};

/// This rank's position among those that differ along the axes, as an i32.
struct ShardIndexStep {
  std::vector<size_t> axes; ///< of the mesh, major first
  Place result;
};

/// One side of a message along an axis of the mesh.
struct MessageStep {
  bool isSend = true;
  size_t axis = 0;
  int64_t peer = 0; ///< its coordinate along the axis
  Place place;
  int64_t bytes = 0;
};

/// Calls a function for micro-batches `first` to `first + count` less one. Its
/// table has the number of the micro-batch, the inputs, the carried values
/// where they are kept, and the other outputs. With a decider there is a call
/// as long as the boolean at that position among the carried values is true.
struct CallStep {
  std::string function;
  int64_t first = 0, count = 1;
  std::optional<size_t> decider;
  std::vector<Place> inputs, carried;
  std::vector<int64_t> carriedBytes;
  std::vector<Place> outputs; ///< the last ones are where values are carried
  int64_t workspace = 0;
};

using Step = std::variant<LaunchStep, CopyStep, GemmStep, AllReduceStep,
                          AllGatherStep, ReduceScatterStep, ExchangeBlocksStep,
                          PermuteStep, ShardIndexStep, MessageStep, CallStep>;

struct StepFunction {
  std::vector<Step> steps;
  /// Of a stage, as schedules name it, without its micro-batch: `2F`.
  std::string pass;
};

struct StepConstant {
  int64_t offset = 0, bytes = 0; ///< in the values of all constants
};

struct StepProgram {
  /// By coordinate along the axis of stages, or the one that all ranks run.
  std::vector<std::string> entries;
  std::map<std::string, StepFunction> functions;
  std::vector<StepConstant> constants;

  const StepFunction &entryOf(const Manifest &manifest, int rank) const;
};

/// Throws a Failure that names the JSON pointer of the first wrong field.
StepProgram readStepProgram(std::string_view text, const Manifest &manifest,
                            int64_t constantBytes);

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_STEPPROGRAM_H
