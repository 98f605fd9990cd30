// SPDX-License-Identifier: Apache-2.0

#include "WarpRun.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Drawn integers are below this: rows of a table, classes, positions.
constexpr int64_t drawnBelow = 4093;

int64_t bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

bool isShared(Value memory) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
      cast<MemRefType>(memory.getType()));
}

/// `a` in these lanes, `b` in the others.
LaneIntegers merge(const LaneIntegers &a, const LaneIntegers &b,
                   LaneMask lanes) {
  if (a.elements.size() != b.elements.size()) {
    // One of them is not known anywhere.
    LaneIntegers result = a.elements.empty() ? b : a;
    result.known &= a.elements.empty() ? ~lanes : lanes;
    return result;
  }
  LaneIntegers result = b;
  for (auto [to, from] : llvm::zip_equal(result.elements, a.elements))
    for (size_t lane = 0; lane < to.size(); ++lane)
      if (lanes >> lane & 1)
        to[lane] = from[lane];
  result.isUniform =
      lanes == allLanes ? a.isUniform : lanes == 0 && b.isUniform;
  result.known = (b.known & ~lanes) | (a.known & lanes);
  return result;
}

bool isValue(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

} // namespace

LogicalResult WarpRun::run() {
  return run(function.getBody().front(), allLanes);
}

LogicalResult WarpRun::run(Block &ops, LaneMask lanes) {
  if (lanes == 0)
    return success();
  for (Operation &op : ops.without_terminator())
    if (failed(runOp(&op, lanes)))
      return failure();
  return success();
}

LogicalResult WarpRun::runOp(Operation *op, LaneMask lanes) {
  ++traffic.steps;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch, lanes);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runFor(loop, lanes);
  if (op->getNumRegions() > 0)
    return op->emitOpError("is no branch or counted loop, so where it reads is "
                           "not known");
  if (isa<gpu::ThreadIdOp, gpu::BlockIdOp>(op)) {
    LaneIntegers result = LaneIntegers::ofElements(1);
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      result.elements[0][size_t(lane)] =
          isa<gpu::ThreadIdOp>(op) ? firstThread + lane : block;
    result.known = allLanes;
    result.isUniform = isa<gpu::BlockIdOp>(op);
    values[op->getResult(0)] = result;
    return success();
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    access(load.getMemRef(), load.getIndices().front(), load.getType(), false,
           lanes);
    draw(op, load.getMemRef(), load.getIndices().front());
  } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
    access(load.getBase(), load.getIndices().front(), load.getType(), false,
           lanes);
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    access(store.getMemRef(), store.getIndices().front(),
           store.getValueToStore().getType(), true, lanes);
  } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
    access(store.getBase(), store.getIndices().front(),
           store.getValueToStore().getType(), true, lanes);
  } else {
    compute(op, lanes);
  }
  return success();
}

LogicalResult WarpRun::runIf(scf::IfOp op, LaneMask lanes) {
  LaneIntegers condition = values.lookup(op.getCondition());
  LaneMask holds = 0, fails = 0;
  for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
    LaneMask bit = LaneMask(1) << lane;
    if (!condition.isKnown(lane)) {
      holds |= bit;
      fails |= bit;
    } else {
      (condition.at(lane) ? holds : fails) |= bit;
    }
  }
  traffic.dependsOnData |= (holds & fails & lanes) != 0;
  if (failed(run(*op.thenBlock(), lanes & holds)))
    return failure();
  if (op.elseBlock() && failed(run(*op.elseBlock(), lanes & fails)))
    return failure();
  for (OpResult result : op.getResults()) {
    unsigned number = result.getResultNumber();
    if (isa<MemRefType>(result.getType())) {
      auto yield = holds & lanes ? op.thenYield() : op.elseYield();
      chosen[result] = argumentOf(yield.getOperand(number));
      continue;
    }
    LaneIntegers then = values.lookup(op.thenYield().getOperand(number));
    LaneIntegers other = values.lookup(op.elseYield().getOperand(number));
    LaneIntegers merged = merge(then, other, holds);
    // Where both sides were run nobody knows which counts.
    merged.known &= ~(holds & fails);
    values[result] = merged;
  }
  return success();
}

