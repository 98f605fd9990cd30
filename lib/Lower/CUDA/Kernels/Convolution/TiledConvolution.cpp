// SPDX-License-Identifier: Apache-2.0
//
// A block has a tile of one group's positions and outputs, and goes through the
// whole depth:
//
//     for each 32 of the depth:
//       result[positions, outputs] += lhs[positions, 32] · rhs[32, outputs]
//
// Elements of lhs are found where they are while a piece is loaded; those of
// the padding, and between dilated elements, are zeros in shared memory.

#include "../Products/ProductTiles.h"
#include "EmitConvolution.h"
#include "Places.h"

#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

class TiledConvolution {
public:
  static void emit(DeviceKernel &device, stablehlo::ConvolutionOp op) {
    ConvolutionShape shape(op);
    ConvolutionPlaces places(device, shape);
    int64_t columns = ProductTiles::columnsFor(shape.outputs);
    SmallVector<int64_t> grid = {
        shape.groups, ceilDivide(places.positions.count(), ProductTiles::rows),
        ceilDivide(shape.outputs, columns)};
    device.launch(llvm::product_of(grid), ProductTiles::threads);
    TiledConvolution(device, op, places, columns, grid).emit();
  }

private:
  TiledConvolution(DeviceKernel &device, stablehlo::ConvolutionOp op,
                   ConvolutionPlaces &places, int64_t tileColumns,
                   ArrayRef<int64_t> grid)
      : device(device), builder(device.builder), integers(device), op(op),
        places(places), shape(places.shape), tileColumns(tileColumns),
        arithmetic(builder, 1), thread(device),
        tiles(thread, tileColumns,
              getElementTypeOrSelf(op.getLhs()).isBF16() &&
                  getElementTypeOrSelf(op.getRhs()).isBF16()) {
    SmallVector<Value> block = integers.digits(device.block, grid);
    group = block[0];
    firstRow = arithmetic.times(LaneIndex::at(block[1]), ProductTiles::rows);
    firstColumn = arithmetic.times(LaneIndex::at(block[2]), tileColumns);
  }
  void emit();
  TileLines linesOfLhs(const LaneIndex &piece);
  TileLines linesOfRhs(const LaneIndex &piece);
  void store(ValueRange sums);

  /// `number < count`; null where tiles of so many end with the last one.
  Value isIn(const LaneIndex &number, int64_t count, int64_t ofTile) {
    if (count % ofTile == 0)
      return {};
    return device.isBelow(arithmetic.scalar(number), count);
  }
  Value isRow(const LaneIndex &row) {
    return isIn(row, places.positions.count(), ProductTiles::rows);
  }
  Value isColumn(const LaneIndex &column) {
    return isIn(column, shape.outputs, tileColumns);
  }
  Value isDepth(const LaneIndex &depth) {
    return isIn(depth, places.depth.count(), ProductTiles::depth);
  }

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  stablehlo::ConvolutionOp op;
  ConvolutionPlaces &places;
  const ConvolutionShape &shape;
  int64_t tileColumns;
  LaneArithmetic arithmetic;
  FragmentThread thread;
  ProductTiles tiles;
  Value group;
  LaneIndex firstRow, firstColumn;
};

// Lines are along whatever is minor in memory, where it is minor among
// positions or in the depth.
TileLines TiledConvolution::linesOfLhs(const LaneIndex &piece) {
  auto at = [this](const ConvolutionPlaces::Position &position,
                   const ConvolutionPlaces::Depth &depth, Value exists) {
    auto [place, isElement] = places.lhs(group, position, depth);
    return std::pair(place, device.both(exists, isElement));
  };
  if (shape.lhs.feature == 1) {
    auto line = [=, this](Value i) -> TileLines::Places {
      LaneIndex row = arithmetic.plus(firstRow, LaneIndex::at(i));
      ConvolutionPlaces::Position position = places.position(row);
      Value exists = isRow(row);
      return [=, this](const LaneIndex &place) {
        LaneIndex depth = arithmetic.plus(piece, place);
        return at(position, places.depthAt(depth),
                  device.both(exists, isDepth(depth)));
      };
    };
    return {op.getLhs(), line, shape.features, /*areDepth=*/false};
  }
  auto line = [=, this](Value i) -> TileLines::Places {
    LaneIndex number = arithmetic.plus(piece, LaneIndex::at(i));
    ConvolutionPlaces::Depth depth = places.depthAt(number);
    Value exists = isDepth(number);
    return [=, this](const LaneIndex &place) {
      LaneIndex row = arithmetic.plus(firstRow, place);
      return at(places.position(row), depth, device.both(exists, isRow(row)));
    };
  };
  return {op.getLhs(), line, shape.lhs.sample == 1 ? shape.samples : 1,
          /*areDepth=*/true};
}

