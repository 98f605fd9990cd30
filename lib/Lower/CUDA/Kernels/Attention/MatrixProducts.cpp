// SPDX-License-Identifier: Apache-2.0
//
// Tiles of bf16 for matrix instructions. They multiply 16 × 16 by 16 × 8
// elements, of which a thread has pairs, neighbours along the contraction, as
// words of 32 bits (PTX ISA, "Matrix fragments for mma.m16n8k16"):
//
//     left    row group        k: 2 quad, + 1     a0        + 8, + 9     a2
//             row group + 8                       a1                     a3
//     right   column group     k: 2 quad, + 1     b0        + 8, + 9     b1
//
// So a tile is kept in words of pairs, in one or two ways:
//
//     byRows      [row][feature / 2]     contracted along features
//     byColumns   [row / 2][feature]     contracted along rows
//
// A row is followed by four or eight words that nobody reads, so that the
// threads of a warp touch every bank of shared memory once.

#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr int64_t depth = depthOfInstruction;
/// Features up to which a thread keeps its rows in registers.
constexpr int64_t mostKept = 128;

int64_t featuresOf(int64_t size) {
  return static_cast<int64_t>(llvm::alignTo(size, depth));
}
int64_t rowPitch(int64_t size) { return featuresOf(size) / 2 + 4; }
int64_t columnPitch(int64_t size) { return featuresOf(size) + 8; }

class MatrixProducts final : public TileProducts {
public:
  using TileProducts::TileProducts;

  SharedTile allocate(int64_t rows, int64_t size, TileUse use) override;
  bool isKept(const SharedTile &tile) const override {
    return tile.size <= mostKept && tile.use != TileUse::Direct;
  }
  Fragments keep(const SharedTile &tile) override;
  Fragments multiply(const SharedTile &a, const Fragments &kept,
                     const SharedTile &b) override;
  Fragments addProduct(const Fragments &sums, const Fragments &weights,
                       const SharedTile &b) override;

private:
  void copy(const SharedTile &tile) override;
  Value word(Value memory, Value position) {
    return memref::LoadOp::create(builder, memory, asIndex(builder, position));
  }
  void storeWords(Value memory, Value position, Value words);
  /// Elements of a row that are neighbours, zeros unless the condition holds.
  Value loadElements(Value tensor, Value position, int64_t count,
                     Value condition);
  /// bf16 elements as half as many words.
  Value asWords(ArrayRef<Value> elements);
  SmallVector<Value> elementsOf(Value vector, int64_t count);
  /// The thread's words of the left factor, `step` instructions along.
  SmallVector<Value> leftWords(const SharedTile &tile, int64_t step);
};

SharedTile MatrixProducts::allocate(int64_t rows, int64_t size, TileUse use) {
  SharedTile tile{rows, size, use, {}, {}, {}, {}, {}};
  Type word = builder.getI32Type();
  if (use == TileUse::Direct)
    return tile;
  if (use != TileUse::Columns)
    tile.byRows = device.shared(rows * rowPitch(size), word, accessBytes);
  if (use != TileUse::Rows)
    tile.byColumns =
        device.shared(rows / 2 * columnPitch(size), word, accessBytes);
  return tile;
}

