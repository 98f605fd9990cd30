// SPDX-License-Identifier: Apache-2.0
//
// Values by key, for several threads: whoever asks for one first makes it.
// Others that ask for the same one wait for it; those that ask for another one
// do not.

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

/// `Map`: from keys to entries that stay where they are.
template <typename Value, typename Map> class MemoTable {
public:
  /// `make()`, made when the key is first asked for. It must not ask this table
  /// for the same key.
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
