// SPDX-License-Identifier: Apache-2.0
//
// Tiles in f32, row after row, with four elements between a row and the next:
// threads of eight groups that read four elements of their rows at once touch
// every bank of shared memory once.

#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// Elements of f32 that a thread accesses at once.
constexpr int64_t floatsOfAccess = accessBytes / 4;

int64_t columnsOf(int64_t size) {
  return static_cast<int64_t>(llvm::alignTo(size, columnsOfFragment));
}
int64_t pitchOf(int64_t size) { return columnsOf(size) + floatsOfAccess; }

class ScalarProducts final : public TileProducts {
public:
  using TileProducts::TileProducts;

  SharedTile allocate(int64_t rows, int64_t size, TileUse use) override;
  bool isKept(const SharedTile &) const override { return false; }
  Fragments keep(const SharedTile &) override { return {}; }
  Fragments multiply(const SharedTile &a, const Fragments &kept,
                     const SharedTile &b) override;
  Fragments addProduct(const Fragments &sums, const Fragments &weights,
                       const SharedTile &b) override;

private:
  void copy(const SharedTile &tile) override;
  Value load(const SharedTile &tile, Value position, int64_t count);
  Value loadDirectly(const SharedTile &tile, Value row, Value feature);
  Value extract(Value vector, int64_t lane) {
    return vector::ExtractOp::create(builder, vector, lane);
  }
  Value fused(Value a, Value b, Value sum) {
    return math::FmaOp::create(builder, a, b, sum);
  }
};

SharedTile ScalarProducts::allocate(int64_t rows, int64_t size, TileUse use) {
  if (use == TileUse::Direct)
    return {rows, size, use, {}, {}, {}, {}, {}};
  Value memory =
      device.shared(rows * pitchOf(size), builder.getF32Type(), accessBytes);
  return {rows, size, use, memory, memory, {}, {}, {}};
}

void ScalarProducts::copy(const SharedTile &tile) {
  int64_t lanes = tile.size % floatsOfAccess == 0 ? floatsOfAccess : 1;
  int64_t perRow = columnsOf(tile.size) / lanes;
  LaneArithmetic arithmetic(builder, lanes);
  auto loadChunk = [&](Value i, ValueRange) {
    Value row = integers.quotient(i, perRow);
    Value chunk = integers.remainder(i, perRow);
    LaneIndex column = arithmetic.times(LaneIndex::at(chunk), lanes);
    column.stride = lanes > 1 ? 1 : 0;
    Value isThere = integers.isBelow(row, tile.count);
    if (columnsOf(tile.size) != tile.size)
      isThere = device.both(isThere, device.isBelow(chunk, tile.size / lanes));
    LaneIndex start = arithmetic.times(
        LaneIndex::at(integers.plus(tile.firstRow, row)), tile.size);
    device.memory.active = isThere;
    Value loaded = device.memory.load(builder, arithmetic, tile.tensor,
                                      arithmetic.plus(start, column));
    device.memory.active = {};
    LaneIndex place = arithmetic.plus(
        arithmetic.times(LaneIndex::at(row), pitchOf(tile.size)), column);
    DeviceMemory::store(builder, arithmetic, tile.byRows, builder.getF32Type(),
                        place, loaded);
    return SmallVector<Value>();
  };
  device.loop(device.thread, device.constant(tile.rows * perRow),
              device.threads, {}, loadChunk);
}

Value ScalarProducts::load(const SharedTile &tile, Value position,
                           int64_t count) {
  auto type = VectorType::get({count}, builder.getF32Type());
  return vector::LoadOp::create(
      builder, type, tile.byRows, asIndex(builder, position),
      /*nontemporal=*/false,
      llvm::MaybeAlign(static_cast<uint64_t>(count) * sizeof(float)));
}

