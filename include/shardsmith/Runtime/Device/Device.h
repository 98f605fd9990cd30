// SPDX-License-Identifier: Apache-2.0
//
// All that a step needs of a device, as one rank sees it.
// docs/device-runtime.md says what every implementation promises.
//
// Work is put into streams and runs later: in the order of its stream, and in
// any order against other streams, except where an event is waited for. Calls
// throw a Failure; one that is found only later is thrown by `synchronize`.

#ifndef SHARDSMITH_RUNTIME_DEVICE_DEVICE_H
#define SHARDSMITH_RUNTIME_DEVICE_DEVICE_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardsmith::runtime::device {

/// An address in the memory of the device.
using Address = uint64_t;

struct Stream {
  int number;
};
struct Event {
  int number;
};
struct Function {
  int number;
};
struct Communicator {
  int number;
};
/// What runs as often as it is launched, though it was put into streams once.
struct Graph {
  int number;
};

/// Rows of `rowBytes` bytes, whose beginnings are `fromPitch` and `toPitch`
/// bytes apart.
struct StridedCopy {
  Address from = 0, to = 0;
  int64_t rows = 1, rowBytes = 0;
  int64_t fromPitch = 0, toPitch = 0;
};

/// To or from another rank.
struct Message {
  bool isSend = true;
  int peer = 0; ///< position in the communicator
  Address at = 0;
};

/// Operands and result of the product of ABI.h, and what is added to it before
/// it is rounded to the result's type.
struct ProductAddresses {
  Address a = 0, b = 0, c = 0;
  std::optional<Address> sum;  ///< lies as c does, and may be c
  std::optional<Address> bias; ///< n elements of c's type, one per column
  /// An f32 by which products of floats of eight bits are multiplied, before
  /// anything is added.
  std::optional<Address> scale;
  std::optional<Address> gelu; ///< lies as c does, and may be c
};

class Device {
public:
  virtual ~Device() = default;

  /// What it is, for reports: "emulated device".
  virtual std::string describe() const = 0;

  /// Memory of unspecified content that begins at a multiple of 256 bytes and
  /// lives as long as the device.
  virtual Address allocate(int64_t bytes) = 0;
  /// Memory of the host, page-locked where that makes a difference: copies from
  /// and to it go on beside the host, which may wait for others within the
  /// call. Lives as long as the device.
  virtual std::byte *allocateOnHost(int64_t bytes) = 0;
  virtual Stream makeStream(const std::string &name) = 0;
  virtual Event makeEvent() = 0;
  /// A kernel of the program by its name.
  virtual Function findFunction(const std::string &name) = 0;
  /// Every rank calls this with the same disjoint lists of ranks, in the same
  /// order as all other calls of it. The communicator is that of the list with
  /// this rank; a rank that is in none gets one that it must not use.
  virtual Communicator
  makeCommunicator(const std::vector<std::vector<int>> &lists) = 0;

  /// The event is what was put into the stream so far.
  virtual void record(Stream stream, Event event) = 0;
  /// What is put into the stream from now on runs after the event as it was
  /// recorded last.
  virtual void wait(Stream stream, Event event) = 0;

  /// The memory of the host must be there, unchanged, until the copy has run.
  virtual void copyToDevice(Stream stream, Address to, const void *from,
                            int64_t bytes) = 0;
  virtual void copyToHost(Stream stream, void *to, Address from,
                          int64_t bytes) = 0;
  virtual void copy(Stream stream, const StridedCopy &copy) = 0;
  /// Writes `words` times the same 32 bits, at a multiple of four bytes.
  virtual void fill(Stream stream, Address to, uint32_t word,
                    int64_t words) = 0;
  /// `grid` blocks of `block` threads; one argument per buffer of the function.
  virtual void launch(Stream stream, Function function, int64_t grid,
                      int64_t block, std::span<const Address> arguments) = 0;
  /// Returns whether it also puts the GELU of c where that is wanted, by
  /// tanh's approximation; a device need not. True if none is wanted.
  virtual bool multiply(Stream stream, const smith_gemm &gemm,
                        const ProductAddresses &at) = 0;

  // Between the two calls nothing runs: what is put into the stream is kept,
  // and what is put into streams that wait for events of what is kept. At the
  // end the stream must have waited for all of these. A device that keeps
  // nothing says so at the beginning.
  virtual bool beginGraph(Stream stream) { return false; }
  virtual Graph endGraph(Stream stream) { return {}; }
  /// Runs all of it, once what is in the stream has run.
  virtual void launch(Stream stream, Graph graph) {}

  // What is put into the stream between the two is one action of the program,
  // for profiles and reports of failures. `number` is the caller's.
  virtual void beginAction(Stream stream, size_t number,
                           const std::string &name) {}
  virtual void endAction(Stream stream) {}

  // Collectives and messages. All ranks of a communicator put the same ones
  // into a stream, in the same order, with the same counts and types; a
  // communicator is used in one stream only.
  /// out[i] = the reduction over ranks of in[i]; in == out is allowed.
  virtual void allReduce(Stream stream, Communicator communicator,
                         ElementType type, Reduction reduction, Address in,
                         Address out, int64_t count) = 0;
  /// `out` is [position in the communicator][bytes].
  virtual void allGather(Stream stream, Communicator communicator, Address in,
                         Address out, int64_t bytes) = 0;
  /// `in` is [position in the communicator][count].
  virtual void reduceScatter(Stream stream, Communicator communicator,
                             ElementType type, Reduction reduction, Address in,
                             Address out, int64_t count) = 0;
  /// Messages of `bytes` bytes that begin together, at most one to and one from
  /// a peer. Ranks without a message in it call it as well. A send may wait
  /// until the peer receives.
  virtual void exchange(Stream stream, Communicator communicator, int64_t bytes,
                        std::span<const Message> messages) = 0;

  /// The host waits for all that was put into the stream.
  virtual void synchronize(Stream stream) = 0;
};

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_DEVICE_H
