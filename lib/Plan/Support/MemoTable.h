// SPDX-License-Identifier: Apache-2.0
//
// A table of values by key that several threads share. The first thread that
// asks for a key makes its value, outside the lock of the table. Threads that
// ask for the same key wait for that value; threads that ask for another key do
// not.

#ifndef SHARDSMITH_LIB_PLAN_SUPPORT_MEMOTABLE_H
#define SHARDSMITH_LIB_PLAN_SUPPORT_MEMOTABLE_H

#include "NumberHash.h"

#include <map>
#include <mutex>

namespace shardsmith::search {

template <typename Value> struct MemoEntry {
  std::once_flag isMade;
  Value value;
};

/// `Map` maps keys to entries, and keeps every entry at its address when it
/// grows.
template <typename Value, typename Map> class MemoTable {
public:
  /// The value of the key, which `make()` makes when the key is first asked
  /// for. `make` must not ask this table for the same key. The reference stays
  /// valid.
  template <typename Make>
  const Value &of(const Map::key_type &key, Make make) {
    MemoEntry<Value> *entry;
    {
      std::lock_guard lock(mutex);
      entry = &entries[key];
    }
    std::call_once(entry->isMade, [&] { entry->value = make(); });
    return entry->value;
  }

private:
  std::mutex mutex;
  Map entries;
};
template <typename Key, typename Value>
using MemoTableBy = MemoTable<Value, std::map<Key, MemoEntry<Value>>>;
template <size_t size, typename Value>
using MemoTableByNumbers = MemoTable<Value, ByNumbers<size, MemoEntry<Value>>>;

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SUPPORT_MEMOTABLE_H
