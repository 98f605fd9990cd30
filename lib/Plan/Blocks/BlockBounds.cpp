// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Blocks/BlockBounds.h"
#include "BlockOutline.h"

#include <algorithm>
#include <array>

namespace shardsmith {

using namespace blocks;

namespace {

enum Number : size_t {
  Forward,
  BackwardInput,
  BackwardWeight,
  ForwardCommunication,
  BackwardCommunication,
  FirstRecompute,
  FirstSaved = FirstRecompute + recomputeChoices,
  DenseParameters = FirstSaved + recomputeChoices,
  ExpertParameters,
  PartialParameters,
  OutputBytes,
  /// Times `UnfilledTimeEnvelope::steps`, so that they are whole numbers.
  FirstUnfilled,
  Transient = FirstUnfilled + UnfilledTimeEnvelope::points,
  numberCount
};

/// Above this, numbers are as good as without end; below it they are whole, and
/// `double` adds them up without rounding, several at a time.
constexpr int64_t endless = int64_t(1) << 52;

/// Numbers of a part of a layout, or the least of each that several have.
struct Numbers {
  std::array<double, numberCount> values;

  Numbers() { values.fill(double(endless)); }

  explicit Numbers(const UnitCosts &costs) {
    set(Forward, costs.forward.count());
    set(BackwardInput, costs.backwardInput.count());
    set(BackwardWeight, costs.backwardWeight.count());
    set(ForwardCommunication, costs.forwardCommunication.sum().count());
    set(BackwardCommunication, costs.backwardCommunication.sum().count());
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      set(FirstRecompute + choice, costs.recompute[choice].count());
      set(FirstSaved + choice, costs.saved[choice].count());
    }
    set(DenseParameters, costs.denseParameters);
    set(ExpertParameters, costs.expertParameters);
    set(PartialParameters, costs.partialParameters);
    set(OutputBytes, costs.outputBytes.count());
    set(Transient, costs.transient.count());
    int64_t time = costs.time(Recompute::None).count();
    int64_t weight = std::min(costs.backwardWeight.count(), endless);
    for (size_t point = 0; point < UnfilledTimeEnvelope::points; ++point)
      set(FirstUnfilled + point,
          std::min(time, endless) * int64_t(UnfilledTimeEnvelope::steps) -
              weight * int64_t(point));
  }

  void add(const Numbers &other) {
    double transient = std::max(values[Transient], other.values[Transient]);
    for (size_t i = 0; i < numberCount; ++i)
      values[i] += other.values[i];
    values[Transient] = transient;
  }

  template <typename... Parts> void takeLess(const Parts &...parts) {
    double transient =
        std::min(values[Transient], std::max({parts.values[Transient]...}));
    for (size_t i = 0; i < numberCount; ++i)
      values[i] = std::min(values[i], (parts.values[i] + ...));
    values[Transient] = transient;
  }

  UnitCosts costs() const {
    UnitCosts costs;
    costs.forward = Nanoseconds(whole(Forward));
    costs.backwardInput = Nanoseconds(whole(BackwardInput));
    costs.backwardWeight = Nanoseconds(whole(BackwardWeight));
    costs.forwardCommunication.tensor =
        Nanoseconds(whole(ForwardCommunication));
    costs.backwardCommunication.tensor =
        Nanoseconds(whole(BackwardCommunication));
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      costs.recompute[choice] = Nanoseconds(whole(FirstRecompute + choice));
      costs.saved[choice] = Bytes(whole(FirstSaved + choice));
    }
    costs.denseParameters = whole(DenseParameters);
    costs.expertParameters = whole(ExpertParameters);
    costs.partialParameters = whole(PartialParameters);
    costs.outputBytes = Bytes(whole(OutputBytes));
    costs.transient = Bytes(whole(Transient));
    return costs;
  }

  UnfilledTimeEnvelope unfilled() const {
    UnfilledTimeEnvelope unfilled;
    for (size_t point = 0; point < UnfilledTimeEnvelope::points; ++point)
      unfilled.least[point] =
          values[FirstUnfilled + point] / double(UnfilledTimeEnvelope::steps);
    return unfilled;
  }

private:
  void set(size_t number, int64_t value) {
    values[number] = double(std::min(value, endless));
  }
  int64_t whole(size_t number) const { return int64_t(values[number]); }
};

