// SPDX-License-Identifier: Apache-2.0
//
// Checks of the `smith.*` attributes on arguments and results of functions;
// the table in the dialect's description lists what is checked.

#include "shardsmith/Dialect/Smith/InlinedCall.h"
#include "shardsmith/Dialect/Smith/ParameterRows.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/Smith/WeightNames.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "shardsmith/Support/Quantity.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;

namespace shardsmith::smith {
namespace {

enum class Side { Argument, Result };

/// One attribute of one argument or result.
struct Place {
  FunctionOpInterface function;
  Side side;
  unsigned index;
  NamedAttribute attribute;

  StringRef name() const { return attribute.getName().getValue(); }
  Attribute value() const { return attribute.getValue(); }
  Type type() {
    return side == Side::Argument ? function.getArgumentTypes()[index]
                                  : function.getResultTypes()[index];
  }
  Attribute sibling(StringRef name) {
    return side == Side::Argument ? function.getArgAttr(index, name)
                                  : function.getResultAttr(index, name);
  }
  /// Whether an argument (or result) behind this one has the attribute too.
  bool hasLaterSibling() {
    unsigned count = side == Side::Argument ? function.getNumArguments()
                                            : function.getNumResults();
    for (unsigned later = count; later-- > index + 1;) {
      Place other = *this;
      other.index = later;
      if (other.sibling(name()))
        return true;
    }
    return false;
  }
  Location location() {
    // Attributes are verified before the body, which may lack arguments.
    if (side == Side::Argument && !function.isExternal() &&
        index < function.front().getNumArguments())
      return function.front().getArgument(index).getLoc();
    return function.getLoc();
  }
  InFlightDiagnostic emitError() {
    return mlir::emitError(location())
           << (side == Side::Argument ? "argument " : "result ") << index
           << ": '" << name() << "' ";
  }
};

LogicalResult verifyRole(Place place) {
  auto role = dyn_cast<StringAttr>(place.value());
  bool isArgument = place.side == Side::Argument;
  StringRef expected = isArgument ? "param, state, batch or constant"
                                  : "param, state, loss or output";
  auto isKnown = [&](StringRef text) {
    if (isArgument)
      return llvm::is_contained({"param", "state", "batch", "constant"}, text);
    return llvm::is_contained({"param", "state", "loss", "output"}, text);
  };
  if (role && isKnown(role.getValue()))
    return success();
  return place.emitError() << "must be " << expected << ", got "
                           << place.value();
}

/// All names up to that of `last`, at once: models have thousands.
LogicalResult verifyDistinctNames(Place last) {
  llvm::DenseMap<Attribute, unsigned> numberOf;
  for (unsigned index = 0; index <= last.index; ++index) {
    Place place = last;
    place.index = index;
    Attribute name = place.sibling(kNameAttributeName);
    if (!name)
      continue;
    auto [entry, isNew] = numberOf.try_emplace(name, index);
    if (!isNew)
      return place.emitError()
             << name << " is also the name of number " << entry->second;
  }
  return success();
}

LogicalResult verifyName(Place place) {
  auto name = dyn_cast<StringAttr>(place.value());
  if (!name || name.getValue().empty())
    return place.emitError()
           << "must be a non-empty string, got " << place.value();
  return place.hasLaterSibling() ? success() : verifyDistinctNames(place);
}

/// True for a finite number, which for a standard deviation is not negative.
bool isNumber(StringRef text, bool allowNegative) {
  double value;
  return !text.getAsDouble(value) && std::isfinite(value) &&
         (allowNegative || value >= 0);
}

LogicalResult verifyInit(Place place) {
  auto init = dyn_cast<StringAttr>(place.value());
  StringRef text = init ? init.getValue() : StringRef();
  bool isValid = text == "zeros" || text == "ones";
  if (text.consume_front("constant:"))
    isValid = isNumber(text, /*allowNegative=*/true);
  else if (text.consume_front("normal:"))
    isValid = isNumber(text, /*allowNegative=*/false);
  if (place.side == Side::Argument && isValid)
    return success();
  return place.emitError() << "must be zeros, ones, constant:V or "
                              "normal:STDDEV on an argument, got "
                           << place.value();
}

bool isBatch(Place place) {
  auto role = dyn_cast_or_null<StringAttr>(place.sibling(kRoleAttributeName));
  return place.side == Side::Argument && role && role.getValue() == "batch";
}

/// Of an integer without a sign of its own and of at most 64 bits; files may
/// have any.
std::optional<int64_t> readNumber(Attribute value) {
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  if (!number || !number.getType().isSignlessInteger() ||
      number.getType().getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  return number.getInt();
}

LogicalResult verifyBatchDim(Place place) {
  std::optional<int64_t> dim = readNumber(place.value());
  auto type = dyn_cast<RankedTensorType>(place.type());
  int64_t rank = type ? type.getRank() : 0;
  if (isBatch(place) && dim && *dim >= -1 && *dim < rank)
    return success();
  return place.emitError() << "must be -1 or a dimension of a batch argument "
                              "of rank "
                           << rank << ", got " << place.value();
}

LogicalResult verifyLimit(Place place) {
  std::optional<int64_t> limit = readNumber(place.value());
  bool isInteger = isa<IntegerType>(getElementTypeOrSelf(place.type()));
  if (isBatch(place) && limit && *limit > 0 && isInteger)
    return success();
  return place.emitError() << "must be a positive integer on an integer batch "
                              "argument, got "
                           << place.value();
}

LogicalResult verifyGlobalShape(Place place) {
  auto shape = dyn_cast<DenseI64ArrayAttr>(place.value());
  auto type = dyn_cast<RankedTensorType>(place.type());
  if (!shape || !type || shape.size() != type.getRank())
    return place.emitError()
           << "must be an array of as many sizes as " << place.type()
           << " has dimensions, got " << place.value();
  for (auto [global, local] :
       llvm::zip_equal(shape.asArrayRef(), type.getShape()))
    if (global < 0)
      return place.emitError() << "has a negative size: " << place.value();
  return success();
}

/// Where a lowered program keeps the tensor in its arena; less than −1 for
/// entries of a table of addresses.
LogicalResult verifyOffset(Place place) {
  auto offset = dyn_cast<IntegerAttr>(place.value());
  if (!offset || !offset.getType().isSignlessInteger(64) ||
      offset.getInt() == -1)
    return place.emitError()
           << "must be an i64 of at least 0, got " << place.value();
  return success();
}

LogicalResult verifyPosition(Place place) {
  auto position = dyn_cast<IntegerAttr>(place.value());
  if (!position || !position.getType().isSignlessInteger(64) ||
      position.getInt() < 0)
    return place.emitError()
           << "must be an i64 of at least 0, got " << place.value();
  return success();
}

/// On one device an argument may have fewer rows than it names.
LogicalResult verifyRows(Place place) {
  std::optional<ParameterRows> rows = readRows(place.value());
  if (!rows || place.side != Side::Argument)
    return place.emitError()
           << "must be array<i64: begin, end, whole> on an argument, with 0 <= "
              "begin < end <= whole, got "
           << place.value();
  auto type = dyn_cast<RankedTensorType>(place.type());
  if (!type || type.getRank() == 0 || type.getDimSize(0) > rows->count())
    return place.emitError() << "names " << rows->count() << " rows, but "
                             << place.type() << " has others";
  auto name = dyn_cast_or_null<StringAttr>(place.sibling(kNameAttributeName));
  if (name && nameOfWhole(name.getValue(), *rows))
    return success();
  return place.emitError() << "needs a name that ends with \""
                           << nameOfRows("", *rows) << "\"";
}

/// Each says how one dimension of the tensor is made up.
LogicalResult verifyParts(Attribute attribute, Type type,
                          llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!list || !tensor)
    return emitError() << "must be a list of #smith.parts<…> of a tensor";
  for (Attribute entry : list) {
    auto parts = dyn_cast<PartsAttr>(entry);
    if (!parts)
      return emitError() << "must be a list of #smith.parts<…>, got " << entry;
    if (int64_t(parts.getDim()) >= tensor.getRank())
      return emitError() << "names dimension " << parts.getDim() << " of "
                         << tensor;
    std::optional<int64_t> product = 1;
    for (int64_t size : parts.getSizes())
      if (product)
        product = checkedMultiply(*product, size);
    if (product != tensor.getDimSize(parts.getDim()))
      return emitError() << parts << " does not make up dimension "
                         << parts.getDim() << " of " << tensor;
  }
  return success();
}

LogicalResult verifyArgumentParts(Place place) {
  return verifyParts(place.value(), place.type(),
                     [&] { return place.emitError(); });
}

LogicalResult verifyPlace(Place place) {
  using Check = LogicalResult (*)(Place);
  auto check = llvm::StringSwitch<Check>(place.name())
                   .Case(kRoleAttributeName, verifyRole)
                   .Case(kNameAttributeName, verifyName)
                   .Case(kInitAttributeName, verifyInit)
                   .Case(kBatchDimAttributeName, verifyBatchDim)
                   .Case(kLimitAttributeName, verifyLimit)
                   .Case(kGlobalShapeAttributeName, verifyGlobalShape)
                   .Case(kPartsAttributeName, verifyArgumentParts)
                   .Case(kRowsAttributeName, verifyRows)
                   .Case("smith.offset", verifyOffset)
                   .Case(kPositionAttributeName, verifyPosition)
                   .Default(nullptr);
  if (!check)
    return place.emitError() << "is not an attribute of this dialect";
  return check(place);
}

} // namespace

LogicalResult SmithDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyPlace({function, Side::Argument, index, attribute});
}

