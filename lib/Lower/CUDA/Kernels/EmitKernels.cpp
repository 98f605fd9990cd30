// SPDX-License-Identifier: Apache-2.0

#include "OwnFunctions.h"

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/Passes.h"
#include "shardsmith/Lower/Common/JointLaunch.h"
#include "shardsmith/Lower/Common/KernelText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EMITCUDAKERNELS
#include "shardsmith/Lower/CUDA/Passes.h.inc"

namespace {

/// Ops with equal texts have one function.
std::string textOf(Operation *op) {
  if (auto kernel = dyn_cast<smith::KernelOp>(op))
    return lower::JointLaunch(kernel).text();
  return lower::textOf(op, [&](llvm::raw_ostream &stream) {
    if (cuda::findOwnFunction(op))
      stream << op->getName() << op->getPropertiesAsAttribute();
    else
      stream << cast<stablehlo::ScatterOp>(op).getScatterDimensionNumbers();
  });
}

StringRef kindOf(Operation *op) {
  if (auto kernel = dyn_cast<smith::KernelOp>(op))
    return lower::JointLaunch(kernel).getMembers().size() > 1 ? "joint"
                                                              : "kernel";
  if (isa<stablehlo::ScatterOp>(op))
    return "scatter";
  return cuda::findOwnFunction(op)->kind;
}

/// Where a number was given to kernels that are not alike, they have no
/// function in common.
LogicalResult checkMembers(smith::KernelOp kernel) {
  lower::JointLaunch joint(kernel);
  std::string text = lower::textOf(joint.first());
  for (smith::KernelOp member : joint.getMembers())
    if (lower::textOf(member) != text)
      return member.emitOpError()
             << "is launched together with a kernel that computes something "
                "else; 'join-launches' numbers equal kernels alone";
  return success();
}

LogicalResult emitFunction(OpBuilder &builder, Operation *op, StringRef name) {
  SmallVector<Type> tensors;
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    tensors = {scatter.getScatterIndices().getType(),
               scatter.getUpdates().front().getType(),
               scatter.getResult(0).getType()};
  } else if (auto kernel = dyn_cast<smith::KernelOp>(op)) {
    lower::JointLaunch joint(kernel);
    llvm::append_range(tensors, ValueRange(joint.inputs()).getTypes());
    llvm::append_range(tensors, ValueRange(joint.results()).getTypes());
  } else {
    llvm::append_range(tensors, op->getOperandTypes());
    llvm::append_range(tensors, op->getResultTypes());
    if (int64_t counters = cuda::countersOf(op))
      tensors.push_back(
          RankedTensorType::get({counters}, builder.getI32Type()));
  }
  cuda::DeviceKernel device(builder, op->getLoc(), name, tensors);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    cuda::emitScatter(device, scatter);
  } else if (const cuda::OwnFunction *own = cuda::findOwnFunction(op)) {
    for (OpOperand &operand : op->getOpOperands())
      device.memory.add(operand.get(),
                        device.buffer(operand.getOperandNumber()));
    own->emit(device, op);
  } else {
    auto kernel = cast<smith::KernelOp>(op);
    device.setMembers(lower::JointLaunch(kernel).arguments());
    for (BlockArgument argument : kernel.getBody().getArguments())
      device.read(argument, argument.getArgNumber());
    ArrayRef<int64_t> reduced = kernel.getReduced();
    int64_t last = static_cast<int64_t>(kernel.getDomain().size()) - 1;
    if (reduced.empty()) {
      if (!cuda::emitTranspose(device, kernel))
        cuda::emitElementwise(device, kernel);
    } else if (llvm::is_contained(reduced, last)) {
      cuda::emitRows(device, kernel);
    } else {
      cuda::emitColumns(device, kernel);
    }
  }
  device.finish();
  if (device.blocks > cuda::mostBlocks)
    return op->emitOpError()
           << "needs " << device.blocks << " blocks of threads; a grid has at "
           << "most " << cuda::mostBlocks;
  return success();
}

struct EmitCudaKernels : impl::EmitCudaKernelsBase<EmitCudaKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (Operation *there = module.lookupSymbol(lower::deviceModuleName)) {
      there->emitError() << "the program has device functions already, or uses "
                            "their module's name, @"
                         << lower::deviceModuleName;
      return signalPassFailure();
    }
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(builder, module.getLoc(),
                                            lower::deviceModuleName);
    llvm::StringMap<FlatSymbolRefAttr> known;
    for (auto function : module.getOps<func::FuncOp>()) {
      WalkResult all = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isa<smith::KernelOp, stablehlo::ScatterOp>(op) &&
            !cuda::findOwnFunction(op))
          return WalkResult::advance();
        if (lower::areInOneLaunch(op->getPrevNode(), op)) {
          op->setAttr(
              lower::deviceFunctionAttributeName,
              op->getPrevNode()->getAttr(lower::deviceFunctionAttributeName));
          return WalkResult::skip();
        }
        if (auto kernel = dyn_cast<smith::KernelOp>(op);
            kernel && failed(checkMembers(kernel)))
          return WalkResult::interrupt();
        auto [entry, isNew] = known.try_emplace(textOf(op));
        if (isNew) {
          std::string name = (kindOf(op) + "_" + Twine(known.size() - 1)).str();
          OpBuilder end = OpBuilder::atBlockEnd(kernels.getBody());
          if (failed(emitFunction(end, op, name)))
            return WalkResult::interrupt();
          entry->second = FlatSymbolRefAttr::get(&getContext(), name);
        }
        op->setAttr(
            lower::deviceFunctionAttributeName,
            SymbolRefAttr::get(kernels.getSymNameAttr(), {entry->second}));
        return WalkResult::skip();
      });
      if (all.wasInterrupted())
        return signalPassFailure();
    }
    if (kernels.getBody()->empty())
      kernels.erase();
  }
};

} // namespace
} // namespace shardsmith
