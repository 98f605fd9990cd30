// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Workload/ExtractWorkload.h"

#include "BlockBuilder.h"
#include "Chain.h"
#include "MicroBatches.h"
#include "Positions.h"
#include "Tidy.h"
#include "ValueNames.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Support/LocationText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <fmt/format.h>

#include <deque>

using namespace mlir;

namespace shardsmith {

char ExtractError::ID = 0;

ExtractError::ExtractError(Location location, const std::string &reason,
                           ExitCode code)
    : ErrorInfo(code, locationText(location) + ": " + reason),
      location(location), reason(reason) {}

namespace workload {
namespace {

class Extractor {
public:
  Extractor(ModuleOp module, GraphMap *map,
            const smith::RepeatedCalls &repeated)
      : graph(module), map(map), repeated(repeated) {}

  llvm::Expected<Workload> run() {
    if (llvm::Error error = graph.analyze())
      return error;
    findAllAttentions();
    units = cutIntoUnits(graph);
    if (units.empty())
      return llvm::make_error<ExtractError>(
          graph.getMain().getLoc(),
          "the loss depends on no computation with a parameter: "
          "nothing to train");
    if (llvm::Error error = checkCalls())
      return error;
    for (Unit &unit : units)
      addUnit(unit);
    describeModel();
    nameParameters();
    std::vector<JoinedBlock> joined = joinDimensions(result);
    nameThings(result);
    if (result.modelHash.empty())
      result.modelHash = hashOf(result);
    if (std::string problem = result.verify(); !problem.empty())
      return llvm::make_error<ExtractError>(graph.getMain().getLoc(), problem,
                                            ExitCode::Internal);
    if (map)
      finishMap(joined);
    return std::move(result);
  }

private:
  void findAllAttentions() {
    llvm::SetVector<func::FuncOp> functions;
    functions.insert(graph.getMain());
    for (Operation &op : graph.getMain().getBody().front())
      if (func::FuncOp callee = graph.calleeOf(&op))
        functions.insert(callee);
    for (func::FuncOp function : functions)
      for (Attention &attention : findAttentions(graph, function))
        attentions.push_back(std::move(attention));
  }

  /// Inside of a block every input is one value, so a call hands each
  /// activation to one argument.
  llvm::Error checkCalls() {
    for (const Unit &unit : units) {
      if (!unit.call)
        continue;
      DenseMap<Value, size_t> argumentOf;
      for (auto [index, operand] : llvm::enumerate(unit.call->getOperands())) {
        if (graph.originOf(operand) != Origin::Activation)
          continue;
        auto [known, isNew] =
            argumentOf.try_emplace(sourceOf(graph, operand).root, index);
        if (!isNew)
          return llvm::make_error<ExtractError>(
              unit.call->getLoc(),
              fmt::format("unsupported: arguments {} and {} are one value; "
                          "inline the call",
                          known->second, index),
              ExitCode::Unsupported);
      }
    }
    return llvm::Error::success();
  }

  /// Those that lie in the unit as a whole.
  AttentionMap attentionsIn(const Unit &unit) {
    llvm::DenseSet<Operation *> inUnit(unit.ops.begin(), unit.ops.end());
    AttentionMap map;
    for (const Attention &attention : attentions) {
      if (!inUnit.contains(attention.mix))
        continue;
      bool isWhole = llvm::all_of(attention.ops, [&](Operation *op) {
        return !graph.isCompute(op) ||
               (inUnit.contains(op) &&
                graph.stepLoopsOf(op) == graph.stepLoopsOf(attention.mix));
      });
      bool isNew = llvm::none_of(
          attention.ops, [&](Operation *op) { return map.contains(op); });
      if (isWhole && isNew)
        for (Operation *op : attention.ops)
          map[op] = &attention;
    }
    return map;
  }

