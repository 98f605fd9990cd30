// SPDX-License-Identifier: Apache-2.0
//
// Counter-based generators: a block of words is a hash of a key and of its
// number. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
// Which word of which block an element gets is that of XLA's CPU backend:
//
//              elements of 64 bits       narrower ones
//   ThreeFry   a block of 2 words each   2 neighbours along a dimension of even
//                                        size, or the largest, share a block
//   Philox     2 share a block of 4      4 consecutive elements share a block
//
// Every block is computed from its number alone, an iota. So values are the
// same however the result is split, and a device computes its own blocks.

#include "Unsupported.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Import/Passes.h"

#include <array>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDRANDOMBITS
#include "shardsmith/Import/Passes.h.inc"

namespace {

using stablehlo::RngAlgorithm;
using Words = SmallVector<TensorValue, 4>;

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Builds the ops of one generator.
class BitsBuilder {
public:
  explicit BitsBuilder(stablehlo::RngBitGeneratorOp op)
      : op(op), builder(op.getLoc(), op),
        narrow(IntegerType::get(op.getContext(), 32, IntegerType::Unsigned)),
        wide(IntegerType::get(op.getContext(), 64, IntegerType::Unsigned)),
        output(cast<RankedTensorType>(op.getOutput().getType())) {}

  /// Why there is no such expansion, of what the verifier leaves open; empty if
  /// there is one.
  std::string whyNot() {
    int64_t words = op.getInitialState().getType().getNumElements();
    if (words < 2 || words > 3)
      return "a state of " + std::to_string(words) +
             " ui64; PHILOX, which is the default, has 2 or 3";
    auto element = dyn_cast<IntegerType>(output.getElementType());
    if (!element || element.getWidth() < 8)
      return "bits of " + quoted(output.getElementType()) +
             "; expected integers of 8 to 64 bits";
    return "";
  }

  void expand() {
    TensorValue state(builder, op.getInitialState());
    int64_t words = state.shape()[0];
    for (int64_t word = 0; word < words; ++word)
      counter.push_back(reshape(slice(state, 0, word, word + 1), {}));
    Value bits = isThreeFry() ? threeFry() : philox();
    SmallVector<Value> next{reshape(counter[0], {1})};
    for (TensorValue word : advanced)
      next.push_back(reshape(word, {1}));
    next.truncate(size_t(words));
    op.getOutputState().replaceAllUsesWith(
        stablehlo::ConcatenateOp::create(builder, state.type(), next, 0));
    op.getOutput().replaceAllUsesWith(bits);
    op.erase();
  }

private:
  bool isThreeFry() { return op.getRngAlgorithm() == RngAlgorithm::THREE_FRY; }
  bool isWide() { return output.getElementTypeBitWidth() == 64; }

  //===--- Integers -------------------------------------------------------===//

  TensorValue number(TensorValue like, uint64_t value) {
    auto type = cast<IntegerType>(like.elementType());
    auto scalar = RankedTensorType::get({}, type);
    auto attribute =
        DenseElementsAttr::get(scalar, APInt(type.getWidth(), value));
    TensorValue constant(builder,
                         stablehlo::ConstantOp::create(builder, attribute));
    return broadcastScalar(constant, like.shape());
  }
  TensorValue exclusiveOr(TensorValue a, TensorValue b) {
    return {builder, stablehlo::XorOp::create(builder, a, b)};
  }
  TensorValue shiftRight(TensorValue a, uint64_t by) {
    return {builder,
            stablehlo::ShiftRightLogicalOp::create(builder, a, number(a, by))};
  }
  TensorValue shiftLeft(TensorValue a, uint64_t by) {
    return {builder, stablehlo::ShiftLeftOp::create(builder, a, number(a, by))};
  }
  TensorValue rotateLeft(TensorValue a, unsigned by) {
    TensorValue high = shiftLeft(a, by);
    TensorValue low = shiftRight(a, 32 - by);
    return {builder, stablehlo::OrOp::create(builder, high, low)};
  }
  TensorValue lowHalf(TensorValue a) { return convert(a, narrow); }
  TensorValue highHalf(TensorValue a) {
    return convert(shiftRight(a, 32), narrow);
  }
  /// low + 2³² · high
  TensorValue join(TensorValue low, TensorValue high) {
    TensorValue upper = shiftLeft(convert(high, wide), 32);
    TensorValue lower = convert(low, wide);
    return {builder, stablehlo::OrOp::create(builder, upper, lower)};
  }

