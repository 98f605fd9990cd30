// SPDX-License-Identifier: Apache-2.0

#include "AnnotateParameters.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Plan/SearchPlan.h"

#include "llvm/ADT/StringMap.h"

#include <numeric>

using namespace mlir;

namespace shardsmith {
namespace {

struct NamedAxis {
  StringRef name;
  int64_t size;
};

/// The strategy's axes of more than one rank, major first, and the names of
/// those that split each kind of factor.
struct StrategyMesh {
  SmallVector<NamedAxis> axes;
  SmallVector<StringRef> batch, sequence, expert;

  explicit StrategyMesh(const Strategy &strategy) {
    // The expert axis takes context whole or in part, then a part of data.
    int64_t inContext = std::gcd(strategy.expert, strategy.context);
    int64_t inData = strategy.expert / inContext;
    for (PlanAxis axis : llvm::reverse(strategy.deviceOrder))
      switch (axis) {
      case PlanAxis::Tensor:
        add("tensor", strategy.tensor, {});
        break;
      case PlanAxis::Pipeline:
        add("pipeline", strategy.pipeline, {});
        break;
      case PlanAxis::Data:
        add("data", strategy.data / inData, {&batch});
        add("expert", inData, {&batch, &expert});
        break;
      case PlanAxis::Context:
        add("context", strategy.context / inContext, {&sequence});
        add("expert_context", inContext, {&sequence, &expert});
        break;
      }
  }

  void add(StringRef name, int64_t size,
           ArrayRef<SmallVector<StringRef> *> lists) {
    if (size == 1)
      return;
    axes.push_back({name, size});
    for (SmallVector<StringRef> *list : lists)
      list->push_back(name);
  }
};

using DimAxes = SmallVector<SmallVector<StringRef>>;

/// Axes per dimension of every parameter by name.
llvm::StringMap<DimAxes> parameterAxes(const workload::Workload &workload,
                                       const Strategy &strategy,
                                       const StrategyMesh &mesh) {
  llvm::StringMap<DimAxes> all;
  for (const workload::Segment &segment : workload.segments) {
    const workload::Block &block = workload.blocks[segment.block];
    const BlockLayout &layout = strategy.layouts[segment.block];
    for (const std::vector<std::string> &names : segment.parameterNames)
      for (size_t index = 0; index < names.size(); ++index) {
        workload::TensorIndex tensor = block.parameters[index];
        DimAxes axes(block.tensors[tensor].shape.size());
        for (size_t dim = 0; dim < axes.size(); ++dim) {
          if (block.runsOverExperts(tensor, dim))
            axes[dim].append(mesh.expert.begin(), mesh.expert.end());
          if (strategy.tensor > 1 &&
              layout.tensors[tensor] == TensorLayout::split(unsigned(dim)))
            axes[dim].push_back("tensor");
        }
        all.try_emplace(names[index], std::move(axes));
      }
  }
  return all;
}

/// Dimension 0 counts sequences, the next positions.
DimAxes batchAxes(RankedTensorType type, const workload::Workload &workload,
                  const StrategyMesh &mesh) {
  DimAxes axes(type.getRank());
  if (type.getRank() > 0)
    axes[0] = mesh.batch;
  if (type.getRank() > 1 && workload.sequenceLength > 1 &&
      type.getDimSize(1) == workload.sequenceLength)
    axes[1] = mesh.sequence;
  return axes;
}

sdy::TensorShardingAttr toAttribute(MLIRContext *context, const DimAxes &axes) {
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (const SmallVector<StringRef> &names : axes)
    dims.push_back(
        sdy::DimensionShardingAttr::get(context, ArrayRef<StringRef>(names)));
  return sdy::TensorShardingAttr::get(context, planMeshName, dims);
}

} // namespace

void annotateParameters(ModuleOp module, const workload::Workload &workload,
                        const Strategy &strategy) {
  MLIRContext *context = module.getContext();
  StrategyMesh mesh(strategy);
  for (sdy::MeshOp old :
       llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    old.erase();
  SmallVector<sdy::MeshAxisAttr> axes;
  for (const NamedAxis &axis : mesh.axes)
    axes.push_back(sdy::MeshAxisAttr::get(context, axis.name, axis.size));
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  sdy::MeshOp::create(builder, module.getLoc(), planMeshName,
                      sdy::MeshAttr::get(context, axes));

  llvm::StringMap<DimAxes> known = parameterAxes(workload, strategy, mesh);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  SmallVector<sdy::TensorShardingAttr> shardings;
  for (BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = main.getArgAttrOfType<StringAttr>(number, "smith.name");
    auto role = main.getArgAttrOfType<StringAttr>(number, "smith.role");
    auto type = cast<RankedTensorType>(argument.getType());
    DimAxes layout(type.getRank());
    if (role && role.getValue() == "batch")
      layout = batchAxes(type, workload, mesh);
    else if (auto found = name ? known.find(name.getValue()) : known.end();
             found != known.end() &&
             found->second.size() == size_t(type.getRank()))
      layout = found->second;
    shardings.push_back(toAttribute(context, layout));
  }
  sdy::setArgumentShardings(main, shardings);
}

} // namespace shardsmith
