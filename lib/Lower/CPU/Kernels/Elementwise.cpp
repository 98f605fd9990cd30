// SPDX-License-Identifier: Apache-2.0
//
// Kernels without reductions. A unit is a piece of one row:
//
//     for unit in [begin, end):
//       row, block = unit / blocks, unit % blocks
//       for column in block, by lanes:  store every result
//       (last block only) the columns that do not fill the lanes

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "shardsmith/Support/Quantity.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

constexpr int64_t blockColumns = 2048;

} // namespace

int64_t emitElementwise(KernelBody &body) {
  ImplicitLocOpBuilder &builder = body.builder;
  ArrayRef<int64_t> domain = body.domain;
  if (llvm::is_contained(domain, 0))
    return 0; // Copies of tensors without elements.
  ArrayRef<int64_t> outer = domain.empty() ? domain : domain.drop_back();
  int64_t columns = domain.empty() ? 1 : domain.back();
  int64_t rows = 1;
  for (int64_t size : outer)
    rows *= size;
  int64_t lanes = body.preferredLanes(columns, 64);
  int64_t block = columns > 2 * blockColumns ? blockColumns : columns;
  int64_t blocks = ceilDivide(columns, block);
  int64_t rest = columns % lanes;

  auto storeAll = [&](int64_t laneCount, ArrayRef<LaneIndex> outerIndex,
                      LaneIndex column) {
    ElementEmitter emitter(builder, laneCount, body.inputs, noHook);
    LaneIndices index(outerIndex);
    if (laneCount > 1)
      column.stride = 1;
    if (!domain.empty())
      index.push_back(column);
    SmallVector<KernelBody::Store> stores;
    for (unsigned i = 0; i < body.results.size(); ++i)
      stores.push_back({i, indexFor(body.resultShape(i), domain, index),
                        emitter.arithmetic.linearize(index, domain)});
    body.store(emitter, stores);
  };

  body.loop(body.begin, body.end, 1, [&](Value unit) {
    LaneArithmetic scalars(builder, 1);
    auto [row, part] = scalars.divide(LaneIndex::at(unit), blocks);
    LaneIndices outerIndex = scalars.delinearize(row, outer);
    LaneIndex start = scalars.times(part, block);
    Value first = scalars.scalar(start);
    Value last = body.constant(columns - rest);
    if (blocks > 1) {
      Value next = arith::AddIOp::create(builder, first, body.constant(block));
      last = arith::MinSIOp::create(builder, next, last);
    }
    body.loop(first, last, lanes, [&](Value column) {
      storeAll(lanes, outerIndex, LaneIndex::at(column, lanes));
    });
    if (rest == 0)
      return;
    Value isLast =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                              scalars.scalar(part), body.constant(blocks - 1));
    auto branch = scf::IfOp::create(builder, isLast, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    storeAll(rest, outerIndex, LaneIndex::constant(columns - rest));
  });
  return rows * blocks;
}

} // namespace shardsmith::cpu
