// SPDX-License-Identifier: Apache-2.0
//
// Starts from the claim that every dimension may be joined with the next one
// and drops claims that some op or boundary contradicts, until none does:
//
//  - an op sees both dimensions as one factor each (or as none), and these
//    two factors follow each other wherever the op has one of them;
//  - the factors are no steps of a loop, have one role, and one kind or one
//  that both can have, and
//    are not two parts of attention;
//  - tensors that are the same one in different blocks agree.

#include "Tidy.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardsmith::workload {
namespace {

/// Per tensor of a block: whether dimension d may be joined with d + 1.
using Claims = std::vector<std::vector<bool>>;

class Joiner {
public:
  explicit Joiner(Workload &workload) : workload(workload) {
    for (const Block &block : workload.blocks) {
      Claims &claims = claimsOf.emplace_back();
      for (const Tensor &tensor : block.tensors)
        claims.emplace_back(tensor.shape.size(), true);
      for (std::vector<bool> &list : claims)
        if (!list.empty())
          list.back() = false;
    }
  }

  std::vector<JoinedBlock> run() {
    findSameBoundaries();
    findSameParameters();
    do {
      changed = false;
      for (size_t block = 0; block < workload.blocks.size(); ++block)
        for (const Op &op : workload.blocks[block].ops)
          check(workload.blocks[block], op, claimsOf[block]);
      for (auto [a, b] : same)
        agree(*a, *b);
    } while (changed);
    std::vector<JoinedBlock> joined;
    for (size_t block = 0; block < workload.blocks.size(); ++block)
      joined.push_back(apply(workload.blocks[block], claimsOf[block]));
    return joined;
  }

private:
  void drop(std::vector<bool> &claims, size_t dim) {
    if (claims[dim]) {
      claims[dim] = false;
      changed = true;
    }
  }

  static std::vector<const TensorUse *> usesOf(const Op &op) {
    std::vector<const TensorUse *> uses;
    for (const auto *list : {&op.operands, &op.results})
      for (const TensorUse &use : *list)
        uses.push_back(&use);
    return uses;
  }

  static bool arePartsOfAttention(const Op &op, FactorIndex a, FactorIndex b) {
    if (!op.attention)
      return false;
    const AttentionParts &parts = *op.attention;
    std::set<FactorIndex> named = {parts.keyValueHeads, parts.queries,
                                   parts.keys, parts.headSize, parts.valueSize};
    if (parts.group)
      named.insert(*parts.group);
    return named.count(a) && named.count(b);
  }

  void check(const Block &block, const Op &op, Claims &claims) {
    std::vector<const TensorUse *> uses = usesOf(op);
    // Pairs of factors that are joined somewhere.
    std::set<std::pair<FactorIndex, FactorIndex>> pairs;
    for (const TensorUse *use : uses) {
      std::vector<bool> &own = claims[use->tensor];
      const Tensor &tensor = block.tensors[use->tensor];
      for (size_t dim = 0; dim + 1 < use->dims.size(); ++dim) {
        const auto &first = use->dims[dim], &second = use->dims[dim + 1];
        if (!own[dim] || (first.empty() && second.empty()))
          continue;
        if (first.size() != 1 || second.size() != 1 ||
            !mayJoin(op, first[0], second[0]) ||
            op.factors[second[0]].size != tensor.shape[dim + 1]) {
          drop(own, dim);
          continue;
        }
        pairs.insert({first[0], second[0]});
      }
    }
    for (const TensorUse *use : uses)
      for (auto [first, second] : pairs)
        if (!followsEverywhere(*use, first, second, claims[use->tensor]))
          dropPair(uses, first, second, claims);
  }

  /// What passes through may as well be whole.
  static bool canBeWhole(const Factor &factor) {
    return factor.kind == FactorKind::Whole ||
           factor.kind == FactorKind::PassThrough;
  }

  static bool mayJoin(const Op &op, FactorIndex a, FactorIndex b) {
    const Factor &first = op.factors[a], &second = op.factors[b];
    // Factors that have a name are no dimensions of the model.
    return first.name.empty() && second.name.empty() &&
           first.role == second.role && !arePartsOfAttention(op, a, b) &&
           (first.kind == second.kind ||
            (canBeWhole(first) && canBeWhole(second)));
  }

  static bool followsEverywhere(const TensorUse &use, FactorIndex first,
                                FactorIndex second,
                                const std::vector<bool> &claims) {
    for (size_t dim = 0; dim < use.dims.size(); ++dim) {
      bool hasFirst =
          std::count(use.dims[dim].begin(), use.dims[dim].end(), first) > 0;
      bool hasSecond =
          std::count(use.dims[dim].begin(), use.dims[dim].end(), second) > 0;
      if (hasFirst && (dim + 1 == use.dims.size() || !claims[dim] ||
                       use.dims[dim + 1] != std::vector{second}))
        return false;
      if (hasSecond && (dim == 0 || !claims[dim - 1] ||
                        use.dims[dim - 1] != std::vector{first}))
        return false;
    }
    return true;
  }