  //===--- Shapes ---------------------------------------------------------===//

  TensorValue slice(TensorValue a, size_t dim, int64_t begin, int64_t end) {
    if (begin == 0 && end == a.shape()[dim])
      return a;
    SmallVector<int64_t> starts(a.rank(), 0), limits(a.shape()),
        strides(a.rank(), 1), shape(a.shape());
    starts[dim] = begin;
    limits[dim] = end;
    shape[dim] = end - begin;
    auto type = RankedTensorType::get(shape, a.elementType());
    return {builder, stablehlo::SliceOp::create(builder, type, a, starts,
                                                limits, strides)};
  }

  /// Elements of all words in turn along a dimension, cut to `size`.
  TensorValue interleave(ArrayRef<TensorValue> words, size_t dim,
                         int64_t size) {
    SmallVector<int64_t> apart(words[0].shape()), together(words[0].shape());
    apart.insert(apart.begin() + dim + 1, 1);
    auto count = int64_t(words.size());
    together[dim] *= count;
    SmallVector<Value> parts;
    for (TensorValue word : words)
      parts.push_back(reshape(word, apart));
    apart[dim + 1] = count;
    auto type = RankedTensorType::get(apart, words[0].elementType());
    TensorValue joined(builder, stablehlo::ConcatenateOp::create(
                                    builder, type, parts, dim + 1));
    return slice(reshape(joined, together), dim, 0, size);
  }

