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
//
// With `trim(table, position, entry)` it may take from an entry, once it is
// complete, what is too much with everything that is still to come; how much
// that is at least, another sum over the same tables says: `completions`.

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
    live.push_back(tables.size() - 1);
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
    for (size_t table = 0; table < tables.size(); ++table)
      for (size_t i = 0; i < tables[table].entries.size(); ++i)
        trim(table, i);
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
  }

  /// The entry at values of the variables that were kept.
  Entry total(const std::vector<Variable> &kept,
              const std::vector<uint32_t> &values) {
    std::vector<uint32_t> valueOf(sizes.size(), 0);
    for (size_t i = 0; i < kept.size(); ++i)
      valueOf[kept[i]] = values[i];
    Entry best{};
    addSums(best, live, valueOf);
    return best;
  }

  /// Per table, those that elimination made included, and entry: the best that
  /// all else sums up to beside it. For costs that are remembered.
  std::vector<std::vector<Entry>>
  completions(const std::vector<Variable> &kept) {
    std::vector<std::vector<Entry>> rest;
    for (const Table &table : tables)
      rest.emplace_back(table.entries.size());
    std::vector<uint32_t> valueOf(sizes.size(), 0);
    eachValue(kept, valueOf,
              [&] { addRest(live, costs.nothing(), valueOf, rest); });
    for (size_t i = steps.size(); i-- > 0;) {
      const Step &step = steps[i];
      const Table &result = tables[step.result];
      std::vector<Variable> scope = result.scope;
      scope.push_back(step.variable);
      eachValue(scope, valueOf, [&] {
        addRest(step.parts, rest[step.result][positionIn(result, valueOf)],
                valueOf, rest);
      });
    }
    return rest;
  }

private:
  struct Table {
    /// The last one varies fastest in `entries`; without entries once it has
    /// gone into another table, unless costs are remembered.
    std::vector<Variable> scope;
    std::vector<Entry> entries;
  };

  /// What eliminating a variable has summed up, and into which table.
  struct Step {
    Variable variable;
    std::vector<size_t> parts;
    size_t result;
  };

  static constexpr bool isRemembered = requires { Costs::isRemembered; };

  /// `valueOf` is indexed by variable.
  size_t positionIn(const Table &table,
                    const std::vector<uint32_t> &valueOf) const {
    size_t position = 0;
    for (Variable variable : table.scope)
      position = position * sizes[variable] + valueOf[variable];
    return position;
  }
  const Entry &at(size_t table, const std::vector<uint32_t> &valueOf) const {
    return tables[table].entries[positionIn(tables[table], valueOf)];
  }

  /// Calls `visit()` with all values of the variables in `valueOf`.
  template <typename Visit>
  void eachValue(const std::vector<Variable> &scope,
                 std::vector<uint32_t> &valueOf, Visit visit) const {
    std::vector<uint32_t> values(scope.size(), 0);
    do {
      for (size_t i = 0; i < values.size(); ++i)
        valueOf[scope[i]] = values[i];
      visit();
    } while (advance(scope, values));
  }

  void trim(size_t table, size_t position) {
    if constexpr (requires(Entry &entry) {
                    costs.trim(table, position, entry);
                  })
      costs.trim(table, position, tables[table].entries[position]);
  }

  /// Makes the rest beside each of `parts` at `valueOf` the best of itself and
  /// `outside` with the other parts.
  void addRest(const std::vector<size_t> &parts, const Entry &outside,
               const std::vector<uint32_t> &valueOf,
               std::vector<std::vector<Entry>> &rest) {
    for (size_t part : parts) {
      Entry sum = outside;
      for (size_t other : parts)
        if (other != part) {
          Entry next{};
          costs.addSums(next, sum, at(other, valueOf));
          sum = next;
        }
      costs.addSums(rest[part][positionIn(tables[part], valueOf)], sum,
                    costs.nothing());
    }
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
  void addSums(Entry &best, const std::vector<size_t> &parts,
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
    std::vector<size_t> parts = std::exchange(tablesOf[variable], {});
    for (size_t table : parts) {
      for (Variable other : tables[table].scope)
        std::erase(tablesOf[other], table);
      std::erase(live, table);
    }
    size_t result = addTable(scope);
    std::vector<uint32_t> valueOf(sizes.size(), 0);
    size_t position = 0;
    eachValue(scope, valueOf, [&] {
      Entry best{};
      for (uint32_t value = 0; value < sizes[variable]; ++value) {
        valueOf[variable] = value;
        addSums(best, parts, valueOf);
      }
      tables[result].entries[position] = std::move(best);
      trim(result, position++);
    });
    if constexpr (!isRemembered)
      for (size_t table : parts)
        tables[table] = {};
    else
      steps.push_back({variable, std::move(parts), result});
  }

  Costs &costs;
  std::vector<size_t> sizes;
  std::vector<Table> tables;
  /// Those that have not gone into another one.
  std::vector<size_t> live;
  std::vector<Step> steps;
  /// Per variable the tables over it.
  std::vector<std::vector<size_t>> tablesOf;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_TABLESUM_H
