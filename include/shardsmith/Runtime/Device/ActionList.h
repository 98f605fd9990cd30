// SPDX-License-Identifier: Apache-2.0
//
// What one rank puts into the streams of its device in one step: the functions
// of its program without calls, all tensors at their places in one block of
// memory, every action in a stream, with the actions of other streams that it
// waits for. Knows no device.
//
//   memory    arena | constants | numbers of micro-batches | counters | staging
//             | rings
//
//   stream 0  kernels, products, copies
//   stream 1  collectives
//   stream 2… messages, one stream per channel of the rank

#ifndef SHARDSMITH_RUNTIME_DEVICE_ACTIONLIST_H
#define SHARDSMITH_RUNTIME_DEVICE_ACTIONLIST_H

#include "shardsmith/Runtime/Collective.h"
#include "shardsmith/Runtime/Device/Dependencies.h"
#include "shardsmith/Runtime/Device/Device.h"
#include "shardsmith/Runtime/Device/StepProgram.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardsmith::runtime::device {

// Places are bytes from the start of the rank's memory.

/// The beginning and the end of a step: what it waits for, and what waits for
/// it, is all there is to it.
struct MarkAction {};

/// The begin and the end of a loop of which data decides how often it is done:
/// the host waits for all that was put into the streams, and reads a boolean.
/// If it is false at the begin, the end is what comes next; if it is true at
/// the end, what follows the begin.
struct DecideAction {
  int64_t flag = 0;
  size_t other = 0; ///< the number of the loop's other one
};

struct LaunchAction {
  size_t function = 0; ///< of `ActionList::functions`
  int64_t grid = 1, block = 1;
  std::vector<int64_t> arguments;
};

struct CopyAction {
  int64_t from = 0, to = 0;
  int64_t rows = 1, rowBytes = 0;
  int64_t fromPitch = 0, toPitch = 0;
};

struct FillAction {
  int64_t to = 0;
  uint32_t word = 0;
  int64_t words = 0;
};

struct MultiplyAction {
  smith_gemm gemm = {};
  int64_t a = 0, b = 0, c = 0;
  std::optional<int64_t> sum, bias, scale;
  /// What computes the GELU of c, unless the device does with the product.
  std::optional<LaunchAction> gelu;
};

struct AllReduceAction {
  size_t communicator = 0;
  ElementType type = SMITH_F32;
  Reduction reduction = SMITH_SUM;
  int64_t in = 0, out = 0, count = 0;
};

struct AllGatherAction {
  size_t communicator = 0;
  int64_t in = 0, out = 0, bytes = 0;
};

struct ReduceScatterAction {
  size_t communicator = 0;
  ElementType type = SMITH_F32;
  Reduction reduction = SMITH_SUM;
  int64_t in = 0, out = 0, count = 0;
};

/// Messages of `bytes` bytes that begin together; a rank may have none of those
/// of its communicator.
struct ExchangeAction {
  /// What they are counted as; nothing: a message between stages.
  std::optional<CollectiveKind> kind;
  struct Message {
    bool isSend = true;
    int peer = 0; ///< position in the communicator
    int64_t place = 0;
  };
  size_t communicator = 0;
  int64_t bytes = 0;
  std::vector<Message> messages;
};

struct Action {
  std::variant<MarkAction, DecideAction, LaunchAction, CopyAction, FillAction,
               MultiplyAction, AllReduceAction, AllGatherAction,
               ReduceScatterAction, ExchangeAction>
      work;
  size_t stream = 0;
  std::vector<size_t> waits; ///< actions of other streams, by number
  bool isAwaited = false;
  std::string name;           ///< empty: a mark
  std::optional<size_t> pass; ///< of `ActionList::passes`
  /// The action that receives the message which this one copies from its ring.
  std::optional<size_t> takes;
};

/// What a rank does with one micro-batch without exchanging messages.
struct StepPass {
  std::string name; ///< as in the profiles of processors, without the number
  int32_t microBatch = 0;
};

struct ActionList {
  static constexpr size_t computeStream = 0, collectiveStream = 1;

  /// Throws a Failure if a tensor is outside of the memory that it is to be
  /// in, or a program calls itself.
  ActionList(const StepProgram &program, const Manifest &manifest, int rank,
             int64_t constantBytes);

  /// Names of all streams, which say what is in them.
  std::vector<std::string> streams;
  /// Names of all kernels.
  std::vector<std::string> functions;
  /// The lists of ranks of every communicator, the same on all ranks: groups of
  /// the manifest, all ranks together, channels of the manifest.
  std::vector<std::vector<std::vector<int>>> communicators;
  /// The first action is the beginning, the last one the end of the step, both
  /// in the first stream.
  std::vector<Action> actions;
  /// In the order in which they are run.
  std::vector<StepPass> passes;

  int64_t arenaBytes = 0;
  int64_t constantsPlace = 0;
  /// Number m of a micro-batch is an i32 at `numbersPlace + m · numberPitch`.
  int64_t numbersPlace = 0, numbers = 0;
  static constexpr int64_t numberPitch = 256;
  /// An i32 each, of what kernels count, which is zero when a step begins:
  /// their sum is what the rank has counted. As much memory behind them takes
  /// what other ranks count.
  int64_t countersPlace = 0, counters = 0;
  int64_t memoryBytes = 0;

  size_t waitCount() const;
};

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_ACTIONLIST_H
