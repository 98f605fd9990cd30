// SPDX-License-Identifier: Apache-2.0
//
// A sum of tables over a few variables without its entries: which variables
// each table is over, and what eliminating the variables one by one adds up.
//
// Results may be limited. A variable whose tables together would make too large
// a result is then eliminated from some of its tables at a time, as if it could
// have another value in each ("mini-buckets"):
//
//     best over b of f(a,b) + g(b,c) + h(b,d)
//       >=  best over b of f(a,b)  +  best over b of g(b,c) + h(b,d)
//
// So what is left over is a bound of the best sum, on the better side.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_TABLESCOPES_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_TABLESCOPES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace shardsmith::blocks {

using Variable = uint32_t;
/// Values of variables, by variable; of those that do not matter any.
using Values = std::vector<uint32_t>;

class TableScopes {
public:
  /// Returns the variable's number; it has values 0 … size − 1.
  Variable addVariable(size_t size);
  /// The variables of `scope` differ. Returns the table's number.
  size_t addTable(std::vector<Variable> scope);

  const std::vector<Variable> &scope(size_t table) const {
    return scopes[table];
  }
  size_t sizeOf(Variable variable) const { return sizes[variable]; }
  /// Eliminating makes no result of more entries, if it can: that of one table
  /// alone may have more.
  void limitResults(size_t most) { mostEntries = most; }
  /// A variable was eliminated from some of its tables at a time.
  bool isRelaxed() const { return relaxed; }

  /// Entries of a table over these variables; saturates.
  size_t count(const std::vector<Variable> &scope) const;
  /// The number of a table's entry at these values; the last variable of its
  /// scope varies fastest.
  size_t position(size_t table, const Values &values) const;
  /// How far entries are apart that differ by one in the variable.
  size_t stride(size_t table, Variable variable) const;
  /// Tables that have not gone into another one.
  const std::vector<size_t> &open() const { return openTables; }

  /// Calls `visit(values)` with all values of the variables, the last one
  /// fastest.
  template <typename Visit>
  void eachValue(const std::vector<Variable> &scope, Visit visit) const {
    Values values(sizes.size(), 0);
    do
      visit(values);
    while (advance(scope, values));
  }

  /// Eliminating a variable makes of the tables over it one over the others; of
  /// some of them, if results are limited.
  struct Step {
    Variable variable;
    std::vector<size_t> parts;
    size_t result;
  };
  /// Eliminates the variable whose result is the smallest, but first those all
  /// of whose tables go first; nothing if there are none but `kept`. Each
  /// variable is in a table, and none is added afterwards.
  template <typename GoesFirst>
  std::optional<Step> eliminateOneBut(const std::vector<Variable> &kept,
                                      GoesFirst goesFirst) {
    return eliminate(kept, [&](Variable variable) {
      return std::ranges::all_of(tablesOf[variable], goesFirst);
    });
  }
  std::optional<Step> eliminateOneBut(const std::vector<Variable> &kept) {
    return eliminate(kept, [](Variable) { return true; });
  }

private:
  std::optional<Step> eliminate(const std::vector<Variable> &kept,
                                const std::function<bool(Variable)> &goesFirst);
  bool advance(const std::vector<Variable> &scope, Values &values) const;
  /// Other variables of these tables.
  std::vector<Variable> neighbours(Variable variable,
                                   const std::vector<size_t> &tables) const;
  size_t resultSize(Variable variable) const {
    return count(neighbours(variable, tablesOf[variable]));
  }
  /// Some of the variable's tables whose result is within the limit.
  std::vector<size_t> bucketOf(Variable variable) const;

  std::vector<size_t> sizes;
  std::vector<std::vector<Variable>> scopes;
  std::vector<size_t> openTables;
  /// For each variable the open tables whose scope has it.
  std::vector<std::vector<size_t>> tablesOf;
  /// For each variable the size of the table that eliminating it would make.
  /// The sizes are known from the first elimination on.
  std::vector<size_t> resultSizes;
  std::vector<bool> isEliminated;
  size_t mostEntries = std::numeric_limits<size_t>::max();
  bool relaxed = false;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_TABLESCOPES_H
