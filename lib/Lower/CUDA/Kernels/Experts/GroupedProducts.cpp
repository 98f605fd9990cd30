// SPDX-License-Identifier: Apache-2.0
//
// Products of rows with the matrices that they name. A block has one matrix:
//
//   grouped_dot     some columns of its results, for its rows among some:
//                     for each 64 rows of its list:
//                       result[rows] = x[rows] · w
//   grouped_outer   a tile of its gradient:
//                     for each 32 rows of its list:
//                       dw += x[rows]ᵀ · dy[rows]
//
// Blocks of one more matrix write zeros to rows that name none. How many rows
// a matrix has only its blocks know; every sum is made by one of them, in the
// order of the rows.

#include "../OwnFunctions.h"
#include "../Products/ProductTiles.h"
#include "RowList.h"

#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// x [batches, rows, depth], w [batches, groups, depth, columns], and
/// y [batches, rows, columns].
struct GroupedSizes {
  int64_t batches = 1, rows = 1, groups = 0, depth = 0, columns = 0;

  GroupedSizes(Value left, Value numbers, Value right, Value matrices) {
    ArrayRef<int64_t> shape = shapeOf(matrices);
    size_t batchRank = shape.size() - 3;
    for (auto [d, size] : llvm::enumerate(shapeOf(numbers)))
      (d < batchRank ? batches : rows) *= size;
    groups = shape[batchRank];
    depth = shapeOf(left).back();
    columns = shapeOf(right).back();
  }
};

bool areMatrices(Value a, Value b) {
  return getElementTypeOrSelf(a).isBF16() && getElementTypeOrSelf(b).isBF16();
}

class GroupedNest {
public:
  GroupedNest(DeviceKernel &device, Operation *op, Value numbers,
              GroupedSizes sizes, bool areMatrices)
      : device(device), builder(device.builder), integers(device), op(op),
        sizes(sizes), tileColumns(ProductTiles::columnsFor(sizes.columns)),
        thread(device), tiles(thread, tileColumns, areMatrices),
        list(device, numbers, sizes.groups, sizes.rows) {}

protected:
  /// Lines of a tensor [lines][size], from place `first` of each on, and which
  /// one line `i` of the piece is.
  TileLines linesOf(Value tensor, int64_t size, LaneIndex first, bool areDepth,
                    std::function<std::pair<Value, Value>(Value i)> numberOf) {
    auto line = [=, this,
                 numberOf = std::move(numberOf)](Value i) -> TileLines::Places {
      auto [number, exists] = numberOf(i);
      LaneIndex start =
          LaneArithmetic(builder, 1).times(LaneIndex::at(number), size);
      return [=, this, exists = exists](const LaneIndex &place) {
        LaneArithmetic arithmetic(builder, 1);
        LaneIndex column = arithmetic.plus(first, place);
        Value isPlace = device.isBelow(arithmetic.scalar(column), size);
        return std::pair(arithmetic.plus(start, column),
                         device.both(exists, isPlace));
      };
    };
    return {tensor, line, /*neighbours=*/size, areDepth};
  }
  /// Lines of `tensor` that the list has from `begin` on.
  TileLines listed(Value tensor, int64_t size, LaneIndex first, bool areDepth,
                   Value begin, Value count) {
    return linesOf(tensor, size, first, areDepth, [=, this](Value i) {
      Value place = integers.plus(begin, i);
      Value exists = integers.isBelow(place, count);
      return std::pair(list.at(place, exists), exists);
    });
  }
  LaneIndex tile(Value number, int64_t size) {
    return LaneArithmetic(builder, 1).times(LaneIndex::at(number), size);
  }

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  Operation *op;
  GroupedSizes sizes;
  int64_t tileColumns;
  FragmentThread thread;
  ProductTiles tiles;
  RowList list;
};

GroupedSizes sizesOf(smith::GroupedDotOp op) {
  return {op.getRows(), op.getGroups(), op.getResult(), op.getMatrices()};
}