  /// What the unit takes and gives, as values inside of it.
  UnitBody bodyOf(const Unit &unit, std::string &key) {
    UnitBody body;
    body.ops = unit.ops;
    if (unit.loop)
      return bodyOfLoop(unit, std::move(body));
    if (!unit.call) {
      body.inputs = unit.inputs;
      body.outputs = unit.outputs;
      return body;
    }
    func::FuncOp callee = graph.calleeOf(unit.call);
    llvm::raw_string_ostream os(key);
    os << callee.getName();
    DenseMap<Value, Value> inside;
    for (Value input : unit.inputs) {
      Value local = input;
      for (auto [index, operand] : llvm::enumerate(unit.call->getOperands()))
        if (graph.originOf(operand) == Origin::Activation &&
            sourceOf(graph, operand).root == input) {
          local = callee.getArgument(index);
          os << " argument " << index;
          break;
        }
      if (local == input)
        os << " passes " << input.getType().getAsOpaquePointer();
      inside[input] = local;
      body.inputs.push_back(local);
    }
    Operation *terminator = callee.getBody().front().getTerminator();
    for (Value output : unit.outputs) {
      Value local = inside.lookup(output);
      if (!local) {
        unsigned index = cast<OpResult>(output).getResultNumber();
        local = sourceOf(graph, terminator->getOperand(index)).root;
        os << " result " << index;
      } else {
        os << " carries "
           << llvm::find(unit.inputs, output) - unit.inputs.begin();
      }
      body.outputs.push_back(local);
    }
    return body;
  }

  UnitBody bodyOfLoop(const Unit &unit, UnitBody body) {
    DenseMap<Value, Value> begins, ends;
    for (const CarriedValue &carried : carriedThrough(graph, unit)) {
      begins[sourceOf(graph, carried.start).root] = carried.begin;
      ends[carried.last] = sourceOf(graph, carried.end).root;
    }
    for (Value input : unit.inputs)
      body.inputs.push_back(begins.contains(input) ? begins.lookup(input)
                                                   : input);
    for (Value output : unit.outputs)
      body.outputs.push_back(ends.contains(output) ? ends.lookup(output)
                                                   : output);
    return body;
  }

  void addUnit(const Unit &unit) {
    std::string key;
    UnitBody body = bodyOf(unit, key);
    std::optional<BlockIndex> block;
    std::vector<Value> parameters;
    if (auto known = blockOfCall.find(key);
        unit.call && known != blockOfCall.end()) {
      block = known->second;
      parameters = parametersOf[*block];
      if (map)
        map->units.push_back({bodyOfCall[key], unit.call, unit.outputs});
    } else {
      BuiltBlock built =
          buildBlock(graph, body, attentionsIn(unit), map != nullptr);
      parameters = built.parameters;
      block = knownBlock(unit, built.block);
      if (!block) {
        for (auto [tensor, value] : built.data)
          dataNames.push_back({BlockIndex(result.blocks.size()), tensor,
                               nameOfData(graph, value)});
        block = result.blocks.size();
        result.blocks.push_back(std::move(built.block));
        opNames.push_back(std::move(built.opNames));
        parametersOf.push_back(parameters);
      }
      if (unit.call)
        blockOfCall[key] = *block;
      if (unit.inlined)
        blocksOfInlined[unit.inlined.getCallee()].insert(*block);
      if (map) {
        if (unit.call)
          bodyOfCall[key] = map->bodies.size();
        map->units.push_back({map->bodies.size(), unit.call, unit.outputs});
        map->bodies.push_back({*block, std::move(built.mappedOps),
                               std::move(built.mappedTensors)});
      }
    }
    lastRepeat = unit.repeat;
    wasLoop = unit.loop.has_value();
    if (result.segments.empty() || result.segments.back().block != *block)
      result.segments.push_back({*block, 0, {}});
    if (unit.loop)
      return addIterations(unit, parameters);
    addRepetitions(unit, namesOf(unit, parameters));
  }