Value MatrixProducts::loadElements(Value tensor, Value position, int64_t count,
                                   Value condition) {
  Type element = builder.getBF16Type();
  Value buffer = device.memory.bufferOf(tensor);
  Type type = count > 1 ? Type(VectorType::get({count}, element)) : element;
  auto branch = scf::IfOp::create(builder, type, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value loaded;
  if (count > 1)
    loaded = vector::LoadOp::create(
        builder, type, buffer, asIndex(builder, position),
        /*nontemporal=*/false,
        llvm::MaybeAlign(static_cast<uint64_t>(2 * count)));
  else
    loaded =
        memref::LoadOp::create(builder, buffer, asIndex(builder, position));
  scf::YieldOp::create(builder, loaded);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  scf::YieldOp::create(builder, zero);
  return branch.getResult(0);
}

SmallVector<Value> MatrixProducts::elementsOf(Value vector, int64_t count) {
  if (count == 1)
    return {vector};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(vector::ExtractOp::create(builder, vector, i));
  return elements;
}

Value MatrixProducts::asWords(ArrayRef<Value> elements) {
  int64_t count = std::ssize(elements);
  Value all = vector::FromElementsOp::create(
      builder, VectorType::get({count}, builder.getBF16Type()), elements);
  return vector::BitCastOp::create(
      builder, VectorType::get({count / 2}, builder.getI32Type()), all);
}

void MatrixProducts::storeWords(Value memory, Value position, Value words) {
  int64_t count = cast<VectorType>(words.getType()).getNumElements();
  Value place = asIndex(builder, position);
  if (count == 1) {
    memref::StoreOp::create(
        builder, vector::ExtractOp::create(builder, words, 0), memory, place);
    return;
  }
  constexpr int64_t wordsOfAccess = accessBytes / 4;
  for (int64_t first = 0; first < count; first += wordsOfAccess) {
    int64_t some = std::min(count - first, wordsOfAccess);
    Value part = words;
    if (some < count)
      part = vector::ExtractStridedSliceOp::create(
          builder, words, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{some},
          ArrayRef<int64_t>{1});
    Value start = asIndex(builder, integers.plus(position, first));
    vector::StoreOp::create(builder, part, memory, start,
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(static_cast<uint64_t>(4 * some)));
  }
}

// A thread takes some neighbouring features of two rows at a time: eight where
// they divide the row, else two.
void MatrixProducts::copy(const SharedTile &tile) {
  int64_t width = tile.size % 8 == 0 ? 8 : 2;
  int64_t perRow = featuresOf(tile.size) / width;
  // Of an odd number, elements are loaded one by one.
  int64_t lanes = tile.size % width == 0 ? width : 1;
  auto loadChunk = [&](Value i, ValueRange) {
    Value pair = integers.quotient(i, perRow);
    Value chunk = integers.remainder(i, perRow);
    Value feature = integers.times(chunk, width);
    SmallVector<Value> ofRow[2];
    for (int64_t r = 0; r < 2; ++r) {
      Value row = integers.plus(integers.times(pair, 2), r);
      Value start =
          integers.times(integers.plus(tile.firstRow, row), tile.size);
      for (int64_t first = 0; first < width; first += lanes) {
        Value column = integers.plus(feature, first);
        Value isThere = integers.isBelow(row, tile.count);
        if (featuresOf(tile.size) != tile.size)
          isThere = device.both(isThere, device.isBelow(column, tile.size));
        Value loaded = loadElements(tile.tensor, integers.plus(start, column),
                                    lanes, isThere);
        llvm::append_range(ofRow[r], elementsOf(loaded, lanes));
      }
      if (tile.byRows)
        storeWords(tile.byRows,
                   integers.plus(integers.times(row, rowPitch(tile.size)),
                                 integers.times(chunk, width / 2)),
                   asWords(ofRow[r]));
    }
    if (tile.byColumns) {
      SmallVector<Value> pairs;
      for (auto [above, below] : llvm::zip_equal(ofRow[0], ofRow[1])) {
        pairs.push_back(above);
        pairs.push_back(below);
      }
      storeWords(
          tile.byColumns,
          integers.plus(integers.times(pair, columnPitch(tile.size)), feature),
          asWords(pairs));
    }
    return SmallVector<Value>();
  };
  device.loop(device.thread, device.constant(tile.rows / 2 * perRow),
              device.threads, {}, loadChunk);
}

SmallVector<Value> MatrixProducts::leftWords(const SharedTile &tile,
                                             int64_t step) {
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i) {
    Value row = thread.row(i % 2 == 0 ? 0 : 2);
    if (tile.use == TileUse::Direct) {
      Value start =
          integers.times(integers.plus(tile.firstRow, row), tile.size);
      Value feature = integers.plus(integers.times(thread.quad, 2),
                                    depth * step + (i < 2 ? 0 : 8));
      Value pair = loadElements(tile.tensor, integers.plus(start, feature), 2,
                                integers.isBelow(row, tile.count));
      words.push_back(
          vector::ExtractOp::create(builder, asWords(elementsOf(pair, 2)), 0));
      continue;
    }
    Value start = integers.times(row, rowPitch(tile.size));
    words.push_back(
        word(tile.byRows, integers.plus(integers.plus(start, thread.quad),
                                        depth / 2 * step + (i < 2 ? 0 : 4))));
  }
  return words;
}

