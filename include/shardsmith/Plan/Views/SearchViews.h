// SPDX-License-Identifier: Apache-2.0
//
// What each part of the search finds, as text: the same numbers that the search
// works with, in the order in which it finds them. docs/planner.md describes
// every line. Times are nanoseconds, sizes bytes.
//
//     chain ─▶ space ─▶ blocks ─▶ bounds ─▶ stages ─▶ ranking

#ifndef SHARDSMITH_PLAN_VIEWS_SEARCHVIEWS_H
#define SHARDSMITH_PLAN_VIEWS_SEARCHVIEWS_H

#include "shardsmith/Plan/Search/Search.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardsmith {

/// A part of the search, as text.
enum class SearchView {
  /// Units and segments of the model.
  Chain,
  /// Configurations with the choices of each, and why others are refused.
  Space,
  /// The layouts of each block under each setting, with their costs.
  Blocks,
  /// Lower bounds of configurations and of their variants.
  Bounds,
  /// The cuts of the chain into stages, with what each of them costs.
  Stages,
  /// The plans, best first, and how much of the space was looked at.
  Ranking,
  /// The plan that follows from given degrees alone.
  Fixed,
};
/// `chain`, `space`, `blocks`, `bounds`, `stages`, `ranking`, `fixed`.
std::string_view nameOf(SearchView view);
std::optional<SearchView> searchViewNamed(std::string_view name);
/// All views, in the order of the search.
std::span<const SearchView> allSearchViews();

/// Lists longer than this end with the number of what is left out.
inline constexpr size_t mostListed = 256;

/// The text ends with a line feed. It is the same on every machine, unless
/// the options have a time limit.
std::string showSearch(SearchView view, const CostContext &context,
                       const SearchOptions &options);

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_VIEWS_SEARCHVIEWS_H
