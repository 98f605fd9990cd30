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

  /// Copies a message and sends it. Waits only where this message and those
  /// that are still here would together have more than `room` bytes.
  virtual void send(const OutgoingMessage &message, int64_t room) = 0;
  /// Receives the next message that was sent in this way. Returns its size; if
  /// that is not the expected one, its data does not arrive.
  virtual int64_t receive(const IncomingMessage &message) = 0;
  /// Called often: keeps sent messages moving.
  virtual void progress() = 0;

  virtual void finish() = 0;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_MESSENGER_H
