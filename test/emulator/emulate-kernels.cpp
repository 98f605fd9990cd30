// SPDX-License-Identifier: Apache-2.0
//
// Checks the device functions of a lowered program against the interpreter:
//
//   shardsmith-opt model.mlir --lower-program=target=cuda --emit-cuda-kernels \
//     | emulate-kernels - --orders 5
//
// Each function runs on random data under several orders of threads and
// blocks. Results must be those of the kernel's tensor ops, within a
// tolerance, and the same bits in every order. With `--fault barrier:N` the
// N-th barrier of every function is removed, with `--fault shuffle:N` the N-th
// shuffle does nothing; then it says for each function what was caught. After
// `estimate-kernels` the memory that blocks touch is compared as well. Kernels
// that are launched together run together, on buffers that are those of the
// program: where a member's result lies in another one's input, there is a
// race.

#include "DeviceModule.h"
#include "Emulator.h"

#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/SortRunsOp.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/Execution.h"
#include "shardsmith/Interpreter/RoundingNoise.h"
#include "shardsmith/Interpreter/Spread.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/JointLaunch.h"

#include "../unit/FirstSeed.h"

#include "mlir/IR/IRMapping.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <numeric>

using namespace mlir;

namespace shardsmith::emulator {
namespace {

struct Options {
  std::string path = "-";
  int64_t orders = 3;
  std::string fault;
  bool special = false;
  bool quiet = false;
};

// Kernels compute on floats of 16 and eight bits in f32 and round only what
// they store or convert. The reference does so, too: values of these types
// become f32, and a conversion to them goes there and back.

bool isNarrow(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 32;
}

Type widened(Type type) {
  if (!isNarrow(type))
    return type;
  return cast<RankedTensorType>(type).clone(
      Float32Type::get(type.getContext()));
}

Value convertTo(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return stablehlo::ConvertOp::create(builder, value.getLoc(), type, value);
}

void widenRegion(Region &region) {
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments())
      argument.setType(widened(argument.getType()));
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<stablehlo::ConstantOp>(op) &&
          isNarrow(op.getResult(0).getType())) {
        OpBuilder builder(&op);
        builder.setInsertionPointAfter(&op);
        Value wide = convertTo(builder, op.getResult(0),
                               widened(op.getResult(0).getType()));
        op.getResult(0).replaceAllUsesExcept(wide, wide.getDefiningOp());
        continue;
      }
      for (Value result : op.getResults())
        result.setType(widened(result.getType()));
    }
  }
}

void cloneWidened(OpBuilder &builder, Operation &op, IRMapping &mapping) {
  bool isRounded = isa<stablehlo::ConvertOp, stablehlo::ConstantOp>(op) &&
                   isNarrow(op.getResult(0).getType());
  Operation *copy = builder.clone(op, mapping);
  if (isRounded) {
    mapping.map(op.getResult(0), convertTo(builder, copy->getResult(0),
                                           widened(op.getResult(0).getType())));
    return;
  }
  for (Value result : copy->getResults())
    result.setType(widened(result.getType()));
  for (Region &region : copy->getRegions())
    widenRegion(region);
}

