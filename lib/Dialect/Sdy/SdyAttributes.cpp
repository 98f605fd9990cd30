// SPDX-License-Identifier: Apache-2.0
//
// Builders, getters and the checks that need no mesh.

#include "shardsmith/Dialect/Sdy/Sdy.h"

#include "AxisParts.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "shardsmith/Support/Quantity.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardsmith::sdy {

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t size) {
  if (name.empty())
    return emitError() << "mesh axis has no name";
  if (size <= 0)
    return emitError() << "size of mesh axis \"" << name
                       << "\" must be positive, got " << size;
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  llvm::StringSet<> names;
  int64_t count = 1;
  for (MeshAxisAttr axis : axes) {
    if (!names.insert(axis.getName()).second)
      return emitError() << "mesh has two axes named \"" << axis.getName()
                         << "\"";
    std::optional<int64_t> product = checkedMultiply(count, axis.getSize());
    if (!product)
      return emitError() << "the product of the mesh axis sizes overflows";
    count = *product;
  }
  if (deviceIds.empty())
    return success();

  if (axes.empty()) {
    if (deviceIds.size() != 1 || deviceIds.front() < 0)
      return emitError() << "a mesh without axes has one device id, not "
                            "negative, or none";
    return success();
  }
  if (static_cast<int64_t>(deviceIds.size()) != count)
    return emitError() << "mesh has " << count << " devices but "
                       << deviceIds.size() << " device ids";
  llvm::SmallBitVector seen(count);
  for (int64_t id : deviceIds) {
    if (id < 0 || id >= count || seen.test(id))
      return emitError() << "device ids must be a permutation of 0 to "
                         << count - 1 << ", got " << id
                         << " twice or out of range";
    seen.set(id);
  }
  return success();
}

MeshAttr MeshAttr::get(MLIRContext *context, ArrayRef<MeshAxisAttr> axes) {
  return get(context, axes, ArrayRef<int64_t>());
}

std::optional<int64_t> MeshAttr::getAxisSize(StringRef name) const {
  for (MeshAxisAttr axis : getAxes())
    if (axis.getName() == name)
      return axis.getSize();
  return std::nullopt;
}

int64_t MeshAttr::getDeviceCount() const {
  int64_t count = 1;
  for (MeshAxisAttr axis : getAxes())
    count *= axis.getSize();
  return count;
}

bool MeshAttr::isMaximal() const {
  return getAxes().empty() && !getDeviceIds().empty();
}

LogicalResult
SubAxisInfoAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t preSize, int64_t size) {
  if (preSize < 1)
    return emitError() << "pre-size of a sub-axis must be at least 1, got "
                       << preSize;
  if (size < 2)
    return emitError() << "size of a sub-axis must be at least 2, got " << size;
  if (!checkedMultiply(preSize, size))
    return emitError() << "pre-size times size of a sub-axis overflows";
  return success();
}

AxisRefAttr AxisRefAttr::get(MLIRContext *context, StringRef name) {
  return get(context, name, SubAxisInfoAttr());
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  if (getSubAxisInfo())
    return getSubAxisInfo().getSize();
  return *mesh.getAxisSize(getName());
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

LogicalResult
DimensionShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<AxisRefAttr> axes, bool isClosed,
                              std::optional<int64_t> priority) {
  if (!priority)
    return success();
  if (*priority < 0)
    return emitError() << "priority must not be negative, got " << *priority;
  if (axes.empty() && isClosed)
    return emitError()
           << "a closed dimension without axes cannot have a priority";
  return success();
}

DimensionShardingAttr DimensionShardingAttr::get(MLIRContext *context,
                                                 ArrayRef<AxisRefAttr> axes,
                                                 bool isClosed) {
  return get(context, axes, isClosed, std::nullopt);
}

DimensionShardingAttr DimensionShardingAttr::get(MLIRContext *context,
                                                 ArrayRef<StringRef> axes) {
  return get(context, llvm::map_to_vector(axes, [&](StringRef name) {
               return AxisRefAttr::get(context, name);
             }));
}

