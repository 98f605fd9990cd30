// SPDX-License-Identifier: Apache-2.0

#include "Chain.h"

#include "shardsmith/Dialect/Smith/LoopOps.h"

#include "shardsmith/Workload/RepeatedBlocks.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

/// A compute op of `@main`, or all of those of a loop that is no unit by
/// itself.
using Item = SmallVector<Operation *, 1>;
using Stretch = ArrayRef<Item>;

/// Equal numbers for ops that do the same to tensors of the same types.
class Signatures {
public:
  unsigned of(ArrayRef<Operation *> ops) {
    std::string text;
    for (Operation *op : ops)
      write(op, text);
    return numbers.try_emplace(text, numbers.size()).first->second;
  }

private:
  static void write(Operation *op, std::string &text) {
    llvm::raw_string_ostream os(text);
    os << op->getName().getAsOpaquePointer() << ' ';
    // Loops that do the same have numbers of their own.
    if (smith::getMarkedLoop(op))
      os << op->getAttr("count").getAsOpaquePointer();
    else
      os << op->getAttrDictionary().getAsOpaquePointer();
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        os << ' ' << nested.getName().getAsOpaquePointer();
    for (Type type : op->getOperandTypes())
      os << ' ' << type.getAsOpaquePointer();
    for (Type type : op->getResultTypes())
      os << " > " << type.getAsOpaquePointer();
  }

  std::map<std::string, unsigned> numbers;
};

/// How many values, and how much, is handed over at every cut of a stretch:
/// entry i is before op i.
struct CutCosts {
  std::vector<int64_t> values, bytes;
};

class Cutter {
public:
  explicit Cutter(const ModelGraph &graph) : graph(graph) {}

  std::vector<Unit> run() {
    mlir::Block &body = graph.getMain().getBody().front();
    // A loop stands where its last op stands, when all it reads is there.
    llvm::MapVector<int64_t, Item> loops;
    DenseMap<int64_t, Operation *> lastOf;
    for (Operation &op : body)
      if (auto loop = graph.outermostLoopOf(&op)) {
        lastOf[*loop] = &op;
        if (graph.isCompute(&op))
          loops[*loop].push_back(&op);
      }
    DenseMap<Attribute, Operation *> lastOfCall;
    for (Operation &op : body)
      if (smith::InlinedCall inlined = inlinedCallOf(&op))
        lastOfCall[inlined.asAttribute()] = &op;
    SmallVector<Item> loose;
    auto cut = [&] {
      cutStretch(loose);
      loose.clear();
    };
    // The call whose ops the last unit has, until its last one or something
    // else comes.
    smith::InlinedCall open;
    for (Operation &op : body) {
      auto loop = graph.outermostLoopOf(&op);
      if (loop) {
        if (lastOf.lookup(*loop) != &op || loops[*loop].empty())
          continue;
        open = {};
        if (graph.layerLoopOf(&op)) {
          cut();
          addLoop(*loop, loops[*loop]);
        } else {
          loose.push_back(loops[*loop]);
        }
      } else if (graph.calleeOf(&op) && graph.isLive(&op)) {
        open = {};
        cut();
        addCall(&op);
      } else if (graph.isCompute(&op)) {
        smith::InlinedCall inlined = inlinedCallOf(&op);
        if (inlined && inlined != open) {
          cut();
          units.emplace_back().inlined = open = inlined;
        }
        // Passes put ops without a note between those that have one.
        if (open)
          units.back().ops.push_back(&op);
        else
          loose.push_back({&op});
        if (open && lastOfCall.lookup(open.asAttribute()) == &op)
          open = {};
      }
    }
    cut();
    mergeAtWideCuts();
    connect();
    return std::move(units);
  }

private:
  /// The inlined call of a compute op; false if there is none.
  smith::InlinedCall inlinedCallOf(Operation *op) const {
    if (!graph.isCompute(op) || graph.outermostLoopOf(op))
      return {};
    return smith::readInlinedCall(op->getAttr(smith::kCallAttributeName));
  }

  void addCall(Operation *call) {
    Unit &unit = units.emplace_back();
    unit.call = call;
    func::FuncOp callee = graph.calleeOf(call);
    auto [entry, isNew] = opsOfCallee.try_emplace(callee);
    if (isNew)
      for (Operation &op : callee.getBody().front())
        if (graph.isCompute(&op))
          entry->second.push_back(&op);
    unit.ops = entry->second;
  }

  void addLoop(int64_t loop, ArrayRef<Operation *> ops) {
    Unit &unit = units.emplace_back();
    unit.loop = loop;
    unit.count = graph.countOf(loop);
    unit.ops.assign(ops.begin(), ops.end());
  }