  void dropPair(const std::vector<const TensorUse *> &uses, FactorIndex first,
                FactorIndex second, Claims &claims) {
    for (const TensorUse *use : uses)
      for (size_t dim = 0; dim + 1 < use->dims.size(); ++dim)
        if (use->dims[dim] == std::vector{first} &&
            use->dims[dim + 1] == std::vector{second})
          drop(claims[use->tensor], dim);
  }

  void agree(std::vector<bool> &a, std::vector<bool> &b) {
    for (size_t dim = 0; dim < std::min(a.size(), b.size()); ++dim)
      if (a[dim] != b[dim]) {
        drop(a, dim);
        drop(b, dim);
      }
  }

  void findSameBoundaries() {
    auto link = [&](BlockIndex from, BlockIndex to) {
      const Block &producer = workload.blocks[from],
                  &consumer = workload.blocks[to];
      for (size_t i = 0; i < consumer.inputs.size(); ++i)
        same.emplace_back(&claimsOf[from][producer.outputs[i]],
                          &claimsOf[to][consumer.inputs[i]]);
    };
    for (size_t i = 0; i < workload.segments.size(); ++i) {
      const Segment &segment = workload.segments[i];
      if (segment.count > 1)
        link(segment.block, segment.block);
      if (i > 0)
        link(workload.segments[i - 1].block, segment.block);
    }
  }

  void findSameParameters() {
    workload.eachParameterRun([&](const ParameterRun &run) {
      for (const ParameterRun::Earlier &earlier : run.earlier)
        if (earlier.use != run.use)
          same.emplace_back(&claimsOf[earlier.use.block][earlier.use.tensor],
                            &claimsOf[run.use.block][run.use.tensor]);
    });
  }

  static JoinedBlock apply(Block &block, const Claims &claims) {
    JoinedBlock joined;
    for (Op &op : block.ops)
      joined.factors.push_back(joinUses(op, claims));
    for (size_t tensor = 0; tensor < block.tensors.size(); ++tensor) {
      std::vector<int64_t> shape;
      std::vector<unsigned> &dims = joined.dims.emplace_back();
      bool joins = false;
      for (size_t dim = 0; dim < claims[tensor].size(); ++dim) {
        int64_t size = block.tensors[tensor].shape[dim];
        if (joins)
          shape.back() *= size;
        else
          shape.push_back(size);
        dims.push_back(unsigned(shape.size()) - 1);
        joins = claims[tensor][dim];
      }
      block.tensors[tensor].shape = std::move(shape);
    }
    return joined;
  }

  /// The first of two factors stands for both; the second disappears.
  static std::vector<FactorIndex> joinUses(Op &op, const Claims &claims) {
    std::map<FactorIndex, FactorIndex> joinedTo;
    for (auto *list : {&op.operands, &op.results})
      for (TensorUse &use : *list) {
        std::vector<std::vector<FactorIndex>> dims;
        const std::vector<bool> &own = claims[use.tensor];
        for (size_t dim = 0; dim < use.dims.size(); ++dim) {
          bool joins = dim > 0 && own[dim - 1];
          if (!joins)
            dims.push_back(use.dims[dim]);
          else if (!use.dims[dim].empty())
            joinedTo[use.dims[dim][0]] = dims.back()[0];
        }
        use.dims = std::move(dims);
      }
    std::vector<FactorIndex> number(op.factors.size());
    std::vector<Factor> kept;
    for (FactorIndex factor = 0; factor < op.factors.size(); ++factor)
      if (!joinedTo.count(factor)) {
        number[factor] = kept.size();
        kept.push_back(op.factors[factor]);
      }
    for (auto [second, first] : joinedTo) {
      number[second] = number[first];
      kept[number[first]].size *= op.factors[second].size;
      if (op.factors[second].kind == FactorKind::Whole)
        kept[number[first]].kind = FactorKind::Whole;
    }
    for (auto *list : {&op.operands, &op.results})
      for (TensorUse &use : *list)
        for (auto &dim : use.dims)
          for (FactorIndex &factor : dim)
            factor = number[factor];
    if (op.attention) {
      AttentionParts &parts = *op.attention;
      for (FactorIndex *part : {&parts.keyValueHeads, &parts.queries,
                                &parts.keys, &parts.headSize, &parts.valueSize})
        *part = number[*part];
      if (parts.group)
        parts.group = number[*parts.group];
    }
    op.factors = std::move(kept);
    return number;
  }

  Workload &workload;
  std::vector<Claims> claimsOf;
  /// Claims about what is one tensor.
  std::vector<std::pair<std::vector<bool> *, std::vector<bool> *>> same;
  bool changed = false;
};

} // namespace

std::vector<JoinedBlock> joinDimensions(Workload &workload) {
  return Joiner(workload).run();
}

} // namespace shardsmith::workload