LogicalResult TensorShardingAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, Attribute meshOrRef,
    ArrayRef<DimensionShardingAttr> dims, ArrayRef<AxisRefAttr> replicated,
    ArrayRef<AxisRefAttr> unreduced, ReductionKind) {
  if (!isa<FlatSymbolRefAttr, MeshAttr>(meshOrRef))
    return emitError() << "expected the symbol of a mesh or a mesh";
  SmallVector<AxisRefAttr> all;
  for (DimensionShardingAttr dim : dims)
    llvm::append_range(all, dim.getAxes());
  llvm::append_range(all, replicated);
  llvm::append_range(all, unreduced);
  for (auto [index, axis] : llvm::enumerate(all))
    for (AxisRefAttr earlier : ArrayRef(all).take_front(index))
      if (overlap(axis, earlier))
        return emitError() << "axis \"" << axis.getName()
                           << "\" occurs twice in one sharding";
  return success();
}

TensorShardingAttr TensorShardingAttr::get(MLIRContext *context,
                                           StringRef meshName,
                                           ArrayRef<DimensionShardingAttr> dims,
                                           ArrayRef<AxisRefAttr> unreduced,
                                           ReductionKind kind) {
  return get(context, FlatSymbolRefAttr::get(context, meshName), dims,
             ArrayRef<AxisRefAttr>(), unreduced, kind);
}

TensorShardingAttr TensorShardingAttr::getReplicated(MLIRContext *context,
                                                     StringRef meshName,
                                                     int64_t rank) {
  SmallVector<DimensionShardingAttr> dims(
      rank, DimensionShardingAttr::get(context, ArrayRef<AxisRefAttr>()));
  return get(context, meshName, dims);
}

StringRef TensorShardingAttr::getMeshName() const {
  auto symbol = dyn_cast<FlatSymbolRefAttr>(getMeshOrRef());
  return symbol ? symbol.getValue() : StringRef();
}

MeshAttr TensorShardingAttr::getMesh(Operation *from) const {
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef()))
    return mesh;
  auto op = SymbolTable::lookupNearestSymbolFrom<MeshOp>(
      from, cast<FlatSymbolRefAttr>(getMeshOrRef()));
  return op ? op.getMesh() : MeshAttr();
}

bool TensorShardingAttr::isReplicated() const {
  return getUnreducedAxes().empty() &&
         llvm::all_of(getDimShardings(), [](DimensionShardingAttr dim) {
           return dim.getAxes().empty();
         });
}

LogicalResult
AllToAllParamAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<AxisRefAttr> axes, int64_t source,
                          int64_t target) {
  if (axes.empty())
    return emitError() << "an all-to-all moves at least one axis";
  if (source < 0 || target < 0 || source == target)
    return emitError() << "an all-to-all moves axes between two different "
                          "dimensions, got "
                       << source << "->" << target;
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings of values
//===----------------------------------------------------------------------===//

namespace {

/// What a sharding says inside of a computation, where `manual` axes are gone.
TensorShardingAttr withoutAxes(TensorShardingAttr sharding,
                               ManualAxesAttr manual) {
  auto rest = [&](ArrayRef<AxisRefAttr> axes) {
    SmallVector<AxisRefAttr> kept;
    for (AxisRefAttr axis : axes)
      if (llvm::none_of(manual.getValue(), [&](StringAttr name) {
            return name.getValue() == axis.getName();
          }))
        kept.push_back(axis);
    return kept;
  };
  auto dims = llvm::map_to_vector(
      sharding.getDimShardings(), [&](DimensionShardingAttr dim) {
        return DimensionShardingAttr::get(dim.getContext(), rest(dim.getAxes()),
                                          dim.getIsClosed());
      });
  return TensorShardingAttr::get(sharding.getContext(), sharding.getMeshOrRef(),
                                 dims, rest(sharding.getReplicatedAxes()),
                                 rest(sharding.getUnreducedAxes()),
                                 sharding.getUnreducedKind());
}

/// Null where there is no list or, before it is verified, where it is short.
TensorShardingAttr elementOf(TensorShardingPerValueAttr list, unsigned index) {
  return list && index < list.size() ? list.getShardings()[index] : nullptr;
}

/// An argument of a region has the sharding of what is handed in: an operand
/// of a computation, or the value of a loop that a result ends as.
TensorShardingAttr getRegionArgumentSharding(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto computation = dyn_cast_or_null<ManualComputationOp>(parent)) {
    auto sharding = elementOf(computation.getInShardings(), index);
    return sharding ? withoutAxes(sharding, computation.getManualAxes())
                    : nullptr;
  }
  if (!parent || !llvm::equal(parent->getResultTypes(),
                              argument.getOwner()->getArgumentTypes()))
    return nullptr;
  return elementOf(
      parent->getAttrOfType<TensorShardingPerValueAttr>(kShardingAttributeName),
      index);
}

} // namespace