/// A function of the tensor ops of a kernel or scatter: inputs to results.
struct Reference {
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

Reference makeReference(Operation *op) {
  OpBuilder builder(op->getContext());
  Reference reference;
  reference.module = ModuleOp::create(op->getLoc());
  builder.setInsertionPointToEnd(reference.module->getBody());
  SmallVector<Type> inputs, results;
  auto kernel = dyn_cast<smith::KernelOp>(op);
  if (kernel) {
    llvm::append_range(inputs, kernel.getBody().getArgumentTypes());
    llvm::append_range(
        results, kernel.getBody().front().getTerminator()->getOperandTypes());
  } else {
    llvm::append_range(inputs, op->getOperandTypes());
    llvm::append_range(results, op->getResultTypes());
  }
  reference.function = func::FuncOp::create(
      builder, op->getLoc(), "main", builder.getFunctionType(inputs, results));
  Block *entry = reference.function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  IRMapping mapping;
  SmallVector<Value> returned;
  if (kernel) {
    for (auto [inside, argument] : llvm::zip_equal(
             kernel.getBody().getArguments(), entry->getArguments()))
      mapping.map(inside,
                  convertTo(builder, argument, widened(argument.getType())));
    for (Operation &inner : kernel.getBody().front().without_terminator())
      cloneWidened(builder, inner, mapping);
    for (Value value : kernel.getBody().front().getTerminator()->getOperands())
      returned.push_back(
          convertTo(builder, mapping.lookupOrDefault(value), value.getType()));
  } else {
    mapping.map(op->getOperands(), entry->getArguments());
    llvm::append_range(returned, builder.clone(*op, mapping)->getResults());
  }
  func::ReturnOp::create(builder, op->getLoc(), returned);
  return reference;
}

/// Where the queries or keys of a part of the sequence begin: at any position
/// of it, or in zigzag where a first half may.
template <typename Partial>
void drawPositions(Partial op, std::mt19937_64 &random, Tensors &inputs) {
  int64_t positions = op.getPositions();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!getElementTypeOrSelf(operand.get()).isInteger(32))
      continue;
    int64_t half =
        cast<RankedTensorType>(op.getKey().getType()).getShape().end()[-2] / 2;
    std::uniform_int_distribution<int64_t> places(
        0, op.getZigzag() ? positions / 2 / half - 1 : positions - 1);
    int64_t first = places(random) * (op.getZigzag() ? half : 1);
    inputs[operand.getOperandNumber()] =
        Tensor::filled(ElementType::I32, {}, static_cast<double>(first));
  }
}

