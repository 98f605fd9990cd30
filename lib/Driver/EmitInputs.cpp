// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/EmitInputs.h"

#include "shardsmith/Dialect/Smith/Smith.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith {

emit::ParameterShapes shapesOf(const LoadedModel &model) {
  emit::ParameterShapes shapes;
  if (!model.module)
    return shapes;
  auto main = mlir::ModuleOp(model.module.get())
                  .lookupSymbol<mlir::func::FuncOp>("main");
  if (!main)
    return shapes;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto name =
        main.getArgAttrOfType<mlir::StringAttr>(i, smith::kNameAttributeName);
    auto type =
        llvm::dyn_cast<mlir::RankedTensorType>(main.getArgumentTypes()[i]);
    if (name && type)
      shapes.emplace(name.str(), type.getShape().vec());
  }
  return shapes;
}

emit::EmitInput emitInput(const PlanDocument &document,
                          const PlanningInputs &inputs,
                          emit::ParameterShapes shapes) {
  return {
      document,          inputs.workload(),
      inputs.profile(),  inputs.topology(),
      std::move(shapes), inputs.cluster().groups.front().node.deviceCount()};
}

} // namespace shardsmith