Fragments MatrixProducts::keep(const SharedTile &tile) {
  Fragments kept;
  if (isKept(tile))
    for (int64_t step = 0; step < featuresOf(tile.size) / depth; ++step)
      llvm::append_range(kept, leftWords(tile, step));
  return kept;
}

Fragments MatrixProducts::multiply(const SharedTile &a, const Fragments &kept,
                                   const SharedTile &b) {
  Fragments sums = thread.zeros(b.rows);
  for (int64_t step = 0; step < featuresOf(a.size) / depth; ++step) {
    SmallVector<Value> left =
        kept.empty() ? leftWords(a, step)
                     : SmallVector<Value>(ArrayRef(kept).slice(4 * step, 4));
    for (int64_t n = 0; n < b.rows / columnsOfFragment; ++n) {
      Value row = integers.plus(thread.group, columnsOfFragment * n);
      Value start =
          integers.plus(integers.times(row, rowPitch(b.size)), thread.quad);
      SmallVector<Value> right;
      for (int64_t half = 0; half < 2; ++half)
        right.push_back(
            word(b.byRows, integers.plus(start, depth / 2 * step + 4 * half)));
      thread.instruct(left, right,
                      MutableArrayRef<Value>(sums).slice(4 * n, 4));
    }
  }
  return sums;
}

// What a thread has of two fragments of weights is what it needs of them as
// the left factor.
Fragments MatrixProducts::addProduct(const Fragments &sums,
                                     const Fragments &weights,
                                     const SharedTile &b) {
  Fragments next = sums;
  assert(b.rows % depth == 0 && b.rows == 2 * std::ssize(weights));
  for (int64_t step = 0; step < b.rows / depth; ++step) {
    SmallVector<Value> left;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t first = 8 * step + 2 * i;
      SmallVector<Value> rounded;
      for (int64_t e = 0; e < 2; ++e)
        rounded.push_back(arith::TruncFOp::create(
            builder, builder.getBF16Type(), weights[first + e]));
      left.push_back(vector::ExtractOp::create(builder, asWords(rounded), 0));
    }
    for (int64_t m = 0; 4 * m < std::ssize(next); ++m) {
      SmallVector<Value> right;
      for (int64_t half = 0; half < 2; ++half) {
        Value pair = integers.plus(thread.quad, depth / 2 * step + 4 * half);
        Value place =
            integers.plus(integers.times(pair, columnPitch(b.size)),
                          integers.plus(thread.group, columnsOfFragment * m));
        right.push_back(word(b.byColumns, place));
      }
      thread.instruct(left, right,
                      MutableArrayRef<Value>(next).slice(4 * m, 4));
    }
  }
  return next;
}

} // namespace

int64_t matrixTileBytes(int64_t rows, int64_t size, TileUse use) {
  int64_t words = 0;
  if (use == TileUse::Direct)
    return 0;
  if (use != TileUse::Columns)
    words += rows * rowPitch(size);
  if (use != TileUse::Rows)
    words += rows / 2 * columnPitch(size);
  return 4 * words;
}

std::unique_ptr<TileProducts> makeMatrixProducts(FragmentThread &thread) {
  return std::make_unique<MatrixProducts>(thread);
}

} // namespace shardsmith::cuda
