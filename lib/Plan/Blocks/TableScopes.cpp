// SPDX-License-Identifier: Apache-2.0

#include "TableScopes.h"

#include "shardsmith/Support/StableSort.h"

#include <algorithm>
#include <utility>

namespace shardsmith::blocks {

Variable TableScopes::addVariable(size_t size) {
  sizes.push_back(size);
  tablesOf.emplace_back();
  isEliminated.push_back(false);
  return Variable(sizes.size() - 1);
}

size_t TableScopes::addTable(std::vector<Variable> scope) {
  size_t table = scopes.size();
  for (Variable variable : scope)
    tablesOf[variable].push_back(table);
  openTables.push_back(table);
  scopes.push_back(std::move(scope));
  return table;
}

size_t TableScopes::count(const std::vector<Variable> &scope) const {
  size_t entries = 1;
  for (Variable variable : scope)
    if (__builtin_mul_overflow(entries, sizes[variable], &entries))
      return std::numeric_limits<size_t>::max();
  return entries;
}

size_t TableScopes::position(size_t table, const Values &values) const {
  size_t position = 0;
  for (Variable variable : scopes[table])
    position = position * sizes[variable] + values[variable];
  return position;
}

size_t TableScopes::stride(size_t table, Variable variable) const {
  const std::vector<Variable> &scope = scopes[table];
  size_t stride = 1;
  for (size_t i = scope.size(); scope[--i] != variable;)
    stride *= sizes[scope[i]];
  return stride;
}

bool TableScopes::advance(const std::vector<Variable> &scope,
                          Values &values) const {
  for (size_t i = scope.size(); i-- > 0;) {
    if (++values[scope[i]] < sizes[scope[i]])
      return true;
    values[scope[i]] = 0;
  }
  return false;
}

std::vector<Variable>
TableScopes::neighbours(Variable variable,
                        const std::vector<size_t> &tables) const {
  std::vector<Variable> found;
  for (size_t table : tables)
    for (Variable other : scopes[table])
      if (other != variable && !std::ranges::count(found, other))
        found.push_back(other);
  return found;
}

// Large tables first: small ones then mostly lie within what these are over.
std::vector<size_t> TableScopes::bucketOf(Variable variable) const {
  std::vector<size_t> tables = tablesOf[variable];
  stableSortBy(tables,
               [&](size_t table) { return -double(count(scopes[table])); });
  std::vector<size_t> bucket;
  for (size_t table : tables) {
    bucket.push_back(table);
    if (bucket.size() > 1 && count(neighbours(variable, bucket)) > mostEntries)
      bucket.pop_back();
  }
  std::ranges::sort(bucket);
  return bucket;
}

std::optional<TableScopes::Step>
TableScopes::eliminate(const std::vector<Variable> &kept,
                       const std::function<bool(Variable)> &goesFirst) {
  if (resultSizes.empty())
    for (Variable variable = 0; variable < sizes.size(); ++variable)
      resultSizes.push_back(resultSize(variable));
  std::optional<Variable> next;
  auto rank = [&](Variable variable) {
    return std::pair(!goesFirst(variable), resultSizes[variable]);
  };
  for (Variable variable = 0; variable < sizes.size(); ++variable)
    if (!isEliminated[variable] && !std::ranges::count(kept, variable) &&
        (!next || rank(variable) < rank(*next)))
      next = variable;
  if (!next)
    return std::nullopt;

  Step step{*next, tablesOf[*next], 0};
  if (resultSizes[*next] > mostEntries)
    step.parts = bucketOf(*next);
  relaxed |= step.parts.size() < tablesOf[*next].size();
  std::vector<Variable> scope = neighbours(*next, step.parts);
  for (size_t table : step.parts) {
    for (Variable other : scopes[table])
      std::erase(tablesOf[other], table);
    std::erase(openTables, table);
  }
  isEliminated[*next] = tablesOf[*next].empty();
  step.result = addTable(scope);
  resultSizes[*next] = resultSize(*next);
  for (Variable other : scope)
    resultSizes[other] = resultSize(other);
  return step;
}

} // namespace shardsmith::blocks