class GroupedDotNest : GroupedNest {
public:
  static void emit(DeviceKernel &device, smith::GroupedDotOp op) {
    GroupedSizes sizes = sizesOf(op);
    SmallVector<int64_t> grid = gridOf(sizes);
    device.launch(llvm::product_of(grid), ProductTiles::threads);
    GroupedDotNest(device, op, sizes).emitBlock(op, grid);
  }

private:
  GroupedDotNest(DeviceKernel &device, smith::GroupedDotOp op,
                 GroupedSizes sizes)
      : GroupedNest(device, op, op.getGroups(), sizes,
                    cuda::areMatrices(op.getRows(), op.getMatrices())) {}
  static SmallVector<int64_t> gridOf(const GroupedSizes &sizes) {
    return {sizes.batches, ceilDivide(sizes.rows, RowList::mostRows),
            sizes.groups + 1,
            ceilDivide(sizes.columns, ProductTiles::columnsFor(sizes.columns))};
  }
  void emitBlock(smith::GroupedDotOp op, ArrayRef<int64_t> grid);
  void clearRows(Value count, const LaneIndex &firstColumn);
  TileLines linesOfMatrix(smith::GroupedDotOp op, Value matrix,
                          const LaneIndex &firstColumn, Value piece);
};

void GroupedDotNest::clearRows(Value count, const LaneIndex &firstColumn) {
  LaneArithmetic scalars(builder, 1);
  Type element = getElementTypeOrSelf(op->getResult(0));
  auto clear = [&](Value i, ValueRange) {
    Value row = list.at(integers.quotient(i, tileColumns));
    Value column = integers.plus(scalars.scalar(firstColumn),
                                 integers.remainder(i, tileColumns));
    device.guarded(device.isBelow(column, sizes.columns), [&] {
      Value place = integers.plus(integers.times(row, sizes.columns), column);
      DeviceMemory::store(builder, scalars, device.buffer(3), element,
                          LaneIndex::at(place), thread.number(0));
    });
    return SmallVector<Value>();
  };
  device.loop(device.thread, integers.times(count, tileColumns), device.threads,
              {}, clear);
}

TileLines GroupedDotNest::linesOfMatrix(smith::GroupedDotOp op, Value matrix,
                                        const LaneIndex &firstColumn,
                                        Value piece) {
  auto lines = [&](int64_t size, LaneIndex first, bool areDepth, Value begin,
                   int64_t count) {
    return linesOf(op.getMatrices(), size, first, areDepth, [=, this](Value i) {
      Value line = integers.plus(begin, i);
      Value number = integers.plus(integers.times(matrix, count), line);
      return std::pair(number, device.isBelow(line, count));
    });
  };
  LaneIndex depth = LaneIndex::at(piece, ProductTiles::depth);
  if (!op.getTransposed())
    return lines(sizes.columns, firstColumn, /*areDepth=*/true, piece,
                 sizes.depth);
  return lines(sizes.depth, depth, /*areDepth=*/false,
               LaneArithmetic(builder, 1).scalar(firstColumn), sizes.columns);
}

void GroupedDotNest::emitBlock(smith::GroupedDotOp op, ArrayRef<int64_t> grid) {
  SmallVector<Value> position = integers.digits(device.block, grid);
  Value batch = position[0], group = position[2];
  LaneIndex firstColumn = tile(position[3], tileColumns);
  Value begin = integers.plus(integers.times(batch, sizes.rows),
                              integers.times(position[1], RowList::mostRows));
  Value end =
      integers.smaller(integers.plus(begin, RowList::mostRows),
                       integers.times(integers.plus(batch, 1), sizes.rows));
  Value count = list.collect(begin, end, group);
  device.barrier();
  Value isNone = integers.isEqual(group, device.constant(sizes.groups));
  Value zero = device.constant(0);
  clearRows(arith::SelectOp::create(builder, isNone, count, zero), firstColumn);
  count = arith::SelectOp::create(builder, isNone, zero, count);
  Value matrix = integers.plus(integers.times(batch, sizes.groups), group);
  Type element = getElementTypeOrSelf(op.getResult());
  auto multiply = [&](Value firstRow, ValueRange) {
    // The last rows of a list may be those of the first warps.
    Value hasRows = integers.isBelow(
        integers.plus(firstRow, integers.times(thread.warp, rowsOfWarp)),
        count);
    auto addPiece = [&](Value piece, ValueRange sums) {
      LaneIndex depth = LaneIndex::at(piece, ProductTiles::depth);
      return tiles.addPiece(Fragments(sums),
                            listed(op.getRows(), sizes.depth, depth,
                                   /*areDepth=*/false, firstRow, count),
                            linesOfMatrix(op, matrix, firstColumn, piece),
                            hasRows);
    };
    SmallVector<Value> sums =
        device.loop(zero, device.constant(sizes.depth), ProductTiles::depth,
                    tiles.zeros(), addPiece);
    for (int64_t half = 0; half < 2; ++half) {
      Value place = integers.plus(firstRow, thread.row(2 * half));
      Value exists = integers.isBelow(place, count);
      Value row = list.at(place, exists);
      for (int64_t n = 0; n < tileColumns / columnsOfFragment; ++n)
        thread.storePair(
            device.buffer(3), element, row, sizes.columns, n, exists,
            [&](int64_t e) { return sums[4 * n + 2 * half + e]; }, firstColumn);
    }
    return SmallVector<Value>();
  };
  device.loop(zero, count, ProductTiles::rows, {}, multiply);
}

