// SPDX-License-Identifier: Apache-2.0
//
// The body of an `sdy.manual_computation` is a program of one device. Seen
// from all devices at once, a value of it is a tensor with a leading dimension
// for each axis of the mesh over which it differs, in the order of the mesh:
//
//   on one device        on all of <["x"=2, "y"=3]>
//   tensor<4x8xf32>      tensor<2x3x4x8xf32>   differs over x and y
//                        tensor<3x4x8xf32>     differs over y
//                        tensor<4x8xf32>       is the same everywhere
//
// An op of the body becomes the op that does this for all leading positions
// at once, a collective an ordinary op on leading dimensions.

#ifndef SHARDSMITH_LIB_IMPORT_MANUAL_BODY_H
#define SHARDSMITH_LIB_IMPORT_MANUAL_BODY_H

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/ErrorList.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith::manual {

/// Axes by their position in the mesh, rising.
using Axes = llvm::SmallVector<unsigned, 2>;
using Sizes = llvm::SmallVector<int64_t>;

struct Everywhere {
  mlir::Value value;
  Axes axes;
};

Axes join(llvm::ArrayRef<unsigned> a, llvm::ArrayRef<unsigned> b);
Axes without(llvm::ArrayRef<unsigned> a, llvm::ArrayRef<unsigned> b);
/// `filling` as often as `count` says, then `list`.
Sizes led(int64_t filling, size_t count, llvm::ArrayRef<int64_t> list);
/// 0, 1, … count - 1, then `dims` that much higher.
Sizes shifted(llvm::ArrayRef<int64_t> dims, size_t count);
/// `dims` higher by `count`.
Sizes raised(llvm::ArrayRef<int64_t> dims, size_t count);

/// Values of one body and what they are everywhere. New ops go where the
/// computation stands.
class Body {
public:
  /// What has no form for all devices is added to `unsupported`.
  Body(sdy::ManualComputationOp op, sdy::MeshAttr mesh, ErrorList &unsupported);

  sdy::MeshAttr getMesh() const { return mesh; }
  bool isManual(unsigned axis) const { return llvm::is_contained(all, axis); }
  int64_t sizeOf(unsigned axis) const { return mesh.getAxes()[axis].getSize(); }
  Sizes sizesOf(llvm::ArrayRef<unsigned> axes) const;
  llvm::StringRef nameOf(unsigned axis) const {
    return mesh.getAxes()[axis].getName();
  }
  /// Position of a manual axis of that name.
  std::optional<unsigned> findManual(llvm::StringRef name) const;

  const Everywhere &get(mlir::Value local) const {
    return values.find(local)->second;
  }
  void set(mlir::Value local, Everywhere everywhere) {
    values[local] = std::move(everywhere);
  }
  /// The value with a leading dimension for each of `axes`, which are all that
  /// it has and perhaps more.
  mlir::Value get(mlir::Value local, llvm::ArrayRef<unsigned> axes);
  /// These values, which are the same everywhere.
  llvm::SmallVector<mlir::Value> valuesOf(mlir::ValueRange locals) const {
    return llvm::map_to_vector(
        locals, [&](mlir::Value local) { return get(local).value; });
  }
  /// All axes over which some of these values differ.
  Axes axesOf(mlir::ValueRange locals) const;

  /// Of a value that is the same over `same`, the first device's.
  void takeFirst(mlir::Value local, llvm::ArrayRef<unsigned> same);

  /// `op` with other operands, its results with leading dimensions. What its
  /// regions use of the body is the same everywhere.
  mlir::Operation *rebuild(mlir::Operation *op, mlir::ValueRange operands,
                           llvm::ArrayRef<unsigned> axes);
  mlir::RankedTensorType typeOf(mlir::Value local,
                                llvm::ArrayRef<unsigned> axes) const;

  /// Adds that `op` has no such form, and why. Fails.
  llvm::LogicalResult refuse(mlir::Operation *op, llvm::StringRef why);
  bool hasRefused() const { return refused; }
  /// Lets zeros stand in for what a refused op computes. Fails where there are
  /// none.
  llvm::LogicalResult standIn(mlir::Operation *op);

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> order);

  /// The part of every device, and back, by a sharding of the computation.
  Everywhere split(mlir::Value whole, sdy::TensorShardingAttr sharding,
                   mlir::RankedTensorType local);
  mlir::Value merge(mlir::Value local, sdy::TensorShardingAttr sharding,
                    mlir::RankedTensorType whole);

  mlir::ImplicitLocOpBuilder builder;

  /// Integers that follow from the number of a device alone, for every device.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> deviceNumbers;

  /// Axes over which devices may have come to the op that is expanded by
  /// another branch, or not at all.
  Axes branching;

  /// True in the derivative of a function.
  bool isInDerivative = false;

private:
  Axes manualAxesOf(sdy::DimensionShardingAttr dim) const;

  sdy::MeshAttr mesh;
  ErrorList &unsupported;
  bool refused = false;
  /// All manual axes.
  Axes all;
  llvm::DenseMap<mlir::Value, Everywhere> values;
};

/// Builds what the ops of `block` are everywhere, without its terminator. Where
/// one has no such form that is reported, and what follows is looked at. Fails
/// where that cannot be.
llvm::LogicalResult expandBlock(Body &body, mlir::Block &block);

/// The same for one op, by its kind; fails where it has no such form. `axes`
/// are those over which its operands differ, one at least.
llvm::LogicalResult expandOp(Body &body, mlir::Operation *op);
llvm::LogicalResult expandBranch(Body &body, mlir::Operation *op);
llvm::LogicalResult expandWithDerivative(Body &body,
                                         smith::WithDerivativeOp op);
llvm::LogicalResult expandConvolution(Body &body, stablehlo::ConvolutionOp op,
                                      const Axes &axes);
llvm::LogicalResult expandGather(Body &body, stablehlo::GatherOp op,
                                 const Axes &axes);
llvm::LogicalResult expandScatter(Body &body, stablehlo::ScatterOp op,
                                  const Axes &axes);
llvm::LogicalResult expandDynamicSlice(Body &body, stablehlo::DynamicSliceOp op,
                                       const Axes &axes);
llvm::LogicalResult expandDynamicUpdate(Body &body,
                                        stablehlo::DynamicUpdateSliceOp op,
                                        const Axes &axes);
llvm::LogicalResult expandWithDerivative(Body &body, smith::WithDerivativeOp op,
                                         const Axes &axes);
llvm::LogicalResult expandWindows(Body &body, stablehlo::ReduceWindowOp op,
                                  const Axes &axes);
llvm::LogicalResult expandWindows(Body &body, stablehlo::SelectAndScatterOp op,
                                  const Axes &axes);

/// `lax.axis_index` is arithmetic on the number of a device. Finds what `op`
/// makes of such numbers, and over which axes they do not differ.
void followDeviceNumbers(Body &body, mlir::Operation *op);

/// The same for ops that communicate; `isCollective` tells which they are.
bool isCollective(mlir::Operation *op);
llvm::LogicalResult expandCollective(Body &body, mlir::Operation *op);

} // namespace shardsmith::manual

#endif // SHARDSMITH_LIB_IMPORT_MANUAL_BODY_H
