// SPDX-License-Identifier: Apache-2.0
//
// Rows of tokens on their way to the ranks of their experts and back, by
// definition.

#include "shardsmith/Dialect/Smith/RowOps.h"

#include "Groups.h"
#include "Register.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include <cstring>
#include <vector>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

int64_t bytesPerRow(const Tensor &tensor) {
  return storageBytes(tensor.type()) * tensor.shape().back();
}

void copyRow(Tensor &to, int64_t toRow, const Tensor &from, int64_t fromRow,
             int64_t bytes) {
  std::memcpy(to.mutableData<std::byte>() + toRow * bytes,
              from.bytes() + fromRow * bytes, size_t(bytes));
}

LogicalResult evaluatePlaceRows(smith::PlaceRowsOp op, Arguments operands,
                                const Device &, Tensors &results) {
  const Tensor experts = operands[0].dense();
  const StaticType ends = *staticTypeOf(op.getEnds().getType());
  const int64_t samples = experts.dim(0), rows = experts.dim(1);
  const int64_t parts = ends.shape[0], perPart = ends.shape[2];
  const int64_t count = int64_t(op.getCount());
  std::vector<int32_t> slots(size_t(samples * rows), -1);
  std::vector<int32_t> last(size_t(parts * samples * perPart), 0);
  for (int64_t sample = 0; sample < samples; ++sample)
    for (int64_t part = 0; part < parts; ++part) {
      int64_t used = 0;
      for (int64_t own = 0; own < perPart; ++own) {
        for (int64_t row = 0; row < rows; ++row) {
          bool isOwn =
              experts.asInteger(sample * rows + row) == part * perPart + own;
          if (isOwn && used < count)
            slots[size_t(sample * rows + row)] = int32_t(part * count + used++);
        }
        last[size_t((part * samples + sample) * perPart + own)] = int32_t(used);
      }
    }
  results.push_back(
      Tensor::of<int32_t>(ElementType::I32, operands[0].shape(), slots));
  results.push_back(Tensor::of<int32_t>(ElementType::I32, ends.shape, last));
  return success();
}

/// Calls body(row, packed row) for rows that have a slot, by their numbers in
/// `[b, r]` and `[p, b, s]`.
template <typename Body>
void forEachSlot(const Tensor &slots, ArrayRef<int64_t> packed, Body body) {
  const int64_t samples = slots.dim(0), rows = slots.dim(1);
  const int64_t count = packed[2];
  for (int64_t sample = 0; sample < samples; ++sample)
    for (int64_t row = 0; row < rows; ++row) {
      int64_t slot = slots.asInteger(sample * rows + row);
      if (slot >= 0 && slot < packed[0] * count)
        body(sample * rows + row,
             (slot / count * samples + sample) * count + slot % count);
    }
}

LogicalResult evaluatePackRows(smith::PackRowsOp op, Arguments operands,
                               const Device &, Tensors &results) {
  const Tensor rows = operands[0].dense(), slots = operands[1].dense();
  const StaticType type = *staticTypeOf(op.getPacked().getType());
  Tensor packed = Tensor::zeros(type.element, type.shape).denseCopy();
  forEachSlot(slots, type.shape, [&](int64_t row, int64_t place) {
    copyRow(packed, place, rows, row, bytesPerRow(rows));
  });
  results.push_back(packed);
  return success();
}

LogicalResult evaluateUnpackRows(smith::UnpackRowsOp op, Arguments operands,
                                 const Device &, Tensors &results) {
  const Tensor packed = operands[0].dense(), slots = operands[1].dense();
  const StaticType type = *staticTypeOf(op.getRows().getType());
  Tensor rows = Tensor::zeros(type.element, type.shape).denseCopy();
  forEachSlot(slots, packed.shape(), [&](int64_t row, int64_t place) {
    copyRow(rows, row, packed, place, bytesPerRow(packed));
  });
  results.push_back(rows);
  return success();
}

/// The row's number in the order of the sequence: rank r has the positions of
/// part r and then those of part 2n − 1 − r.
int64_t turnInZigzag(smith::LimitRowsOp op, int64_t rows, int64_t row) {
  const int64_t ranks = int64_t(*op.getZigzag());
  const int64_t positions = int64_t(*op.getPositions());
  const int64_t perPosition = rows / positions, half = positions / ranks / 2;
  const int64_t place = row / perPosition;
  const int64_t rank = place / (2 * half), at = place % (2 * half);
  const int64_t position =
      at < half ? rank * half + at : (2 * ranks - 1 - rank) * half + at - half;
  return position * perPosition + row % perPosition;
}

