// SPDX-License-Identifier: Apache-2.0
//
// A stacked parameter is read by slices of its rows, maybe behind conversions
// and other slices. Which stage a slice belongs to, the ops say that read it:
//
//     %w ─┬─ slice [0:60]   ── loop_slice ── … {smith.stage = 0}
//         └─ slice [60:200] ── loop_slice ── … {smith.stage = 1}
//
// Rows that nobody reads go to the stage of those before them.

#include "shardsmith/Train/StackedParameters.h"
#include "shardsmith/Support/TensorTypes.h"

#include "ForwardGraph.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Dialect/Smith/ParameterRows.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Train/Passes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SPLITSTACKEDPARAMETERS
#include "shardsmith/Train/Passes.h.inc"

namespace {

using smith::ParameterRows;

/// The stage of all marked ops that are the first to read a value; nothing if
/// there are several stages, or none.
std::optional<int64_t> stageOfReaders(Value value) {
  std::optional<int64_t> found;
  llvm::SetVector<Operation *> readers;
  readers.insert_range(value.getUsers());
  for (size_t i = 0; i < readers.size(); ++i) {
    Operation *op = readers[i];
    auto mark = op->getAttrOfType<IntegerAttr>(smith::kStageAttributeName);
    if (!mark) {
      readers.insert_range(op->getUsers());
      continue;
    }
    if (found && *found != mark.getInt())
      return std::nullopt;
    found = mark.getInt();
  }
  return found;
}

/// An op that reads some rows of the parameter, and is read by one stage.
struct Reader {
  Operation *op;
  int64_t begin, end; // rows of the parameter
  int64_t stage;
};

class ParameterSplitter {
public:
  ParameterSplitter(func::FuncOp function, unsigned index)
      : function(function), index(index), argument(function.getArgument(index)),
        builder(function.getContext()) {}

  /// Whether several stages read rows of the parameter, each its own.
  bool find() {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (roleOf() != "param" || !nameOf() || !type || type.getRank() == 0 ||
        splitsRows())
      return false;
    count = type.getDimSize(0);
    return collect(argument, 0) && findParts();
  }

  /// Puts the parts in place of the parameter; returns their number.
  unsigned split() {
    for (auto [number, rows] : llvm::enumerate(parts))
      addArgument(index + 1 + number, rows);
    for (const Reader &reader : readers)
      readPart(reader);
    for (Operation *op : between)
      op->erase();
    require(function.eraseArgument(index));
    return parts.size();
  }

private:
  StringAttr textOf(StringRef attribute) {
    return function.getArgAttrOfType<StringAttr>(index, attribute);
  }
  StringRef roleOf() {
    StringAttr role = textOf(smith::kRoleAttributeName);
    return role ? role.getValue() : StringRef();
  }
  StringAttr nameOf() { return textOf(smith::kNameAttributeName); }

  bool splitsRows() {
    sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
    return sharding && !sharding.getDimShardings()[0].getAxes().empty();
  }

  /// Whether all that reads `value`, whose first row is row `begin` of the
  /// parameter, reads rows for one stage each.
  bool collect(Value value, int64_t begin) {
    int64_t end = begin + typeOf(value).getDimSize(0);
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      if (auto slice = dyn_cast<stablehlo::SliceOp>(op);
          slice && slice.getStrides()[0] == 1) {
        int64_t first = begin + slice.getStartIndices()[0];
        if (!collectRows(op, first, begin + slice.getLimitIndices()[0]))
          return false;
      } else if (isa<stablehlo::ConvertOp, smith::LoopSliceOp>(op)) {
        if (!collectRows(op, begin, end))
          return false;
      } else {
        return false;
      }
    }
    return true;
  }

  /// What several stages read of an op is asked of the ops behind it.
  bool collectRows(Operation *op, int64_t begin, int64_t end) {
    std::optional<int64_t> stage = stageOfReaders(op->getResult(0));
    if (stage) {
      readers.push_back({op, begin, end, *stage});
      return true;
    }
    if (isa<smith::LoopSliceOp>(op) || !collect(op->getResult(0), begin))
      return false;
    between.push_back(op);
    return true;
  }

  bool findParts() {
    std::vector<std::optional<int64_t>> stages(count);
    for (const Reader &reader : readers)
      for (int64_t row = reader.begin; row < reader.end; ++row) {
        if (stages[row].value_or(reader.stage) != reader.stage)
          return false;
        stages[row] = reader.stage;
      }
    std::optional<int64_t> last;
    for (int64_t row = 0; row < count; ++row) {
      bool isNew = stages[row] && last && *stages[row] != *last;
      if (parts.empty() || isNew)
        parts.push_back({row, row, count});
      parts.back().end = row + 1;
      if (stages[row])
        last = stages[row];
    }
    return parts.size() > 1;
  }