  void addStretch(Stretch ops, int repeat) {
    if (ops.empty())
      return;
    Unit &unit = units.emplace_back();
    for (const Item &item : ops)
      llvm::append_range(unit.ops, item);
    unit.repeat = repeat;
  }

  void cutStretch(Stretch ops) {
    Signatures signatures;
    std::vector<unsigned> sequence;
    for (const Item &item : ops)
      sequence.push_back(signatures.of(item));
    std::vector<RepeatRun> runs = findRepeats(sequence);
    CutCosts costs;
    if (!runs.empty())
      costs = costsOfCuts(ops);
    size_t done = 0;
    for (const RepeatRun &run : runs) {
      size_t begin = bestBegin(run, costs);
      size_t count = (run.end - begin) / run.period;
      addStretch(ops.slice(done, begin - done), -1);
      for (size_t i = 0; i < count; ++i)
        addStretch(ops.slice(begin + i * run.period, run.period), repeats);
      ++repeats;
      done = begin + count * run.period;
    }
    addStretch(ops.drop_front(done), -1);
  }

  CutCosts costsOfCuts(Stretch ops) {
    DenseMap<Operation *, size_t> position;
    for (auto [index, item] : llvm::enumerate(ops))
      for (Operation *op : item)
        position[op] = index;
    DenseMap<Value, size_t> lastUse;
    for (auto [index, item] : llvm::enumerate(ops))
      for (Operation *op : item)
        for (Value operand : op->getOperands())
          lastUse[sourceOf(graph, operand).root] = index;
    CutCosts costs;
    costs.values.assign(ops.size() + 1, 0);
    costs.bytes.assign(ops.size() + 1, 0);
    for (auto [value, last] : lastUse) {
      Operation *producer = value.getDefiningOp();
      auto found = position.find(producer);
      if (!producer || found == position.end())
        continue;
      auto type = cast<RankedTensorType>(value.getType());
      int64_t bytes =
          type.getNumElements() * (type.getElementType().isIntOrFloat()
                                       ? type.getElementTypeBitWidth()
                                       : 64);
      // Alive at the cuts found->second + 1 … last.
      costs.values[found->second + 1] += 1;
      costs.bytes[found->second + 1] += bytes;
      costs.values[last + 1] -= 1;
      costs.bytes[last + 1] -= bytes;
    }
    for (size_t i = 1; i < costs.values.size(); ++i) {
      costs.values[i] += costs.values[i - 1];
      costs.bytes[i] += costs.bytes[i - 1];
    }
    return costs;
  }

  /// The phase with the most whole periods; among those, the one that hands
  /// over least.
  size_t bestBegin(const RepeatRun &run, const CutCosts &costs) {
    auto rank = [&](size_t begin) {
      size_t cut = begin + run.period;
      return std::tuple(-int64_t((run.end - begin) / run.period),
                        costs.values[cut], costs.bytes[cut], begin);
    };
    size_t best = run.begin;
    for (size_t begin = run.begin + 1;
         begin < run.begin + run.period && begin + run.period <= run.end;
         ++begin)
      if (rank(begin) < rank(best))
        best = begin;
    return best;
  }

  /// From the unit that makes a value to the last one that needs it.
  struct Life {
    size_t first, last, order;
  };
  using Lives = llvm::MapVector<Value, Life>;

  Lives livesOfValues() const {
    Lives lives;
    DenseMap<Operation *, size_t> unitOf;
    auto begin = [&](Operation *op, size_t unit) {
      unitOf[op] = unit;
      for (Value result : op->getResults())
        lives.insert({result, {unit, unit, lives.size()}});
    };
    auto use = [&](Operation *op, size_t unit) {
      for (Value operand : op->getOperands()) {
        if (graph.originOf(operand) != Origin::Activation)
          continue;
        auto found = lives.find(sourceOf(graph, operand).root);
        if (found != lives.end())
          found->second.last = unit;
      }
    };
    for (auto [index, unit] : llvm::enumerate(units)) {
      if (unit.call) {
        use(unit.call, index);
        begin(unit.call, index);
        continue;
      }
      if (unit.loop) {
        useInLoop(unit, index, lives);
        continue;
      }
      for (Operation *op : unit.ops) {
        use(op, index);
        begin(op, index);
      }
    }
    // What every unit of a run reads goes one unit further, so that the last
    // one is like the others.
    for (auto &[value, life] : lives)
      if (life.last > life.first + 1 && life.last + 1 < units.size() &&
          isAlike(units[life.last - 1], units[life.last]))
        ++life.last;
    return lives;
  }