/// Gives the gradient of an attention the output and the log-sum-exp that its
/// other inputs have: with any others probabilities are no probabilities.
template <typename Gradient, typename Forward>
void makeConsistent(Gradient op, Forward createForward, Tensors &inputs) {
  OpBuilder builder(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> results{op.getOutput().getType(),
                            op.getLogSumExp().getType()};
  auto function = func::FuncOp::create(
      builder, op->getLoc(), "main",
      builder.getFunctionType(op->getOperandTypes(), results));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  IRMapping mapping;
  mapping.map(op->getOperands(), entry->getArguments());
  auto in = [&](Value value) {
    return value ? mapping.lookup(value) : Value();
  };
  Operation *forward = createForward(builder, results, in);
  func::ReturnOp::create(builder, op->getLoc(), forward->getResults());
  Execution run = runWhole(function, inputs);
  // A query that sees no key here has seen others elsewhere.
  for (Tensor &result : run.results)
    for (int64_t i = 0; i < result.size(); ++i)
      if (!std::isfinite(result.asDouble(i)))
        result.setElement(i, Tensor::filled(result.type(), {}, 0));
  for (OpOperand &operand : op->getOpOperands()) {
    Tensor &input = inputs[operand.getOperandNumber()];
    if (operand.get() == op.getOutput())
      input = run.results[0];
    else if (operand.get() == op.getLogSumExp())
      input = run.results[1];
  }
}

/// Groups of rows: about one in eight has none, and some groups may have none.
void drawGroups(RankedTensorType matrices, std::mt19937_64 &random,
                Tensor &groups) {
  int64_t count = matrices.getShape().end()[-3];
  std::uniform_int_distribution<int64_t> some(0, count - 1);
  int64_t absent = some(random);
  for (int64_t i = 0; i < groups.size(); ++i) {
    int64_t group = some(random);
    if (group == absent && count > 1)
      group = (group + 1) % count;
    if (random() % 8 == 0)
      group = random() % 2 ? count + some(random) : -1 - some(random);
    groups.setElement(i, Tensor::filled(ElementType::I32, {}, double(group)));
  }
}

/// Slots of rows, of which no two in a sample are one; some rows have none.
void drawSlots(RankedTensorType packed, std::mt19937_64 &random,
               Tensor &slots) {
  std::vector<int64_t> free(packed.getDimSize(0) * packed.getDimSize(2));
  int64_t rows = slots.shape().back();
  for (int64_t i = 0; i < slots.size(); ++i) {
    if (i % rows == 0) {
      std::iota(free.begin(), free.end(), 0);
      std::shuffle(free.begin(), free.end(), random);
    }
    size_t next = i % rows;
    bool hasSlot = next < free.size() && random() % 8 != 0;
    slots.setElement(i, Tensor::filled(ElementType::I32, {},
                                       hasSlot ? double(free[next]) : -1));
  }
}

/// Runs of `from` elements are sorted already.
void sortShorterRuns(smith::SortRunsOp op, Tensors &inputs) {
  OpBuilder builder(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, op->getLoc(), "main",
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  IRMapping mapping;
  mapping.map(op->getOperands(), entry->getArguments());
  auto shorter = cast<smith::SortRunsOp>(builder.clone(*op, mapping));
  shorter.setTo(op.getFrom());
  shorter.setFrom(1);
  func::ReturnOp::create(builder, op->getLoc(), shorter.getResults());
  inputs = runWhole(function, inputs).results;
}

/// Matrices whose diagonal is larger than the rest of their rows together, so
/// that they have factors, and systems one solution.
void strengthenDiagonals(Tensor &matrices) {
  int64_t n = matrices.shape().back();
  for (int64_t i = 0; i < matrices.size(); ++i) {
    double value = matrices.asDouble(i);
    bool isDiagonal = i / n % n == i % n;
    double kept = isDiagonal ? 3 + std::abs(value) : value / double(n);
    matrices.setElement(i, Tensor::filled(matrices.type(), {}, kept));
  }
}

/// Inputs that belong together.
void makeConsistent(Operation *op, std::mt19937_64 &random, Tensors &inputs) {
  if (isa<smith::GroupedDotOp>(op))
    drawGroups(cast<RankedTensorType>(op->getOperand(2).getType()), random,
               inputs[1]);
  if (isa<smith::GroupedOuterOp>(op))
    drawGroups(cast<RankedTensorType>(op->getResult(0).getType()), random,
               inputs[1]);
  if (auto pack = dyn_cast<smith::PackRowsOp>(op))
    drawSlots(cast<RankedTensorType>(pack.getPacked().getType()), random,
              inputs[1]);
  if (auto unpack = dyn_cast<smith::UnpackRowsOp>(op))
    drawSlots(cast<RankedTensorType>(unpack.getPacked().getType()), random,
              inputs[1]);
  if (isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op))
    strengthenDiagonals(inputs[0]);
  if (auto runs = dyn_cast<smith::SortRunsOp>(op))
    sortShorterRuns(runs, inputs);
  if (auto part = dyn_cast<smith::PartialAttentionOp>(op))
    drawPositions(part, random, inputs);
  if (auto part = dyn_cast<smith::PartialAttentionGradientOp>(op)) {
    drawPositions(part, random, inputs);
    auto create = [&](OpBuilder &builder, TypeRange results, auto in) {
      return smith::PartialAttentionOp::create(
          builder, op->getLoc(), results, in(part.getQuery()),
          in(part.getKey()), in(part.getValue()), in(part.getFirstQuery()),
          in(part.getFirstKey()), in(part.getBias()), Value(), Value(),
          part.getPositionsAttr(), part.getCausalAttr(), part.getZigzagAttr(),
          part.getScaleAttr());
    };
    makeConsistent(part, create, inputs);
  }
  if (auto gradient = dyn_cast<smith::AttentionGradientOp>(op)) {
    auto create = [&](OpBuilder &builder, TypeRange results, auto in) {
      return smith::AttentionOp::create(
          builder, op->getLoc(), results, in(gradient.getQuery()),
          in(gradient.getKey()), in(gradient.getValue()),
          in(gradient.getBias()), gradient.getCausalAttr(),
          gradient.getRingAttr(), gradient.getZigzagAttr(),
          gradient.getScaleAttr());
    };
    makeConsistent(gradient, create, inputs);
  }
}

/// Floats that functions treat apart, and some near them.
constexpr double specialNumbers[] = {0.0,
                                     -0.0,
                                     1,
                                     -1,
                                     2,
                                     -2,
                                     3,
                                     0.5,
                                     -0.5,
                                     1.0000001,
                                     88.7,
                                     -87.4,
                                     -103.9,
                                     16777216,
                                     1e-30,
                                     -1e-30,
                                     1e-40,
                                     3e38,
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN()};

/// Random elements: floats of both signs around one, among them some zeros;
/// integers that are positions more often than not.
Tensor draw(Type type, std::mt19937_64 &random, bool special) {
  std::optional<StaticType> known = staticTypeOf(type);
  Tensor tensor = Tensor::uninitialized(known->element, known->shape);
  std::normal_distribution<double> normal(0, 1.5);
  std::uniform_int_distribution<int64_t> positions(-2, 40);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double value;
    if (known->element == ElementType::Bool)
      value = static_cast<double>(random() % 2);
    else if (isFloat(known->element))
      value = special ? specialNumbers[random() % std::size(specialNumbers)]
              : random() % 64 == 0 ? 0
                                   : normal(random);
    else
      value = static_cast<double>(positions(random));
    if (isUnsignedInteger(known->element))
      value = std::abs(value);
    tensor.setElement(i, Tensor::filled(known->element, {}, value));
  }
  return tensor;
}