  /// The block that an equal unit was before: the last one of a run, or any
  /// that was a call of the same function.
  std::optional<BlockIndex> knownBlock(const Unit &unit, const Block &built) {
    auto isBuilt = [&](BlockIndex block) {
      return result.blocks[block] == built;
    };
    bool mayBeLikeLast = (unit.repeat >= 0 && unit.repeat == lastRepeat) ||
                         (unit.loop && wasLoop);
    if (mayBeLikeLast && isBuilt(result.segments.back().block))
      return result.segments.back().block;
    if (!unit.inlined)
      return std::nullopt;
    const auto &blocks = blocksOfInlined[unit.inlined.getCallee()];
    auto found = llvm::find_if(blocks, isBuilt);
    return found == blocks.end() ? std::nullopt : std::optional(*found);
  }

  std::vector<std::string> namesOf(const Unit &unit, ArrayRef<Value> parameters,
                                   int64_t iteration = 0) {
    std::vector<std::string> names;
    for (Value parameter : parameters)
      names.push_back(nameOfParameter(graph, parameter, unit.call, iteration));
    return names;
  }

  /// Of a loop over layers, to the last segment.
  void addIterations(const Unit &unit, ArrayRef<Value> parameters) {
    Segment &segment = result.segments.back();
    segment.count += unit.count;
    if (map)
      map->units.back().count = unit.count;
    ParameterNames &all = segment.parameterNames;
    for (int64_t iteration = 0; iteration < unit.count; ++iteration) {
      // Two names of each are enough to see how they count up.
      if (iteration == 2 && all.goOn(unit.count - iteration))
        break;
      all.add(namesOf(unit, parameters, iteration));
    }
  }

  /// To the last segment.
  void addRepetitions(const Unit &unit, const std::vector<std::string> &names) {
    Segment &segment = result.segments.back();
    auto found = llvm::find_if(repeated, [&](const smith::RepeatedCall &each) {
      return unit.call && each.call == unit.call;
    });
    int64_t count = found == repeated.end() ? 1 : found->count;
    if (map)
      map->units.back().count = count;
    segment.count += count;
    ParameterNames &all = segment.parameterNames;
    all.add(names);
    for (int64_t repetition = 1; repetition < count; ++repetition) {
      // Two names of each are enough to see how they count up.
      if (repetition == 2 && all.goOn(count - repetition))
        break;
      std::vector<std::string> own;
      for (const std::string &name : names)
        own.push_back(found->nameIn(repetition, name));
      all.add(own);
    }
  }

  void describeModel() {
    ModuleOp module = graph.getModule();
    result.modelName = module.getName().value_or("model").str();
    auto hash =
        module->getAttrOfType<StringAttr>(smith::kModelHashAttributeName);
    if (hash)
      result.modelHash = hash.str();
    result.globalBatch = graph.getBatchSize();
    auto lengthen = [&](ArrayRef<Leaf> leaves) {
      for (const Leaf &leaf : leaves)
        if (graph.axes.roleOf(leaf.axis) == FactorRole::Sequence)
          result.sequenceLength = std::max(result.sequenceLength, leaf.size);
    };
    for (BlockArgument argument : graph.getMain().getArguments())
      if (graph.originOf(argument) == Origin::Data)
        lengthen(graph.leavesOf(argument));
    if (result.sequenceLength == 1)
      for (const Attention &attention : attentions)
        lengthen(graph.leavesOf(attention.query.value));
    result.microBatchObstacle = findMicroBatchObstacle(graph);
    result.positionObstacle = findPositionObstacle(graph, attentions);

    Flops most(-1);
    for (const Block &block : result.blocks)
      for (const Op &op : block.ops)
        if (!op.isFused() && op.flops > most) {
          most = op.flops;
          result.computeType = block.tensors[op.operands[0].tensor].type;
        }
  }

  /// For modules without a hash: blocks, and which parameters they repeat.
  static std::string hashOf(const Workload &workload) {
    Workload blocks;
    blocks.blocks = workload.blocks;
    std::string text = toJson(blocks);
    for (const Segment &segment : workload.segments) {
      text += fmt::format("{} {}\n", segment.block, segment.count);
      for (size_t i = 0; i < segment.parameterNames.parameters(); ++i)
        for (const NameRun &run : segment.parameterNames.of(i))
          text += fmt::format("{} {} {}\n", run.count, run.countsUp,
                              run.first.text());
    }
    return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                           /*Width=*/16);
  }

