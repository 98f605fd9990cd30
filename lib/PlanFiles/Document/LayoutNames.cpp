// SPDX-License-Identifier: Apache-2.0
//
// The planner holds layouts by position, plan files hold them by name. This
// file leads from one to the other.

#include "shardsmith/PlanFiles/PlanDocument.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace shardsmith {
namespace {

using workload::Block;
using workload::Factor;
using workload::Op;
using workload::TensorIndex;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// `a.*.b` if the names differ in one number only, else nothing.
std::optional<std::string> pattern(const std::vector<std::string> &names) {
  std::string_view first = names.front();
  size_t prefix = first.size(), suffix = first.size();
  for (std::string_view name : names) {
    size_t shorter = std::min(first.size(), name.size());
    size_t same = 0;
    while (same < shorter && first[same] == name[same])
      ++same;
    prefix = std::min(prefix, same);
    same = 0;
    while (same < shorter &&
           first[first.size() - 1 - same] == name[name.size() - 1 - same])
      ++same;
    suffix = std::min(suffix, same);
  }
  // `layers.10` and `layers.11` share a digit of the number that differs.
  while (prefix > 0 && isDigit(first[prefix - 1]))
    --prefix;
  while (suffix > 0 && isDigit(first[first.size() - suffix]))
    --suffix;
  for (std::string_view name : names) {
    if (prefix + suffix >= name.size() ||
        !std::all_of(name.begin() + long(prefix), name.end() - long(suffix),
                     isDigit))
      return std::nullopt;
  }
  return fmt::format("{}*{}", first.substr(0, prefix),
                     first.substr(first.size() - suffix));
}

/// Whether a pattern stands for a name.
bool means(std::string_view pattern, std::string_view name) {
  size_t star = pattern.find('*');
  std::string_view front = pattern.substr(0, star);
  std::string_view back = pattern.substr(star + 1);
  return name.size() > front.size() + back.size() && name.starts_with(front) &&
         name.ends_with(back) &&
         std::all_of(name.begin() + long(front.size()),
                     name.end() - long(back.size()), isDigit);
}

/// Whether a pattern made of the names in `own` also stands for the name of
/// another parameter: of two products of one layer, called `dense_0`,
/// `dense_1`, `dense_2`, …, both are called `dense_*`.
bool meansOthers(std::string_view pattern, const workload::Workload &workload,
                 const std::vector<const workload::NameRun *> &own) {
  std::set<std::string> known;
  auto isOwn = [&](const std::string &name) {
    if (known.empty())
      for (const workload::NameRun *run : own)
        for (int64_t i = 0; i < run->count; ++i)
          known.insert(run->name(i));
    return known.contains(name);
  };
  for (const workload::Segment &segment : workload.segments)
    for (size_t i = 0; i < segment.parameterNames.parameters(); ++i)
      for (const workload::NameRun &run : segment.parameterNames.of(i)) {
        // A run's names differ in one number, as what a pattern means does.
        if (!means(pattern, run.name(0)) ||
            std::ranges::find(own, &run) != own.end())
          continue;
        for (int64_t k = 0; k < run.count; ++k)
          if (!isOwn(run.name(k)))
            return true;
      }
  return false;
}

/// Names of one parameter of a block in all its repetitions: a pattern, if it
/// stands for nothing else.
std::vector<std::string> namesOf(const workload::Workload &workload,
                                 workload::BlockIndex block, size_t position) {
  std::vector<const workload::NameRun *> runs;
  for (const workload::Segment &segment : workload.segments)
    if (segment.block == block)
      for (const workload::NameRun &run : segment.parameterNames.of(position))
        runs.push_back(&run);
  // Names of a run differ in the number that counts up, so its two ends stand
  // for all of them.
  std::vector<std::string> ends;
  for (const workload::NameRun *run : runs) {
    ends.push_back(run->name(0));
    if (run->countsUp)
      ends.push_back(run->name(run->count - 1));
  }
  if (ends.size() > 1)
    if (std::optional<std::string> common = pattern(ends);
        common && !meansOthers(*common, workload, runs))
      return {*common};
  std::vector<std::string> names;
  for (const workload::NameRun *run : runs)
    for (int64_t i = 0; i < (run->countsUp ? run->count : 1); ++i)
      names.push_back(run->name(i));
  return names;
}

/// The name of a factor, followed by its position where another factor of the
/// op has the same name.
std::string nameOfFactor(const Op &op, workload::FactorIndex index) {
  const std::string &name = op.factors[index].name;
  auto isSame = [&](const Factor &factor) { return factor.name == name; };
  if (!name.empty() &&
      std::count_if(op.factors.begin(), op.factors.end(), isSame) == 1)
    return name;
  return fmt::format("{}#{}", name, index);
}

NamedLayout::ParameterEntry
nameParameter(const workload::Workload &workload, workload::BlockIndex index,
              size_t position, const TensorLayout &layout, bool expertAxis) {
  const Block &block = workload.blocks[index];
  TensorIndex tensor = block.parameters[position];
  NamedLayout::ParameterEntry entry;
  entry.names = namesOf(workload, index, position);
  entry.shape = block.tensors[tensor].shape;
  entry.axes.resize(entry.shape.size());
  for (size_t dim = 0; dim < entry.axes.size(); ++dim) {
    if (expertAxis && block.runsOverExperts(tensor, dim))
      entry.axes[dim].push_back("expert");
    if (layout == TensorLayout::split(unsigned(dim)))
      entry.axes[dim].push_back("tensor");
  }
  return entry;
}

TensorLayout layoutOf(const NamedLayout::ParameterEntry &entry) {
  for (size_t dim = 0; dim < entry.axes.size(); ++dim)
    for (const std::string &axis : entry.axes[dim])
      if (axis == "tensor")
        return TensorLayout::split(unsigned(dim));
  return TensorLayout::whole();
}

bool isParameter(const Block &block, TensorIndex tensor) {
  return std::find(block.parameters.begin(), block.parameters.end(), tensor) !=
         block.parameters.end();
}

/// Fills `layout` with the layouts that `named` has for the block. Returns an
/// empty string, or the first thing that does not agree with the block.
std::string bind(const Block &block, const NamedLayout &named,
                 BlockLayout &layout) {
  auto disagrees = [&](const std::string &what) {
    return fmt::format("layout of block \"{}\": {}", named.block, what);
  };
  if (named.ops.size() != block.ops.size())
    return disagrees(fmt::format("{} ops, but the model's block has {}",
                                 named.ops.size(), block.ops.size()));
  if (named.parameters.size() != block.parameters.size() ||
      named.tensors.size() + named.parameters.size() != block.tensors.size())
    return disagrees("its tensors are not those of the model's block");
  for (size_t index = 0; index < block.ops.size(); ++index) {
    const Op &op = block.ops[index];
    const NamedLayout::OpEntry &entry = named.ops[index];
    if (entry.op != op.name)
      return disagrees(fmt::format("op {} is \"{}\", but the model's is \"{}\"",
                                   index, entry.op, op.name));
    OpSplit split;
    for (unsigned factor = 0; factor < op.factors.size(); ++factor)
      if (!entry.split.empty() && nameOfFactor(op, factor) == entry.split)
        split.factor = factor;
    if (!entry.split.empty() && !split.factor)
      return disagrees(
          fmt::format("op \"{}\" has no factor \"{}\"", op.name, entry.split));
    layout.ops.push_back(split);
  }
  layout.tensors.resize(block.tensors.size());
  auto next = named.tensors.begin();
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
    if (isParameter(block, tensor))
      continue;
    if (next == named.tensors.end() ||
        next->tensor != block.tensors[tensor].name)
      return disagrees(fmt::format("no layout for tensor \"{}\"",
                                   block.tensors[tensor].name));
    layout.tensors[tensor] = next++->layout;
  }
  for (size_t index = 0; index < block.parameters.size(); ++index)
    layout.tensors[block.parameters[index]] = layoutOf(named.parameters[index]);
  for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
    if (layout.tensors[tensor].kind == TensorLayout::Kind::Split &&
        layout.tensors[tensor].dim >= block.tensors[tensor].shape.size())
      return disagrees(fmt::format("tensor \"{}\" has no dimension {}",
                                   block.tensors[tensor].name,
                                   layout.tensors[tensor].dim));
  return "";
}

} // namespace

