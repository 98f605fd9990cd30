// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/TensorAttributes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "shardsmith/Interpreter/TensorMemory.h"
#include "shardsmith/Support/Quantity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir;

namespace shardsmith::inline interpreter {
namespace {

/// More than any machine here holds; sizes beyond are refused, not tried.
constexpr int64_t largestTensorBytes = int64_t(1) << 40;

std::optional<ElementType> integerTypeOf(IntegerType type) {
  const bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return ElementType::Bool;
  case 2:
    return isUnsigned ? ElementType::U2 : ElementType::I2;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::I4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return std::nullopt;
  }
}

/// Booleans and integers below eight bits are packed in attributes.
bool isPacked(ElementType type) { return valueBits(type) < 8; }

Tensor unpacked(DenseIntElementsAttr attribute, const StaticType &type) {
  Tensor result = Tensor::uninitialized(type.element, type.shape);
  auto *out = result.mutableData<uint8_t>();
  const bool isSigned = isSignedInteger(type.element);
  for (const APInt &value : attribute.getValues<APInt>())
    *out++ = static_cast<uint8_t>(isSigned ? value.getSExtValue()
                                           : value.getZExtValue());
  return result;
}

} // namespace

std::optional<ElementType> elementTypeOf(Type type) {
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case([](IntegerType integer) { return integerTypeOf(integer); })
      .Case([](BFloat16Type) { return ElementType::BF16; })
      .Case([](Float16Type) { return ElementType::F16; })
      .Case([](Float32Type) { return ElementType::F32; })
      .Case([](Float64Type) { return ElementType::F64; })
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Default([](Type) { return std::nullopt; });
}

Type toMLIR(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  default:
    return IntegerType::get(context, valueBits(type),
                            isUnsignedInteger(type) ? IntegerType::Unsigned
                                                    : IntegerType::Signless);
  }
}

std::optional<StaticType> staticTypeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  std::optional<ElementType> element = elementTypeOf(tensor.getElementType());
  if (!element)
    return std::nullopt;
  std::optional<int64_t> count = checkedElementCount(tensor.getShape());
  if (!count)
    return std::nullopt;
  std::optional<int64_t> bytes =
      checkedMultiply(*count, storageBytes(*element));
  if (!bytes || *bytes > largestTensorBytes)
    return std::nullopt;
  return StaticType{*element, Shape(tensor.getShape())};
}

std::string whyUnsupported(Type type) {
  std::string text;
  raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    os << "type " << type << " is not a ranked tensor";
  else if (isa<ComplexType>(tensor.getElementType()))
    os << "complex numbers are not supported (" << type << ")";
  else if (!elementTypeOf(tensor.getElementType()))
    os << "element type " << tensor.getElementType() << " is not supported";
  else if (!tensor.hasStaticShape())
    os << "dynamic shapes are not supported (" << type << ")";
  else
    os << type << " is too large to execute";
  return text;
}

Tensor tensorFrom(ElementsAttr attribute) {
  std::optional<StaticType> type = staticTypeOf(attribute.getType());
  if (!type)
    return Tensor();
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
    if (isPacked(type->element)) {
      auto integers = cast<DenseIntElementsAttr>(dense);
      if (!dense.isSplat())
        return unpacked(integers, *type);
      const APInt value = integers.getSplatValue<APInt>();
      const auto element = static_cast<uint8_t>(isSignedInteger(type->element)
                                                    ? value.getSExtValue()
                                                    : value.getZExtValue());
      return Tensor::splat(type->element, type->shape, &element);
    }
    ArrayRef<char> raw = dense.getRawData();
    if (dense.isSplat())
      return Tensor::splat(type->element, type->shape, raw.data());
    Tensor result = Tensor::uninitialized(type->element, type->shape);
    llvm::copy(raw.take_front(result.denseBytes()), result.mutableData<char>());
    return result;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    Tensor result = Tensor::uninitialized(type->element, type->shape);
    if (!blob || isPacked(type->element) ||
        blob->getData().size() != static_cast<size_t>(result.denseBytes()))
      return Tensor();
    llvm::copy(blob->getData(), result.mutableData<char>());
    return result;
  }
  return Tensor();
}

DenseElementsAttr toAttribute(const Tensor &tensor, MLIRContext *context) {
  auto type =
      RankedTensorType::get(tensor.shape(), toMLIR(tensor.type(), context));
  const bool isSplat = tensor.isSplat() && tensor.size() != 0;
  const int64_t stored = isSplat ? 1 : tensor.size();
  if (tensor.type() == ElementType::Bool)
    return DenseElementsAttr::get(type,
                                  ArrayRef<bool>(tensor.data<bool>(), stored));
  if (isPacked(tensor.type())) {
    TensorVector<APInt> values;
    for (int64_t i = 0; i < stored; ++i)
      values.emplace_back(valueBits(tensor.type()),
                          static_cast<uint64_t>(tensor.asInteger(i)),
                          isSignedInteger(tensor.type()));
    return DenseElementsAttr::get(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(tensor.data<char>(),
                           stored * storageBytes(tensor.type())));
}

} // namespace shardsmith::inline interpreter