  /// A block that stands for several repetitions has the names of the first
  /// with a star where they differ: `layers.*.w`.
  void nameParameters() {
    for (const Segment &segment : result.segments) {
      Block &block = result.blocks[segment.block];
      for (size_t i = 0; i < block.parameters.size(); ++i) {
        std::string first = segment.parameterNames.name(0, i);
        std::string last = segment.parameterNames.name(segment.count - 1, i);
        block.tensors[block.parameters[i]].name =
            first == last ? first : withStar(first, last);
      }
      block.name = segment.count > 1 ? "layer" : "block";
    }
    for (const DataName &entry : dataNames)
      result.blocks[entry.block].tensors[entry.tensor].name = entry.name;
    for (auto [block, names] : llvm::zip_equal(result.blocks, opNames))
      for (auto [op, name] : llvm::zip_equal(block.ops, names))
        op.name = name;
  }

  /// In the numbers that the finished workload has.
  void finishMap(const std::vector<JoinedBlock> &joined) {
    for (GraphBody &body : map->bodies) {
      const JoinedBlock &numbers = joined[body.block];
      for (MappedOp &op : body.ops)
        for (auto *uses : {&op.operands, &op.results})
          for (PartFactors &factors : *uses)
            for (std::optional<FactorIndex> &factor : factors)
              if (factor)
                factor = numbers.factors[op.index][*factor];
      for (MappedTensor &tensor : body.tensors)
        for (unsigned &dim : tensor.dims)
          dim = numbers.dims[tensor.tensor][dim];
    }
    addOtherOps();
    graph.forEachValue([&](Value value, ArrayRef<Leaf> leaves) {
      std::vector<ValuePart> &parts = map->parts[value];
      for (const Leaf &leaf : leaves)
        parts.push_back({leaf.dim, leaf.size, graph.axes.roleOf(leaf.axis)});
    });
  }

  void addOtherOps() {
    DenseSet<Operation *> mapped;
    for (const GraphBody &body : map->bodies)
      for (const MappedOp &op : body.ops)
        mapped.insert(op.op);
    graph.forEachOp([&](Operation *op) {
      if (op->hasTrait<OpTrait::IsTerminator>() || graph.calleeOf(op) ||
          mapped.contains(op))
        return;
      LeafRule rule = graph.leafRuleOf(op);
      TiedOp &tied = map->others.emplace_back();
      tied.op = op;
      tied.numbers = tied.splittable = rule.factors.size();
      auto numbersOf = [&](ArrayRef<unsigned> leaves) {
        std::vector<unsigned> numbers(leaves.begin(), leaves.end());
        for (unsigned &number : numbers)
          if (rule.factors[number].kind != shardsmith::FactorKind::PassThrough)
            number = tied.numbers++;
        return numbers;
      };
      for (ArrayRef<unsigned> leaves : rule.operands)
        tied.operands.push_back(numbersOf(leaves));
      for (ArrayRef<unsigned> leaves : rule.results)
        tied.results.push_back(numbersOf(leaves));
    });
  }

  struct DataName {
    BlockIndex block;
    TensorIndex tensor;
    std::string name;
  };

  ModelGraph graph;
  GraphMap *map;
  const smith::RepeatedCalls &repeated;
  std::deque<Attention> attentions;
  std::vector<Unit> units;
  Workload result;
  std::vector<std::vector<std::string>> opNames;
  std::vector<DataName> dataNames;
  std::vector<std::vector<Value>> parametersOf;
  std::map<std::string, BlockIndex> blockOfCall;
  std::map<std::string, size_t> bodyOfCall;
  /// By the name of the function.
  llvm::StringMap<llvm::SetVector<BlockIndex>> blocksOfInlined;
  int lastRepeat = -1;
  bool wasLoop = false;
};

} // namespace
} // namespace workload

llvm::Expected<workload::Workload>
extractWorkload(ModuleOp module, workload::GraphMap *map,
                const smith::RepeatedCalls &repeated) {
  return workload::Extractor(module, map, repeated).run();
}

} // namespace shardsmith
