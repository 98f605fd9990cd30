// SPDX-License-Identifier: Apache-2.0
//
// The groups of ranks over which traces have collectives, with the numbers by
// which traces and simulator know them.

#ifndef SHARDSMITH_LIB_EMIT_CHAKRA_RANKGROUPS_H
#define SHARDSMITH_LIB_EMIT_CHAKRA_RANKGROUPS_H

#include "shardsmith/Cost/Paths/GroupMembers.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shardsmith::emit::chakra {

class RankGroups {
public:
  /// Of one rank: the members of its group, itself included.
  using Members = std::function<std::vector<int64_t>(int64_t rank)>;

  explicit RankGroups(int64_t ranks) : ranks(ranks) {}

  /// A way of grouping. One whose name is known already is the same. Groups of
  /// equal members have one number, whatever the way.
  size_t add(const std::string &name, const Members &members);
  /// The number of the group of the rank, as text; empty if it is in none.
  const std::string &nameOf(size_t grouping, int64_t rank) const {
    return names[size_t(numbers[grouping][size_t(rank)])];
  }
  /// `{"1": [0, 1], "2": [2, 3]}`
  std::string json() const;

private:
  int64_t ranks;
  std::map<std::string, size_t> known;
  /// By grouping and rank; 0 for none.
  std::vector<std::vector<uint32_t>> numbers;
  /// By number, from 0, which is no group.
  std::vector<std::string> names = {""};
  std::vector<std::vector<int64_t>> groups = {{}};
  std::map<std::vector<int64_t>, uint32_t> numberOf;
};

} // namespace shardsmith::emit::chakra

#endif // SHARDSMITH_LIB_EMIT_CHAKRA_RANKGROUPS_H
