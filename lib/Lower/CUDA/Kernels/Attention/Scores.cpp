// SPDX-License-Identifier: Apache-2.0

#include "Scores.h"

#include "../OwnFunctions.h"

#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Warps and columns, from the most work per element loaded to the least shared
/// memory.
struct Sizes {
  int64_t warps, columns;
};
constexpr Sizes scalarTilings[] = {{4, 32}, {4, 16}, {2, 32}, {4, 8},
                                   {2, 16}, {2, 8},  {1, 16}, {1, 8}};
/// A matrix instruction contracts sixteen columns.
constexpr Sizes matrixTilings[] = {{4, 64}, {4, 32}, {4, 16},
                                   {2, 32}, {2, 16}, {1, 16}};

bool isGradient(Operation *op) {
  return isa<smith::AttentionGradientOp, smith::PartialAttentionGradientOp>(op);
}

/// Operands of a name that not all ops of the family have.
template <typename Function> void withOp(Operation *op, Function function) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<smith::AttentionOp, smith::AttentionGradientOp,
            smith::PartialAttentionOp, smith::PartialAttentionGradientOp>(
          function);
}

/// Queries or keys: in the order of the whole sequence, or from a position on
/// that the program has computed.
PositionRun runOf(DeviceKernel &device, Operation *op, bool ofQueries) {
  Integers integers(device);
  smith::AttentionSizes sizes = attentionSizesOf(op);
  int64_t rows = ofQueries ? sizes.queries : sizes.keys;
  auto partial = [&](auto part) -> PositionRun {
    Value first = ofQueries ? part.getFirstQuery() : part.getFirstKey();
    unsigned number = 0;
    while (op->getOperand(number) != first)
      ++number;
    Value loaded =
        memref::LoadOp::create(device.builder, device.buffer(number),
                               asIndex(device.builder, device.constant(0)));
    Value position = arith::ExtSIOp::create(
        device.builder, device.builder.getI64Type(), loaded);
    return {integers, rows, position, int64_t(part.getPositions()),
            part.getZigzag()};
  };
  if (auto part = dyn_cast<smith::PartialAttentionOp>(op))
    return partial(part);
  if (auto part = dyn_cast<smith::PartialAttentionGradientOp>(op))
    return partial(part);
  return {integers, rows, {}, rows, false};
}

} // namespace

smith::AttentionSizes attentionSizesOf(Operation *op) {
  smith::AttentionSizes sizes;
  withOp(op, [&](auto attention) {
    sizes = smith::attentionSizes(typeOf(attention.getQuery()),
                                  typeOf(attention.getKey()),
                                  typeOf(attention.getValue()));
  });
  return sizes;
}

/// Whether all that is multiplied is bf16.
static bool isBF16(Operation *op) {
  auto is = [](Value tensor) {
    return getElementTypeOrSelf(tensor.getType()).isBF16();
  };
  bool all = true;
  withOp(op, [&](auto attention) {
    all = is(attention.getQuery()) && is(attention.getKey()) &&
          is(attention.getValue());
    if constexpr (requires { attention.getOutputCotangent(); })
      all &= is(attention.getOutputCotangent());
  });
  return all;
}

std::optional<AttentionTiling> attentionTiling(Operation *op) {
  smith::AttentionSizes sizes = attentionSizesOf(op);
  bool isOfGradient = isGradient(op), isMatrix = isBF16(op);
  int64_t rows =
      isOfGradient ? std::max(sizes.queries, sizes.keys) : sizes.queries;
  auto bytes = isMatrix ? matrixTileBytes : scalarTileBytes;
  auto needed = [&](AttentionTiling tiling) {
    int64_t ofRows = tiling.rows(), ofColumns = tiling.columns;
    if (!isOfGradient)
      return bytes(ofRows, sizes.keySize, tiling.useOfRows) +
             bytes(ofColumns, sizes.keySize, TileUse::Rows) +
             bytes(ofColumns, sizes.valueSize, TileUse::Columns);
    // And two numbers of each query.
    return bytes(ofRows, sizes.keySize, tiling.useOfRows) +
           bytes(ofRows, sizes.valueSize, tiling.useOfRows) +
           bytes(ofColumns, sizes.keySize, TileUse::Both) +
           bytes(ofColumns, sizes.valueSize, TileUse::Both) + 8 * ofColumns;
  };
  auto all = isMatrix ? ArrayRef<Sizes>(matrixTilings)
                      : ArrayRef<Sizes>(scalarTilings);
  for (TileUse use : {TileUse::Rows, TileUse::Direct})
    for (auto [warps, columns] : all) {
      AttentionTiling tiling{warps, columns, isMatrix, use};
      // Warps that nobody needs would only wait.
      while (tiling.warps > 1 && (tiling.warps - 1) * rowsOfWarp >= rows)
        --tiling.warps;
      bool isPossible = use == TileUse::Rows ||
                        (sizes.keySize % 16 == 0 && sizes.valueSize % 16 == 0);
      if (isPossible && needed(tiling) <= sharedBytes)
        return tiling;
    }
  return std::nullopt;
}

std::unique_ptr<TileProducts> makeProducts(FragmentThread &thread,
                                           AttentionTiling tiling) {
  return tiling.byMatrixInstructions ? makeMatrixProducts(thread)
                                     : makeScalarProducts(thread);
}

