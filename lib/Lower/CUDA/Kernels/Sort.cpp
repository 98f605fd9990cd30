// SPDX-License-Identifier: Apache-2.0
//
// Sorted neighbouring runs of `width` elements are merged, two and two. Every
// output finds by itself what it gets: of the first k outputs of a pair, i are
// from the left run and k − i from the right one, and a search finds the only
// i at which no element that was left behind comes before one that was taken.
//
//     left   1 4 6 9      k = 5:  i = 3, the first outputs are 1 2 3 4 6,
//     right  2 3 7 8              and output 5 is the lower of 9 and 7
//
// Of equal elements the left one comes first, so sorts are stable. Whatever
// the comparator answers, every output gets an element of its pair.
//
//   short runs     a block has some whole runs. It merges positions of
//                  elements in shared memory, from runs of 1 on, and moves
//                  the tensors once
//   merging        a thread has one element of every tensor, and reads and
//                  writes the device's memory

#include "Integers.h"
#include "OwnFunctions.h"

#include "shardsmith/Dialect/Smith/SortRunsOp.h"
#include "shardsmith/Lower/CUDA/Target.h"
#include "shardsmith/Lower/Common/Elements/SortShape.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// Threads of a block that sorts; each has some of its elements.
constexpr int64_t mostThreads = 512;

class SortNest {
public:
  /// Runs of `from` elements become runs of `to`.
  SortNest(DeviceKernel &device, Operation *op, Region &comparator,
           SortLines lines, int64_t from, int64_t to)
      : device(device), builder(device.builder), integers(device), op(op),
        comparator(comparator),
        emitter(builder, 1, device.memory,
                [](ElementEmitter &, Value, ArrayRef<LaneIndex>) -> Value {
                  return {};
                }),
        lines(lines), from(from), to(to) {}
  void sortInBlock();
  void mergeRuns();

private:
  using PlaceOf = llvm::function_ref<Value(Value)>;
  /// A run of the tensors' elements.
  struct Run {
    Value start;  ///< position in memory of its first element
    Value length; ///< elements that it has
  };
  /// Run `number` of all lines, of `size` elements if the line is as long.
  Run run(Value number, int64_t size);
  /// Where an element of a run is in memory.
  Value placeIn(const Run &run, Value element) {
    return integers.plus(run.start, integers.times(element, lines.inner));
  }
  /// Whether the elements at one place in memory come before those at another.
  Value isBefore(Value place, Value other);
  /// Which element of the run becomes element `output`, where runs of
  /// 2^`level` are merged; `placeOf` says where an element is in memory.
  Value sourceOf(const Run &run, Value output, Value level, PlaceOf placeOf);
  void move(Value fromPlace, Value toPlace);
  /// What `then` emits where the condition holds; nothing else runs it.
  Value either(Value condition, llvm::function_ref<Value()> then,
               Value otherwise);
  Value no() {
    return arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  }
  Value negated(Value condition) {
    Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true));
    return arith::XOrIOp::create(builder, condition, yes);
  }
  Value larger(Value a, Value b) {
    return builder.createOrFold<arith::MaxSIOp>(a, b);
  }

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  Operation *op;
  Region &comparator;
  ElementEmitter emitter;
  SortLines lines;
  int64_t from, to;
};

SortNest::Run SortNest::run(Value number, int64_t size) {
  int64_t runs = ceilDivide(lines.length, size);
  Value line = integers.quotient(number, runs);
  Value begin = integers.times(integers.remainder(number, runs), size);
  Value outer = integers.quotient(line, lines.inner);
  Value row = integers.plus(integers.times(outer, lines.length), begin);
  Value start = integers.plus(integers.times(row, lines.inner),
                              integers.remainder(line, lines.inner));
  return {start, integers.smaller(
                     device.constant(size),
                     integers.minus(device.constant(lines.length), begin))};
}

Value SortNest::isBefore(Value place, Value other) {
  SmallVector<Value> elements;
  for (Value operand : op->getOperands())
    for (Value side : {place, other})
      elements.push_back(device.memory.load(builder, emitter.arithmetic,
                                            operand, LaneIndex::at(side)));
  return emitter.emitBody(comparator, elements).front();
}

