// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Workload/Workload.h"

#include <algorithm>

#include "EnumNames.h"

namespace shardsmith::workload {

int64_t bitsOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::I64:
    return 64;
  case ElementType::F32:
  case ElementType::TF32:
  case ElementType::I32:
    return 32;
  case ElementType::F16:
  case ElementType::BF16:
    return 16;
  case ElementType::F8:
  case ElementType::I8:
  case ElementType::Bool:
    return 8;
  case ElementType::F4:
    return 4;
  }
  return 0;
}

std::string_view nameOf(ElementType type) {
  return nameFor(type, elementTypeNames);
}

std::optional<ElementType> elementTypeNamed(std::string_view name) {
  return enumFor<ElementType>(name, elementTypeNames);
}

int64_t Tensor::elementCount() const {
  Quantity<struct ElementsUnit> count(1);
  for (int64_t size : shape)
    count = count * size;
  return count.count();
}

Bytes Tensor::bytes() const {
  int64_t bits = bitsOf(type);
  if (bits < 8)
    return Bytes(ceilDivide(elementCount(), 8 / bits));
  return Bytes(elementCount()) * (bits / 8);
}

bool TensorUse::uses(FactorIndex factor) const {
  return std::ranges::any_of(dims, [&](const auto &factors) {
    return std::ranges::count(factors, factor) > 0;
  });
}

bool Op::seesExperts() const {
  return expertsPerToken > 0 ||
         std::ranges::any_of(factors, [](const Factor &factor) {
           return factor.role == FactorRole::Expert;
         });
}

bool Block::runsOverExperts(TensorIndex tensor, size_t dim) const {
  for (const Op &op : ops)
    for (const TensorUse &use : op.operands) {
      if (use.tensor != tensor || dim >= use.dims.size())
        continue;
      for (FactorIndex factor : use.dims[dim])
        if (op.factors[factor].role == FactorRole::Expert)
          return true;
    }
  return false;
}

std::optional<int64_t> Workload::fewestExperts() const {
  std::optional<int64_t> fewest;
  for (const Block &block : blocks)
    for (const Op &op : block.ops)
      for (const Factor &factor : op.factors)
        if (factor.role == FactorRole::Expert)
          fewest = std::min(fewest.value_or(factor.size), factor.size);
  return fewest;
}

int64_t Workload::unitCount() const {
  Quantity<struct UnitsUnit> count;
  for (const Segment &segment : segments)
    count += Quantity<struct UnitsUnit>(segment.count);
  return count.count();
}

size_t Workload::segmentOf(int64_t unit) const {
  size_t index = 0;
  while (index + 1 < segments.size() && unit >= segments[index].count)
    unit -= segments[index++].count;
  return index;
}

int64_t Workload::parameterCount() const {
  Quantity<struct ElementsUnit> count;
  eachParameterRun([&](const ParameterRun &run) {
    count += Quantity<struct ElementsUnit>(tensorOf(run.use).elementCount()) *
             run.newNames;
  });
  return count.count();
}

Flops Workload::forwardFlops() const {
  Flops total;
  for (const Segment &segment : segments) {
    Flops unit;
    for (const Op &op : blocks[segment.block].ops)
      unit += op.flops;
    total += unit * segment.count;
  }
  return total;
}

} // namespace shardsmith::workload
