// SPDX-License-Identifier: Apache-2.0

#include "DeviceKernel.h"

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/Common/BufferPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace shardsmith::cuda {

DeviceKernel::DeviceKernel(OpBuilder &moduleBuilder, Location location,
                           StringRef name, TypeRange tensors)
    : builder(location, moduleBuilder) {
  SmallVector<Type> buffers;
  for (Type type : tensors)
    buffers.push_back(deviceBuffer(cast<RankedTensorType>(type)));
  function = gpu::GPUFuncOp::create(builder, name,
                                    builder.getFunctionType(buffers, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  builder.setInsertionPointToStart(&function.getBody().front());
}

void DeviceKernel::setMembers(ArrayRef<SmallVector<unsigned>> arguments) {
  if (arguments.size() > 1)
    members.assign(arguments.begin(), arguments.end());
}

void DeviceKernel::launch(int64_t count, int64_t threadsOfBlock) {
  assert(threadsOfBlock % warpSize == 0 && threadsOfBlock <= 1024);
  int64_t launched = std::max<int64_t>(1, static_cast<int64_t>(members.size()));
  blocks = count * launched;
  threads = threadsOfBlock;
  function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  function.setKnownGridSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(std::min(blocks, mostBlocks)), 1, 1}));
  auto id = [&](auto op) -> Value {
    return arith::IndexCastOp::create(builder, builder.getI64Type(), op);
  };
  thread = id(gpu::ThreadIdOp::create(builder, gpu::Dimension::x));
  block = blocks == 1 ? constant(0)
                      : id(gpu::BlockIdOp::create(builder, gpu::Dimension::x));
  if (launched > 1) {
    function->setAttr(membersAttributeName,
                      builder.getI64IntegerAttr(launched));
    Value ofOne = constant(count);
    chooseBuffers(arith::DivUIOp::create(builder, block, ofOne));
    block = arith::RemUIOp::create(builder, block, ofOne);
  }
  for (auto [tensor, number] : tensors)
    memory.add(tensor, buffer(number));
}

/// Arguments that all members have are nobody's choice.
void DeviceKernel::chooseBuffers(Value member) {
  SmallVector<unsigned> numbers;
  for (auto [number, argument] : llvm::enumerate(members.front())) {
    chosen.push_back(function.getArgument(argument));
    if (members[1][number] != argument)
      numbers.push_back(number);
  }
  auto buffers = choose(member, 0, members.size(), numbers);
  for (auto [number, buffer] : llvm::zip_equal(numbers, buffers))
    chosen[number] = buffer;
}

SmallVector<Value> DeviceKernel::choose(Value member, size_t first,
                                        size_t count,
                                        ArrayRef<unsigned> numbers) {
  if (count == 1)
    return llvm::map_to_vector(numbers, [&](unsigned number) -> Value {
      return function.getArgument(members[first][number]);
    });
  SmallVector<Type> types;
  for (unsigned number : numbers)
    types.push_back(function.getArgument(members[first][number]).getType());
  size_t half = count / 2;
  auto branch = scf::IfOp::create(
      builder, types, isBelow(member, static_cast<int64_t>(first + half)),
      /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, choose(member, first, half, numbers));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder,
                       choose(member, first + half, count - half, numbers));
  return SmallVector<Value>(branch.getResults());
}

void DeviceKernel::finish() { gpu::ReturnOp::create(builder); }

Value DeviceKernel::constant(int64_t value) {
  return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
}

Value DeviceKernel::isBelow(Value a, int64_t limit) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, a,
                               constant(limit));
}

Value DeviceKernel::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, a, b);
}

void DeviceKernel::guarded(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> DeviceKernel::loop(
    Value lower, Value upper, int64_t step, ValueRange initial,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(builder, lower, upper, constant(step), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!initial.empty())
    scf::YieldOp::create(builder, next);
  return SmallVector<Value>(loop.getResults());
}

Value DeviceKernel::shared(int64_t elements, Type element, int64_t alignment) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  Value memory = function.addWorkgroupAttribution(
      MemRefType::get({elements}, storageType(element),
                      MemRefLayoutAttrInterface(), space),
      builder.getLoc());
  if (alignment > 0)
    function.setWorkgroupAttributionAttr(
        function.getNumWorkgroupAttributions() - 1, "llvm.align",
        builder.getI64IntegerAttr(alignment));
  return memory;
}

void DeviceKernel::storeShared(Value memory, Value position, Value value) {
  memref::StoreOp::create(builder, toStorage(builder, value, value.getType()),
                          memory, asIndex(builder, position));
}

Value DeviceKernel::loadShared(Value memory, Value position, Type element) {
  return fromStorage(
      builder,
      memref::LoadOp::create(builder, memory, asIndex(builder, position)),
      element);
}

void DeviceKernel::barrier() { gpu::BarrierOp::create(builder); }

void KernelNest::store(LaneArithmetic &arithmetic, unsigned result,
                       const LaneIndex &position, Value value) {
  DeviceMemory::store(
      builder, arithmetic, device.buffer(kernel.getInputs().size() + result),
      getElementTypeOrSelf(yielded()[result].getType()), position, value);
}

int64_t KernelNest::lanesFor(int64_t columns) {
  int64_t elements = 1;
  for (int64_t size : domain)
    elements *= size;
  int64_t narrowest = accessBytes;
  auto add = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getNumElements() == elements)
      narrowest = std::min(narrowest, storageBytes(tensor.getElementType()));
  };
  llvm::for_each(kernel->getOperandTypes(), add);
  llvm::for_each(kernel->getResultTypes(), add);
  // More ops keep more values alive in registers.
  int64_t most = opCount() > 40 ? 4 : 8;
  int64_t lanes = std::min(accessBytes / narrowest, most);
  while (columns % lanes != 0)
    lanes /= 2;
  return lanes;
}

} // namespace shardsmith::cuda