TileLines TiledConvolution::linesOfRhs(const LaneIndex &piece) {
  size_t minor = places.depth.minor();
  int64_t stride =
      minor == 0 ? shape.rhs.feature : shape.space[minor - 1].rhsStride;
  if (stride == 1) {
    auto line = [=, this](Value i) -> TileLines::Places {
      LaneIndex column = arithmetic.plus(firstColumn, LaneIndex::at(i));
      Value exists = isColumn(column);
      return [=, this](const LaneIndex &place) {
        LaneIndex depth = arithmetic.plus(piece, place);
        return std::pair(places.rhs(group, column, places.depthAt(depth)),
                         device.both(exists, isDepth(depth)));
      };
    };
    return {op.getRhs(), line, minor == 0 ? shape.features : 1,
            /*areDepth=*/false};
  }
  auto line = [=, this](Value i) -> TileLines::Places {
    LaneIndex number = arithmetic.plus(piece, LaneIndex::at(i));
    ConvolutionPlaces::Depth depth = places.depthAt(number);
    Value exists = isDepth(number);
    return [=, this](const LaneIndex &place) {
      LaneIndex column = arithmetic.plus(firstColumn, place);
      return std::pair(places.rhs(group, column, depth),
                       device.both(exists, isColumn(column)));
    };
  };
  return {op.getRhs(), line, shape.rhs.output == 1 ? shape.outputs : 1,
          /*areDepth=*/true};
}

void TiledConvolution::store(ValueRange sums) {
  // Two outputs of a thread are neighbours.
  int64_t lanes = shape.result.output == 1 && shape.outputs % 2 == 0 ? 2 : 1;
  LaneArithmetic pairs(builder, lanes);
  Type element = getElementTypeOrSelf(op.getResult());
  for (int64_t half = 0; half < 2; ++half) {
    LaneIndex row =
        arithmetic.plus(firstRow, LaneIndex::at(thread.row(2 * half)));
    device.guarded(isRow(row), [&] {
      ConvolutionPlaces::Position position = places.position(row);
      for (int64_t n = 0; n < tileColumns / columnsOfFragment; ++n)
        for (int64_t e = 0; e < 2; e += lanes) {
          LaneIndex column = arithmetic.times(LaneIndex::at(thread.quad), 2);
          column = arithmetic.plus(column, columnsOfFragment * n + e);
          column = arithmetic.plus(firstColumn, column);
          device.guarded(isColumn(column), [&] {
            LaneIndex place = places.result(group, position, column);
            place.stride = lanes - 1;
            Value value = sums[4 * n + 2 * half + e];
            if (lanes == 2)
              value = vector::FromElementsOp::create(
                  builder, VectorType::get({2}, value.getType()),
                  ValueRange{value, sums[4 * n + 2 * half + 1]});
            DeviceMemory::store(builder, pairs, device.buffer(2), element,
                                place, value);
          });
        }
    });
  }
}

void TiledConvolution::emit() {
  // The last rows may be those of the first warps.
  Value hasRows = isRow(arithmetic.plus(
      firstRow, arithmetic.times(LaneIndex::at(thread.warp), rowsOfWarp)));
  auto addPiece = [&](Value begin, ValueRange sums) {
    LaneIndex piece = LaneIndex::at(begin, ProductTiles::depth);
    return tiles.addPiece(Fragments(sums), linesOfLhs(piece), linesOfRhs(piece),
                          hasRows);
  };
  store(device.loop(device.constant(0), device.constant(places.depth.count()),
                    ProductTiles::depth, tiles.zeros(), addPiece));
}

} // namespace

void emitTiledConvolution(DeviceKernel &device, stablehlo::ConvolutionOp op) {
  TiledConvolution::emit(device, op);
}

} // namespace shardsmith::cuda
