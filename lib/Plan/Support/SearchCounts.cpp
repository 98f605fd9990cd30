// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Support/SearchCounts.h"

namespace shardsmith {

SearchCounts &SearchCounts::operator+=(const SearchCounts &other) {
  configurations += other.configurations;
  configurationsBoundedOut += other.configurationsBoundedOut;
  configurationsTooLarge += other.configurationsTooLarge;
  blockTables += other.blockTables;
  candidates += other.candidates;
  candidatesBoundedOut += other.candidatesBoundedOut;
  candidatesTooLarge += other.candidatesTooLarge;
  partitions += other.partitions;
  return *this;
}

} // namespace shardsmith
