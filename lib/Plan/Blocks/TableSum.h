// SPDX-License-Identifier: Apache-2.0
//
// A sum of tables over a few variables, and the elimination of variables one
// by one:
//
//   sum over tables      f(a,b) + g(b,c) + h(c)
//   eliminate b          m(a,c) = best over b of f(a,b) + g(b,c)
//   what is left         m(a,c) + h(c)
//
// What an entry is, a `Costs` says: a type `Entry`, made by default as
// "impossible"; `nothing()`, which costs nothing; `isPossible(entry)`; and
// `addSums(best, a, b)`, which makes `best` the best of itself and a + b. The
// better of two stays better whatever is added to both, so nothing is lost by
// keeping the best only.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_TABLESUM_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_TABLESUM_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shardsmith::blocks {

using Variable = uint32_t;

template <typename Costs> class TableSum {
public:
  using Entry = Costs::Entry;

  explicit TableSum(Costs &costs) : costs(costs) {}

  /// Returns the variable's number; it has values 0 … size − 1.
  Variable addVariable(size_t size) {
    sizes.push_back(size);
    tablesOf.emplace_back();
    return Variable(sizes.size() - 1);
  }

  /// A table whose entries are all impossible. The variables of `scope`
  /// differ; the returned position is for `entry`.
  size_t addTable(const std::vector<Variable> &scope) {
    size_t count = 1;
    for (Variable variable : scope) {
      count *= sizes[variable];
      tablesOf[variable].push_back(tables.size());
    }
    tables.push_back({scope, std::vector<Entry>(count)});
    return tables.size() - 1;
  }

  /// The entry at `values`, ordered as the scope was in `addTable`.
  Entry &entry(size_t index, const std::vector<uint32_t> &values) {
    Table &table = tables[index];
    size_t position = 0;
    for (size_t i = 0; i < table.scope.size(); ++i)
      position = position * sizes[table.scope[i]] + values[i];
    return table.entries[position];
  }

  /// Steps through all values of the variables, the last one fastest; false
  /// when it is back at the start.
  bool advance(const std::vector<Variable> &scope,
               std::vector<uint32_t> &values) const {
    for (size_t i = scope.size(); i-- > 0;) {
      if (++values[i] < sizes[scope[i]])
        return true;
      values[i] = 0;
    }
    return false;
  }

  /// Eliminates all variables but `kept`, those that make the smallest tables
  /// first. Nothing can be added afterwards.
  void eliminateAllBut(const std::vector<Variable> &kept) {
    std::vector<std::pair<size_t, Variable>> left;
    for (Variable variable = 0; variable < sizes.size(); ++variable)
      if (!std::ranges::count(kept, variable))
        left.push_back({resultSize(variable), variable});
    while (!left.empty()) {
      auto next = std::ranges::min_element(left);
      Variable variable = next->second;
      left.erase(next);
      std::vector<Variable> scope = neighbours(variable);
      eliminate(variable, scope);
      for (auto &[size, other] : left)
        if (std::ranges::count(scope, other))
          size = resultSize(other);
    }
    std::erase_if(tables,
                  [](const Table &table) { return table.entries.empty(); });
  }

  /// The entry at values of the variables that were kept.
  Entry total(const std::vector<Variable> &kept,
              const std::vector<uint32_t> &values) {
    std::vector<uint32_t> valueOf(sizes.size(), 0);
    for (size_t i = 0; i < kept.size(); ++i)
      valueOf[kept[i]] = values[i];
    Entry best{};
    addSums(best, tables, valueOf);
    return best;
  }

private:
  struct Table {
    /// The last one varies fastest in `entries`; without entries once it has
    /// gone into another table.
    std::vector<Variable> scope;
    std::vector<Entry> entries;
  };

  /// `valueOf` is indexed by variable.
  const Entry &at(const Table &table,
                  const std::vector<uint32_t> &valueOf) const {
    size_t position = 0;
    for (Variable variable : table.scope)
      position = position * sizes[variable] + valueOf[variable];
    return table.entries[position];
  }

  /// Variables that share a table with it.
  std::vector<Variable> neighbours(Variable variable) const {
    std::vector<Variable> found;
    for (size_t table : tablesOf[variable])
      for (Variable other : tables[table].scope)
        if (other != variable && !std::ranges::count(found, other))
          found.push_back(other);
    return found;
  }

  /// Entries of the table that eliminating the variable would make.
  size_t resultSize(Variable variable) const {
    size_t size = 1;
    for (Variable other : neighbours(variable))
      size *= sizes[other];
    return size;
  }

  /// Makes `best` the best of itself and the sum of what the parts have at
  /// `valueOf`.
  void addSums(Entry &best, const std::vector<Table> &parts,
               const std::vector<uint32_t> &valueOf) {
    Entry sum = costs.nothing();
    for (size_t i = 0; i + 1 < parts.size() && costs.isPossible(sum); ++i) {
      Entry next{};
      costs.addSums(next, sum, at(parts[i], valueOf));
      std::swap(sum, next);
    }
    if (costs.isPossible(sum))
      costs.addSums(best, sum,
                    parts.empty() ? costs.nothing()
                                  : at(parts.back(), valueOf));
  }

  void eliminate(Variable variable, const std::vector<Variable> &scope) {
    std::vector<Table> parts;
    for (size_t table : std::exchange(tablesOf[variable], {})) {
      for (Variable other : tables[table].scope)
        std::erase(tablesOf[other], table);
      parts.push_back(std::exchange(tables[table], {}));
    }
    size_t result = addTable(scope);
    std::vector<uint32_t> values(scope.size(), 0);
    std::vector<uint32_t> valueOf(sizes.size(), 0);
    do {
      for (size_t i = 0; i < values.size(); ++i)
        valueOf[scope[i]] = values[i];
      Entry best{};
      for (uint32_t value = 0; value < sizes[variable]; ++value) {
        valueOf[variable] = value;
        addSums(best, parts, valueOf);
      }
      entry(result, values) = std::move(best);
    } while (advance(scope, values));
  }

  Costs &costs;
  std::vector<size_t> sizes;
  std::vector<Table> tables;
  /// Per variable the tables over it.
  std::vector<std::vector<size_t>> tablesOf;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_TABLESUM_H
