// SPDX-License-Identifier: Apache-2.0

#include "OwnFunctions.h"

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EMITCUDAKERNELS
#include "shardsmith/Lower/CUDA/Passes.h.inc"

namespace {

/// Ops with equal texts have one function.
std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << " -> ";
  llvm::interleaveComma(op->getResultTypes(), stream);
  if (auto kernel = dyn_cast<smith::KernelOp>(op)) {
    stream << " domain ";
    llvm::interleaveComma(kernel.getDomain(), stream);
    stream << " reduced ";
    llvm::interleaveComma(kernel.getReduced(), stream);
    for (Type type : kernel.getBody().getArgumentTypes())
      stream << ' ' << type;
  } else if (cuda::findOwnFunction(op)) {
    stream << op->getName() << op->getPropertiesAsAttribute();
    if (op->getNumRegions() == 0)
      return text;
  } else {
    stream << cast<stablehlo::ScatterOp>(op).getScatterDimensionNumbers();
  }
  AsmState state(op, OpPrintingFlags().useLocalScope());
  for (Operation &inner : op->getRegion(0).front()) {
    stream << '\n';
    inner.print(stream, state);
  }
  return text;
}

StringRef kindOf(Operation *op) {
  if (isa<smith::KernelOp>(op))
    return "kernel";
  if (isa<stablehlo::ScatterOp>(op))
    return "scatter";
  return cuda::findOwnFunction(op)->kind;
}

LogicalResult emitFunction(OpBuilder &builder, Operation *op, StringRef name) {
  SmallVector<Type> tensors;
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    tensors = {scatter.getScatterIndices().getType(),
               scatter.getUpdates().front().getType(),
               scatter.getResult(0).getType()};
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
    for (BlockArgument argument : kernel.getBody().getArguments())
      device.memory.add(argument, device.buffer(argument.getArgNumber()));
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