TensorShardingAttr getSharding(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!argument.getOwner()->isEntryBlock())
      return nullptr;
    auto function = dyn_cast_or_null<FunctionOpInterface>(
        argument.getOwner()->getParentOp());
    if (!function)
      return getRegionArgumentSharding(argument);
    return function.getArgAttrOfType<TensorShardingAttr>(
        argument.getArgNumber(), kShardingAttributeName);
  }
  Operation *op = value.getDefiningOp();
  if (isa<SdyDialect>(op->getDialect()))
    for (StringRef name : {"out_sharding", "sharding"})
      if (auto sharding = op->getAttrOfType<TensorShardingAttr>(name))
        return sharding;
  bool isRegion = isa<ManualComputationOp, NamedComputationOp>(op);
  return elementOf(op->getAttrOfType<TensorShardingPerValueAttr>(
                       isRegion ? "out_shardings" : kShardingAttributeName),
                   cast<OpResult>(value).getResultNumber());
}

void setSharding(Value value, TensorShardingAttr sharding) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
        .setArgAttr(argument.getArgNumber(), kShardingAttributeName, sharding);
    return;
  }
  Operation *op = value.getDefiningOp();
  MLIRContext *context = op->getContext();
  // Results without a sharding yet count as whole on the same mesh.
  SmallVector<TensorShardingAttr> shardings;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<ShapedType>(result.getType());
    TensorShardingAttr present = getSharding(result);
    shardings.push_back(present ? present
                                : TensorShardingAttr::getReplicated(
                                      context, sharding.getMeshName(),
                                      type ? type.getRank() : 0));
  }
  shardings[cast<OpResult>(value).getResultNumber()] = sharding;
  op->setAttr(kShardingAttributeName,
              TensorShardingPerValueAttr::get(context, shardings));
}

void setArgumentShardings(FunctionOpInterface function,
                          ArrayRef<TensorShardingAttr> shardings) {
  MLIRContext *context = function.getContext();
  SmallVector<DictionaryAttr> all;
  for (auto [index, sharding] : llvm::enumerate(shardings)) {
    NamedAttrList attributes(function.getArgAttrDict(unsigned(index)));
    attributes.set(kShardingAttributeName, sharding);
    all.push_back(attributes.getDictionary(context));
  }
  function.setAllArgAttrs(all);
}

TensorShardingAttr getResultSharding(Operation *function, unsigned index) {
  return cast<FunctionOpInterface>(function)
      .getResultAttrOfType<TensorShardingAttr>(index, kShardingAttributeName);
}

void setResultSharding(Operation *function, unsigned index,
                       TensorShardingAttr sharding) {
  cast<FunctionOpInterface>(function).setResultAttr(
      index, kShardingAttributeName, sharding);
}

} // namespace shardsmith::sdy
