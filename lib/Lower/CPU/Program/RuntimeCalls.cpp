// SPDX-License-Identifier: Apache-2.0

#include "RuntimeCalls.h"

using namespace mlir;

namespace shardsmith::cpu {

Value RuntimeCalls::call(StringRef name, ValueRange arguments, Type result) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    Type returned =
        result ? result : LLVM::LLVMVoidType::get(builder.getContext());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        builder, name,
        LLVM::LLVMFunctionType::get(returned,
                                    SmallVector<Type>(arguments.getTypes())));
  }
  auto call = LLVM::CallOp::create(builder, function, arguments);
  return result ? call.getResult() : Value();
}

Value RuntimeCalls::integer32(int64_t value) {
  return LLVM::ConstantOp::create(builder, builder.getI32Type(), value);
}

Value RuntimeCalls::integer64(int64_t value) {
  return LLVM::ConstantOp::create(builder, builder.getI64Type(), value);
}

Value RuntimeCalls::bytes(StringRef name, StringRef contents,
                          unsigned alignment) {
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        builder, LLVM::LLVMArrayType::get(builder.getI8Type(), contents.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        builder.getStringAttr(contents), alignment);
  }
  return LLVM::AddressOfOp::create(builder, global);
}

smith_dtype dtypeOf(Type element) {
  if (element.isF32())
    return SMITH_F32;
  if (element.isBF16())
    return SMITH_BF16;
  if (element.isF16())
    return SMITH_F16;
  if (element.isF64())
    return SMITH_F64;
  if (isa<Float8E4M3FNType>(element))
    return SMITH_F8E4M3FN;
  if (isa<Float8E5M2Type>(element))
    return SMITH_F8E5M2;
  auto integer = cast<IntegerType>(element);
  switch (integer.getWidth()) {
  case 1:
    return SMITH_BOOL;
  case 8:
    return integer.isUnsigned() ? SMITH_U8 : SMITH_I8;
  case 16:
    return integer.isUnsigned() ? SMITH_U16 : SMITH_I16;
  case 32:
    return integer.isUnsigned() ? SMITH_U32 : SMITH_I32;
  default:
    return integer.isUnsigned() ? SMITH_U64 : SMITH_I64;
  }
}

} // namespace shardsmith::cpu
