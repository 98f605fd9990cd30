// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace shardsmith {
namespace {

void printAxes(raw_ostream &os, const Mesh &mesh, ArrayRef<MeshAxis> axes) {
  os << '{';
  interleaveComma(
      axes, os, [&](MeshAxis axis) { os << '"' << mesh.getName(axis) << '"'; });
  os << '}';
}

} // namespace

Layout Layout::replicated(unsigned rank) {
  Layout layout;
  layout.dims.resize(rank);
  return layout;
}

bool Layout::isReplicated() const {
  return partial.empty() &&
         all_of(dims, [](const AxisList &axes) { return axes.empty(); });
}

bool Layout::uses(MeshAxis axis) const {
  return is_contained(partial, axis) || any_of(dims, [&](const AxisList &axes) {
           return is_contained(axes, axis);
         });
}

Layout Layout::withoutPartial() const {
  Layout layout = *this;
  layout.partial.clear();
  layout.partialKind = ReductionKind::Sum;
  return layout;
}

void Layout::addPartial(ArrayRef<MeshAxis> axes, ReductionKind kind) {
  if (axes.empty())
    return;
  append_range(partial, axes);
  llvm::sort(partial);
  partialKind = kind;
}

std::string Layout::str(const Mesh &mesh) const {
  std::string text;
  raw_string_ostream os(text);
  os << '[';
  interleaveComma(dims, os,
                  [&](const AxisList &axes) { printAxes(os, mesh, axes); });
  os << ']';
  if (!partial.empty()) {
    os << " partial=";
    if (partialKind != ReductionKind::Sum)
      os << stringifyReductionKind(partialKind);
    printAxes(os, mesh, partial);
  }
  return text;
}

hash_code hash_value(const Layout &layout) {
  hash_code hash = hash_combine_range(layout.partial);
  for (const AxisList &axes : layout.dims)
    hash = hash_combine(hash, hash_combine_range(axes));
  return hash_combine(hash, layout.partialKind);
}

SmallVector<int64_t> getLocalShape(const Mesh &mesh,
                                   ArrayRef<int64_t> globalShape,
                                   const Layout &layout) {
  SmallVector<int64_t> local;
  for (auto [size, axes] : zip_equal(globalShape, layout.dims))
    local.push_back(ceilDivide(size, mesh.countShards(axes)));
  return local;
}

bool isNestedSplit(int64_t size, int64_t outer, int64_t inner) {
  return outer == 1 ||
         ceilDivide(size, inner) * (inner / outer) == ceilDivide(size, outer);
}

bool isPadded(const Mesh &mesh, ArrayRef<int64_t> globalShape,
              const Layout &layout) {
  return any_of(zip_equal(globalShape, layout.dims), [&](auto item) {
    auto [size, axes] = item;
    return size % mesh.countShards(axes) != 0;
  });
}

Bytes getTensorBytes(ArrayRef<int64_t> shape, int64_t elementBytes) {
  Bytes bytes(elementBytes);
  for (int64_t size : shape) {
    // A saturated product stays too much, whatever follows; but zero is zero.
    if (size == 0)
      return Bytes(0);
    bytes = bytes * size;
  }
  return bytes;
}

} // namespace shardsmith
