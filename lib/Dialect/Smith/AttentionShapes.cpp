// SPDX-License-Identifier: Apache-2.0

#include "AttentionShapes.h"

using namespace mlir;

namespace shardsmith::smith {

LogicalResult verifyShape(Operation *op, const char *name, Value value,
                          ArrayRef<int64_t> batch, ArrayRef<int64_t> rest) {
  SmallVector<int64_t> expected(batch);
  llvm::append_range(expected, rest);
  if (typeOf(value).getShape() == ArrayRef<int64_t>(expected))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "has " << name << " of type " << value.getType()
                             << ": expected the sizes ";
  llvm::interleave(
      expected, [&](int64_t size) { error << size; }, [&] { error << 'x'; });
  return error;
}

LogicalResult verifyBias(Operation *op, Value bias,
                         const AttentionSizes &sizes) {
  SmallVector<int64_t> scores(sizes.batch);
  scores.append({sizes.groups, sizes.queries, sizes.keys});
  ArrayRef<int64_t> shape = typeOf(bias).getShape();
  bool fits = shape.size() == scores.size();
  for (size_t dim = 0; fits && dim < scores.size(); ++dim)
    fits = shape[dim] == 1 || shape[dim] == scores[dim];
  if (fits)
    return success();
  InFlightDiagnostic error =
      op->emitOpError() << "has a bias of type " << bias.getType()
                        << ": expected for each dimension 1 or the size that "
                           "the scores have, ";
  llvm::interleave(
      scores, [&](int64_t size) { error << size; }, [&] { error << 'x'; });
  return error;
}

} // namespace shardsmith::smith
