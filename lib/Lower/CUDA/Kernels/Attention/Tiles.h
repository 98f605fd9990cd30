// SPDX-License-Identifier: Apache-2.0
//
// Products of tiles in shared memory, as attention needs them.
//
// A tile of scores has 16 rows for each warp, and columns in groups of eight.
// The threads of a warp share them out as matrix instructions do (PTX ISA,
// "Matrix fragments for mma.m16n8k16"):
//
//     thread = 4 · group + quad, group 0 … 7, quad 0 … 3
//
//              columns 8n + 2 quad, + 1
//     row  group          s0  s1           four numbers of a thread for each
//     row  group + 8      s2  s3           n: a fragment
//
// So four neighbours, a *quad*, have a row together.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_TILES_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_TILES_H

#include "Positions.h"

#include <memory>

namespace shardsmith::cuda {

constexpr int64_t rowsOfWarp = 16, columnsOfFragment = 8;
/// The contraction of one matrix instruction.
constexpr int64_t depthOfInstruction = 16;

/// The numbers of one thread: four for each eight columns.
using Fragments = llvm::SmallVector<mlir::Value>;

/// One thread of a warp, and the numbers of fragments that it has.
class FragmentThread {
public:
  /// Behind `launch`.
  explicit FragmentThread(DeviceKernel &device);

  /// Its first row in a tile of the block; the other one is eight below.
  mlir::Value firstRow;
  mlir::Value warp, group, quad;
  /// The row of number `e` of a fragment, and its column in a tile.
  mlir::Value row(int64_t e);
  mlir::Value column(int64_t fragment, int64_t e);
  Fragments zeros(int64_t columns);

  /// The value of the thread whose number differs in these bits.
  mlir::Value exchange(mlir::Value value, int64_t bits);
  /// Combines what the four threads of a row have; all get the result.
  mlir::Value sumOfQuad(mlir::Value value);
  mlir::Value largestOfQuad(mlir::Value value);

  /// Stores the two neighbours of a fragment that the thread has in `row` of a
  /// tensor [rows][size], where the condition holds and the columns exist. The
  /// tile's columns begin at `firstColumn` of the tensor's.
  void storePair(mlir::Value buffer, mlir::Type element, mlir::Value row,
                 int64_t size, int64_t fragment, mlir::Value condition,
                 llvm::function_ref<mlir::Value(int64_t e)> valueOf,
                 const LaneIndex &firstColumn = LaneIndex::constant(0));

  /// sums[0 … 3] + left · right, by a matrix instruction of bf16: `left` are
  /// four words of two, `right` two.
  void instruct(mlir::ValueRange left, mlir::ValueRange right,
                mlir::MutableArrayRef<mlir::Value> sums);

  mlir::Value number(double value);

  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &builder;
  Integers integers;
};

/// What a tile is read for: its rows as factors of `multiply`, its columns as
/// those of `addProduct`. `Direct` is for left factors of `multiply` that are
/// too long for shared memory; their size is a multiple of 16.
enum class TileUse { Rows, Columns, Both, Direct };

/// Rows of a tensor, of which there are whole eights, in shared memory unless
/// they are read directly. Features behind the tensor's own are zeros.
struct SharedTile {
  int64_t rows = 0, size = 0;
  TileUse use = TileUse::Rows;
  mlir::Value byRows, byColumns;
  /// Of rows that are read directly: what `fill` was given.
  mlir::Value tensor, firstRow, count;
};

/// How tiles are kept and multiplied.
class TileProducts {
public:
  explicit TileProducts(FragmentThread &thread)
      : thread(thread), device(thread.device), builder(thread.builder),
        integers(thread.integers) {}
  virtual ~TileProducts() = default;

  virtual SharedTile allocate(int64_t rows, int64_t size, TileUse use) = 0;
  /// Loads rows of `tensor`, which is [rows][size], from `firstRow` on; from
  /// `count` rows on they are zeros.
  void fill(SharedTile &tile, mlir::Value tensor, mlir::Value firstRow,
            mlir::Value count) {
    tile.tensor = tensor;
    tile.firstRow = firstRow;
    tile.count = count;
    if (tile.use != TileUse::Direct)
      copy(tile);
  }
  /// What a thread keeps of its own rows of a tile that is filled; nothing
  /// unless `isKept`.
  virtual bool isKept(const SharedTile &tile) const = 0;
  virtual Fragments keep(const SharedTile &tile) = 0;
  /// a[row] · b[column] for the rows of the warp and all rows of `b`; `kept` is
  /// what was kept of `a`.
  virtual Fragments multiply(const SharedTile &a, const Fragments &kept,
                             const SharedTile &b) = 0;
  /// sums[row][c] += Σ weights[row][k] · b[k][c].
  virtual Fragments addProduct(const Fragments &sums, const Fragments &weights,
                               const SharedTile &b) = 0;

protected:
  /// Copies the rows that `fill` was given into shared memory.
  virtual void copy(const SharedTile &tile) = 0;

  FragmentThread &thread;
  DeviceKernel &device;
  mlir::ImplicitLocOpBuilder &builder;
  Integers integers;
};

/// In f32, by multiplications and additions.
std::unique_ptr<TileProducts> makeScalarProducts(FragmentThread &thread);
/// Of bf16, by matrix instructions with sums in f32. Weights are rounded to
/// bf16.
std::unique_ptr<TileProducts> makeMatrixProducts(FragmentThread &thread);

/// Bytes of shared memory that a tile takes.
int64_t scalarTileBytes(int64_t rows, int64_t size, TileUse use);
int64_t matrixTileBytes(int64_t rows, int64_t size, TileUse use);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_ATTENTION_TILES_H
