// SPDX-License-Identifier: Apache-2.0

#include "Legality.h"

#include <algorithm>

namespace shardsmith::check {
namespace {

using namespace workload;

bool isParameter(const Block &block, TensorIndex tensor) {
  return std::find(block.parameters.begin(), block.parameters.end(), tensor) !=
         block.parameters.end();
}

/// `*` stands for digits.
bool matches(std::string_view pattern, std::string_view name) {
  size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return pattern == name;
  std::string_view front = pattern.substr(0, star);
  std::string_view back = pattern.substr(star + 1);
  if (name.size() <= front.size() + back.size() || !name.starts_with(front) ||
      !name.ends_with(back))
    return false;
  std::string_view middle =
      name.substr(front.size(), name.size() - front.size() - back.size());
  return std::all_of(middle.begin(), middle.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

class Binder {
public:
  Binder(const Workload &workload, BlockIndex index, const Claims &claims,
         Findings &findings)
      : workload(workload), index(index), block(workload.blocks[index]),
        named(claims.layouts[index]), expertAxis(claims.strategy.expert > 1),
        where(fmt::format("/layouts/blocks/{}", index)), findings(findings) {}

  std::optional<BlockLayout> bind() {
    if (named.block != block.name)
      findings.differs(where + "/block", named.block, block.name);
    size_t others = block.tensors.size() - block.parameters.size();
    if (named.ops.size() != block.ops.size() ||
        named.tensors.size() != others ||
        named.parameters.size() != block.parameters.size()) {
      findings.broken(where,
                      "{} ops, {} tensors and {} parameters; the model's "
                      "block has {}, {} and {}",
                      named.ops.size(), named.tensors.size(),
                      named.parameters.size(), block.ops.size(), others,
                      block.parameters.size());
      return std::nullopt;
    }
    BlockLayout layout;
    layout.tensors.resize(block.tensors.size());
    bool bound = bindOps(layout);
    bound = bindTensors(layout) && bound;
    for (size_t i = 0; i < block.parameters.size(); ++i)
      bindParameter(i, layout);
    return bound ? std::optional(layout) : std::nullopt;
  }

private:
  bool bindOps(BlockLayout &layout) {
    bool bound = true;
    for (size_t i = 0; i < block.ops.size(); ++i) {
      const Op &op = block.ops[i];
      const auto &[name, factorName] = named.ops[i];
      std::string item = fmt::format("{}/ops/{}", where, i);
      OpSplit &split = layout.ops.emplace_back();
      if (name != op.name) {
        findings.differs(item, name, op.name, "name of the op");
        bound = false;
      }
      if (factorName.empty())
        continue;
      split.factor = factorNamed(op, factorName);
      if (split.factor)
        continue;
      findings.broken(item, "op '{}' has no factor '{}'", op.name, factorName);
      bound = false;
    }
    return bound;
  }

  /// By name, or by name and `#` position where a name occurs twice.
  static std::optional<FactorIndex> factorNamed(const Op &op,
                                                const std::string &name) {
    for (FactorIndex f = 0; f < op.factors.size(); ++f) {
      int same = 0;
      for (const Factor &other : op.factors)
        same += other.name == op.factors[f].name;
      bool alone = same == 1 && !op.factors[f].name.empty();
      std::string full = alone ? op.factors[f].name
                               : fmt::format("{}#{}", op.factors[f].name, f);
      if (full == name)
        return f;
    }
    return std::nullopt;
  }

  bool bindTensors(BlockLayout &layout) {
    auto next = named.tensors.begin();
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
      if (isParameter(block, tensor))
        continue;
      if (next->first != block.tensors[tensor].name) {
        findings.differs(
            fmt::format("{}/tensors/{}", where, next - named.tensors.begin()),
            next->first, block.tensors[tensor].name, "name of the tensor");
        return false;
      }
      layout.tensors[tensor] = next++->second;
    }
    return true;
  }

  void bindParameter(size_t position, BlockLayout &layout) {
    TensorIndex tensor = block.parameters[position];
    const NamedBlockLayout::Parameter &parameter = named.parameters[position];
    std::string item = fmt::format("{}/parameters/{}", where, position);
    const std::vector<int64_t> &shape = block.tensors[tensor].shape;
    if (parameter.shape != shape || parameter.axes.size() != shape.size()) {
      findings.broken(item, "its shape is not that of the model's parameter");
      return;
    }
    int split = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      bool experts = false;
      for (const std::string &axis : parameter.axes[dim]) {
        experts |= axis == "expert";
        if (axis != "tensor" && axis != "expert")
          findings.broken(item,
                          "dimension {} is split over '{}', which is no "
                          "axis of parameters",
                          dim, axis);
        if (axis != "tensor")
          continue;
        layout.tensors[tensor] = TensorLayout::split(unsigned(dim));
        ++split;
      }
      bool expected = expertAxis && block.runsOverExperts(tensor, dim);
      if (experts != expected)
        findings.broken(item, "dimension {} {} split over the expert axis", dim,
                        expected ? "must be" : "cannot be");
    }
    if (split > 1)
      findings.broken(item, "{} dimensions are split over the tensor axis",
                      split);
    checkNames(position, parameter.names, item);
  }

  /// Every repetition's name is covered.
  void checkNames(size_t position, const std::vector<std::string> &patterns,
                  const std::string &item) {
    for (const Segment &segment : workload.segments) {
      if (segment.block != index)
        continue;
      for (int64_t unit = 0; unit < segment.count; ++unit) {
        std::string name = segment.parameterNames.name(unit, position);
        bool covered = std::any_of(
            patterns.begin(), patterns.end(),
            [&](const std::string &pattern) { return matches(pattern, name); });
        if (covered)
          continue;
        findings.broken(item, "does not name the model's parameter '{}'", name);
        return;
      }
    }
  }

  const Workload &workload;
  BlockIndex index;
  const Block &block;
  const NamedBlockLayout &named;
  bool expertAxis;
  std::string where;
  Findings &findings;
};

} // namespace

void bindLayouts(const Workload &workload, Claims &claims, Findings &findings) {
  if (claims.layouts.size() != workload.blocks.size()) {
    findings.differs("/layouts/blocks", claims.layouts.size(),
                     workload.blocks.size(), "number of blocks");
    return;
  }
  for (BlockIndex index = 0; index < workload.blocks.size(); ++index)
    if (auto layout = Binder(workload, index, claims, findings).bind())
      claims.strategy.layouts.push_back(std::move(*layout));
}

} // namespace shardsmith::check