Tolerance toleranceOf(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return {.absolute = 1e-2,
            .relative = 2e-2,
            .relativeToLargest = 1e-2,
            .ulps = 1};
  case ElementType::F16:
    return {.absolute = 1e-3,
            .relative = 2e-3,
            .relativeToLargest = 2e-3,
            .ulps = 1};
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return {.absolute = 1e-6,
            .relative = 1e-5,
            .relativeToLargest = 5e-6,
            .ulps = 1};
  case ElementType::F64:
    return {.absolute = 1e-12, .relative = 1e-10, .relativeToLargest = 1e-12};
  default:
    return {.absolute = 1e-6, .relative = 1e-5, .relativeToLargest = 5e-6};
  }
}

/// What each result may differ by: a kernel sums in another order than the
/// interpreter, and where terms nearly cancel, the difference has the size of
/// the terms, which the result does not show. Executions that round at random
/// do. Special numbers overflow under it: there nothing is added.
std::vector<Tolerance> tolerancesOf(func::FuncOp reference,
                                    const Tensors &inputs,
                                    const Tensors &expected, bool special) {
  std::vector<Tolerance> tolerances;
  std::vector<Spread> spreads;
  for (const Tensor &want : expected) {
    tolerances.push_back(toleranceOf(want.type()));
    spreads.emplace_back(want.dense(), Tensor(), Tensor(), /*isComputed=*/true);
  }
  constexpr uint64_t samples = 4;
  for (uint64_t seed = 0; seed < samples && !special; ++seed) {
    RoundingNoise noise(seed);
    Execution shaken = runShaken(reference, inputs, noise);
    if (shaken.outcome != Outcome::Completed)
      return tolerances;
    for (auto [spread, result] : llvm::zip_equal(spreads, shaken.results))
      spread.add(result.dense());
  }
  for (auto [tolerance, spread] : llvm::zip_equal(tolerances, spreads))
    tolerance.absolute = std::max(tolerance.absolute, spread.allowed().largest);
  return tolerances;
}

/// Removes the barrier or the shuffle that `--fault` names; false if the
/// function has no such one.
bool breakProgram(DeviceProgram &program, const std::string &fault) {
  size_t colon = fault.find(':');
  std::string what = fault.substr(0, colon);
  int64_t number = std::stoll(fault.substr(colon + 1));
  auto kind = what == "barrier" ? Instruction::Kind::Barrier
                                : Instruction::Kind::Shuffle;
  for (Instruction &instruction : program.instructions) {
    if (instruction.kind != kind || number-- != 0)
      continue;
    uint32_t from = instruction.operands[0];
    if (kind == Instruction::Kind::Shuffle)
      instruction.sources = {from};
    instruction.kind = Instruction::Kind::Copy;
    return true;
  }
  return false;
}

class Check {
public:
  Check(const Options &options, uint64_t seed)
      : options(options), random(seed) {}

  /// Zero if all is well.
  int run(ModuleOp module);

private:
  /// What an op of a launch is given, and has to compute.
  struct Member {
    Tensors inputs, expected;
    std::vector<Tolerance> tolerances;
  };

  std::string prepare(Operation *op, Member &member,
                      llvm::DenseMap<Value, Tensor> &drawn);
  std::string checkFunction(Operation *op, const DeviceProgram &program);
  std::string compare(ArrayRef<DeviceBuffer *> results,
                      ArrayRef<Tensor> expected,
                      ArrayRef<Tolerance> tolerances);
  std::string compareTraffic(Operation *op, int64_t sectors);