  void addArgument(unsigned position, const ParameterRows &rows) {
    NamedAttrList attributes(function.getArgAttrDict(index));
    std::string name = smith::nameOfRows(nameOf().getValue(), rows);
    attributes.set(smith::kNameAttributeName, builder.getStringAttr(name));
    attributes.set(smith::kRowsAttributeName,
                   toAttribute(builder.getContext(), rows));
    require(
        function.insertArgument(position, typeOfRows(argument, rows.count()),
                                attributes.getDictionary(builder.getContext()),
                                NameLoc::get(builder.getStringAttr(name))));
  }

  /// Arguments of a function with a body can be added and erased.
  static void require(LogicalResult result) {
    if (failed(result))
      llvm_unreachable("functions have arguments");
  }

  static RankedTensorType typeOfRows(Value value, int64_t rows) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[0] = rows;
    return typeOf(value).clone(shape);
  }

  /// Makes a reader and what is between it and the parameter read the argument
  /// that has its rows.
  void readPart(const Reader &reader) {
    unsigned part = 0;
    while (parts[part].end <= reader.begin)
      ++part;
    Value source = reader.op->getOperand(0);
    int64_t first = firstRow(source);
    Value rows = rowsOf(source, part, reader.stage);
    // Of what was cut before, the part begins elsewhere.
    int64_t shift = first - std::max(first, parts[part].begin);
    reader.op->setOperand(0, rows);
    if (auto slice = dyn_cast<stablehlo::SliceOp>(reader.op))
      shiftRows(slice, shift);
  }

  /// The row of the parameter that is row 0 of `value`.
  int64_t firstRow(Value value) const {
    if (value == argument)
      return 0;
    Operation *op = value.getDefiningOp();
    auto slice = dyn_cast<stablehlo::SliceOp>(op);
    return firstRow(op->getOperand(0)) +
           (slice ? slice.getStartIndices()[0] : 0);
  }

  /// Of the rows of `value`, which is the parameter or made of it, those that
  /// are in a part.
  Value rowsOf(Value value, unsigned part, int64_t stage) {
    if (value == argument)
      return function.getArgument(index + 1 + part);
    Operation *op = value.getDefiningOp();
    Value &known = made[{op, part}];
    if (!known)
      known = makeRows(op, part, stage);
    return known;
  }

  Value makeRows(Operation *op, unsigned part, int64_t stage) {
    Value whole = op->getResult(0);
    Value source = rowsOf(op->getOperand(0), part, stage);
    const ParameterRows &rows = parts[part];
    int64_t first = firstRow(whole);
    int64_t begin = std::max(first, rows.begin);
    int64_t end = std::min(first + typeOf(whole).getDimSize(0), rows.end);
    OpBuilder at(op);
    Operation *own = at.clone(*op);
    own->setOperand(0, source);
    own->getResult(0).setType(typeOfRows(whole, end - begin));
    if (own->hasAttr(smith::kStageAttributeName))
      own->setAttr(smith::kStageAttributeName, at.getI64IntegerAttr(stage));
    if (auto slice = dyn_cast<stablehlo::SliceOp>(own)) {
      int64_t shift = begin - std::max(firstRow(op->getOperand(0)), rows.begin);
      setRows(slice, shift, shift + end - begin);
    }
    return own->getResult(0);
  }

  void shiftRows(stablehlo::SliceOp slice, int64_t by) {
    setRows(slice, slice.getStartIndices()[0] + by,
            slice.getLimitIndices()[0] + by);
    if (slice.getOperand().getType() != slice.getType())
      return;
    slice.getResult().replaceAllUsesWith(slice.getOperand());
    slice.erase();
  }

  static void setRows(stablehlo::SliceOp slice, int64_t begin, int64_t end) {
    SmallVector<int64_t> starts(slice.getStartIndices()),
        limits(slice.getLimitIndices());
    starts[0] = begin;
    limits[0] = end;
    slice.setStartIndices(starts);
    slice.setLimitIndices(limits);
  }

  func::FuncOp function;
  unsigned index;
  BlockArgument argument;
  OpBuilder builder;
  int64_t count = 0;
  std::vector<Reader> readers;
  /// Between the parameter and its readers; each comes behind what reads it.
  std::vector<Operation *> between;
  /// By op between and part, what is made of the part.
  llvm::DenseMap<std::pair<Operation *, unsigned>, Value> made;
  std::vector<ParameterRows> parts;
};

bool hasStages(Block &block) {
  Attribute first;
  for (Operation &op : block) {
    Attribute stage = op.getAttr(smith::kStageAttributeName);
    if (stage && first && stage != first)
      return true;
    if (stage)
      first = stage;
  }
  return false;
}

struct SplitStackedParametersPass
    : impl::SplitStackedParametersBase<SplitStackedParametersPass> {
  void runOnOperation() override { splitStackedParameters(getOperation()); }
};

} // namespace

void splitStackedParameters(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return;
  if (!hasStages(main.front()))
    return;
  for (unsigned index = 0; index < main.getNumArguments();) {
    ParameterSplitter splitter(main, index);
    index += splitter.find() ? splitter.split() : 1;
  }
}

} // namespace shardsmith
