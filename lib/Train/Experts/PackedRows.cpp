// SPDX-License-Identifier: Apache-2.0
//
// Rows that are exchanged: each sample's rows are packed by the part that their
// expert is in, [parts, samples, slots, …], and come back to the places they
// were in. Parts are on ranks, samples on others, so that what lies between is
// an all-to-all. And experts with room for a number of rows only.

#include "SortedRows.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

#include <cmath>

using namespace mlir;

namespace shardsmith {
namespace {

/// Splits the first factor of an op, that of samples, over the axes of tokens.
void splitSamples(Operation *op, ArrayRef<std::string> axes) {
  if (axes.empty())
    return;
  SmallVector<ArrayAttr> factors(
      cast<FactorRuleInterface>(op).getFactorRule().factors.size(),
      axisNames(op->getContext(), {}));
  factors.front() = axisNames(op->getContext(), axes);
  splitFactors(op, factors);
}

} // namespace

/// Per token and rank, exactly the rows are choices · (ranks − 1) / ranks, and
/// tokens for all ranks are ranks − 1.
bool SortedRows::sendsRows() const {
  bool isWanted =
      ranks.exchange == ExpertExchange::Rows ||
      (ranks.exchange == ExpertExchange::Cheaper && ranks.count > choices);
  return isWanted && ranks.hasWholeSamples && areOfSamples();
}

bool SortedRows::areOfSamples() const {
  int64_t tokens = rowCount / choices;
  return ranks.samples > 0 && tokens % ranks.samples == 0;
}

/// Of each sample; no expert takes more than all its rows.
int64_t SortedRows::capacityOf(int64_t expertCount) const {
  int64_t rowsOfSample = rowCount / ranks.samples;
  auto all = double(rowsOfSample);
  double most = ranks.capacityFactor * all / double(expertCount);
  return std::max<int64_t>(int64_t(std::ceil(std::min(most, all))), 1);
}

/// The experts of the rows in i32; −1 for rows beyond an expert's capacity.
/// Made from the choices anew: what the sort reads a plan has whole on every
/// rank.
TensorValue SortedRows::numbersOf(ImplicitLocOpBuilder &builder,
                                  int64_t expertCount) {
  TensorValue numbers = reshape(
      convert(TensorValue(builder, chosen), builder.getI32Type()), {rowCount});
  if (ranks.capacityFactor <= 0)
    return numbers;
  TensorValue bySample =
      reshape(numbers, {ranks.samples, rowCount / ranks.samples});
  auto limit = smith::LimitRowsOp::create(
      builder, bySample.type(), bySample, expertCount, capacityOf(expertCount),
      /*zigzag=*/IntegerAttr(), /*positions=*/IntegerAttr(), /*counts=*/true,
      /*copies=*/ArrayAttr());
  numbers = reshape({builder, limit}, {rowCount});
  isKept = compare(numbers, stablehlo::ComparisonDirection::GE, 0.0);
  return numbers;
}

/// Rows that were dropped are zero, whatever came after the products.
TensorValue SortedRows::withoutDropped(TensorValue rows) {
  if (!isKept)
    return rows;
  TensorValue mask =
      broadcastInDim({rows.builder(), isKept}, rows.shape(), {0});
  return select(mask, rows, rows.filled(0.0));
}

/// The number of the matrix of each slot is that of experts of its part which
/// have no row there or behind it: one too many where the slot is not in use.
Value SortedRows::placeRows(TensorValue numbers) {
  ImplicitLocOpBuilder &builder = numbers.builder();
  int64_t rows = rowCount / ranks.samples;
  slotsPerSample = rows / choices * std::min(choices, expertsPerRank);
  if (ranks.capacityFactor > 0)
    slotsPerSample =
        std::min(slotsPerSample, expertsPerRank * capacityOf(expertTotal));
  TensorValue bySample = reshape(numbers, {ranks.samples, rows});
  Type ends =
      bySample.type().clone({ranks.count, ranks.samples, expertsPerRank});
  auto place = smith::PlaceRowsOp::create(builder, bySample.type(), ends,
                                          bySample, slotsPerSample);
  splitSamples(place, ranks.tokenAxes);
  slots = place.getSlots();
  SmallVector<int64_t> shape{ranks.count, ranks.samples, slotsPerSample,
                             expertsPerRank};
  RankedTensorType type = bySample.type().clone(shape);
  TensorValue end =
      broadcastInDim({builder, place.getEnds()}, shape, {0, 1, 3});
  TensorValue isBehind =
      compare(iota(builder, type, 2), stablehlo::ComparisonDirection::GE, end);
  Value result = sum(convert(isBehind, builder.getI32Type()), {3});
  keepOnRanks(result);
  return result;
}

Value SortedRows::pack(ImplicitLocOpBuilder &builder, Value value) {
  Value &kept = packed[value];
  if (kept)
    return kept;
  TensorValue rows(builder, value);
  int64_t columns = rows.type().getNumElements() / rowCount;
  TensorValue bySample =
      reshape(rows, {ranks.samples, rowCount / ranks.samples, columns});
  Type type = bySample.type().clone(
      {ranks.count, ranks.samples, slotsPerSample, columns});
  auto pack = smith::PackRowsOp::create(builder, type, bySample, slots);
  splitSamples(pack, ranks.tokenAxes);
  keepOnRanks(pack.getPacked(), ArrayRef<std::string>(sampleAxesBesideParts()));
  return kept = pack.getPacked();
}

Value SortedRows::unpack(ImplicitLocOpBuilder &builder, Value value) {
  int64_t columns = typeOf(value).getShape().back();
  Type type =
      typeOf(value).clone({ranks.samples, rowCount / ranks.samples, columns});
  auto unpack = smith::UnpackRowsOp::create(builder, type, value, slots);
  splitSamples(unpack, ranks.tokenAxes);
  return reshape({builder, unpack.getRows()}, {rowCount, columns});
}

} // namespace shardsmith