std::vector<NamedLayout> nameLayouts(const workload::Workload &workload,
                                     const Strategy &strategy) {
  std::vector<NamedLayout> layouts;
  for (workload::BlockIndex index = 0; index < strategy.layouts.size();
       ++index) {
    const Block &block = workload.blocks[index];
    const BlockLayout &layout = strategy.layouts[index];
    NamedLayout &named = layouts.emplace_back();
    named.block = block.name;
    for (size_t op = 0; op < layout.ops.size(); ++op) {
      std::optional<workload::FactorIndex> factor = layout.ops[op].factor;
      named.ops.push_back({block.ops[op].name,
                           factor ? nameOfFactor(block.ops[op], *factor) : ""});
    }
    for (TensorIndex tensor = 0; tensor < layout.tensors.size(); ++tensor)
      if (!isParameter(block, tensor))
        named.tensors.push_back(
            {block.tensors[tensor].name, layout.tensors[tensor]});
    for (size_t position = 0; position < block.parameters.size(); ++position)
      named.parameters.push_back(nameParameter(
          workload, index, position, layout.tensors[block.parameters[position]],
          strategy.expert > 1));
  }
  return layouts;
}

namespace {

/// Names, shapes and axes of parameters follow from the layouts. Returns an
/// empty string if the document has just these, else which parameter differs.
std::string compareParameters(const workload::Workload &workload,
                              const PlanDocument &document) {
  std::vector<NamedLayout> expected = nameLayouts(workload, document.strategy);
  for (size_t block = 0; block < expected.size(); ++block) {
    const auto &parameters = document.layouts[block].parameters;
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i] != expected[block].parameters[i])
        return fmt::format(
            "layout of block \"{}\": names, shape or axes of "
            "parameter {} are not those of the model's \"{}\"",
            document.layouts[block].block, i,
            fmt::join(expected[block].parameters[i].names, "\", \""));
  }
  return "";
}

} // namespace

std::string bindLayouts(const workload::Workload &workload,
                        PlanDocument &document) {
  if (document.layouts.size() != workload.blocks.size())
    return fmt::format("the plan has layouts of {} blocks, the model has {}",
                       document.layouts.size(), workload.blocks.size());
  std::vector<BlockLayout> layouts(workload.blocks.size());
  for (size_t index = 0; index < layouts.size(); ++index) {
    std::string problem =
        bind(workload.blocks[index], document.layouts[index], layouts[index]);
    if (!problem.empty())
      return problem;
  }
  document.strategy.layouts = std::move(layouts);
  std::string problem = document.strategy.verify(workload);
  return problem.empty() ? compareParameters(workload, document) : problem;
}

} // namespace shardsmith