int64_t batchesOf(const smith::AttentionSizes &sizes) {
  int64_t batches = 1;
  for (int64_t size : sizes.batch)
    batches *= size;
  return batches;
}

std::string whyNotAttention(Operation *op) {
  if (op->hasAttrOfType<IntegerAttr>("zigzag"))
    return "attention in zigzag of which one rank has all positions";
  if (attentionTiling(op))
    return "";
  smith::AttentionSizes sizes = attentionSizesOf(op);
  return ("attention whose keys and values have " + Twine(sizes.keySize) +
          " and " + Twine(sizes.valueSize) +
          " features, more than the shared memory of a block holds; "
          "--attention-scores 9223372036854775807 leaves attention written "
          "out")
      .str();
}

void emitAttention(DeviceKernel &device, Operation *op) {
  AttentionTiling tiling = attentionTiling(op).value();
  if (isGradient(op))
    emitGradient(device, op, tiling);
  else
    emitForward(device, op, tiling);
}

AttentionScores::AttentionScores(FragmentThread &thread, Operation *op)
    : sizes(attentionSizesOf(op)), batches(batchesOf(sizes)),
      queries(runOf(thread.device, op, true)),
      keys(runOf(thread.device, op, false)), device(thread.device),
      builder(device.builder), thread(thread), integers(device) {
  withOp(op, [&](auto attention) {
    scale = attention.getScale().convertToDouble();
    isCausal = attention.getCausal();
    query = attention.getQuery();
    key = attention.getKey();
    value = attention.getValue();
    bias = attention.getBias();
  });
}

std::pair<Value, Value> AttentionScores::queriesOf(Value block, int64_t rows) {
  int64_t tilesOfHead = ceilDivide(sizes.queries, rows);
  Value head = integers.remainder(block, heads());
  Value fromEnd = integers.quotient(block, heads());
  Value tile = integers.minus(device.constant(tilesOfHead - 1), fromEnd);
  return {head, integers.times(tile, rows)};
}

Value AttentionScores::load(Value tensor, Value position, Value condition) {
  LaneArithmetic scalars(builder, 1);
  device.memory.active = condition;
  Value loaded =
      device.memory.load(builder, scalars, tensor, LaneIndex::at(position));
  device.memory.active = {};
  return loaded;
}

// A dimension of one element repeats: its position is always zero.
Value AttentionScores::biasOf(Value head) {
  if (!bias)
    return {};
  ArrayRef<int64_t> shape = typeOf(bias).getShape();
  size_t outer = sizes.batch.size() + 1;
  Value rest = head, start = device.constant(0);
  int64_t stride = shape[outer] * shape[outer + 1];
  for (size_t d = outer; d-- > 0;) {
    int64_t size = d == outer - 1 ? sizes.groups : sizes.batch[d];
    if (shape[d] > 1)
      start = integers.plus(
          start, integers.times(integers.remainder(rest, size), stride));
    rest = integers.quotient(rest, size);
    stride *= shape[d];
  }
  return start;
}

Value AttentionScores::withBias(Value product, Value biasOfHead, Value query,
                                Value key) {
  Value scaled = arith::MulFOp::create(builder, product, thread.number(scale));
  if (!biasOfHead)
    return scaled;
  ArrayRef<int64_t> shape = typeOf(bias).getShape();
  int64_t ofQueries = shape[shape.size() - 2], ofKeys = shape.back();
  Value position = biasOfHead;
  if (ofQueries > 1)
    position = integers.plus(position, integers.times(query, ofKeys));
  if (ofKeys > 1)
    position = integers.plus(position, key);
  Value exists = device.both(device.isBelow(query, sizes.queries),
                             device.isBelow(key, sizes.keys));
  return arith::AddFOp::create(builder, scaled, load(bias, position, exists));
}

Value AttentionScores::isSeen(Value query, Value key) {
  Value isInside = integers.isBelow(key, keys.inside());
  if (!isCausal)
    return isInside;
  Value isPast =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::sle,
                            keys.positionOf(key), queries.positionOf(query));
  return device.both(isInside, isPast);
}

Value AttentionScores::score(Value product, Value biasOfHead, Value query,
                             Value key) {
  return arith::SelectOp::create(builder, isSeen(query, key),
                                 withBias(product, biasOfHead, query, key),
                                 thread.number(-infinity));
}

Value AttentionScores::probability(Value product, Value biasOfHead,
                                   Value logSumExp, Value query, Value key) {
  Value score = withBias(product, biasOfHead, query, key);
  Value seen = math::ExpOp::create(
      builder, arith::SubFOp::create(builder, score, logSumExp));
  return arith::SelectOp::create(builder, isSeen(query, key), seen,
                                 thread.number(0));
}

Value AttentionScores::keysSeenBefore(Value endOfQueries) {
  if (!isCausal)
    return keys.inside();
  Value last = queries.positionOf(integers.plus(endOfQueries, -1));
  return integers.smaller(keys.countBelow(integers.plus(last, 1)),
                          keys.inside());
}

Value AttentionScores::firstQueryOf(Value firstKey) {
  if (!isCausal)
    return device.constant(0);
  return queries.countBelow(keys.positionOf(firstKey));
}

} // namespace shardsmith::cuda
