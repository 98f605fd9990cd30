// SPDX-License-Identifier: Apache-2.0

#include "ProductTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr int64_t wordsOfAccess = accessBytes / 4;

} // namespace

int64_t ProductTiles::columnsFor(int64_t columns) {
  return std::min(mostColumns, static_cast<int64_t>(
                                   llvm::alignTo(columns, columnsOfFragment)));
}

ProductTiles::ProductTiles(FragmentThread &thread, int64_t columns,
                           bool areMatrices)
    : thread(thread), device(thread.device), builder(thread.builder),
      integers(thread.integers), columns(columns), areMatrices(areMatrices),
      pitch((areMatrices ? depth / 2 : depth) + wordsOfAccess) {
  Type word = areMatrices ? Type(builder.getI32Type()) : builder.getF32Type();
  left = device.shared(rows * pitch, word, accessBytes);
  right = device.shared(columns * pitch, word, accessBytes);
}

int64_t ProductTiles::chunk() const {
  return areMatrices ? 2 * wordsOfAccess : wordsOfAccess;
}

SmallVector<Value> ProductTiles::load(const TileLines &from, Value line,
                                      Value number) {
  TileLines::Places places = from.line(line);
  int64_t lanes = from.neighbours % chunk() == 0 ? chunk() : 1;
  LaneArithmetic arithmetic(builder, lanes);
  LaneIndex first = arithmetic.times(LaneIndex::at(number), chunk());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < chunk(); i += lanes) {
    auto [position, exists] = places(arithmetic.plus(first, i));
    position.stride = lanes > 1 ? 1 : 0;
    device.memory.active = exists;
    Value loaded =
        device.memory.load(builder, arithmetic, from.tensor, position);
    device.memory.active = {};
    if (lanes == 1)
      elements.push_back(loaded);
    else
      for (int64_t lane = 0; lane < lanes; ++lane)
        elements.push_back(vector::ExtractOp::create(builder, loaded, lane));
  }
  return elements;
}

Value ProductTiles::asWords(ArrayRef<Value> elements) {
  auto vectorOf = [&](ArrayRef<Value> values) -> Value {
    auto type = VectorType::get({std::ssize(values)}, values[0].getType());
    return vector::FromElementsOp::create(builder, type, values);
  };
  if (!areMatrices)
    return vectorOf(elements);
  SmallVector<Value> narrow;
  for (Value element : elements)
    narrow.push_back(
        arith::TruncFOp::create(builder, builder.getBF16Type(), element));
  auto words =
      VectorType::get({std::ssize(elements) / 2}, builder.getI32Type());
  return vector::BitCastOp::create(builder, words, vectorOf(narrow));
}

void ProductTiles::fillRows(Value tile, int64_t positions,
                            const TileLines &from) {
  int64_t chunks = depth / chunk();
  auto copyChunk = [&](Value i, ValueRange) {
    Value line = integers.quotient(i, chunks);
    Value number = integers.remainder(i, chunks);
    Value words = asWords(load(from, line, number));
    Value place = integers.plus(integers.times(line, pitch),
                                integers.times(number, wordsOfAccess));
    vector::StoreOp::create(builder, words, tile, asIndex(builder, place),
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(uint64_t(accessBytes)));
    return SmallVector<Value>();
  };
  device.loop(device.thread, device.constant(positions * chunks), threads, {},
              copyChunk);
}