  /// Values of single iterations stay inside. What every iteration reads goes
  /// through all of them, and so through the last.
  void useInLoop(const Unit &unit, size_t index, Lives &lives) const {
    for (const CarriedValue &carried : carriedThrough(graph, unit)) {
      if (auto found = lives.find(sourceOf(graph, carried.start).root);
          found != lives.end())
        found->second.last = index;
      lives.insert({carried.last, {index, index + 1, lives.size()}});
    }
    for (Operation *op : unit.ops)
      for (Value operand : op->getOperands())
        if (auto found = lives.find(sourceOf(graph, operand).root);
            found != lives.end() && found->second.first < index)
          found->second.last = index + 1;
  }

  /// Units that take and hand on many values have too many borders to agree
  /// on, and a stage that ends there would send them all: they are joined to
  /// their neighbour where most is handed on. Calls stay as they are.
  void mergeAtWideCuts() {
    constexpr size_t most = 5;
    while (units.size() > 1) {
      std::vector<size_t> width(units.size() + 1, 0);
      for (auto &[value, life] : livesOfValues())
        for (size_t cut = life.first + 1; cut <= life.last; ++cut)
          ++width[cut];
      std::optional<size_t> widest;
      for (size_t cut = 1; cut < units.size(); ++cut) {
        if (!units[cut - 1].isStretch() || !units[cut].isStretch())
          continue;
        // All units of a run have the same layouts on both sides.
        bool isInRun = isAlike(units[cut - 1], units[cut]);
        size_t before = width[cut - 1], after = width[cut + 1];
        bool isWide =
            width[cut] > most || (!isInRun && (before + width[cut] > most ||
                                               width[cut] + after > most));
        if (isWide && width[cut] > 1 &&
            (!widest || width[cut] > width[*widest]))
          widest = cut;
      }
      if (!widest)
        return;
      Unit &before = units[*widest - 1];
      llvm::append_range(before.ops, units[*widest].ops);
      before.repeat = -1;
      units.erase(units.begin() + long(*widest));
    }
  }

  /// Finds what is handed from unit to unit.
  void connect() {
    Lives lives = livesOfValues();
    // Newest first, then what is needed for the shortest time: in a run the
    // value that goes around is then at the same place before and behind each
    // unit.
    SmallVector<std::pair<Value, Life>> order(lives.begin(), lives.end());
    llvm::sort(order, [](const auto &a, const auto &b) {
      return std::tuple(-int64_t(a.second.first), a.second.last,
                        a.second.order) < std::tuple(-int64_t(b.second.first),
                                                     b.second.last,
                                                     b.second.order);
    });
    for (auto &[value, life] : order)
      for (size_t unit = life.first; unit < life.last; ++unit) {
        units[unit].outputs.push_back(value);
        units[unit + 1].inputs.push_back(value);
      }
    for (size_t unit = 0; unit + 1 < units.size(); ++unit)
      if (units[unit].loop)
        orderLikeInputs(units[unit], units[unit + 1]);
  }

  /// What an iteration hands on is at the place where the next one takes it.
  void orderLikeInputs(Unit &unit, Unit &next) {
    DenseMap<Value, Value> lastOf;
    for (const CarriedValue &carried : carriedThrough(graph, unit))
      lastOf[sourceOf(graph, carried.start).root] = carried.last;
    std::vector<Value> ordered;
    for (Value input : unit.inputs) {
      Value last = lastOf.lookup(input);
      ordered.push_back(last ? last : input);
    }
    unit.outputs = ordered;
    next.inputs = ordered;
  }

  bool isAlike(const Unit &a, const Unit &b) const {
    if (a.call && b.call)
      return graph.calleeOf(a.call) == graph.calleeOf(b.call);
    if (a.inlined && b.inlined)
      return a.inlined.getCallee() == b.inlined.getCallee();
    return a.isStretch() && b.isStretch() && a.repeat >= 0 &&
           a.repeat == b.repeat;
  }

  const ModelGraph &graph;
  std::vector<Unit> units;
  DenseMap<func::FuncOp, SmallVector<Operation *>> opsOfCallee;
  int repeats = 0;
};

} // namespace

std::vector<CarriedValue> carriedThrough(const ModelGraph &graph,
                                         const Unit &unit) {
  std::vector<CarriedValue> list;
  for (Operation &op : graph.getMain().getBody().front()) {
    auto next = dyn_cast<smith::LoopNextOp>(op);
    if (!next || int64_t(next.getLoop()) != unit.loop)
      continue;
    auto carry = cast<smith::LoopCarryOp>(next.getCarry().getDefiningOp());
    if (graph.isLive(carry) &&
        graph.originOf(next.getCarry()) == Origin::Activation)
      list.push_back({carry.getStart(), carry, next.getNext(), next});
  }
  return list;
}

std::vector<Unit> cutIntoUnits(const ModelGraph &graph) {
  return Cutter(graph).run();
}

} // namespace shardsmith::workload