  const Options &options;
  std::mt19937_64 random;
  double largest = 0;
  int exactTraffic = 0;
};

std::string Check::compare(ArrayRef<DeviceBuffer *> results,
                           ArrayRef<Tensor> expected,
                           ArrayRef<Tolerance> tolerances) {
  for (auto [i, want] : llvm::enumerate(expected)) {
    Tensor got = Tensor::uninitialized(want.type(), want.shape());
    if (static_cast<int64_t>(results[i]->bytes.size()) != got.denseBytes())
      return fmt::format("result {} has another size", i);
    for (const DeviceBuffer::Access &access : results[i]->accesses)
      if (!access.isInitialized)
        return fmt::format("result {} has elements that nobody wrote", i);
    std::copy(results[i]->bytes.begin(), results[i]->bytes.end(),
              got.mutableData<std::byte>());
    ComparisonReport report = compareTensors(got, want.dense(), tolerances[i]);
    if (!report.holds())
      return fmt::format("result {}: {}", i, report.str());
    if (isFloat(want.type()))
      largest = std::max(largest, report.largestAbsolute);
  }
  return "";
}

/// Of each sample one for every expert, and for the rows of none.
int64_t countersOf(smith::LimitRowsOp op) {
  return op.getExperts().getType().getDimSize(0) *
         (static_cast<int64_t>(op.getAmong()) + 1);
}

/// Kernels of the op's launch; of others the op alone.
SmallVector<Operation *> membersOf(Operation *op) {
  auto kernel = dyn_cast<smith::KernelOp>(op);
  if (!kernel)
    return {op};
  lower::JointLaunch joint(kernel);
  return llvm::to_vector_of<Operation *>(joint.getMembers());
}

/// Draws inputs, and finds out what results they have. A tensor that is read
/// twice, by one member of a launch or by two, is one tensor.
std::string Check::prepare(Operation *op, Member &member,
                           llvm::DenseMap<Value, Tensor> &drawn) {
  Reference reference = makeReference(op);
  for (auto [value, type] : llvm::zip_equal(
           op->getOperands(), reference.function.getArgumentTypes())) {
    auto [known, isNew] = drawn.try_emplace(value);
    if (isNew)
      known->second = draw(type, random, options.special);
    // What an op's inputs have to agree in is written into its own.
    member.inputs.push_back(known->second.denseCopy());
  }
  makeConsistent(op, random, member.inputs);
  Execution expected = runWhole(reference.function, member.inputs);
  if (expected.outcome != Outcome::Completed)
    return "the interpreter does not run it";
  member.tolerances = tolerancesOf(reference.function, member.inputs,
                                   expected.results, options.special);
  // Attention to bf16 rounds probabilities to it, whatever it returns.
  if (smith::isAttention(op) && isNarrow(op->getOperand(0).getType()))
    for (Tolerance &tolerance : member.tolerances)
      tolerance = toleranceOf(ElementType::BF16);
  member.expected = std::move(expected.results);
  return "";
}

