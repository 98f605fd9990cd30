// SPDX-License-Identifier: Apache-2.0
//
// What the passes of this folder ask of the processor they lower for. A target
// fills in one TargetTraits; what it adds beside that are its emitters and its
// library calls:
//
//     Lower/Common   simplify, products, kernels, buffers, manifest
//          │ asks                    ▲ fills in
//          ▼                         │
//     TargetTraits ──────────── Lower/CPU   emitters, runtime calls, object
//     file

#ifndef SHARDSMITH_LOWER_COMMON_TARGET_H
#define SHARDSMITH_LOWER_COMMON_TARGET_H

#include "mlir/IR/Operation.h"
#include "shardsmith/Lower/Common/ElementOps.h"

#include <optional>
#include <string>

namespace shardsmith::lower {

/// What the target's library adds to a product before it writes the result.
enum class GemmAddends {
  Sums, ///< float32 that lies in the result's place
  Any,  ///< a tensor that lies as the result does, wherever, and a bias
};

struct TargetTraits {
  /// As the option `target` of the passes names it: `cpu`.
  llvm::StringLiteral name;
  /// As diagnostics name it: `CPU`.
  llvm::StringLiteral displayName;

  /// True if elements of this type can be kept in memory and computed with.
  bool (*isElement)(mlir::Type element);
  /// True if the target can compute one element of this op inside a kernel. It
  /// is asked of the ops of ElementOps.h only.
  bool (*hasEmitter)(mlir::Operation *op);
  /// What an element of the op costs here.
  ElementCost (*costOf)(mlir::Operation *op);
  /// True if the target's library multiplies matrices of these elements.
  bool (*hasGemm)(mlir::Type lhs, mlir::Type rhs, mlir::Type result);
  /// Where these are floats of eight bits, it multiplies along neighbours of
  /// both operands, and sizes that are multiples of this; 0: it does not.
  int64_t float8Multiple;
  GemmAddends gemmAdds;
  /// True if the library may compute the GELU of products of these elements
  /// behind the product.
  bool (*hasGelu)(mlir::Type result);
  /// The type in which the library reduces such elements over ranks.
  mlir::Type (*reducedAs)(mlir::Type element);
  /// True if the target finds the largest of each line by itself; a
  /// `chlo.top_k` becomes a sort otherwise.
  bool (*hasTopK)(mlir::Operation *op);
  /// Elements of a line that one `stablehlo.sort` may have, a power of two.
  /// Longer lines are sorted in runs (`smith.sort_runs`); 0: there are none.
  int64_t longestSort;
  /// True if the target exchanges a number of rows that it learns at run time.
  /// Exchanges of rows in use become exchanges of all slots otherwise.
  bool exchangesRows;
  /// True if convolutions that are products of matrices become such, for the
  /// target's library.
  bool multipliesConvolutions;
  /// Convolutions are computed by tiles of so many positions and outputs, each
  /// by one block; 0: not by tiles.
  int64_t convolutionTile;
  /// Of fewer tiles, sums are split.
  int64_t enoughTiles;
  /// Why an op that is left after kernels were formed cannot be lowered; empty
  /// if it can.
  std::string (*whyNotLowered)(mlir::Operation *op);

  /// Batch dimensions that one call of the library's product takes.
  unsigned gemmBatchDimensions;
  /// Every buffer begins at a multiple of this many bytes.
  int64_t bufferAlignment;

  /// A reduction of this many elements or more, to fewer results than
  /// `fewResults`, is done in two steps: the first has enough rows to occupy
  /// all threads.
  int64_t largeReduction;
  int64_t fewResults;
  /// A reduction of leading dimensions sums pieces of at most this many
  /// positions first, then the pieces, where it has fewer columns than would
  /// occupy the target otherwise; 0: never.
  int64_t columnPiece;
  int64_t fewColumns;

  /// Collectives of one kind are sent in one message of at most so many bytes,
  /// of what goes in or comes out; 0: each in its own.
  int64_t bucketBytes;
  /// A message of at least so many bytes goes on while kernels run; 0: none
  /// does.
  int64_t overlapBytes;

  /// Equal kernels of at most so many bytes of buffers are launched together
  /// where they may be; 0: each is a launch.
  int64_t mostBytesToJoin;
  /// Arguments that a launch of several kernels has at most.
  size_t mostBuffersOfLaunch;

  /// Cheap ops in a row that consumers may compute anew.
  int64_t longestRecomputedChain;
  /// Ops of a chain, constants and changes of index not counted, that kernels
  /// compute anew rather than read what another kernel would store for them;
  /// 0: none is.
  int64_t mostRecomputedOps;
  /// An operand that repeats each of its elements this often, or more often,
  /// counts as free to read.
  int64_t freeRepetition;
  /// Ops and inputs of one kernel; they bound compile time and registers.
  size_t mostKernelOps;
  size_t mostKernelInputs;
};

/// What targets have in common unless they say otherwise.

/// Whether a program may have the op once kernels are formed: kernels,
/// products, constants and views, exchanges, and calls of its functions.
bool isOpOfEveryTarget(mlir::Operation *op);
/// Whether the op becomes, as it is, a part of a kernel or a product of the
/// library.
bool isKernelOrProduct(mlir::Operation *op, const TargetTraits &target);
/// That the op has no lowering, for `whyNotLowered`; its element types are
/// named where it has one with others.
std::string describeNoLowering(mlir::Operation *op, const TargetTraits &target);
/// The element types for which the target has no such op, as ` of f64`; empty
/// if it has none for any.
std::string typesToBlame(mlir::Operation *op, const TargetTraits &target);
/// Whether libraries multiply matrices of the type: f16, bf16, f32, f64.
bool isTypeOfLibraryProducts(mlir::Type element);
/// f8E4M3FN or f8E5M2.
bool isFloat8(mlir::Type element);
/// Whether the target's library has the product, whatever its shape, unless it
/// is of floats of eight bits.
bool isLibraryProduct(mlir::Operation *dot, const TargetTraits &target);
/// The types to which operands and result of a product are converted.
struct WiderProduct {
  mlir::Type operands, result;
};
/// Where the library has the product with none of its own types; nothing if it
/// has it, or with no types.
std::optional<WiderProduct> widerProductOf(mlir::Operation *dot,
                                           const TargetTraits &target);
/// For `reducedAs`: floats of eight bits are added up in f32, others as they
/// are.
mlir::Type reducedInF32(mlir::Type element);
/// The cost in the table of element ops, which must have the op.
ElementCost costInTable(mlir::Operation *op);

/// Makes a target known by its name. The traits must live as long as the
/// program; registering the same ones again changes nothing.
void registerTarget(const TargetTraits &target);

/// The target of this name; null, after an error at `op` that lists the known
/// ones, if there is none.
const TargetTraits *findTarget(mlir::Operation *op, llvm::StringRef name);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_TARGET_H