Value SortNest::either(Value condition, llvm::function_ref<Value()> then,
                       Value otherwise) {
  auto branch = scf::IfOp::create(builder, otherwise.getType(), condition,
                                  /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, then());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, otherwise);
  return branch.getResult(0);
}

Value SortNest::sourceOf(const Run &run, Value output, Value level,
                         PlaceOf placeOf) {
  Value zero = device.constant(0), one = device.constant(1);
  Value width = builder.createOrFold<arith::ShLIOp>(one, level);
  Value pair = builder.createOrFold<arith::ShLIOp>(width, one);
  Value k = arith::AndIOp::create(builder, output, integers.minus(pair, one));
  Value left = integers.minus(output, k), right = integers.plus(left, width);
  Value leftSize = integers.smaller(width, integers.minus(run.length, left));
  Value rightSize =
      integers.smaller(width, larger(zero, integers.minus(run.length, right)));
  // Of equal elements those of the left run come first.
  auto rightIsFirst = [&](Value ofRight, Value ofLeft) {
    return isBefore(placeOf(integers.plus(right, ofRight)),
                    placeOf(integers.plus(left, ofLeft)));
  };
  // i is at least `low`, and `open` further numbers are possible. Each step
  // leaves less than half of them, and there are `width` at most.
  Value low = larger(zero, integers.minus(k, rightSize));
  Value open = integers.minus(integers.smaller(k, leftSize), low);
  SmallVector<Value> found =
      device.loop(zero, integers.plus(level, 1), 1, {low, open},
                  [&](Value, ValueRange range) {
                    Value low = range[0], open = range[1];
                    Value half = arith::ShRUIOp::create(builder, open, one);
                    Value middle = integers.plus(low, half);
                    Value isOpen = integers.isBelow(zero, open);
                    Value isMore = either(
                        isOpen,
                        [&] {
                          Value ofRight =
                              integers.minus(integers.plus(k, -1), middle);
                          return negated(rightIsFirst(ofRight, middle));
                        },
                        no());
                    Value rest = integers.minus(open, integers.plus(half, 1));
                    return SmallVector<Value>{
                        arith::SelectOp::create(builder, isMore,
                                                integers.plus(middle, 1), low),
                        arith::SelectOp::create(builder, isMore, rest, half)};
                  });
  Value i = found[0], j = integers.minus(k, i);
  Value hasLeft = integers.isBelow(i, leftSize);
  Value takesRight = either(
      device.both(hasLeft, integers.isBelow(j, rightSize)),
      [&] { return rightIsFirst(j, i); }, negated(hasLeft));
  return arith::SelectOp::create(builder, takesRight, integers.plus(right, j),
                                 integers.plus(left, i));
}

void SortNest::move(Value fromPlace, Value toPlace) {
  unsigned results = op->getNumOperands();
  for (Value operand : op->getOperands()) {
    Value value = device.memory.load(builder, emitter.arithmetic, operand,
                                     LaneIndex::at(fromPlace));
    DeviceMemory::store(builder, emitter.arithmetic, device.buffer(results++),
                        getElementTypeOrSelf(operand), LaneIndex::at(toPlace),
                        value);
  }
}

void SortNest::mergeRuns() {
  int64_t elements = lines.outer * lines.length * lines.inner;
  device.launch(ceilDivide(elements, usualThreads), usualThreads);
  Value unit =
      integers.plus(integers.times(device.block, usualThreads), device.thread);
  Value exists =
      elements % usualThreads == 0 ? Value() : device.isBelow(unit, elements);
  device.guarded(exists, [&] {
    // Neighbours in memory are neighbours of other lines.
    SmallVector<Value> place =
        integers.digits(unit, {lines.outer, lines.length, lines.inner});
    Run line =
        run(integers.plus(integers.times(place[0], lines.inner), place[2]),
            lines.length);
    Value level = device.constant(llvm::Log2_64(from));
    Value source = sourceOf(line, place[1], level, [&](Value element) {
      return placeIn(line, element);
    });
    move(placeIn(line, source), unit);
  });
}

