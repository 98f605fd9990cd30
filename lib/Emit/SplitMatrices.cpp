// SPDX-License-Identifier: Apache-2.0

#include "SplitMatrices.h"

#include "BlockRoles.h"
#include "Transformer.h"

#include <algorithm>

namespace shardsmith::emit {

using namespace workload;

namespace {

/// Elements of the dimensions right before `dim` that the op reads or makes as
/// `dim` is read or made: outputs, or what is summed over.
int64_t partsBefore(const TensorUse &use, const Op &op, unsigned dim) {
  auto kindOf = [&](unsigned at) {
    return use.dims[at].empty() ? FactorKind::PassThrough
                                : op.factors[use.dims[at].front()].kind;
  };
  int64_t parts = 1;
  for (unsigned at = dim; at > 0 && kindOf(at - 1) == kindOf(dim); --at)
    for (FactorIndex factor : use.dims[at - 1])
      parts *= op.factors[factor].size;
  return parts;
}

} // namespace

std::vector<SplitMatrix> splitMatrices(const EmitInput &input) {
  std::vector<SplitMatrix> found;
  for (BlockIndex i = 0; i < input.workload.blocks.size(); ++i) {
    const Block &block = input.workload.blocks[i];
    const BlockLayout &layout = input.strategy().layouts[i];
    for (OpIndex index = 0; index < block.ops.size(); ++index) {
      const Op &op = block.ops[index];
      std::optional<unsigned> operand = matrixOf(block, op);
      std::optional<FactorIndex> factor = layout.ops[index].factor;
      if (!op.isPlainProduct() || !operand || !factor)
        continue;
      TensorIndex matrix = op.operands[*operand].tensor;
      const TensorLayout &kept = layout.tensors[matrix];
      if (kept.kind != TensorLayout::Kind::Split)
        continue;
      auto position = std::ranges::find(block.parameters, matrix);
      const NamedLayout::ParameterEntry &entry =
          input.document.layouts[i]
              .parameters[size_t(position - block.parameters.begin())];
      bool byRows = op.factors[*factor].kind == FactorKind::Reduction;
      found.push_back({entry.names, byRows, hasAttention(block),
                       partsBefore(op.operands[*operand], op, kept.dim)});
    }
  }
  return found;
}

} // namespace shardsmith::emit
