// SPDX-License-Identifier: Apache-2.0
//
// Kernels without reductions: a thread computes one group of lanes of every
// result, and loads all of them before it stores any.

#include "DeviceKernel.h"

#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {

void emitElementwise(DeviceKernel &device, smith::KernelOp kernel) {
  KernelNest nest(device, kernel);
  ImplicitLocOpBuilder &builder = device.builder;
  ArrayRef<int64_t> domain = kernel.getDomain();
  int64_t elements = 1;
  for (int64_t size : domain)
    elements *= size;
  int64_t lanes = nest.lanesFor(domain.empty() ? 1 : domain.back());
  int64_t groups = elements / lanes;
  int64_t threads = std::min<int64_t>(
      usualThreads, static_cast<int64_t>(llvm::alignTo(groups, warpSize)));
  device.launch(ceilDivide(groups, threads), threads);
  Value group = arith::AddIOp::create(
      builder,
      arith::MulIOp::create(builder, device.block, device.constant(threads)),
      device.thread);
  Value isInside =
      groups % threads == 0 ? Value() : device.isBelow(group, groups);
  device.guarded(isInside, [&] {
    ElementEmitter emitter(builder, lanes, device.memory, noHook);
    LaneArithmetic &arithmetic = emitter.arithmetic;
    LaneIndex linear = arithmetic.times(LaneIndex::at(group), lanes);
    linear.stride = lanes > 1 ? 1 : 0;
    LaneIndices index = arithmetic.delinearize(linear, domain);
    SmallVector<Value> values;
    for (Value result : nest.yielded())
      values.push_back(
          emitter.emit(result, indexFor(nest.shapeOf(result), domain, index)));
    for (auto [i, value] : llvm::enumerate(values))
      nest.store(arithmetic, i, linear, value);
  });
}

} // namespace shardsmith::cuda
