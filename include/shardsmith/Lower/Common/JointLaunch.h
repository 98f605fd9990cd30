// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are launched together run at one time, in any order, as one
// grid of blocks. They are neighbours in the program, have equal texts, and
// none reads what another one writes. The arguments of their launch:
//
//     inputs of the first │ of the second │ … │ results of the first │ …
//
// An input that all members have in the same place is an argument once, among
// those of the first.

#ifndef SHARDSMITH_LOWER_COMMON_JOINTLAUNCH_H
#define SHARDSMITH_LOWER_COMMON_JOINTLAUNCH_H

#include "shardsmith/Dialect/Smith/Smith.h"

#include "llvm/ADT/BitVector.h"

namespace shardsmith::lower {

/// On kernels that follow each other and are one launch: its number, another
/// one for each of the function.
inline constexpr llvm::StringLiteral jointLaunchAttributeName =
    "smith.joint_launch";

/// Whether two ops, of which either may be null, are in one launch.
bool areInOneLaunch(mlir::Operation *a, mlir::Operation *b);

class JointLaunch {
public:
  /// The launch that the kernel is a member of; of itself, if it is alone.
  explicit JointLaunch(smith::KernelOp member);

  llvm::ArrayRef<smith::KernelOp> getMembers() const { return members; }
  smith::KernelOp first() const { return members.front(); }
  /// The arguments: inputs of all, then results of all.
  llvm::SmallVector<mlir::Value> inputs() const;
  llvm::SmallVector<mlir::Value> results() const;
  /// For each member the arguments that its inputs and results are.
  llvm::SmallVector<llvm::SmallVector<unsigned>> arguments() const;
  /// Equal for launches that have one function: the text of a member, and what
  /// of its inputs is whose.
  std::string text() const;

private:
  /// Whether the input of member number `member` is an argument of its own.
  bool isOwn(size_t member, unsigned input) const {
    return member == 0 || !shared.test(input);
  }

  llvm::SmallVector<smith::KernelOp> members;
  llvm::BitVector shared; ///< inputs that are the same for all of several
};

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_JOINTLAUNCH_H
