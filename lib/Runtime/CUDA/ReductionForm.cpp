// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/CUDA/ReductionForm.h"

#include "NcclApi.h"

namespace shardsmith::runtime::cuda {
namespace {

std::optional<NcclType> typeOf(ElementType type) {
  switch (type) {
  case SMITH_F32:
    return ncclF32;
  case SMITH_BF16:
    return ncclBf16;
  case SMITH_F16:
    return ncclF16;
  case SMITH_F64:
    return ncclF64;
  case SMITH_I8:
    return ncclI8;
  case SMITH_I32:
    return ncclI32;
  case SMITH_I64:
    return ncclI64;
  case SMITH_U8:
  case SMITH_BOOL:
    return ncclU8;
  case SMITH_U32:
    return ncclU32;
  case SMITH_U64:
    return ncclU64;
  case SMITH_I16:
  case SMITH_U16:
  case SMITH_F8E4M3FN:
  case SMITH_F8E5M2:
    break;
  }
  return std::nullopt;
}

std::optional<NcclReduction> reductionOf(bool isBool, Reduction reduction) {
  switch (reduction) {
  case SMITH_SUM:
    return isBool ? ncclLargest : ncclAdd;
  case SMITH_PRODUCT:
    return isBool ? ncclSmallest : ncclMultiply;
  case SMITH_MAX:
    return ncclLargest;
  case SMITH_MIN:
    return ncclSmallest;
  case SMITH_AND:
    return isBool ? std::optional(ncclSmallest) : std::nullopt;
  case SMITH_OR:
    return isBool ? std::optional(ncclLargest) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace

std::optional<ReductionForm> findReductionForm(ElementType type,
                                               Reduction reduction) {
  std::optional<NcclType> form = typeOf(type);
  std::optional<NcclReduction> way = reductionOf(type == SMITH_BOOL, reduction);
  if (!form || !way)
    return std::nullopt;
  return ReductionForm{*form, *way};
}

} // namespace shardsmith::runtime::cuda
