// SPDX-License-Identifier: Apache-2.0

#include "KernelEmitter.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// One alias scope per buffer, so that LLVM may move loads across stores to
/// other buffers.
void assignScopes(MLIRContext *context, StringRef kernelName,
                  MutableArrayRef<Buffer> buffers, ArrayRef<int64_t> storage) {
  auto domain = LLVM::AliasScopeDomainAttr::get(
      context, StringAttr::get(context, kernelName), {});
  llvm::MapVector<int64_t, Attribute> scopes;
  for (int64_t number : storage)
    if (!scopes.count(number)) {
      std::string name = (kernelName + "." + Twine(number)).str();
      scopes[number] = LLVM::AliasScopeAttr::get(
          context, StringAttr::get(context, name), domain, {});
    }
  for (auto [buffer, number] : llvm::zip_equal(buffers, storage)) {
    SmallVector<Attribute> others;
    for (auto &[other, scope] : scopes)
      if (other != number)
        others.push_back(scope);
    buffer.scopes = ArrayAttr::get(context, scopes[number]);
    buffer.otherScopes = ArrayAttr::get(context, others);
  }
}

bool isTrailing(ArrayRef<int64_t> dimensions, int64_t rank) {
  int64_t first = rank - dimensions.size();
  for (auto [i, d] : llvm::enumerate(dimensions))
    if (d != first + static_cast<int64_t>(i))
      return false;
  return true;
}

int64_t totalBytes(smith::KernelOp kernel) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    bytes += tensor.getNumElements() * storageBytes(tensor.getElementType());
  };
  llvm::for_each(kernel->getOperandTypes(), add);
  llvm::for_each(kernel->getResultTypes(), add);
  return bytes;
}

} // namespace

KernelFunction emitKernel(OpBuilder &moduleBuilder, smith::KernelOp kernel,
                          StringRef name, ArrayRef<int64_t> storage) {
  MLIRContext *context = kernel.getContext();
  ImplicitLocOpBuilder builder(kernel.getLoc(), moduleBuilder);
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context),
      {pointer, builder.getI64Type(), builder.getI64Type()});
  auto function =
      LLVM::LLVMFuncOp::create(builder, name, type, LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(builder);
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);

  SmallVector<Buffer> buffers;
  for (size_t i = 0; i < storage.size(); ++i) {
    Value slot =
        LLVM::GEPOp::create(builder, pointer, pointer, entry->getArgument(0),
                            LLVM::GEPArg(static_cast<int32_t>(i)));
    auto load = LLVM::LoadOp::create(builder, pointer, slot);
    load.setInvariant(true);
    buffers.push_back({load, {}, {}});
  }
  assignScopes(context, name, buffers, storage);

  KernelBody body(builder, kernel);
  body.begin = entry->getArgument(1);
  body.end = entry->getArgument(2);
  Block &region = kernel.getBody().front();
  size_t inputCount = region.getNumArguments();
  for (auto [argument, buffer] :
       llvm::zip_first(region.getArguments(), buffers))
    body.inputs[argument] = buffer;
  body.results.assign(buffers.begin() + inputCount, buffers.end());

  KernelFunction result;
  result.function = function;
  if (kernel.getReduced().empty())
    result.units = emitElementwise(body);
  else if (isTrailing(kernel.getReduced(), kernel.getDomain().size()))
    result.units = emitRows(body);
  else
    result.units = emitReduction(body);
  LLVM::ReturnOp::create(builder, ValueRange());
  result.bytesPerUnit = std::max<int64_t>(
      1, totalBytes(kernel) / std::max<int64_t>(1, result.units));
  return result;
}

} // namespace shardsmith::cpu