std::string Check::checkFunction(Operation *op, const DeviceProgram &program) {
  std::vector<Member> members;
  llvm::DenseMap<Value, Tensor> drawn;
  for (Operation *each : membersOf(op))
    if (std::string problem = prepare(each, members.emplace_back(), drawn);
        !problem.empty())
      return problem;
  const Tensors &inputs = members.front().inputs;

  bool isScatter = isa<stablehlo::ScatterOp>(op);
  std::vector<std::vector<std::byte>> before;
  for (int64_t order = 0; order < options.orders; ++order) {
    std::vector<std::unique_ptr<DeviceBuffer>> owned;
    SmallVector<DeviceBuffer *> arguments, results;
    auto add = [&](Type type, const Tensor *contents) {
      auto tensor = cast<RankedTensorType>(type);
      owned.push_back(std::make_unique<DeviceBuffer>(
          tensor.getNumElements(),
          lower::storageBytes(tensor.getElementType())));
      if (contents)
        owned.back()->fill(contents->dense().bytes());
      arguments.push_back(owned.back().get());
      return owned.back().get();
    };
    if (isScatter) {
      add(op->getOperand(1).getType(), &inputs[1]);
      add(op->getOperand(2).getType(), &inputs[2]);
      results.push_back(add(op->getResult(0).getType(), &inputs[0]));
    } else if (auto kernel = dyn_cast<smith::KernelOp>(op)) {
      lower::JointLaunch joint(kernel);
      llvm::DenseMap<Value, DeviceBuffer *> buffers;
      llvm::DenseMap<int64_t, DeviceBuffer *> places;
      for (Value value : joint.inputs()) {
        auto [known, isNew] = buffers.try_emplace(value);
        if (isNew)
          known->second = add(value.getType(), &drawn.at(value));
        else
          arguments.push_back(known->second);
        if (int64_t offset = lower::offsetOf(value); offset != -1)
          places[offset] = known->second;
      }
      // Where the program writes in place, so does the emulator.
      for (Value result : joint.results()) {
        auto [place, isNew] = places.try_emplace(lower::offsetOf(result));
        if (isNew)
          place->second = add(result.getType(), nullptr);
        else
          arguments.push_back(place->second);
        results.push_back(place->second);
      }
    } else {
      for (auto [value, tensor] : llvm::zip_equal(op->getOperands(), inputs))
        add(value.getType(), &tensor);
      for (Value result : op->getResults()) {
        int64_t offset = lower::offsetOf(result);
        DeviceBuffer *place = nullptr;
        for (auto [i, value] : llvm::enumerate(op->getOperands()))
          if (offset != -1 && lower::offsetOf(value) == offset)
            place = arguments[i];
        if (place)
          arguments.push_back(place);
        else if (isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(op))
          place = add(result.getType(), &inputs.back());
        else
          place = add(result.getType(), nullptr);
        results.push_back(place);
      }
    }
    // What is dropped is added to what counters have.
    constexpr int32_t counterStart = 3;
    DeviceBuffer *counters = nullptr;
    if (auto limit = dyn_cast<smith::LimitRowsOp>(op);
        limit && limit.getCounts()) {
      const int64_t count = countersOf(limit);
      std::vector<int32_t> values(size_t(count), counterStart);
      owned.push_back(std::make_unique<DeviceBuffer>(count, 4));
      counters = owned.back().get();
      counters->fill(values.data());
      arguments.push_back(counters);
    }
    int64_t sectors = 0;
    std::string problem = emulator::run(program, arguments, random, &sectors);
    if (!problem.empty())
      return problem;
    problem = compareTraffic(op, sectors);
    if (!problem.empty())
      return problem;
    ArrayRef<DeviceBuffer *> left(results);
    for (auto [number, member] : llvm::enumerate(members)) {
      size_t count = member.expected.size();
      problem =
          compare(left.take_front(count), member.expected, member.tolerances);
      left = left.drop_front(count);
      if (!problem.empty())
        return members.size() == 1
                   ? problem
                   : fmt::format("member {}: {}", number, problem);
    }
    if (counters) {
      std::vector<int32_t> values(counters->bytes.size() / 4);
      std::memcpy(values.data(), counters->bytes.data(),
                  counters->bytes.size());
      int64_t counted =
          std::accumulate(values.begin(), values.end(), int64_t(0)) -
          counterStart * static_cast<int64_t>(values.size());
      for (int64_t i = 0; i < inputs[0].size(); ++i)
        counted -=
            inputs[0].asInteger(i) != members.front().expected[0].asInteger(i);
      if (counted != 0)
        return fmt::format("counts {} rows more than are dropped", counted);
    }
    for (auto [i, result] : llvm::enumerate(results)) {
      if (order == 0)
        before.push_back(result->bytes);
      else if (before[i] != result->bytes)
        return fmt::format("result {} depends on the order of threads", i);
    }
  }
  return "";
}