void ProductTiles::fillColumns(Value tile, int64_t positions,
                               const TileLines &from) {
  // Lines that share a word.
  int64_t lines = areMatrices ? 2 : 1;
  int64_t chunks = positions / chunk();
  auto copyChunk = [&](Value i, ValueRange) {
    Value word = integers.quotient(i, chunks);
    Value number = integers.remainder(i, chunks);
    SmallVector<SmallVector<Value>> ofLine;
    for (int64_t line = 0; line < lines; ++line)
      ofLine.push_back(
          load(from, integers.plus(integers.times(word, lines), line), number));
    for (int64_t c = 0; c < chunk(); ++c) {
      SmallVector<Value> together;
      for (const SmallVector<Value> &elements : ofLine)
        together.push_back(elements[c]);
      Value position = integers.plus(integers.times(number, chunk()), c);
      memref::StoreOp::create(
          builder, vector::ExtractOp::create(builder, asWords(together), 0),
          tile,
          asIndex(builder,
                  integers.plus(integers.times(position, pitch), word)));
    }
    return SmallVector<Value>();
  };
  device.loop(device.thread, device.constant(depth / lines * chunks), threads,
              {}, copyChunk);
}

Fragments ProductTiles::multiplyMatrices(Fragments sums) {
  auto word = [&](Value tile, Value position, int64_t offset) -> Value {
    Value place = integers.plus(integers.times(position, pitch),
                                integers.plus(thread.quad, offset));
    return memref::LoadOp::create(builder, tile, asIndex(builder, place));
  };
  for (int64_t first = 0; first < depth / 2; first += depthOfInstruction / 2) {
    SmallVector<Value> ofRows;
    for (int64_t i = 0; i < 4; ++i)
      ofRows.push_back(
          word(left, thread.row(i % 2 == 0 ? 0 : 2), first + (i < 2 ? 0 : 4)));
    for (int64_t n = 0; n < columns / columnsOfFragment; ++n) {
      Value column = integers.plus(thread.group, columnsOfFragment * n);
      SmallVector<Value> ofColumns{word(right, column, first),
                                   word(right, column, first + 4)};
      thread.instruct(ofRows, ofColumns,
                      MutableArrayRef<Value>(sums).slice(4 * n, 4));
    }
  }
  return sums;
}

Fragments ProductTiles::multiplyScalars(const Fragments &before) {
  auto load = [&](Value tile, Value position, Value k) -> Value {
    return vector::LoadOp::create(
        builder, VectorType::get({wordsOfAccess}, builder.getF32Type()), tile,
        asIndex(builder, integers.plus(integers.times(position, pitch), k)),
        /*nontemporal=*/false, llvm::MaybeAlign(uint64_t(accessBytes)));
  };
  auto addWords = [&](Value k, ValueRange values) {
    Fragments sums(values);
    Value ofRow[2];
    for (int64_t half = 0; half < 2; ++half)
      ofRow[half] = load(left, thread.row(2 * half), k);
    for (int64_t n = 0; n < columns / columnsOfFragment; ++n)
      for (int64_t e = 0; e < 2; ++e) {
        Value ofColumn = load(right, thread.column(n, e), k);
        for (int64_t half = 0; half < 2; ++half) {
          Value &sum = sums[4 * n + 2 * half + e];
          for (int64_t lane = 0; lane < wordsOfAccess; ++lane)
            sum = math::FmaOp::create(
                builder, vector::ExtractOp::create(builder, ofRow[half], lane),
                vector::ExtractOp::create(builder, ofColumn, lane), sum);
        }
      }
    return sums;
  };
  return device.loop(device.constant(0), device.constant(depth), wordsOfAccess,
                     before, addWords);
}

Fragments ProductTiles::addPiece(const Fragments &sums, const TileLines &ofRows,
                                 const TileLines &ofColumns, Value isNeeded) {
  auto fill = [&](Value tile, int64_t positions, const TileLines &from) {
    if (from.areDepth)
      fillColumns(tile, positions, from);
    else
      fillRows(tile, positions, from);
  };
  // Nobody reads the piece before any more.
  device.barrier();
  fill(left, rows, ofRows);
  fill(right, columns, ofColumns);
  device.barrier();
  if (!isNeeded)
    return multiply(sums);
  auto branch = scf::IfOp::create(builder, ValueRange(sums).getTypes(),
                                  isNeeded, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, multiply(sums));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, sums);
  return Fragments(branch.getResults());
}

} // namespace shardsmith::cuda