void SortNest::sortInBlock() {
  int64_t size = std::min(to, lines.length);
  int64_t runs = ceilDivide(lines.length, size) * lines.outer * lines.inner;
  int64_t runsOfBlock = std::clamp<int64_t>(usualThreads / size, 1, runs);
  int64_t elements = size * runsOfBlock;
  int64_t threads = std::min<int64_t>(
      mostThreads, static_cast<int64_t>(llvm::alignTo(elements, warpSize)));
  device.launch(ceilDivide(runs, runsOfBlock), threads);
  Type i32 = builder.getI32Type();
  Value order = device.shared(2 * elements, i32);
  // Body(run, element, place of the element in `order`) for all that exist.
  auto forElements =
      [&](llvm::function_ref<void(const Run &, Value, Value)> body) {
        device.loop(device.thread, device.constant(elements), threads, {},
                    [&](Value unit, ValueRange) {
                      Value number = integers.plus(
                          integers.times(device.block, runsOfBlock),
                          integers.quotient(unit, size));
                      Run own = run(number, size);
                      Value element = integers.remainder(unit, size);
                      Value exists = integers.isBelow(element, own.length);
                      if (runs % runsOfBlock != 0)
                        exists =
                            device.both(exists, device.isBelow(number, runs));
                      device.guarded(exists, [&] { body(own, element, unit); });
                      return SmallVector<Value>();
                    });
      };
  auto note = [&](Value place, Value element) {
    device.storeShared(order, place,
                       arith::TruncIOp::create(builder, i32, element));
  };
  auto noted = [&](Value place) {
    return integers.widened(device.loadShared(order, place, i32));
  };
  forElements(
      [&](const Run &, Value element, Value unit) { note(unit, element); });
  device.barrier();
  // Elements are read in one half, and noted in the other one.
  int64_t levels = llvm::Log2_64_Ceil(size);
  Value half = device.constant(elements);
  Value sorted =
      device
          .loop(device.constant(0), device.constant(levels), 1,
                device.constant(0),
                [&](Value level, ValueRange current) {
                  Value read = current.front();
                  Value written = integers.minus(half, read);
                  forElements([&](const Run &own, Value element, Value unit) {
                    Value first =
                        integers.plus(read, integers.minus(unit, element));
                    auto at = [&](Value number) {
                      return noted(integers.plus(first, number));
                    };
                    Value source =
                        sourceOf(own, element, level, [&](Value number) {
                          return placeIn(own, at(number));
                        });
                    note(integers.plus(written, unit), at(source));
                  });
                  device.barrier();
                  return SmallVector<Value>{written};
                })
          .front();
  forElements([&](const Run &own, Value element, Value unit) {
    move(placeIn(own, noted(integers.plus(sorted, unit))),
         placeIn(own, element));
  });
}

} // namespace

std::string whyNotSort(Operation *op) {
  auto hasEmitter = [](Operation *inner) {
    return cudaTarget().hasEmitter(inner);
  };
  return whyNotSorted(op->getOperandTypes(), op->getRegion(0), hasEmitter,
                      cudaTarget());
}

void emitSort(DeviceKernel &device, Operation *op) {
  Type first = op->getOperandTypes().front();
  if (auto runs = dyn_cast<smith::SortRunsOp>(op)) {
    SortNest nest(device, op, runs.getComparator(),
                  sortLines(first, static_cast<int64_t>(runs.getDimension())),
                  static_cast<int64_t>(runs.getFrom()),
                  static_cast<int64_t>(runs.getTo()));
    return runs.getFrom() == 1 ? nest.sortInBlock() : nest.mergeRuns();
  }
  auto sort = cast<stablehlo::SortOp>(op);
  SortLines lines = sortLines(first, static_cast<int64_t>(sort.getDimension()));
  SortNest(device, op, sort.getComparator(), lines, 1, lines.length)
      .sortInBlock();
}

} // namespace shardsmith::cuda
