// SPDX-License-Identifier: Apache-2.0

#include "MeshAxes.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Support/EraseAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_IMPORTMESHES
#include "shardsmith/Import/Passes.h.inc"

namespace {

struct ImportMeshes : impl::ImportMeshesBase<ImportMeshes> {
  void runOnOperation() override {
    nameInlineMeshes();
    findMeshesOfOneDevice();
    if (dropped.empty())
      return;
    dropShardings();
    for (auto mesh :
         llvm::make_early_inc_range(getOperation().getOps<sdy::MeshOp>()))
      if (dropped.contains(mesh.getSymName()))
        mesh.erase();
  }

private:
  void nameInlineMeshes() {
    ModuleOp module = getOperation();
    llvm::MapVector<Attribute, StringAttr> names;
    forEachSharding(module, [&](sdy::TensorShardingAttr sharding) {
      if (isa<sdy::MeshAttr>(sharding.getMeshOrRef()))
        names.try_emplace(sharding.getMeshOrRef());
    });
    if (names.empty())
      return;
    SymbolTable symbols(module);
    auto declared = llvm::to_vector(module.getOps<sdy::MeshOp>());
    for (auto &[attribute, name] : names) {
      auto same = llvm::find_if(declared, [&](sdy::MeshOp mesh) {
        return mesh.getMesh() == attribute;
      });
      if (same != declared.end()) {
        name = same->getSymNameAttr();
        continue;
      }
      OpBuilder builder(module.getContext());
      auto mesh = sdy::MeshOp::create(builder, module.getLoc(), "mesh",
                                      cast<sdy::MeshAttr>(attribute));
      // The table makes the name a new one.
      name = symbols.insert(
          mesh, declared.empty() ? module.getBody()->begin()
                                 : std::next(declared.back()->getIterator()));
      declared.push_back(mesh);
    }
    replaceShardings(module, [&](sdy::TensorShardingAttr sharding) {
      auto name = names.find(sharding.getMeshOrRef());
      if (name == names.end())
        return sharding;
      return sdy::TensorShardingAttr::get(
          sharding.getContext(), FlatSymbolRefAttr::get(name->second),
          sharding.getDimShardings(), sharding.getReplicatedAxes(),
          sharding.getUnreducedAxes(), sharding.getUnreducedKind());
    });
  }

  /// A manual computation needs its mesh, whatever its size.
  void findMeshesOfOneDevice() {
    bool anyOther = false;
    for (auto mesh : getOperation().getOps<sdy::MeshOp>()) {
      if (mesh.getMesh().getDeviceCount() == 1)
        dropped.insert(mesh.getSymName());
      else
        anyOther = true;
    }
    if (dropped.empty())
      return;
    getOperation().walk([&](sdy::ManualComputationOp computation) {
      for (auto list :
           {computation.getInShardings(), computation.getOutShardings()})
        for (sdy::TensorShardingAttr sharding : list.getShardings())
          dropped.erase(sharding.getMeshName());
    });
    for (auto mesh : getOperation().getOps<sdy::MeshOp>())
      if (anyOther && mesh.getMesh().isMaximal() &&
          dropped.contains(mesh.getSymName()))
        emitRemark(mesh.getLoc())
            << "the plan chooses where the values live that were to be on "
            << "device " << mesh.getMesh().getDeviceIds().front() << " alone";
  }

  bool isDropped(sdy::TensorShardingAttr sharding) const {
    return sharding && dropped.contains(sharding.getMeshName());
  }

  void dropShardings() {
    getOperation().walk([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op))
        return eraseAttributes(function, [&](NamedAttribute attribute) {
          return attribute.getName() == sdy::kShardingAttributeName &&
                 isDropped(
                     dyn_cast<sdy::TensorShardingAttr>(attribute.getValue()));
        });
      if (auto pin = dyn_cast<sdy::ShardingConstraintOp>(op);
          pin && isDropped(pin.getSharding())) {
        pin.replaceAllUsesWith(pin.getInput());
        pin.erase();
        return;
      }
      if (auto list = op->getAttrOfType<sdy::TensorShardingPerValueAttr>(
              sdy::kShardingAttributeName))
        dropShardingsIn(op, list.getShardings());
    });
  }

  /// Where other results keep theirs, a dropped one says nothing from now on.
  void dropShardingsIn(Operation *op,
                       ArrayRef<sdy::TensorShardingAttr> shardings) {
    auto kept =
        llvm::find_if(shardings, [&](auto each) { return !isDropped(each); });
    if (kept == shardings.end()) {
      if (!shardings.empty())
        op->removeAttr(sdy::kShardingAttributeName);
      return;
    }
    auto open = sdy::DimensionShardingAttr::get(
        &getContext(), ArrayRef<sdy::AxisRefAttr>(), /*isClosed=*/false);
    SmallVector<sdy::TensorShardingAttr> rest(shardings);
    for (auto [sharding, type] : llvm::zip(rest, op->getResultTypes()))
      if (isDropped(sharding)) {
        // One that names a device only may have no dimensions.
        auto tensor = dyn_cast<RankedTensorType>(type);
        SmallVector<sdy::DimensionShardingAttr> dims(
            tensor ? tensor.getRank() : 0, open);
        sharding = sdy::TensorShardingAttr::get(&getContext(),
                                                kept->getMeshName(), dims);
      }
    op->setAttr(sdy::kShardingAttributeName,
                sdy::TensorShardingPerValueAttr::get(&getContext(), rest));
  }

  /// Names of the meshes that say nothing about several devices.
  llvm::StringSet<> dropped;
};

} // namespace
} // namespace shardsmith
