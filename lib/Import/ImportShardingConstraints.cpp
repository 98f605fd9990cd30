// SPDX-License-Identifier: Apache-2.0

#include "GspmdSharding.h"
#include "Unsupported.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_IMPORTSHARDINGCONSTRAINTS
#include "shardsmith/Import/Passes.h.inc"

namespace {

constexpr StringLiteral gspmdAttribute = "mhlo.sharding";

/// A mesh fine enough that every digit range of every sharding is a run of
/// whole axes. Its axes are the gaps between the place values at which some
/// range begins or ends:
///
///   8 devices, places 1 2 8    ─▶   <["axis0"=4, "axis1"=2]>
class CommonMesh {
public:
  /// Adds a sharding; false if its device count is not that of the others.
  bool add(const GspmdSharding &sharding) {
    if (sharding.isReplicated)
      return true;
    places.insert({1, sharding.deviceCount});
    if (deviceCount != 0 && deviceCount != sharding.deviceCount)
      return false;
    deviceCount = sharding.deviceCount;
    for (const auto &digits : sharding.dimensions)
      for (DeviceDigits range : digits)
        places.insert({range.low, range.high});
    return true;
  }

  /// Uses the axes of a mesh that the module already has.
  void add(sdy::MeshAttr mesh) {
    int64_t place = 1;
    places.insert(place);
    for (sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
      // It ends where it begins, and splits nothing.
      if (axis.getSize() == 1)
        continue;
      place *= axis.getSize();
      names[place] = axis.getName().str();
      places.insert(place);
    }
  }

  /// Whether every place divides the next, so that axes have whole sizes.
  bool isPossible() const {
    for (auto place = places.begin(), next = std::next(place);
         next != places.end(); ++place, ++next)
      if (*next % *place != 0)
        return false;
    return true;
  }

  /// Whether the axes are just those of the mesh that was added.
  bool isKnown() const {
    return llvm::all_of(places, [&](int64_t place) {
      return place == 1 || names.contains(place);
    });
  }

  /// Names the axes and returns the mesh, major axis first.
  sdy::MeshAttr build(MLIRContext *context) {
    SmallVector<sdy::MeshAxisAttr> axes;
    for (auto high = places.rbegin(); *high != 1; ++high) {
      std::string &name = names[*high];
      name = "axis" + std::to_string(axes.size());
      axes.push_back(
          sdy::MeshAxisAttr::get(context, name, *high / *std::next(high)));
    }
    return sdy::MeshAttr::get(context, axes);
  }