GroupedSizes sizesOf(smith::GroupedOuterOp op) {
  return {op.getLhs(), op.getGroups(), op.getRhs(), op.getResult()};
}

class GroupedOuterNest : GroupedNest {
public:
  static void emit(DeviceKernel &device, smith::GroupedOuterOp op) {
    GroupedSizes sizes = sizesOf(op);
    SmallVector<int64_t> grid = {
        sizes.batches, sizes.groups,
        ceilDivide(sizes.depth, ProductTiles::rows),
        ceilDivide(sizes.columns, ProductTiles::columnsFor(sizes.columns))};
    device.launch(llvm::product_of(grid), ProductTiles::threads);
    GroupedOuterNest(device, op, sizes).emitBlock(op, grid);
  }

private:
  GroupedOuterNest(DeviceKernel &device, smith::GroupedOuterOp op,
                   GroupedSizes sizes)
      : GroupedNest(device, op, op.getGroups(), sizes,
                    cuda::areMatrices(op.getLhs(), op.getRhs())) {}
  void emitBlock(smith::GroupedOuterOp op, ArrayRef<int64_t> grid);
};

void GroupedOuterNest::emitBlock(smith::GroupedOuterOp op,
                                 ArrayRef<int64_t> grid) {
  SmallVector<Value> position = integers.digits(device.block, grid);
  Value batch = position[0], group = position[1];
  LaneIndex firstRow = tile(position[2], ProductTiles::rows);
  LaneIndex firstColumn = tile(position[3], tileColumns);
  Value begin = integers.times(batch, sizes.rows);
  Value end = integers.plus(begin, sizes.rows);
  auto addSome = [&](Value first, ValueRange sums) {
    Value last = integers.smaller(integers.plus(first, RowList::mostRows), end);
    Value count = list.collect(first, last, group);
    auto addPiece = [&](Value piece, ValueRange before) {
      return tiles.addPiece(Fragments(before),
                            listed(op.getLhs(), sizes.depth, firstRow,
                                   /*areDepth=*/true, piece, count),
                            listed(op.getRhs(), sizes.columns, firstColumn,
                                   /*areDepth=*/true, piece, count));
    };
    return device.loop(device.constant(0), count, ProductTiles::depth, sums,
                       addPiece);
  };
  SmallVector<Value> sums =
      device.loop(begin, end, RowList::mostRows, tiles.zeros(), addSome);
  Value matrix = integers.plus(integers.times(batch, sizes.groups), group);
  Type element = getElementTypeOrSelf(op.getResult());
  for (int64_t half = 0; half < 2; ++half) {
    Value line = integers.plus(LaneArithmetic(builder, 1).scalar(firstRow),
                               thread.row(2 * half));
    Value row = integers.plus(integers.times(matrix, sizes.depth), line);
    for (int64_t n = 0; n < tileColumns / columnsOfFragment; ++n)
      thread.storePair(
          device.buffer(3), element, row, sizes.columns, n,
          device.isBelow(line, sizes.depth),
          [&](int64_t e) { return sums[4 * n + 2 * half + e]; }, firstColumn);
  }
}

} // namespace

std::string whyNotGroupedProduct(Operation *op) {
  return whyNotFloats(op,
                      {op->getOperand(0), op->getOperand(2), op->getResult(0)});
}

void emitGroupedProduct(DeviceKernel &device, Operation *op) {
  if (auto dot = dyn_cast<smith::GroupedDotOp>(op))
    GroupedDotNest::emit(device, dot);
  else
    GroupedOuterNest::emit(device, cast<smith::GroupedOuterOp>(op));
}

} // namespace shardsmith::cuda