LogicalResult evaluateLimitRows(smith::LimitRowsOp op, Arguments operands,
                                const Device &, Tensors &results) {
  const Tensor experts = operands[0].dense();
  const int64_t samples = experts.dim(0), rows = experts.dim(1);
  // When each row has its turn.
  std::vector<int64_t> turns(size_t(rows), 0);
  for (int64_t row = 0; row < rows; ++row)
    turns[size_t(row)] = op.getZigzag() ? turnInZigzag(op, rows, row) : row;
  std::vector<int32_t> kept(size_t(experts.size()));
  for (int64_t sample = 0; sample < samples; ++sample)
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t expert = experts.asInteger(sample * rows + row);
      int64_t before = 0;
      for (int64_t other = 0; other < rows; ++other)
        before += turns[size_t(other)] < turns[size_t(row)] &&
                  experts.asInteger(sample * rows + other) == expert;
      const bool isOne = expert >= 0 && expert < int64_t(op.getAmong());
      const bool isKept = !isOne || before < int64_t(op.getCapacity());
      kept[size_t(sample * rows + row)] = int32_t(isKept ? expert : -1);
    }
  results.push_back(Tensor::of<int32_t>(ElementType::I32, experts.shape(),
                                        ArrayRef<int32_t>(kept)));
  return success();
}

/// What one member gets, of which nothing is known but the rows in use.
FailureOr<Tensor> received(smith::ExchangeRowsOp op,
                           ArrayRef<const Tensors *> members, size_t receiver) {
  const StaticType type = *staticTypeOf(op.getResult().getType());
  Tensor result = Tensor::zeros(type.element, type.shape).denseCopy();
  const int64_t blocks =
      type.shape[0] * type.shape[1] / int64_t(members.size());
  const int64_t slots = type.shape[2];
  const int64_t slotBytes =
      result.denseBytes() /
      std::max<int64_t>(type.shape[0] * type.shape[1] * slots, 1);
  const Tensor own = (*members[receiver])[2].dense();
  for (auto [sender, tensors] : enumerate(members)) {
    const Tensor from = (*tensors)[0].dense(), sends = (*tensors)[1].dense();
    const int64_t last = sends.shape().back();
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t source = int64_t(receiver) * blocks + block;
      const int64_t target = int64_t(sender) * blocks + block;
      const int64_t rows = sends.asInteger(source * last + last - 1);
      if (rows < 0 || rows > slots ||
          own.asInteger(target * last + last - 1) != rows)
        return op.emitOpError("does not receive as many rows as are sent");
      std::memcpy(result.mutableData<std::byte>() + target * slots * slotBytes,
                  from.bytes() + source * slots * slotBytes,
                  size_t(rows * slotBytes));
    }
  }
  return result;
}

LogicalResult evaluateExchangeRows(smith::ExchangeRowsOp op, Devices devices,
                                   const DeviceTensors &operands,
                                   Machine &machine, DeviceTensors &results) {
  FailureOr<NamedMesh> mesh = getMesh(machine.getModule());
  if (failed(mesh))
    return failure();
  for (ArrayRef<int64_t> group :
       groupsOver(mesh->mesh, toAxes(mesh->mesh, op.getAxes()))) {
    SmallVector<const Tensors *> members;
    SmallVector<size_t> places;
    for (int64_t device : group) {
      const auto *found = llvm::find(devices, device);
      if (found == devices.end())
        continue;
      places.push_back(size_t(found - devices.begin()));
      members.push_back(&operands[places.back()]);
    }
    if (members.empty())
      continue;
    if (members.size() != group.size())
      return op.emitOpError("would never finish: a device of the group took "
                            "another branch");
    for (auto [receiver, place] : enumerate(places)) {
      FailureOr<Tensor> tensor = received(op, members, receiver);
      if (failed(tensor))
        return failure();
      results[place].push_back(*tensor);
    }
  }
  return success();
}

} // namespace

void registerRows(EvaluatorRegistry &registry) {
  registry.add(evaluatePlaceRows);
  registry.add(evaluatePackRows);
  registry.add(evaluateUnpackRows);
  registry.add(evaluateLimitRows);
  registry.addLockstep(evaluateExchangeRows);
}

} // namespace shardsmith::inline interpreter
