// SPDX-License-Identifier: Apache-2.0
//
// Messages that their senders need not wait for: copies that live until MPI
// has sent them.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_MPIOUTBOX_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_MPIOUTBOX_H

#include "MPI/Plugin.h"
#include "Messenger.h"

#include <functional>
#include <list>
#include <memory>

namespace shardsmith::runtime {

class MpiOutbox {
public:
  /// `check` throws if its argument is an error of MPI.
  MpiOutbox(const smith_mpi &mpi, std::function<void(int)> check)
      : mpi(mpi), check(std::move(check)) {}

  /// Bytes of messages to a rank that are still here.
  int64_t bytesTo(int rank) const;
  bool isEmpty() const { return messages.empty(); }
  /// The rank that the oldest message is for.
  int firstRank() const { return messages.front().rank; }

  /// Copies a message and begins to send its size and its data.
  void post(const OutgoingMessage &message);
  /// Lets MPI work, and forgets what it has sent; whether that was anything.
  bool progress();

private:
  struct Message {
    int rank;
    int64_t bytes;
    std::unique_ptr<uint8_t[]> data;
    void *sizeRequest = nullptr; // null: none, or done
    void *dataRequest = nullptr;
  };

  void test(void *&request);

  const smith_mpi &mpi;
  std::function<void(int)> check;
  std::list<Message> messages; // which MPI reads while it sends them
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_MPIOUTBOX_H
