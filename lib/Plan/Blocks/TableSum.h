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

#include "TableScopes.h"

#include <utility>

namespace shardsmith::blocks {

template <typename Costs> class TableSum {
public:
  using Entry = Costs::Entry;

  explicit TableSum(Costs &costs) : costs(costs) {}

  /// The scopes of the sum, to add variables and to look at values.
  TableScopes &variables() { return scopes; }

  /// A table whose entries are all impossible; returns its number.
  size_t addTable(std::vector<Variable> scope) {
    entries.emplace_back(scopes.count(scope));
    return scopes.addTable(std::move(scope));
  }

  Entry &entry(size_t table, const Values &values) {
    return entries[table][scopes.position(table, values)];
  }

  /// Eliminates all variables but `kept`. Nothing can be added afterwards.
  void eliminateAllBut(const std::vector<Variable> &kept) {
    for (size_t table = 0; table < entries.size(); ++table)
      for (size_t position = 0; position < entries[table].size(); ++position)
        trim(table, position);
    while (auto step = scopes.eliminateOneBut(kept))
      eliminate(std::move(*step));
  }

  /// The entry at values of the variables that were kept.
  Entry total(const Values &values) {
    Entry best{};
    addSums(best, scopes.open(), values);
    return best;
  }

  /// For every entry of every table, of those that elimination made as well,
  /// the best sum of everything else. The costs must be such as remember their
  /// tables.
  std::vector<std::vector<Entry>>
  completions(const std::vector<Variable> &kept) {
    std::vector<std::vector<Entry>> rest;
    for (const std::vector<Entry> &table : entries)
      rest.emplace_back(table.size());
    scopes.eachValue(kept, [&](const Values &values) {
      addRest(scopes.open(), costs.nothing(), values, rest);
    });
    for (size_t i = steps.size(); i-- > 0;) {
      const TableScopes::Step &step = steps[i];
      std::vector<Variable> scope = scopes.scope(step.result);
      scope.push_back(step.variable);
      scopes.eachValue(scope, [&](const Values &values) {
        size_t position = scopes.position(step.result, values);
        addRest(step.parts, rest[step.result][position], values, rest);
      });
    }
    return rest;
  }

private:
  static constexpr bool isRemembered = requires { Costs::isRemembered; };

  const Entry &at(size_t table, const Values &values) const {
    return entries[table][scopes.position(table, values)];
  }

  void trim(size_t table, size_t position) {
    if constexpr (requires(Entry &entry) {
                    costs.trim(table, position, entry);
                  })
      costs.trim(table, position, entries[table][position]);
  }

  /// Makes the rest beside each of `parts` at these values the best of itself
  /// and `outside` with the other parts.
  void addRest(const std::vector<size_t> &parts, const Entry &outside,
               const Values &values, std::vector<std::vector<Entry>> &rest) {
    for (size_t part : parts) {
      Entry sum = outside;
      for (size_t other : parts)
        if (other != part) {
          Entry next{};
          costs.addSums(next, sum, at(other, values));
          sum = next;
        }
      costs.addSums(rest[part][scopes.position(part, values)], sum,
                    costs.nothing());
    }
  }

  /// Makes `best` the best of itself and the sum of what the parts have at
  /// these values.
  void addSums(Entry &best, const std::vector<size_t> &parts,
               const Values &values) {
    Entry sum = costs.nothing();
    for (size_t i = 0; i + 1 < parts.size() && costs.isPossible(sum); ++i) {
      Entry next{};
      costs.addSums(next, sum, at(parts[i], values));
      std::swap(sum, next);
    }
    if (costs.isPossible(sum))
      costs.addSums(best, sum,
                    parts.empty() ? costs.nothing() : at(parts.back(), values));
  }

  void eliminate(TableScopes::Step step) {
    const std::vector<Variable> &scope = scopes.scope(step.result);
    std::vector<Entry> &results = entries.emplace_back();
    scopes.eachValue(scope, [&](Values &values) {
      Entry best{};
      for (uint32_t value = 0; value < scopes.sizeOf(step.variable); ++value) {
        values[step.variable] = value;
        addSums(best, step.parts, values);
      }
      results.push_back(std::move(best));
      trim(step.result, results.size() - 1);
    });
    if constexpr (!isRemembered)
      for (size_t table : step.parts)
        entries[table] = {};
    else
      steps.push_back(std::move(step));
  }

  Costs &costs;
  TableScopes scopes;
  /// The entries of each table. A table that has gone into another one has none
  /// left, unless the costs remember them.
  std::vector<std::vector<Entry>> entries;
  std::vector<TableScopes::Step> steps;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_TABLESUM_H
