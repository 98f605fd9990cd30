// SPDX-License-Identifier: Apache-2.0
//
// The axes of a plan, one row per degree: what it is called, which axis of the
// mesh it is the size of, what the model has to offer for it. Whatever lists,
// reads, writes, compares or multiplies degrees goes over the rows, so that a
// further axis is a member of `PerDegree` and a row here, and beyond that only
// what the axis is about: what it splits, and what its ranks exchange.
//
//     degree    axis       ranks along it hold       splits
//     tensor    tensor     parts of parameters       factors chosen per op
//     context   context    the same parameters       positions
//     data      data       the same parameters       sequences
//     pipeline  pipeline   other stages              the chain
//     expert    (of data × context)                  experts of a layer

#ifndef SHARDSMITH_STRATEGY_AXES_H
#define SHARDSMITH_STRATEGY_AXES_H

#include "shardsmith/Workload/Workload.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardsmith {

/// The axes of a plan's mesh. Every rank has a coordinate on each.
enum class PlanAxis {
  /// Splits the factors the planner chose, per op.
  Tensor,
  /// Splits positions of a sequence.
  Context,
  /// Splits the batch.
  Data,
  /// Ranks on it hold different stages.
  Pipeline,
};
inline constexpr size_t planAxes = size_t(PlanAxis::Pipeline) + 1;
/// `tensor`, `context`, `data`, `pipeline`.
std::string_view nameOf(PlanAxis axis);
/// All axes from neighbouring devices to distant ones, as plans usually have
/// them.
std::vector<PlanAxis> usualDeviceOrder();
/// The names of axes, joined by dashes.
std::string textOf(const std::vector<PlanAxis> &order);

/// How attention sees keys on other ranks of the context axis.
enum class ContextMethod {
  /// Keys and values travel around a ring while attention works.
  Ring,
  /// An all-to-all makes sequences whole and splits heads, and back.
  AllToAll,
};
std::string_view nameOf(ContextMethod method);

/// What a plan has a number of ranks or stages of.
enum class Degree {
  Tensor,
  Context,
  Data,
  Pipeline,
  /// Stages per pipeline rank.
  VirtualStages,
  /// Ranks that share the experts of a layer; a part of the data × context
  /// axes, innermost first.
  Expert,
};

/// Something for every degree, by name or by `Degree`.
template <typename T> struct PerDegree {
  T tensor = T(1), context = T(1), data = T(1), pipeline = T(1);
  T virtualStages = T(1), expert = T(1);

  T &operator[](Degree degree) {
    return const_cast<T &>(std::as_const(*this)[degree]);
  }
  const T &operator[](Degree degree) const {
    const T *members[] = {&tensor,   &context,       &data,
                          &pipeline, &virtualStages, &expert};
    return *members[size_t(degree)];
  }
  auto operator<=>(const PerDegree &) const = default;
};

/// The axes over which the ops of a unit exchange.
enum class UnitAxis { Tensor, Context, Expert };

/// Something for each of these.
template <typename T> struct PerUnitAxis {
  T tensor = T(), context = T(), expert = T();

  T &operator[](UnitAxis axis) {
    return axis == UnitAxis::Tensor    ? tensor
           : axis == UnitAxis::Context ? context
                                       : expert;
  }

  /// `f` of each.
  template <typename F> auto map(F f) const {
    return PerUnitAxis<std::decay_t<decltype(f(tensor))>>{f(tensor), f(context),
                                                          f(expert)};
  }
  PerUnitAxis &operator+=(const PerUnitAxis &other) {
    tensor += other.tensor;
    context += other.context;
    expert += other.expert;
    return *this;
  }
  T sum() const { return tensor + context + expert; }
  auto operator<=>(const PerUnitAxis &) const = default;
};

/// The members of the above, in the order of `UnitAxis`, with their names in
/// files: `tensor`, …
template <typename T>
inline constexpr std::array<std::pair<const char *, T PerUnitAxis<T>::*>, 3>
    unitAxes = {{{"tensor", &PerUnitAxis<T>::tensor},
                 {"context", &PerUnitAxis<T>::context},
                 {"expert", &PerUnitAxis<T>::expert}}};

/// What the ops of a unit see of a plan's axes.
struct UnitDegrees {
  int64_t tensor = 1, context = 1, expert = 1;
  ContextMethod contextMethod = ContextMethod::Ring;

  /// All of it, as numbers.
  std::array<int64_t, 4> numbers() const {
    return {tensor, context, expert, int64_t(contextMethod)};
  }
  /// Settings that differ in a method nobody uses are the same.
  void forgetMethodUnless(bool isUsed) {
    if (!isUsed || context == 1)
      contextMethod = ContextMethod::Ring;
  }
  auto operator<=>(const UnitDegrees &) const = default;
};

struct Degrees : PerDegree<int64_t> {
  ContextMethod contextMethod = ContextMethod::Ring;

  /// Ranks along one axis.
  int64_t degree(PlanAxis axis) const;
  /// The product of all axes.
  int64_t rankCount() const;
  /// Ranks that hold the same parameters, apart from experts: all data ×
  /// context ranks.
  int64_t replicas() const { return data * context; }
  /// The same; nothing if it does not fit 64 bits.
  std::optional<int64_t> checkedReplicas() const {
    return checkedMultiply(data, context);
  }
  /// Ranks that do a unit for one micro-batch together.
  int64_t unitRanks() const { return tensor * context; }
  UnitDegrees unit() const { return {tensor, context, expert, contextMethod}; }
  /// Whether ops of a unit depend on the method.
  bool hasMethods() const { return context > 1; }
  auto operator<=>(const Degrees &) const = default;
};

/// The axes of more than one rank, in this order.
std::vector<PlanAxis> usedOrder(const std::vector<PlanAxis> &order,
                                const Degrees &ranks);

struct DegreeTraits {
  Degree degree;
  /// In options and messages.
  std::string_view name;
  /// In files.
  const char *key;
  /// For short, in options.
  std::string_view abbreviation;
  /// The axis of the mesh; nothing for degrees that are parts of others.
  std::optional<PlanAxis> axis = std::nullopt;
  /// The largest degree that makes sense for a model, and of what there are
  /// that many; no limit of this kind if null.
  int64_t (*most)(const workload::Workload &workload) = nullptr;
  std::string_view parts = {};
};
/// In the order of `Degree`.
std::span<const DegreeTraits> allDegrees();

/// `tensor=8 pipeline=4 data=2`: those that are worth a word.
std::string textOf(const Degrees &ranks);

} // namespace shardsmith

#endif // SHARDSMITH_STRATEGY_AXES_H
