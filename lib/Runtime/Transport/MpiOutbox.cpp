// SPDX-License-Identifier: Apache-2.0

#include "MpiOutbox.h"

#include <cstring>

namespace shardsmith::runtime {

int64_t MpiOutbox::bytesTo(int rank) const {
  int64_t bytes = 0;
  for (const Message &message : messages)
    if (message.rank == rank)
      bytes += message.bytes;
  return bytes;
}

void MpiOutbox::post(const OutgoingMessage &outgoing) {
  Message &message = messages.emplace_back(
      Message{outgoing.rank, outgoing.bytes,
              std::make_unique_for_overwrite<uint8_t[]>(outgoing.bytes)});
  if (outgoing.bytes > 0)
    std::memcpy(message.data.get(), outgoing.data,
                static_cast<size_t>(outgoing.bytes));
  check(mpi.send(message.rank, SMITH_MPI_MESSAGES, &message.bytes,
                 sizeof message.bytes, &message.sizeRequest));
  if (outgoing.bytes > 0)
    check(mpi.send(message.rank, SMITH_MPI_MESSAGES, message.data.get(),
                   message.bytes, &message.dataRequest));
}

bool MpiOutbox::progress() {
  size_t before = messages.size();
  std::erase_if(messages, [&](Message &message) {
    test(message.sizeRequest);
    test(message.dataRequest);
    return !message.sizeRequest && !message.dataRequest;
  });
  return messages.size() < before;
}

/// A request that is done is released by MPI, and not to be asked for again.
void MpiOutbox::test(void *&request) {
  int done = 0;
  if (request)
    check(mpi.test(request, &done));
  if (done)
    request = nullptr;
}

} // namespace shardsmith::runtime
