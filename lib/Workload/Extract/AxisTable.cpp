// SPDX-License-Identifier: Apache-2.0

#include "AxisTable.h"

namespace shardsmith::workload {

AxisId AxisTable::add(int64_t size) {
  AxisId id = axes.size();
  axes.push_back({size, id, {}});
  return id;
}

AxisId AxisTable::root(AxisId axis) const {
  while (axes[axis].parent != axis)
    axis = axes[axis].parent = axes[axes[axis].parent].parent;
  return axis;
}

bool AxisTable::unify(AxisId a, AxisId b) {
  a = root(a);
  b = root(b);
  if (a == b)
    return true;
  if (axes[a].size != axes[b].size)
    return false;
  if (!axes[a].parts.empty() && !axes[b].parts.empty() && !unifyParts(a, b))
    return false;
  if (axes[a].parts.empty())
    std::swap(a, b);
  axes[b].parent = a;
  return true;
}

/// Walks both lists from the major end. Where one part is larger it gives way
/// to its own parts, or is cut so that its major part fits:
///
///     [ 8 │    16    ]        [ 8 │ 4 │ 4 ]
///     [   32     │ 4 ]   ──▶  [ 8 │ 4 │ 4 ]
bool AxisTable::unifyParts(AxisId a, AxisId b) {
  // Next part last.
  llvm::SmallVector<AxisId, 4> left(llvm::reverse(axes[a].parts)),
      right(llvm::reverse(axes[b].parts));
  auto giveWay = [&](llvm::SmallVector<AxisId, 4> &list, int64_t size) {
    AxisId large = root(list.pop_back_val());
    if (axes[large].parts.empty()) {
      if (axes[large].size % size != 0)
        return false;
      AxisId major = add(size), minor = add(axes[large].size / size);
      axes[large].parts = {major, minor};
    }
    llvm::append_range(list, llvm::reverse(axes[large].parts));
    return true;
  };
  while (!left.empty() && !right.empty()) {
    int64_t leftSize = axes[left.back()].size,
            rightSize = axes[right.back()].size;
    if (leftSize > rightSize) {
      if (!giveWay(left, rightSize))
        return false;
    } else if (rightSize > leftSize) {
      if (!giveWay(right, leftSize))
        return false;
    } else if (!unify(left.pop_back_val(), right.pop_back_val())) {
      return false;
    }
  }
  return true;
}

llvm::SmallVector<AxisId, 2> AxisTable::split(AxisId axis,
                                              llvm::ArrayRef<int64_t> sizes) {
  AxisId cut = add(axes[axis].size);
  llvm::SmallVector<AxisId, 2> parts;
  for (int64_t size : sizes)
    parts.push_back(add(size));
  axes[cut].parts = parts;
  if (!unify(axis, cut))
    return {};
  return parts;
}

void AxisTable::appendLeaves(AxisId axis,
                             llvm::SmallVectorImpl<AxisId> &leaves) const {
  axis = root(axis);
  if (axes[axis].size == 1)
    return;
  if (axes[axis].parts.empty()) {
    leaves.push_back(axis);
    return;
  }
  for (AxisId part : axes[axis].parts)
    appendLeaves(part, leaves);
}

void AxisTable::setRole(AxisId axis, FactorRole role) {
  llvm::SmallVector<AxisId, 4> leaves;
  appendLeaves(axis, leaves);
  for (AxisId leaf : leaves)
    axes[leaf].role = role;
}

std::set<FactorRole> AxisTable::rolesOf(AxisId axis) const {
  llvm::SmallVector<AxisId, 4> leaves;
  appendLeaves(axis, leaves);
  std::set<FactorRole> roles;
  for (AxisId leaf : leaves)
    roles.insert(roleOf(leaf));
  return roles;
}

} // namespace shardsmith::workload