LogicalResult WarpRun::runFor(scf::ForOp op, LaneMask lanes) {
  LaneIntegers position = values.lookup(op.getLowerBound());
  LaneIntegers upper = values.lookup(op.getUpperBound());
  LaneIntegers step = values.lookup(op.getStep());
  for (auto [argument, initial] :
       llvm::zip_equal(op.getRegionIterArgs(), op.getInitArgs()))
    values[argument] = values.lookup(initial);
  if (LaneMask unknown = lanes & ~(position.known & upper.known & step.known))
    return op.emitOpError()
           << "runs as often as data says in " << llvm::popcount(unknown)
           << " lanes; its traffic is not known ahead";
  while (true) {
    LaneMask active = 0;
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      if (lanes >> lane & 1 && position.at(lane) < upper.at(lane))
        active |= LaneMask(1) << lane;
    if (active == 0)
      break;
    values[op.getInductionVar()] = position;
    if (failed(run(*op.getBody(), active)))
      return failure();
    // A lane that has ended keeps what it has.
    auto yielded = op.getBody()->getTerminator()->getOperands();
    std::vector<LaneIntegers> next;
    for (auto [argument, value] :
         llvm::zip_equal(op.getRegionIterArgs(), yielded)) {
      next.push_back(
          merge(values.lookup(value), values.lookup(argument), active));
    }
    for (auto [argument, value] : llvm::zip_equal(op.getRegionIterArgs(), next))
      values[argument] = value;
    // Where all lanes are at one position, all go on: what is kept for a lane
    // that is not active is never read.
    position.isUniform &= step.isUniform;
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      if (position.isUniform || active >> lane & 1)
        position.elements[0][size_t(lane)] += step.at(lane);
  }
  for (auto [result, argument] :
       llvm::zip_equal(op.getResults(), op.getRegionIterArgs()))
    values[result] = LaneIntegers(values.lookup(argument));
  return success();
}

void WarpRun::count(LaneMask lanes) {
  traffic.lanesActive += llvm::popcount(lanes);
  traffic.lanesThere += lanesOfWarp;
}

void WarpRun::compute(Operation *op, LaneMask lanes) {
  if (llvm::any_of(op->getResultTypes(), isValue) &&
      !op->hasTrait<OpTrait::ConstantLike>())
    count(lanes);
  // Integers alone are followed; a value without an entry is not known.
  if (op->getNumResults() != 1 ||
      !getElementTypeOrSelf(op->getResult(0)).isIntOrIndex())
    return;
  static const LaneIntegers unknown;
  SmallVector<const LaneIntegers *, 3> operands;
  for (Value operand : op->getOperands()) {
    auto found = values.find(operand);
    operands.push_back(found == values.end() ? &unknown : &found->second);
  }
  LaneIntegers result = computeIntegers(op, operands);
  values[op->getResult(0)] = std::move(result);
}

void WarpRun::access(Value memory, Value position, Type moved, bool isWrite,
                     LaneMask lanes) {
  count(lanes);
  if (isShared(memory))
    return;
  BlockArgument argument = argumentOf(memory);
  LaneIntegers positions = values.lookup(position);
  int64_t element =
      bytesOf(cast<MemRefType>(memory.getType()).getElementType());
  int64_t width = isa<VectorType>(moved)
                      ? cast<VectorType>(moved).getNumElements() * element
                      : element;
  auto &ofBlock = isWrite ? traffic.written : traffic.read;
  llvm::DenseSet<int64_t> sectors, starts;
  for (int64_t lane = 0; lane < lanesOfWarp; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    if (!positions.isKnown(lane)) {
      // Nobody knows where: a sector of its own.
      traffic.dependsOnData = true;
      ++traffic.sectorsAsked;
      ++traffic.sectorsNeeded;
      continue;
    }
    int64_t begin = positions.at(lane) * element;
    starts.insert(begin);
    for (int64_t sector = begin / sectorBytes;
         sector <= (begin + width - 1) / sectorBytes; ++sector) {
      sectors.insert(sector);
      ofBlock[argument.getArgNumber()].insert(sector);
    }
  }
  traffic.sectorsAsked += int64_t(sectors.size());
  traffic.sectorsNeeded +=
      (int64_t(starts.size()) * width + sectorBytes - 1) / sectorBytes;
}

void WarpRun::draw(Operation *load, Value memory, Value position) {
  LaneIntegers result, positions = values.lookup(position);
  if (load->getResult(0).getType().isIntOrIndex() && !isShared(memory)) {
    traffic.dependsOnData = true;
    int64_t below = load->getResult(0).getType().isInteger(8) ? 2 : drawnBelow;
    result = LaneIntegers::ofElements(1);
    result.known = positions.known;
    for (int64_t lane = 0; lane < lanesOfWarp; ++lane)
      if (positions.isKnown(lane))
        result.elements[0][size_t(lane)] = int64_t(
            uint64_t(llvm::hash_combine(argumentOf(memory).getArgNumber(),
                                        positions.at(lane))) %
            uint64_t(below));
  }
  values[load->getResult(0)] = result;
}

} // namespace shardsmith::lower