  /// The number of each block, in row-major order.
  TensorValue numbersOf(ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, wide);
    std::optional<TensorValue> numbers;
    int64_t stride = 1;
    for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
      if (shape[dim] == 1)
        continue;
      TensorValue index = iota(builder, type, int64_t(dim));
      TensorValue own = stride == 1 ? index : index * number(index, stride);
      numbers = numbers ? *numbers + own : own;
    }
    if (numbers)
      return *numbers;
    TensorValue zero = number(counter[0], 0);
    return shape.empty() ? zero : broadcastScalar(zero, shape);
  }

  TensorValue spread(TensorValue scalar, TensorValue like) {
    return broadcastScalar(scalar, like.shape());
  }

  //===--- ThreeFry -------------------------------------------------------===//

  /// Threefry-2x32 with 20 rounds: the words of the blocks with these numbers.
  Words threeFryBlocks(TensorValue block) {
    static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                                 {17, 29, 16, 24}};
    TensorValue low = lowHalf(counter[0]), high = highHalf(counter[0]);
    TensorValue both = exclusiveOr(low, high);
    TensorValue parity = exclusiveOr(both, number(low, 0x1bd11bda));
    std::array<TensorValue, 3> keys{low, high, parity};
    TensorValue x = lowHalf(block), y = highHalf(block);
    x = x + spread(keys[0], x);
    y = y + spread(keys[1], y);
    for (unsigned group = 0; group < 5; ++group) {
      for (unsigned rotation : rotations[group % 2]) {
        x = x + y;
        y = exclusiveOr(rotateLeft(y, rotation), x);
      }
      x = x + spread(keys[(group + 1) % 3], x);
      TensorValue key = keys[(group + 2) % 3];
      TensorValue numbered = key + number(key, group + 1);
      y = y + spread(numbered, y);
    }
    return {x, y};
  }

  /// The dimension along which neighbours share a block: the first of even
  /// size, else the largest.
  static size_t pairedDim(ArrayRef<int64_t> shape) {
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] % 2 == 0)
        return dim;
    return size_t(std::max_element(shape.begin(), shape.end()) - shape.begin());
  }

  Value threeFry() {
    SmallVector<int64_t> shape(output.getShape()), blocks(shape);
    if (!isWide() && shape.empty())
      shape = blocks = {1};
    size_t paired = isWide() ? 0 : pairedDim(shape);
    if (!isWide())
      blocks[paired] = (shape[paired] + 1) / 2;
    TensorValue numbers = numbersOf(blocks);
    TensorValue block = numbers + spread(counter[1], numbers);
    advanced = {counter[1] + number(counter[1], uint64_t(product(blocks)))};
    Words words = threeFryBlocks(block);
    TensorValue bits = isWide() ? join(words[0], words[1])
                                : interleave(words, paired, shape[paired]);
    return finish(bits);
  }

  //===--- Philox ---------------------------------------------------------===//

  /// Philox-4x32 with 10 rounds of the blocks with these 128-bit numbers.
  Words philoxBlocks(TensorValue low, TensorValue high) {
    TensorValue keyLow = lowHalf(counter[0]), keyHigh = highHalf(counter[0]);
    Words words{lowHalf(low), highHalf(low), lowHalf(high), highHalf(high)};
    for (int round = 0; round < 10; ++round) {
      TensorValue first = timesWide(words[0], 0xd2511f53);
      TensorValue second = timesWide(words[2], 0xcd9e8d57);
      TensorValue a = exclusiveOr(highHalf(second), words[1]);
      a = exclusiveOr(a, spread(keyLow, a));
      TensorValue c = exclusiveOr(highHalf(first), words[3]);
      c = exclusiveOr(c, spread(keyHigh, c));
      TensorValue b = lowHalf(second), d = lowHalf(first);
      words = {a, b, c, d};
      keyLow = keyLow + number(keyLow, 0x9e3779b9);
      keyHigh = keyHigh + number(keyHigh, 0xbb67ae85);
    }
    return words;
  }
  TensorValue timesWide(TensorValue word, uint64_t factor) {
    TensorValue widened = convert(word, wide);
    return widened * number(widened, factor);
  }

  /// low + by; `carry`: 1 where that does not fit into 64 bits.
  TensorValue addWithCarry(TensorValue low, TensorValue by,
                           TensorValue &carry) {
    TensorValue result = low + by;
    TensorValue wraps = compare(result, stablehlo::ComparisonDirection::LT, by);
    carry = convert(wraps, wide);
    return result;
  }

  /// Where a row is a number of whole blocks they are numbered row by row, so
  /// that other dimensions can be split.
  Value philox() {
    int64_t perBlock = isWide() ? 2 : 4;
    int64_t count = output.getNumElements();
    SmallVector<int64_t> shape(output.getShape());
    bool hasWholeRows = !shape.empty() && shape.back() % perBlock == 0;
    SmallVector<int64_t> blocks =
        hasWholeRows ? shape : SmallVector<int64_t>{count};
    size_t last = blocks.size() - 1;
    int64_t rowLength = blocks[last];
    blocks[last] = llvm::divideCeil(rowLength, perBlock);

    // A state of two words leaves the upper half of the counter to the key.
    TensorValue start = counter[1];
    TensorValue upper = counter.size() == 3 ? counter[2] : counter[0];
    TensorValue numbers = numbersOf(blocks), carry = numbers;
    TensorValue low = addWithCarry(spread(start, numbers), numbers, carry);
    TensorValue high = spread(upper, numbers) + carry;
    TensorValue made = number(start, uint64_t(product(blocks)));
    TensorValue end = addWithCarry(start, made, carry);
    advanced = {end, upper + carry};

    Words words = philoxBlocks(low, high);
    if (isWide())
      words = {join(words[0], words[1]), join(words[2], words[3])};
    return finish(interleave(words, last, rowLength));
  }

  /// Words narrowed to the elements of the result.
  Value finish(TensorValue bits) {
    return convert(reshape(bits, output.getShape()), output.getElementType());
  }

  stablehlo::RngBitGeneratorOp op;
  ImplicitLocOpBuilder builder;
  IntegerType narrow, wide;
  RankedTensorType output;
  /// The state's words, each a scalar: the key, then the counter.
  Words counter;
  /// The counter behind the last block.
  Words advanced;
};

struct ExpandRandomBits : impl::ExpandRandomBitsBase<ExpandRandomBits> {
  using ExpandRandomBitsBase::ExpandRandomBitsBase;

  void runOnOperation() override {
    ErrorList unsupported;
    getOperation().walk([&](stablehlo::RngBitGeneratorOp op) {
      BitsBuilder bits(op);
      std::string reason = bits.whyNot();
      if (reason.empty())
        return bits.expand();
      unsupported.add(op.getLoc(), "unsupported: " + reason);
      replaceByZeros(op);
    });
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
