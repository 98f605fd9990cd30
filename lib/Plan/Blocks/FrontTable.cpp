// SPDX-License-Identifier: Apache-2.0

#include "FrontTable.h"

#include <algorithm>

namespace shardsmith::blocks {

namespace {

bool contains(const FrontTable &table, Variable variable) {
  return std::ranges::count(table.scope, variable) > 0;
}

} // namespace

Variable FrontSum::addVariable(size_t size) {
  sizes.push_back(size);
  return Variable(sizes.size() - 1);
}

size_t FrontSum::addTable(const std::vector<Variable> &scope) {
  size_t count = 1;
  for (Variable variable : scope)
    count *= sizes[variable];
  tables.push_back({scope, std::vector<Front>(count)});
  return tables.size() - 1;
}

Front &FrontSum::front(size_t index, const std::vector<uint32_t> &values) {
  FrontTable &table = tables[index];
  size_t position = 0;
  for (size_t i = 0; i < table.scope.size(); ++i)
    position = position * sizes[table.scope[i]] + values[i];
  return table.fronts[position];
}

bool FrontSum::advance(const std::vector<Variable> &scope,
                       std::vector<uint32_t> &values) const {
  for (size_t i = scope.size(); i-- > 0;) {
    if (++values[i] < sizes[scope[i]])
      return true;
    values[i] = 0;
  }
  return false;
}

size_t FrontSum::position(const FrontTable &table,
                          const std::vector<uint32_t> &valueOf) const {
  size_t position = 0;
  for (Variable variable : table.scope)
    position = position * sizes[variable] + valueOf[variable];
  return position;
}

size_t FrontSum::resultSize(Variable variable) const {
  std::vector<bool> seen(sizes.size(), false);
  size_t size = 1;
  for (const FrontTable &table : tables) {
    if (!contains(table, variable))
      continue;
    for (Variable other : table.scope) {
      if (other != variable && !seen[other])
        size *= sizes[other];
      seen[other] = true;
    }
  }
  return size;
}

void FrontSum::offerSums(Front &all, const std::vector<FrontTable> &parts,
                         const std::vector<uint32_t> &valueOf) {
  Front sum, next;
  sum.offer({});
  for (size_t i = 0; i < parts.size() && !sum.empty(); ++i) {
    bool isLast = i + 1 == parts.size();
    next = {};
    (isLast ? all : next)
        .offerSums(sum, parts[i].fronts[position(parts[i], valueOf)], pool);
    std::swap(sum, next);
  }
}

void FrontSum::eliminate(Variable variable) {
  std::vector<FrontTable> parts, others;
  for (FrontTable &table : tables)
    (contains(table, variable) ? parts : others).push_back(std::move(table));
  tables = std::move(others);

  FrontTable result;
  for (const FrontTable &part : parts)
    for (Variable other : part.scope)
      if (other != variable && !contains(result, other))
        result.scope.push_back(other);

  std::vector<uint32_t> values(result.scope.size(), 0);
  std::vector<uint32_t> valueOf(sizes.size(), 0);
  do {
    for (size_t i = 0; i < values.size(); ++i)
      valueOf[result.scope[i]] = values[i];
    Front all;
    for (uint32_t value = 0; value < sizes[variable]; ++value) {
      valueOf[variable] = value;
      offerSums(all, parts, valueOf);
    }
    result.fronts.push_back(std::move(all));
  } while (advance(result.scope, values));
  tables.push_back(std::move(result));
}

void FrontSum::eliminateAllBut(const std::vector<Variable> &kept) {
  std::vector<Variable> left;
  for (Variable variable = 0; variable < sizes.size(); ++variable)
    if (!std::ranges::count(kept, variable))
      left.push_back(variable);
  while (!left.empty()) {
    auto next = std::ranges::min_element(
        left, {}, [&](Variable variable) { return resultSize(variable); });
    Variable variable = *next;
    left.erase(next);
    eliminate(variable);
  }
}

Front FrontSum::total(const std::vector<Variable> &kept,
                      const std::vector<uint32_t> &values) {
  std::vector<uint32_t> valueOf(sizes.size(), 0);
  for (size_t i = 0; i < kept.size(); ++i)
    valueOf[kept[i]] = values[i];
  Front sum;
  offerSums(sum, tables, valueOf);
  return sum;
}

} // namespace shardsmith::blocks