Value ScalarProducts::loadDirectly(const SharedTile &tile, Value row,
                                   Value feature) {
  LaneArithmetic arithmetic(builder, floatsOfAccess);
  LaneIndex start = arithmetic.times(
      LaneIndex::at(integers.plus(tile.firstRow, row)), tile.size);
  device.memory.active = integers.isBelow(row, tile.count);
  Value loaded = device.memory.load(
      builder, arithmetic, tile.tensor,
      arithmetic.plus(start, LaneIndex::consecutive(feature, floatsOfAccess)));
  device.memory.active = {};
  return loaded;
}

Fragments ScalarProducts::multiply(const SharedTile &a, const Fragments &,
                                   const SharedTile &b) {
  assert(a.size == b.size);
  int64_t pitch = pitchOf(a.size);
  SmallVector<Value> rows, columns;
  for (int64_t half = 0; half < 2; ++half)
    rows.push_back(integers.times(thread.row(2 * half), pitch));
  for (int64_t n = 0; n < b.rows / columnsOfFragment; ++n)
    for (int64_t e = 0; e < 2; ++e)
      columns.push_back(integers.times(thread.column(n, e), pitch));
  return device.loop(
      device.constant(0), device.constant(columnsOf(a.size)), floatsOfAccess,
      thread.zeros(b.rows), [&](Value k, ValueRange sums) {
        Fragments next(sums);
        Value fromRow[2];
        for (int64_t half = 0; half < 2; ++half)
          fromRow[half] =
              a.use == TileUse::Direct
                  ? loadDirectly(a, thread.row(2 * half), k)
                  : load(a, integers.plus(rows[half], k), floatsOfAccess);
        for (auto [i, start] : llvm::enumerate(columns)) {
          Value fromColumn = load(b, integers.plus(start, k), floatsOfAccess);
          for (int64_t half = 0; half < 2; ++half) {
            Value &sum = next[4 * (i / 2) + 2 * half + i % 2];
            for (int64_t lane = 0; lane < floatsOfAccess; ++lane)
              sum = fused(extract(fromRow[half], lane),
                          extract(fromColumn, lane), sum);
          }
        }
        return next;
      });
}

// A thread has the weights of two of eight columns; those of the others come
// from its quad, two at a time. Threads of a quad add the terms in different
// orders, but a sum is always made by the same thread.
Fragments ScalarProducts::addProduct(const Fragments &sums,
                                     const Fragments &weights,
                                     const SharedTile &b) {
  Fragments next = sums;
  int64_t fragments = std::ssize(weights) / 4;
  assert(b.rows == fragments * columnsOfFragment);
  for (int64_t n = 0; n < fragments; ++n)
    for (int64_t bits = 0; bits < 4; ++bits) {
      Value partner = builder.createOrFold<arith::XOrIOp>(
          thread.quad, device.constant(bits));
      for (int64_t c = 0; c < 2; ++c) {
        Value weight[2];
        for (int64_t half = 0; half < 2; ++half)
          weight[half] = thread.exchange(weights[4 * n + 2 * half + c], bits);
        Value k = integers.plus(integers.times(partner, 2),
                                columnsOfFragment * n + c);
        Value start = integers.times(k, pitchOf(b.size));
        for (int64_t m = 0; 4 * m < std::ssize(next); ++m) {
          Value pair = load(b, integers.plus(start, thread.column(m, 0)), 2);
          for (int64_t half = 0; half < 2; ++half)
            for (int64_t e = 0; e < 2; ++e) {
              Value &sum = next[4 * m + 2 * half + e];
              sum = fused(weight[half], extract(pair, e), sum);
            }
        }
      }
    }
  return next;
}

} // namespace

int64_t scalarTileBytes(int64_t rows, int64_t size, TileUse use) {
  return use == TileUse::Direct ? 0 : rows * pitchOf(size) * 4;
}

std::unique_ptr<TileProducts> makeScalarProducts(FragmentThread &thread) {
  return std::make_unique<ScalarProducts>(thread);
}

} // namespace shardsmith::cuda