  /// The axes that make up a range of digits, major first.
  SmallVector<StringRef> axesOf(DeviceDigits range) const {
    SmallVector<StringRef> axes;
    for (auto high = places.find(range.high); *high != range.low; --high)
      axes.push_back(names.find(*high)->second);
    return axes;
  }

private:
  int64_t deviceCount = 0;
  std::set<int64_t> places = {1};
  /// Axis names by the place at which the axis ends.
  std::map<int64_t, std::string> names;
};

/// Numbers in `unspecified_dims=[0,1]`, which JAX puts in the backend
/// configuration: dimensions that later decisions may split.
SmallVector<int64_t> openDimensions(stablehlo::CustomCallOp call) {
  SmallVector<int64_t> dimensions;
  auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
  StringRef text = config ? config.getValue() : "";
  if (!text.consume_front("unspecified_dims=["))
    return dimensions;
  for (StringRef item : llvm::split(text.split(']').first, ','))
    if (int64_t dimension; !item.trim().getAsInteger(10, dimension))
      dimensions.push_back(dimension);
  return dimensions;
}

struct ImportShardingConstraints
    : impl::ImportShardingConstraintsBase<ImportShardingConstraints> {
  using ImportShardingConstraintsBase::ImportShardingConstraintsBase;

  void runOnOperation() override {
    if (failed(collect()))
      return signalPassFailure();
    if (anySharding)
      chooseMesh();
    if (failed(convertCalls()) || failed(convertFunctions()))
      return signalPassFailure();
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }

private:
  /// Parses every string in the module.
  LogicalResult collect() {
    auto add = [&](Attribute attribute, Operation *op) -> LogicalResult {
      auto text = dyn_cast_or_null<StringAttr>(attribute);
      if (!text)
        return success();
      std::string error;
      auto sharding = parseGspmdSharding(text, error);
      if (!sharding)
        return op->emitError() << error;
      if (!mesh.add(*sharding))
        return op->emitError() << "sharding '" << text.getValue() << "' is for "
                               << sharding->deviceCount
                               << " devices, others are for another number";
      anySharding = true;
      shardings.try_emplace(text, *sharding);
      return success();
    };
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (failed(add(function.getArgAttr(i, gspmdAttribute), function)))
          return failure();
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (failed(add(function.getResultAttr(i, gspmdAttribute), function)))
          return failure();
    }
    WalkResult walked = getOperation().walk([&](stablehlo::CustomCallOp call) {
      if (call.getCallTargetName() != "Sharding")
        return WalkResult::advance();
      return failed(add(call->getAttr(gspmdAttribute), call))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  void chooseMesh() {
    ModuleOp module = getOperation();
    auto existing = module.getOps<sdy::MeshOp>();
    if (!existing.empty()) {
      meshName = (*existing.begin()).getSymName().str();
      mesh.add((*existing.begin()).getMesh());
      hasMesh = mesh.isPossible() && mesh.isKnown();
      if (!hasMesh)
        unsupported.add(module.getLoc(),
                        "unsupported: GSPMD shardings that are no combination "
                        "of the axes of '@" +
                            meshName + "'");
      return;
    }
    hasMesh = mesh.isPossible();
    if (!hasMesh)
      return unsupported.add(module.getLoc(),
                             "unsupported: GSPMD shardings that do not fit one "
                             "mesh of devices");
    OpBuilder builder(module.getBody(), module.getBody()->begin());
    sdy::MeshOp::create(builder, module.getLoc(), meshName,
                        mesh.build(&getContext()));
  }

  LogicalResult convertCalls() {
    WalkResult walked = getOperation().walk([&](stablehlo::CustomCallOp call) {
      StringRef target = call.getCallTargetName();
      if (target.starts_with("SPMD")) {
        unsupported.add(call.getLoc(),
                        ("unsupported: a program that is already split over "
                         "devices (custom call '@" +
                         target + "'); export it without shard_map")
                            .str());
        replaceByZeros(call);
        return WalkResult::advance();
      }
      if (target != "Sharding")
        return WalkResult::advance();
      return convert(call);
    });
    return failure(walked.wasInterrupted());
  }

  WalkResult convert(stablehlo::CustomCallOp call) {
    auto text = call->getAttrOfType<StringAttr>(gspmdAttribute);
    auto type = call->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(call.getResult(0).getType())
                    : nullptr;
    if (!text || !type || call->getOperandTypes() != call->getResultTypes()) {
      call.emitError() << "'@Sharding' must have one operand, one result of "
                       << "its type and the attribute " << gspmdAttribute;
      return WalkResult::interrupt();
    }
    sdy::TensorShardingAttr sharding =
        convert(text, type, openDimensions(call));
    if (!sharding) {
      call.emitError() << "sharding '" << text.getValue()
                       << "' does not have the rank of " << type;
      return WalkResult::interrupt();
    }
    Value pinned = call.getInputs().front();
    OpBuilder builder(call);
    if (hasMesh)
      pinned = sdy::ShardingConstraintOp::create(builder, call.getLoc(), type,
                                                 pinned, sharding);
    call.getResult(0).replaceAllUsesWith(pinned);
    call.erase();
    return WalkResult::advance();
  }

  /// A sharding over the common mesh; null if it has another rank.
  sdy::TensorShardingAttr convert(StringAttr text, Type type,
                                  ArrayRef<int64_t> open = {}) {
    const GspmdSharding &sharding = shardings.find(text)->second;
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return nullptr;
    size_t rank = tensor.getRank();
    if (!sharding.isReplicated && sharding.dimensions.size() != rank)
      return nullptr;
    SmallVector<sdy::DimensionShardingAttr> dimensions;
    for (size_t dim = 0; dim < rank; ++dim) {
      SmallVector<sdy::AxisRefAttr> axes;
      if (hasMesh && !sharding.isReplicated)
        for (DeviceDigits range : sharding.dimensions[dim])
          for (StringRef name : mesh.axesOf(range))
            axes.push_back(sdy::AxisRefAttr::get(&getContext(), name, {}));
      dimensions.push_back(sdy::DimensionShardingAttr::get(
          &getContext(), axes, !llvm::is_contained(open, dim)));
    }
    return sdy::TensorShardingAttr::get(&getContext(), meshName, dimensions);
  }

  LogicalResult convertFunctions() {
    StringAttr gspmd = StringAttr::get(&getContext(), gspmdAttribute);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        auto text =
            dyn_cast_or_null<StringAttr>(function.removeArgAttr(i, gspmd));
        if (!text)
          continue;
        auto sharding = convert(text, function.getArgumentTypes()[i]);
        if (!sharding)
          return refuseRank(function, "argument", i, text);
        if (hasMesh)
          function.setArgAttr(i, sdy::kShardingAttributeName, sharding);
      }
      for (unsigned i = 0; i < function.getNumResults(); ++i) {
        auto text =
            dyn_cast_or_null<StringAttr>(function.removeResultAttr(i, gspmd));
        if (!text)
          continue;
        auto sharding = convert(text, function.getResultTypes()[i]);
        if (!sharding)
          return refuseRank(function, "result", i, text);
        if (hasMesh)
          function.setResultAttr(i, sdy::kShardingAttributeName, sharding);
      }
    }
    return success();
  }

  static LogicalResult refuseRank(func::FuncOp function, StringRef what,
                                  unsigned index, StringAttr text) {
    return function.emitError()
           << "sharding '" << text.getValue() << "' does not have the rank of "
           << what << " " << index;
  }

  ErrorList unsupported;
  std::string meshName = "mesh";
  /// Whether there is one for all shardings; they go if there is none.
  bool hasMesh = false;
  CommonMesh mesh;
  bool anySharding = false;
  DenseMap<StringAttr, GspmdSharding> shardings;
};

} // namespace
} // namespace shardsmith