/// The launch floor makes no less of a time than the line that touches what it
/// makes of the least one.
UnfilledTimeEnvelope finished(const UnfilledTimeEnvelope &least,
                              const UnitCostModel &model) {
  UnfilledTimeEnvelope unfilled;
  if (least.at(0) >= double(endless) / double(UnfilledTimeEnvelope::steps))
    return unfilled;
  Nanoseconds time(int64_t(least.at(0)));
  double growth = model.launches().growth(time, false);
  double rest = double(model.launches().finished(time).count()) -
                growth * double(time.count());
  constexpr double rounding = 4;
  for (size_t point = 0; point < UnfilledTimeEnvelope::points; ++point)
    unfilled.least[point] =
        growth * least.at(UnfilledTimeEnvelope::shareAt(point) / growth) +
        rest - rounding;
  return unfilled;
}

/// Forward and backward with one way of recomputing.
template <Recompute choice> struct PassTime {
  int64_t value = endless;

  PassTime() = default;
  explicit PassTime(const UnitCosts &costs)
      : value(std::min(costs.time(choice).count(), endless)) {}
  void add(PassTime other) { value += other.value; }
  template <typename... Parts> void takeLess(Parts... parts) {
    value = std::min(value, (parts.value + ...));
  }

  Nanoseconds time() const {
    return value < endless ? Nanoseconds(value) : Nanoseconds::saturated();
  }
};

template <typename Number>
using Known = std::optional<BlockOutline::Common<Number>>;

template <typename Number>
const BlockOutline::Common<Number> &knownOf(Known<Number> &known,
                                            const BlockOutline &outline,
                                            const UnitCostModel &model) {
  if (!known)
    known = outline.commonOf<Number>(model);
  return *known;
}

} // namespace

/// Bounds that are computed when they are first asked for.
struct BlockBounds::Common::Parts {
  Known<PassTime<Recompute::None>> none;
  Known<PassTime<Recompute::Selective>> selective;
  Known<PassTime<Recompute::Full>> full;
  Known<Numbers> numbers;

  /// `visit` of the passes' time with that way of recomputing.
  template <typename Visit> auto with(Recompute choice, Visit visit) {
    switch (choice) {
    case Recompute::None:
      break;
    case Recompute::Selective:
      return visit(selective);
    case Recompute::Full:
      return visit(full);
    }
    return visit(none);
  }
};

BlockBounds::Common::Common() : parts(std::make_unique<Parts>()) {}
BlockBounds::Common::~Common() = default;
BlockBounds::Common::Common(Common &&) noexcept = default;

std::optional<Nanoseconds>
BlockBounds::Common::fastest(Recompute choice) const {
  return parts->with(choice,
                     [](const auto &known) -> std::optional<Nanoseconds> {
                       if (known)
                         return known->best.time();
                       return std::nullopt;
                     });
}

BlockBounds::BlockBounds(bool repeatable, const SumLimits &limits)
    : repeatable(repeatable), limits(limits) {}
BlockBounds::~BlockBounds() = default;
BlockBounds::BlockBounds(BlockBounds &&) noexcept = default;

const BlockOutline &BlockBounds::outlineOf(const UnitCostModel &model) {
  auto &outline = outlines[model.shapes().splitPattern()];
  if (!outline)
    outline = std::make_unique<BlockOutline>(model.block(), model.shapes(),
                                             repeatable, limits);
  return *outline;
}

Nanoseconds BlockBounds::fastestCommon(const UnitCostModel &model,
                                       Recompute choice, Common &common) {
  return common.parts->with(choice, [&](auto &known) {
    return knownOf(known, outlineOf(model), model).best.time();
  });
}

Nanoseconds BlockBounds::fastest(const UnitCostModel &model, Recompute choice,
                                 Common &common) {
  const BlockOutline &outline = outlineOf(model);
  Nanoseconds device = common.parts->with(choice, [&](auto &known) {
    return outline.bestOf(model, knownOf(known, outline, model)).time();
  });
  return model.launches().finished(device, choice);
}

UnitIdeal BlockBounds::least(const UnitCostModel &model, Common &common) {
  const BlockOutline &outline = outlineOf(model);
  Numbers least =
      outline.bestOf(model, knownOf(common.parts->numbers, outline, model));
  UnitCosts costs = least.costs();
  costs.shared = model.leastShared();
  return {model.launches().finishLeast(std::move(costs)),
          finished(least.unfilled(), model)};
}

} // namespace shardsmith
