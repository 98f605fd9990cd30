// SPDX-License-Identifier: Apache-2.0
//
// One tile of a product, summed up in pieces of its depth. Both operands of a
// piece are in shared memory, a row of them for each row, or column, of the
// tile:
//
//     of bf16   words of two neighbours along the depth, for matrix
//               instructions with sums in f32
//     others    f32, multiplied and added
//
// A row is followed by four words that nobody reads, so that the threads of a
// warp touch every bank once.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_PRODUCTS_PRODUCTTILES_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_PRODUCTS_PRODUCTTILES_H

#include "../Attention/Tiles.h"

#include <functional>
#include <utility>

namespace shardsmith::cuda {

/// Lines of places in memory that a side of a tile is read from.
struct TileLines {
  /// With its buffer in `device.memory`.
  mlir::Value tensor;
  /// Where a place of a line is in the tensor, and whether it exists, null for
  /// always; others count as zeros. Places are counted from where the piece
  /// begins.
  using Places =
      std::function<std::pair<LaneIndex, mlir::Value>(const LaneIndex &place)>;
  /// Those of line `i` of the piece.
  std::function<Places(mlir::Value i)> line;
  /// Places from each multiple of so many on are neighbours in memory, and
  /// exist together.
  int64_t neighbours = 1;
  /// Lines are positions along the depth, so places are rows or columns of the
  /// tile; otherwise it is the other way round.
  bool areDepth = false;
};

class ProductTiles {
public:
  static constexpr int64_t rows = 64, mostColumns = 64, depth = 32;
  static constexpr int64_t threads = rows / rowsOfWarp * warpSize;

  /// Columns of a tile of a result with so many.
  static int64_t columnsFor(int64_t columns);

  /// Behind `launch`, with `threads` threads.
  ProductTiles(FragmentThread &thread, int64_t columns, bool areMatrices);

  Fragments zeros() { return thread.zeros(columns); }
  /// Loads a piece of both sides and adds their product to `sums`. All threads
  /// take part; warps for which `isNeeded` does not hold multiply nothing.
  Fragments addPiece(const Fragments &sums, const TileLines &left,
                     const TileLines &right, mlir::Value isNeeded = {});

private:
  /// Places of a line that a thread loads at once: what fills an access of
  /// shared memory.
  int64_t chunk() const;
  /// Chunk `number` of a line, in f32.
  mlir::SmallVector<mlir::Value> load(const TileLines &from, mlir::Value line,
                                      mlir::Value number);
  /// As shared memory has them: two in a word, or each in its own.
  mlir::Value asWords(mlir::ArrayRef<mlir::Value> elements);
  /// From lines that are rows of the tile, and from lines along the depth.
  void fillRows(mlir::Value tile, int64_t positions, const TileLines &from);
  void fillColumns(mlir::Value tile, int64_t positions, const TileLines &from);
  Fragments multiply(const Fragments &sums) {
    return areMatrices ? multiplyMatrices(sums) : multiplyScalars(sums);
  }
  Fragments multiplyMatrices(Fragments sums);
  Fragments multiplyScalars(const Fragments &sums);

  FragmentThread &thread;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &builder;
  Integers integers;
  int64_t columns;
  bool areMatrices;
  /// Words behind which the next row of a tile begins.
  int64_t pitch;
  mlir::Value left, right;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_PRODUCTS_PRODUCTTILES_H
