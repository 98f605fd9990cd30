// SPDX-License-Identifier: Apache-2.0
//
// Updates may collide, so threads share out columns of the update window, not
// updates:
//
//     for unit in [begin, end):                    a block of columns
//       for every update (scatter dimensions):     serial
//         for the other window dimensions:
//           if the position is inside the operand:
//             result[position, columns] = body(…, update[columns])

#include "ScatterEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "shardsmith/Support/Quantity.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

constexpr int64_t scatterColumns = 64;

class ScatterNest {
public:
  ScatterNest(ImplicitLocOpBuilder &builder, stablehlo::ScatterOp scatter,
              ArrayRef<Buffer> buffers)
      : builder(builder), scatter(scatter), shape(scatter), buffers(buffers) {}

  int64_t emit(Value begin, Value end);

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
  }
  void nest(ArrayRef<int64_t> dimensions, LaneIndices &index,
            llvm::function_ref<void()> innermost);
  void update(int64_t lanes, ArrayRef<LaneIndex> index);
  void updateColumns(int64_t lanes, LaneIndex column);

  ImplicitLocOpBuilder &builder;
  stablehlo::ScatterOp scatter;
  ScatterShape shape;
  ArrayRef<Buffer> buffers; ///< indices, updates, result
};

void ScatterNest::nest(ArrayRef<int64_t> dimensions, LaneIndices &index,
                       llvm::function_ref<void()> innermost) {
  if (dimensions.empty())
    return innermost();
  int64_t d = dimensions.front();
  auto loop = scf::ForOp::create(builder, constant(0),
                                 constant(shape.updates[d]), constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  index[d] = LaneIndex::at(loop.getInductionVar());
  nest(dimensions.drop_front(), index, innermost);
}

void ScatterNest::update(int64_t lanes, ArrayRef<LaneIndex> index) {
  BufferTable inputs;
  inputs[scatter.getScatterIndices()] = buffers[0];
  inputs[scatter.getUpdates().front()] = buffers[1];
  ElementEmitter emitter(builder, lanes, inputs, noHook);
  LaneArithmetic &arithmetic = emitter.arithmetic;
  ScatterPlace target = placeOf(emitter, scatter, shape, index);

  OpBuilder::InsertionGuard guard(builder);
  if (target.inside) {
    auto branch = scf::IfOp::create(builder, target.inside, /*withElse=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  Type element = getElementTypeOrSelf(scatter.getInputs().front());
  LaneIndex place = arithmetic.linearize(target.position, shape.operand);
  Value old = loadElements(builder, arithmetic, buffers[2], element, place);
  Value added = emitter.emit(scatter.getUpdates().front(), index);
  Value next =
      emitter.emitBody(scatter.getUpdateComputation(), {old, added}).front();
  storeElements(builder, arithmetic, buffers[2], element, place, next);
}

void ScatterNest::updateColumns(int64_t lanes, LaneIndex column) {
  column.stride = lanes > 1 ? 1 : 0;
  LaneIndices index(shape.updates.size());
  index.back() = column;
  SmallVector<int64_t> loops(shape.scatterDimensions);
  llvm::append_range(loops, shape.numbers.getUpdateWindowDims().drop_back());
  nest(loops, index, [&] { update(lanes, index); });
}

int64_t ScatterNest::emit(Value begin, Value end) {
  if (!shape.hasLanes()) {
    LaneIndices index(shape.updates.size());
    SmallVector<int64_t> loops(shape.scatterDimensions);
    llvm::append_range(loops, shape.numbers.getUpdateWindowDims());
    nest(loops, index, [&] { update(1, index); });
    return 1;
  }
  int64_t columns = shape.updates.back();
  int64_t lanes = std::min(columns, scatterColumns);
  int64_t blocks = ceilDivide(columns, lanes), rest = columns % lanes;
  auto loop = scf::ForOp::create(builder, begin, end, constant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value block = loop.getInductionVar();
  LaneArithmetic scalars(builder, 1);
  LaneIndex column = scalars.times(LaneIndex::at(block), lanes);
  if (rest == 0) {
    updateColumns(lanes, column);
    return blocks;
  }
  Value isLast = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, block,
                                       constant(blocks - 1));
  auto branch = scf::IfOp::create(builder, isLast, /*withElse=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  updateColumns(rest, LaneIndex::constant(columns - rest));
  builder.setInsertionPointToStart(branch.elseBlock());
  updateColumns(lanes, column);
  return blocks;
}

} // namespace

KernelFunction emitScatter(OpBuilder &moduleBuilder,
                           stablehlo::ScatterOp scatter, StringRef name) {
  ImplicitLocOpBuilder builder(scatter.getLoc(), moduleBuilder);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()),
      {pointer, builder.getI64Type(), builder.getI64Type()});
  auto function =
      LLVM::LLVMFuncOp::create(builder, name, type, LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  SmallVector<Buffer> buffers;
  for (int32_t i = 0; i < 3; ++i) {
    Value slot = LLVM::GEPOp::create(builder, pointer, pointer,
                                     entry->getArgument(0), LLVM::GEPArg(i));
    buffers.push_back({LLVM::LoadOp::create(builder, pointer, slot), {}, {}});
  }
  KernelFunction result;
  result.function = function;
  result.units = ScatterNest(builder, scatter, buffers)
                     .emit(entry->getArgument(1), entry->getArgument(2));
  LLVM::ReturnOp::create(builder, ValueRange());
  auto updates = cast<RankedTensorType>(scatter.getUpdates().front().getType());
  result.bytesPerUnit = std::max<int64_t>(
      1, 3 * updates.getNumElements() * storageBytes(updates.getElementType()) /
             result.units);
  return result;
}

} // namespace shardsmith::cpu
