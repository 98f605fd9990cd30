// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/Communication.h"

using namespace llvm;

namespace shardsmith {
namespace {

/// `times · bytes / groupSize`, rounded down once.
Bytes scale(Bytes bytes, int64_t times, int64_t groupSize) {
  Bytes product = bytes * times;
  return product.isSaturated() ? product : Bytes(product.count() / groupSize);
}

} // namespace

StringRef stringifyCollectiveKind(CollectiveKind kind) {
  constexpr StringLiteral names[] = {
      "all_reduce", "all_gather",      "reduce_scatter",
      "all_to_all", "all_to_all_rows", "permute",
      "send"};
  return names[static_cast<size_t>(kind)];
}

Bytes getCommunicationBytes(CollectiveKind kind, int64_t groupSize,
                            Bytes input) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return scale(input, 2 * (groupSize - 1), groupSize);
  case CollectiveKind::AllGather:
    return input * (groupSize - 1);
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllRows:
    return scale(input, groupSize - 1, groupSize);
  case CollectiveKind::Permute:
  case CollectiveKind::Send:
    return input;
  }
  return Bytes::saturated();
}

} // namespace shardsmith