/// What `estimate-kernels` says that blocks ask for, if it knows exactly,
/// against what they touched.
std::string Check::compareTraffic(Operation *op, int64_t sectors) {
  auto name =
      op->getAttrOfType<SymbolRefAttr>(lower::deviceFunctionAttributeName);
  auto function = SymbolTable::lookupNearestSymbolFrom(op, name);
  auto traffic = function->getAttrOfType<DictionaryAttr>("smith.traffic");
  if (!traffic || !cast<BoolAttr>(traffic.get("exact")).getValue())
    return "";
  ++exactTraffic;
  int64_t asked = cast<IntegerAttr>(traffic.get("asked")).getInt();
  if (asked == sectors * sectorBytes)
    return "";
  return fmt::format("blocks touch {} bytes of sectors, estimate-kernels says "
                     "{}",
                     sectors * sectorBytes, asked);
}

int Check::run(ModuleOp module) {
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(lower::deviceModuleName);
  if (!kernels) {
    bool hasKernels =
        module
            .walk([](Operation *op) {
              return isa<smith::KernelOp, stablehlo::ScatterOp>(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (hasKernels)
      fmt::print(stderr, "error: no gpu.module @{}; run emit-cuda-kernels\n",
                 lower::deviceModuleName.str());
    else
      fmt::print("0 functions run, 0 with a problem\n");
    return hasKernels ? 3 : 0;
  }
  bool hasPlaces = !module
                        .walk([](smith::KernelOp kernel) {
                          return kernel->hasAttr(lower::offsetsAttributeName)
                                     ? WalkResult::advance()
                                     : WalkResult::interrupt();
                        })
                        .wasInterrupted();
  if (!hasPlaces) {
    fmt::print(stderr, "error: kernels have no places in memory; run "
                       "plan-buffers=target=cuda before emit-cuda-kernels\n");
    return 3;
  }
  if (failed(prepareDeviceFunctions(module)))
    return 1;
  int checked = 0, bad = 0;
  llvm::DenseSet<Operation *> seen;
  module.walk([&](Operation *op) {
    auto name =
        op->getAttrOfType<SymbolRefAttr>(lower::deviceFunctionAttributeName);
    if (!name || lower::areInOneLaunch(op->getPrevNode(), op))
      return;
    auto function =
        kernels.lookupSymbol<gpu::GPUFuncOp>(name.getLeafReference());
    // Calls that differ in what they write in place are checked each.
    if (!seen.insert(function).second && !isa<smith::KernelOp>(op))
      return;
    FailureOr<DeviceProgram> program = translate(function);
    if (failed(program)) {
      ++bad;
      return;
    }
    if (!options.fault.empty() && !breakProgram(*program, options.fault))
      return;
    ++checked;
    largest = 0;
    std::string problem = checkFunction(op, *program);
    if (!problem.empty()) {
      ++bad;
      fmt::print("{}: {}\n", program->name, problem);
    } else if (!options.quiet) {
      fmt::print("{}: {} blocks of {} threads, largest error {:.2g}\n",
                 program->name, program->blocks, program->threads, largest);
    }
  });
  if (exactTraffic > 0)
    fmt::print("{} runs touched the sectors that were estimated\n",
               exactTraffic);
  fmt::print("{} functions run, {} with a problem\n", checked, bad);
  return bad ? 7 : 0;
}

int main(int argc, char **argv) {
  Options options;
  CLI::App application("Run device functions on an emulated device");
  application.add_option("file", options.path, "Module with device functions");
  application.add_option("--orders", options.orders,
                         "Orders of threads and blocks to try");
  application
      .add_option("--fault", options.fault,
                  "barrier:N or shuffle:N, counted from 0: run without it")
      ->check([](const std::string &text) {
        bool isKnown =
            text.starts_with("barrier:") || text.starts_with("shuffle:");
        return isKnown ? "" : "expected barrier:N or shuffle:N";
      });
  application.add_flag("--special", options.special,
                       "Draw zeros, infinities, NaN and the like");
  application.add_flag("--quiet", options.quiet, "Print problems only");
  CLI11_PARSE(application, argc, argv);

  DeviceModule file(options.path);
  if (!file.get())
    return 3;
  uint64_t seed = test::firstSeed();
  int code = Check(options, seed).run(file.get());
  if (code != 0)
    fmt::print(stderr, "SHARDSMITH_TEST_SEED={}\n", seed);
  return code;
}

} // namespace
} // namespace shardsmith::emulator

int main(int argc, char **argv) {
  return shardsmith::emulator::main(argc, argv);
}
