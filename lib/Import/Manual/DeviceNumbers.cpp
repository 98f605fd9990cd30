// SPDX-License-Identifier: Apache-2.0
//
// On <["a"=2, "b"=3]> the index along "a" is partition_id / 3, 0 0 0 1 1 1 on
// the six devices: it is the same over "b", though the number of the device is
// not.

#include "Body.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

using Numbers = SmallVector<int64_t>;

std::optional<Numbers> numbersOf(const Body &body, Value local) {
  auto found = body.deviceNumbers.find(local);
  if (found != body.deviceNumbers.end())
    return found->second;
  APInt constant;
  if (typeOf(local).getRank() != 0 ||
      !matchPattern(local, m_ConstantInt(&constant)) ||
      constant.getActiveBits() > 32)
    return std::nullopt;
  return Numbers(body.getMesh().getDeviceCount(), constant.getZExtValue());
}

/// Of numbers that are not negative.
std::optional<Numbers> apply(Operation *op, ArrayRef<Numbers> operands) {
  if (isa<ConvertOp>(op) &&
      elementOf(op->getResult(0)).getIntOrFloatBitWidth() >= 32)
    return operands.front();
  if (!isa<DivOp, RemOp>(op) || llvm::is_contained(operands[1], 0))
    return std::nullopt;
  Numbers result;
  for (auto [number, divisor] : llvm::zip_equal(operands[0], operands[1]))
    result.push_back(isa<DivOp>(op) ? number / divisor : number % divisor);
  return result;
}

/// True if devices that differ over this axis alone have one number.
bool isSameOver(const Mesh &mesh, ArrayRef<int64_t> numbers, unsigned axis) {
  Axes others =
      without(llvm::to_vector(llvm::seq(mesh.getAxisCount())), {axis});
  std::map<int64_t, int64_t> first;
  for (auto [device, number] : llvm::enumerate(numbers))
    if (first.try_emplace(mesh.getShardIndex(device, others), number)
            .first->second != number)
      return false;
  return true;
}

} // namespace

void followDeviceNumbers(Body &body, Operation *op) {
  Value result = op->getResult(0);
  if (!isa<IntegerType>(elementOf(result)))
    return;
  SmallVector<Numbers> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Numbers> numbers = numbersOf(body, operand);
    if (!numbers)
      return;
    operands.push_back(*numbers);
  }
  std::optional<Numbers> numbers = apply(op, operands);
  if (!numbers)
    return;
  const Mesh mesh = toMesh(body.getMesh());
  Axes same;
  for (unsigned axis : body.get(result).axes)
    if (isSameOver(mesh, *numbers, axis))
      same.push_back(axis);
  body.deviceNumbers[result] = *numbers;
  body.takeFirst(result, same);
}

} // namespace shardsmith::manual