LogicalResult SmithDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyPlace({function, Side::Result, index, attribute});
}

LogicalResult SmithDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == kFactorAxesAttributeName &&
      !isa<FactorAxesAttr>(attribute.getValue()))
    return op->emitError("'") << name << "' must be #smith.factor_axes<…>";
  if (name == kCallAttributeName && !readInlinedCall(attribute.getValue()))
    return op->emitError("'")
           << name << "' must be {callee = \"…\", number = …}, got "
           << attribute.getValue();
  if (name == kModelHashAttributeName && !isa<StringAttr>(attribute.getValue()))
    return op->emitError("'") << name << "' must be a string";
  if (name == kWeightNamesAttributeName &&
      !readWeightNames(attribute.getValue()))
    return op->emitError("'")
           << name
           << "' must be {prefix = \"…\", ignored = [\"…\"], copies = "
              "{… = \"…\"}, older = {… = \"…\"}, stacked = [\"…\"]}, got "
           << attribute.getValue();
  std::optional<int64_t> number = readNumber(attribute.getValue());
  if ((name == kStageAttributeName || name == kUnitAttributeName) &&
      (!number || !llvm::isUInt<31>(*number)))
    return op->emitError("'")
           << name << "' must be an integer from 0 to 2147483647";
  auto text = dyn_cast<StringAttr>(attribute.getValue());
  if (name == kRecomputeAttributeName &&
      (!text ||
       !llvm::is_contained({"none", "selective", "full"}, text.getValue())))
    return op->emitError("'")
           << name << "' must be none, selective or full, got "
           << attribute.getValue();
  if (name == kSplitAttributeName && (!text || text.empty()))
    return op->emitError("'") << name << "' must be the name of a factor";
  if (name != kPartsAttributeName)
    return success();
  auto perResult = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!perResult || perResult.size() != op->getNumResults())
    return op->emitError("'") << name << "' must have one list per result";
  for (auto [list, type] : llvm::zip_equal(perResult, op->getResultTypes()))
    if (failed(verifyParts(list, type,
                           [&] { return op->emitError("'") << name << "' "; })))
      return failure();
  return success();
}

} // namespace shardsmith::smith
