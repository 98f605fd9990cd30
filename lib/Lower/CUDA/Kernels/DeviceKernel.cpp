// SPDX-License-Identifier: Apache-2.0

#include "DeviceKernel.h"

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

void DeviceKernel::launch(int64_t count, int64_t threadsOfBlock) {
  assert(threadsOfBlock % warpSize == 0 && threadsOfBlock <= 1024);
  blocks = count;
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
