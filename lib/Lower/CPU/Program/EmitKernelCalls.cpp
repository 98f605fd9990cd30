// SPDX-License-Identifier: Apache-2.0
//
// Code that the program brings along: kernels, scatters, and comparators of
// sorts. Equal kernels share one function.

#include "ProgramEmitter.h"

#include "../Kernels/ScatterEmitter.h"
#include "../Kernels/SortEmitter.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// Work below this runs on the calling thread; above it, threads take pieces
/// no smaller than this.
constexpr int64_t grainBytes = 64 * 1024;

} // namespace

void ProgramEmitter::callFunction(const KernelFunction &kernel,
                                  ArrayRef<Value> addresses) {
  for (auto [i, address] : llvm::enumerate(addresses)) {
    Value slot = LLVM::GEPOp::create(builder, runtime.pointer(),
                                     runtime.pointer(), frame.argumentArray,
                                     LLVM::GEPArg(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(builder, address, slot);
  }
  Value units = runtime.integer64(kernel.units);
  int64_t grain =
      std::max<int64_t>(1, ceilDivide(grainBytes, kernel.bytesPerUnit));
  if (grain >= kernel.units) {
    LLVM::CallOp::create(
        builder, kernel.function,
        ValueRange{frame.argumentArray, runtime.integer64(0), units});
    return;
  }
  LLVM::LLVMFuncOp target = kernel.function;
  Value body = LLVM::AddressOfOp::create(builder, target);
  runtime.call("smith_parallel_for", {frame.context, body, frame.argumentArray,
                                      units, runtime.integer64(grain)});
}

void ProgramEmitter::emitKernel(smith::KernelOp op) {
  // Buffers by offset; buffers of different size may still overlap only if
  // they start at the same place, because one joined the other's buffer.
  SmallVector<int64_t> storage;
  SmallVector<Value> addresses;
  DenseMap<int64_t, int64_t> numbers;
  int64_t next = 0;
  auto add = [&](Value tensor) {
    addresses.push_back(addressOf(tensor));
    int64_t offset = lower::offsetOf(tensor);
    if (offset == -1) {
      storage.push_back(next++);
      return;
    }
    auto [found, isNew] = numbers.insert({offset, next});
    if (isNew)
      ++next;
    storage.push_back(found->second);
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);

  std::string key;
  llvm::raw_string_ostream text(key);
  for (int64_t number : storage)
    text << number << ' ';
  llvm::interleave(op.getDomain(), text, ",");
  text << " reduced ";
  llvm::interleave(op.getReduced(), text, ",");
  for (Type type : op.getBody().getArgumentTypes())
    text << ' ' << type;
  AsmState state(op, OpPrintingFlags().useLocalScope());
  for (Operation &inner : op.getBody().front()) {
    text << '\n';
    inner.print(text, state);
  }
  auto [entry, isNew] = kernels.try_emplace(key);
  if (isNew) {
    OpBuilder moduleEnd = moduleBuilder();
    entry->second = cpu::emitKernel(
        moduleEnd, op, ("kernel_" + Twine(kernels.size() - 1)).str(), storage);
  }
  callFunction(entry->second, addresses);
}

LogicalResult ProgramEmitter::emitScatter(stablehlo::ScatterOp op) {
  std::string reason = whyNotScatter(op);
  if (!reason.empty())
    return op.emitOpError() << "is not supported on CPU: " << reason;
  Value operand = op.getInputs().front(), result = op.getResult(0);
  if (lower::offsetOf(operand) != lower::offsetOf(result))
    copy(addressOf(result), addressOf(operand),
         lower::bufferBytes(result.getType()));
  OpBuilder moduleEnd = moduleBuilder();
  KernelFunction scatter = cpu::emitScatter(
      moduleEnd, op, ("scatter_" + Twine(scatterCount++)).str());
  callFunction(scatter,
               {addressOf(op.getScatterIndices()),
                addressOf(op.getUpdates().front()), addressOf(result)});
  return success();
}

void ProgramEmitter::emitSort(stablehlo::SortOp op) {
  smith_sort sort = describeSort(op);
  for (auto [bytes, type] :
       llvm::zip_first(op.getOperandTypes(), sort.element_bytes))
    type = static_cast<int32_t>(storageBytes(getElementTypeOrSelf(bytes)));
  std::string name = ("sort_" + Twine(sortCount++)).str();
  Value descriptor = runtime.descriptor(name + "_lines", sort);
  OpBuilder moduleEnd = moduleBuilder();
  LLVM::LLVMFuncOp comparator = emitComparator(moduleEnd, op, name);
  auto place = [&](int64_t entry) -> Value {
    return LLVM::GEPOp::create(builder, runtime.pointer(), runtime.pointer(),
                               frame.argumentArray,
                               LLVM::GEPArg(static_cast<int32_t>(entry)));
  };
  // Inputs first, results behind them.
  int64_t entry = 0;
  for (ValueRange tensors :
       {ValueRange(op.getInputs()), ValueRange(op.getResults())})
    for (Value tensor : tensors)
      LLVM::StoreOp::create(builder, addressOf(tensor), place(entry++));
  Value before = LLVM::AddressOfOp::create(builder, comparator);
  runtime.call("smith_sort_run", {frame.context, descriptor, before, place(0),
                                  place(sort.count)});
}

} // namespace shardsmith::cpu
