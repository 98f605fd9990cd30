// SPDX-License-Identifier: Apache-2.0

#include "DeviceProgram.h"
#include "LaneFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith::emulator {
namespace {

uint32_t bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

uint32_t lanesOf(Type type) {
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return structure.getBody().size();
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

class Translator {
public:
  explicit Translator(gpu::GPUFuncOp function) : function(function) {}

  FailureOr<DeviceProgram> run();

private:
  using Kind = Instruction::Kind;

  uint32_t registersOf(Value value);
  Instruction &append(Kind kind, Operation *op);
  uint32_t here() const { return program.instructions.size(); }
  /// Moves values to the registers of others, all at once.
  void move(ValueRange to, ValueRange from, Operation *op);
  void setOperand(Instruction &instruction, unsigned number, Value value);

  LogicalResult translate(Block &block);
  LogicalResult translate(Operation &op);
  void translateFor(scf::ForOp loop, LogicalResult &result);
  LogicalResult translateIf(scf::IfOp branch);
  LogicalResult translateMultiply(NVVM::MmaOp multiply);
  void translateConstant(arith::ConstantOp constant);
  void findChoices(Value memory, std::vector<uint32_t> &choices) const;
  void copy(Operation *op, Value result, std::vector<uint32_t> sources);
  void access(Kind kind, Operation *op, Value memory, Value position,
              Value value, int64_t alignment);

  gpu::GPUFuncOp function;
  DeviceProgram program;
  DenseMap<Value, uint32_t> registers, memories;
};

uint32_t Translator::registersOf(Value value) {
  auto [found, isNew] = registers.insert(
      {value, static_cast<uint32_t>(program.registers.size())});
  if (isNew)
    program.registers.resize(program.registers.size() +
                             lanesOf(value.getType()));
  return found->second;
}

Instruction &Translator::append(Kind kind, Operation *op) {
  Instruction instruction;
  instruction.kind = kind;
  instruction.op = op;
  program.instructions.push_back(instruction);
  return program.instructions.back();
}

void Translator::setOperand(Instruction &instruction, unsigned number,
                            Value value) {
  instruction.operands[number] = registersOf(value);
  instruction.isScalar[number] = lanesOf(value.getType()) == 1;
}

void Translator::copy(Operation *op, Value result,
                      std::vector<uint32_t> sources) {
  uint32_t target = registersOf(result);
  Instruction &copy = append(Kind::Copy, op);
  copy.target = target;
  copy.sources = std::move(sources);
}

void Translator::move(ValueRange to, ValueRange from, Operation *op) {
  // By way of fresh registers: a value may go where another comes from.
  std::vector<std::pair<Value, std::vector<uint32_t>>> pending;
  for (auto [target, source] : llvm::zip_equal(to, from)) {
    uint32_t first = registersOf(source);
    std::vector<uint32_t> sources, fresh;
    for (uint32_t lane = 0; lane < lanesOf(source.getType()); ++lane) {
      sources.push_back(first + lane);
      fresh.push_back(program.registers.size() + lane);
    }
    uint32_t start = program.registers.size();
    program.registers.resize(start + sources.size());
    Instruction &out = append(Kind::Copy, op);
    out.target = start;
    out.sources = sources;
    pending.push_back({target, fresh});
  }
  for (auto &[target, fresh] : pending)
    copy(op, target, fresh);
}

void Translator::translateConstant(arith::ConstantOp constant) {
  uint32_t target = registersOf(constant);
  auto bits = [](Attribute value) {
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return cast<IntegerAttr>(value).getValue().getZExtValue();
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    for (auto [lane, value] : llvm::enumerate(dense.getValues<Attribute>()))
      program.registers[target + lane] = bits(value);
    return;
  }
  program.registers[target] = bits(constant.getValue());
}

void Translator::translateFor(scf::ForOp loop, LogicalResult &result) {
  // position = lower; while (position < upper) { …; position += step }
  move({loop.getInductionVar()}, {loop.getLowerBound()}, loop);
  move(loop.getRegionIterArgs(), loop.getInitArgs(), loop);
  uint32_t condition = program.registers.size();
  program.registers.push_back(0);
  uint32_t start = here();
  Instruction &test = append(Kind::Compute, loop);
  test.function = [](const Instruction &, uint64_t a, uint64_t b, uint64_t) {
    return uint64_t(static_cast<int64_t>(a) < static_cast<int64_t>(b));
  };
  setOperand(test, 0, loop.getInductionVar());
  setOperand(test, 1, loop.getUpperBound());
  test.target = condition;
  uint32_t exit = here();
  Instruction &leave = append(Kind::JumpUnless, loop);
  leave.operands[0] = condition;
  result = translate(*loop.getBody());
  move(loop.getRegionIterArgs(),
       cast<scf::YieldOp>(loop.getBody()->getTerminator()).getOperands(), loop);
  Instruction &next = append(Kind::Compute, loop);
  next.function = [](const Instruction &, uint64_t a, uint64_t b, uint64_t) {
    return a + b;
  };
  setOperand(next, 0, loop.getInductionVar());
  setOperand(next, 1, loop.getStep());
  next.target = registersOf(loop.getInductionVar());
  append(Kind::Jump, loop).destination = start;
  program.instructions[exit].destination = here();
  move(loop.getResults(), loop.getRegionIterArgs(), loop);
}

LogicalResult Translator::translateIf(scf::IfOp branch) {
  uint32_t test = here();
  setOperand(append(Kind::JumpUnless, branch), 0, branch.getCondition());
  if (failed(translate(*branch.thenBlock())))
    return failure();
  move(branch.getResults(), branch.thenYield().getOperands(), branch);
  uint32_t skip = here();
  append(Kind::Jump, branch);
  program.instructions[test].destination = here();
  if (branch.elseBlock()) {
    if (failed(translate(*branch.elseBlock())))
      return failure();
    move(branch.getResults(), branch.elseYield().getOperands(), branch);
  }
  program.instructions[skip].destination = here();
  return success();
}

LogicalResult Translator::translateMultiply(NVVM::MmaOp multiply) {
  NVVM::MMAShapeAttr shape = multiply.getShape();
  if (shape.getM() != 16 || shape.getN() != 8 || shape.getK() != 16 ||
      multiply.getMultiplicandAPtxType() != NVVM::MMATypes::bf16)
    return multiply.emitError("the emulator multiplies matrices of bf16 by "
                              "m16n8k16 only");
  uint32_t target = registersOf(multiply.getResult());
  std::vector<uint32_t> sources;
  for (Value operand : multiply->getOperands())
    sources.push_back(registersOf(operand));
  Instruction &instruction = append(Kind::Multiply, multiply);
  instruction.target = target;
  instruction.sources = std::move(sources);
  return success();
}

/// Adds the memories that a memref may be, where branches choose.
void Translator::findChoices(Value memory,
                             std::vector<uint32_t> &choices) const {
  if (auto known = memories.find(memory); known != memories.end()) {
    choices.push_back(known->second);
    return;
  }
  auto branch = memory.getDefiningOp<scf::IfOp>();
  unsigned number = cast<OpResult>(memory).getResultNumber();
  findChoices(branch.thenYield().getOperand(number), choices);
  findChoices(branch.elseYield().getOperand(number), choices);
}

void Translator::access(Kind kind, Operation *op, Value memory, Value position,
                        Value value, int64_t alignment) {
  uint32_t where = registersOf(position), what = registersOf(value);
  bool isChosen = !memories.contains(memory);
  uint32_t which = isChosen ? registersOf(memory) : 0;
  Instruction &instruction = append(kind, op);
  if (isChosen) {
    instruction.operands[2] = which;
    findChoices(memory, instruction.choices);
  } else {
    instruction.memory = memories.at(memory);
  }
  instruction.operands[0] = where;
  instruction.isScalar[0] = true;
  instruction.lanes = lanesOf(value.getType());
  instruction.alignment = alignment;
  if (kind == Kind::Load)
    instruction.target = what;
  else
    instruction.operands[1] = what;
}

LogicalResult Translator::translate(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(translate(op)))
      return failure();
  return success();
}

LogicalResult Translator::translate(Operation &op) {
  auto lanesFrom = [&](Value vector, int64_t first, int64_t count) {
    std::vector<uint32_t> sources;
    for (int64_t lane = 0; lane < count; ++lane)
      sources.push_back(registersOf(vector) + first + lane);
    return sources;
  };
  if (LaneFunction function = findLaneFunction(&op)) {
    Value result = op.getResult(0);
    uint32_t target = registersOf(result);
    for (Value operand : op.getOperands())
      registersOf(operand);
    Instruction &compute = append(Kind::Compute, &op);
    compute.function = function;
    compute.target = target;
    compute.lanes = lanesOf(result.getType());
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      setOperand(compute, i, operand);
    compute.fromBits = bitsOf(op.getOperand(0).getType());
    compute.toBits = bitsOf(result.getType());
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      compute.predicate = static_cast<uint32_t>(compare.getPredicate());
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      compute.predicate = static_cast<uint32_t>(compare.getPredicate());
    return success();
  }
  LogicalResult result = success();
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](arith::ConstantOp constant) { translateConstant(constant); })
      .Case([&](gpu::BarrierOp) { append(Kind::Barrier, &op); })
      .Case([&](gpu::BlockIdOp id) {
        uint32_t target = registersOf(id);
        append(Kind::BlockId, &op).target = target;
      })
      .Case([&](gpu::ShuffleOp shuffle) {
        if (shuffle.getMode() != gpu::ShuffleMode::XOR) {
          result = op.emitError("the emulator knows shuffles by xor only");
          return;
        }
        uint32_t target = registersOf(shuffle.getShuffleResult());
        uint32_t valid = registersOf(shuffle.getValid());
        program.registers[valid] = 1;
        registersOf(shuffle.getValue());
        registersOf(shuffle.getOffset());
        Instruction &exchange = append(Kind::Shuffle, &op);
        exchange.target = target;
        setOperand(exchange, 0, shuffle.getValue());
        setOperand(exchange, 1, shuffle.getOffset());
      })
      .Case([&](LLVM::ExtractValueOp extract) {
        copy(&op, extract.getResult(),
             lanesFrom(extract.getContainer(), extract.getPosition().front(),
                       1));
      })
      .Case([&](NVVM::MmaOp multiply) { result = translateMultiply(multiply); })
      .Case([&](vector::BitCastOp cast) {
        uint32_t target = registersOf(cast.getResult());
        registersOf(cast.getSource());
        Instruction &bits = append(Kind::Bitcast, &op);
        bits.target = target;
        setOperand(bits, 0, cast.getSource());
        bits.fromBits = bitsOf(cast.getSource().getType());
        bits.toBits = bitsOf(cast.getType());
        bits.lanes = lanesOf(cast.getType());
      })
      .Case([&](gpu::ThreadIdOp id) {
        uint32_t target = registersOf(id);
        append(Kind::ThreadId, &op).target = target;
      })
      .Case([&](memref::LoadOp load) {
        access(Kind::Load, &op, load.getMemRef(), load.getIndices().front(),
               load.getResult(), 1);
      })
      .Case([&](memref::StoreOp store) {
        access(Kind::Store, &op, store.getMemRef(), store.getIndices().front(),
               store.getValueToStore(), 1);
      })
      .Case([&](scf::ForOp loop) { translateFor(loop, result); })
      .Case([&](scf::IfOp branch) { result = translateIf(branch); })
      .Case([&](vector::ExtractOp extract) {
        copy(&op, extract.getResult(),
             lanesFrom(extract.getSource(),
                       extract.getStaticPosition().empty()
                           ? 0
                           : extract.getStaticPosition().front(),
                       1));
      })
      .Case([&](vector::ExtractStridedSliceOp slice) {
        copy(&op, slice.getResult(),
             lanesFrom(slice->getOperand(0),
                       cast<IntegerAttr>(slice.getOffsets()[0]).getInt(),
                       lanesOf(slice.getType())));
      })
      .Case([&](vector::FromElementsOp elements) {
        std::vector<uint32_t> sources;
        for (Value element : elements.getElements())
          sources.push_back(registersOf(element));
        copy(&op, elements.getResult(), sources);
      })
      .Case([&](vector::LoadOp load) {
        access(Kind::Load, &op, load.getBase(), load.getIndices().front(),
               load.getResult(), load.getAlignment().value_or(1));
      })
      .Case([&](vector::StoreOp store) {
        access(Kind::Store, &op, store.getBase(), store.getIndices().front(),
               store.getValueToStore(), store.getAlignment().value_or(1));
      })
      .Default([&](Operation *) {
        result = op.emitError("the emulator does not know this op");
      });
  return result;
}

FailureOr<DeviceProgram> Translator::run() {
  program.name = function.getName().str();
  auto sizes = [&](std::optional<ArrayRef<int32_t>> known) {
    return known ? (*known)[0] : 0;
  };
  program.threads = sizes(function.getKnownBlockSize());
  program.blocks = sizes(function.getKnownGridSize());
  unsigned arguments = function.getNumArguments();
  for (BlockArgument argument : function.getBody().getArguments()) {
    auto type = cast<MemRefType>(argument.getType());
    memories[argument] = program.memories.size();
    program.registers[registersOf(argument)] = program.memories.size();
    program.memories.push_back({type.getNumElements(),
                                int64_t(bitsOf(type.getElementType()) / 8),
                                argument.getArgNumber() >= arguments});
  }
  if (failed(translate(function.getBody().front())))
    return failure();
  append(Kind::Return, function.getBody().front().getTerminator());
  return std::move(program);
}

} // namespace

FailureOr<DeviceProgram> translate(gpu::GPUFuncOp function) {
  return Translator(function).run();
}

} // namespace shardsmith::emulator
