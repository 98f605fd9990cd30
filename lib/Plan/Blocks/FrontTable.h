// SPDX-License-Identifier: Apache-2.0
//
// A sum of tables over a few variables, each entry a front of cost vectors,
// and the elimination of variables one by one:
//
//   sum over tables      f(a,b) + g(b,c) + h(c)
//   eliminate b          m(a,c) = front over b of f(a,b) + g(b,c)
//   what is left         m(a,c) + h(c)
//
// Sums of fronts are sums of all pairs. Since what is better stays better
// under addition, nothing is lost by keeping fronts only.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_FRONTTABLE_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_FRONTTABLE_H

#include "Front.h"

namespace shardsmith::blocks {

using Variable = uint32_t;

struct FrontTable {
  /// The last one varies fastest in `fronts`.
  std::vector<Variable> scope;
  std::vector<Front> fronts;
};

class FrontSum {
public:
  /// Returns the variable's number; it has values 0 … size − 1.
  Variable addVariable(size_t size);
  size_t valueCount(Variable variable) const { return sizes[variable]; }

  /// A table whose fronts are all empty, which stand for "impossible". The
  /// variables of `scope` differ; the returned position is for `front`.
  size_t addTable(const std::vector<Variable> &scope);
  /// The front at `values`, ordered as the scope was in `addTable`.
  Front &front(size_t table, const std::vector<uint32_t> &values);
  /// Steps through all values of the variables, the last one fastest; false
  /// when it is back at the start.
  bool advance(const std::vector<Variable> &scope,
               std::vector<uint32_t> &values) const;

  /// Eliminates all variables but `kept`.
  void eliminateAllBut(const std::vector<Variable> &kept);
  /// The front at values of the variables that were kept.
  Front total(const std::vector<Variable> &kept,
              const std::vector<uint32_t> &values);

  DecisionPool &decisions() { return pool; }

private:
  /// `valueOf` is indexed by variable.
  size_t position(const FrontTable &table,
                  const std::vector<uint32_t> &valueOf) const;
  void eliminate(Variable variable);
  /// Offers the sums over the fronts that the parts have at `valueOf`.
  void offerSums(Front &all, const std::vector<FrontTable> &parts,
                 const std::vector<uint32_t> &valueOf);
  /// Entries of the table that eliminating the variable would make.
  size_t resultSize(Variable variable) const;

  std::vector<size_t> sizes;
  std::vector<FrontTable> tables;
  DecisionPool pool;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_FRONTTABLE_H
