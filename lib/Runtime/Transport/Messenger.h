// SPDX-License-Identifier: Apache-2.0
//
// Messages between ranks that share no memory.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_MESSENGER_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_MESSENGER_H

#include <cstdint>
#include <span>
#include <string>

namespace shardsmith::runtime {

struct OutgoingMessage {
  int rank;
  const void *data;
  int64_t bytes;
};

struct IncomingMessage {
  int rank;
  void *data;
  int64_t bytes;
};

class Messenger {
public:
  virtual ~Messenger() = default;
  virtual std::string name() const = 0;

  /// Sends and receives all of them and returns when all are done; throws a
  /// Failure if that takes longer than the deadline. Messages between two
  /// ranks arrive in the order of the exchanges.
  virtual void exchange(std::span<const OutgoingMessage> outgoing,
                        std::span<const IncomingMessage> incoming) = 0;
  virtual void finish() = 0;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_MESSENGER_H
