// SPDX-License-Identifier: Apache-2.0

#include "StepGraph.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Support/Hash.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardsmith {
namespace plan {
namespace {

class Annotator {
public:
  Annotator(StepGraph graph, const StepPlan &plan)
      : graph(std::move(graph)), plan(plan), mesh{meshOf(plan), planMeshName},
        context(this->graph.function.getContext()) {}

  llvm::Error run() {
    if (llvm::Error error = readArguments())
      return error;
    if (llvm::Error error = readChoices())
      return error;
    // Everything is known to fit; from here on the IR changes.
    replaceMesh();
    annotateArguments();
    annotateOps();
    annotateResults();
    return llvm::Error::success();
  }

private:
  struct Choice {
    smith::FactorAxesAttr attribute;
    /// The layouts in which results are handed out.
    std::vector<Layout> results;
  };

  llvm::Error mismatch(const std::string &what) {
    return makeError(ExitCode::BadInput,
                     "the plan does not belong to this train step: " + what +
                         "; plan it again");
  }

  llvm::Error readArguments() {
    llvm::StringMap<const PlannedTensor *> tensors;
    for (const PlannedTensor &tensor : plan.arguments)
      tensors[tensor.name] = &tensor;
    for (unsigned node = 0; node < graph.argumentCount(); ++node) {
      const std::string &name = graph.arguments[node].name;
      const PlannedTensor *tensor = tensors.lookup(name);
      if (!tensor)
        return mismatch("it has no layout for argument \"" + name + "\"");
      RankedTensorType type = graph.values[graph.nodes[node].results[0]].type;
      if (type.getShape() != ArrayRef<int64_t>(tensor->shape) ||
          tensor->axes.size() != tensor->shape.size())
        return mismatch("argument \"" + name + "\" has another shape");
      Layout layout;
      for (const auto &names : tensor->axes) {
        AxisList &dim = layout.dims.emplace_back();
        for (const std::string &axis : names) {
          std::optional<MeshAxis> found = mesh.mesh.find(axis);
          if (!found)
            return mismatch((llvm::Twine("argument \"") + name +
                             "\" uses axis \"" + axis +
                             "\", which its mesh does not have")
                                .str());
          dim.push_back(*found);
        }
      }
      layouts.push_back(std::move(layout));
    }
    return llvm::Error::success();
  }

  llvm::Error readChoices() {
    size_t ops = graph.nodes.size() - graph.argumentCount();
    if (plan.opChoices.size() != ops)
      return mismatch("it decides " + std::to_string(plan.opChoices.size()) +
                      " ops, the step has " + std::to_string(ops));
    std::vector<smith::FactorAxesAttr> attributes;
    for (const OpChoice &choice : plan.choices) {
      auto attribute = llvm::dyn_cast_if_present<smith::FactorAxesAttr>(
          parseAttribute(choice.factorAxes, context));
      if (!attribute)
        return mismatch("\"" + choice.factorAxes + "\" is no choice of axes");
      attributes.push_back(attribute);
    }
    for (size_t index = 0; index < ops; ++index) {
      const StepNode &node = graph.nodes[index + graph.argumentCount()];
      int64_t choice = plan.opChoices[index];
      if (choice < 0 || choice >= int64_t(attributes.size()))
        return mismatch("op " + std::to_string(index) + " has no choice");
      FailureOr<FactorAxes> axes =
          toFactorAxes(attributes[choice], mesh.mesh, node.op);
      if (failed(axes))
        return mismatch("a choice uses an axis that its mesh does not have");
      std::string error = verifyFactorAxes(mesh.mesh, *node.rule, *axes);
      if (!error.empty())
        return mismatch("op " + std::to_string(index) + " ('" +
                        node.op->getName().getStringRef().str() +
                        "'): " + error);
      Choice &taken = choices.emplace_back();
      taken.attribute = attributes[choice];
      for (unsigned result = 0; result < node.results.size(); ++result)
        taken.results.push_back(
            getResultLayout(mesh.mesh, *node.rule, *axes, result));
      if (llvm::Error error =
              readHandedOut(plan.choices[choice], node, taken.results))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error readHandedOut(const OpChoice &choice, const StepNode &node,
                            std::vector<Layout> &results) {
    if (choice.results.empty())
      return llvm::Error::success();
    if (choice.results.size() != results.size())
      return mismatch("a choice is for another number of results");
    for (auto [text, layout] : llvm::zip_equal(choice.results, results)) {
      if (text.empty())
        continue;
      auto sharding = llvm::dyn_cast_if_present<sdy::TensorShardingAttr>(
          parseAttribute(text, context));
      if (!sharding || sharding.getMeshName() != mesh.name)
        return mismatch("\"" + text + "\" is no sharding");
      FailureOr<Layout> read =
          toLayout(sharding, layout.getRank(), mesh, node.op);
      if (failed(read))
        return mismatch("\"" + text + "\" does not fit its op");
      layout = std::move(*read);
    }
    return llvm::Error::success();
  }

  void replaceMesh() {
    auto module = graph.function->getParentOfType<ModuleOp>();
    for (sdy::MeshOp old :
         llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
      old.erase();
    SmallVector<sdy::MeshAxisAttr> axes;
    for (const FixedAxis &axis : plan.mesh)
      axes.push_back(sdy::MeshAxisAttr::get(context, axis.name, axis.size));
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    sdy::MeshOp::create(builder, module.getLoc(), planMeshName,
                        sdy::MeshAttr::get(context, axes));
  }

  void annotateArguments() {
    SmallVector<sdy::TensorShardingAttr> shardings;
    for (unsigned index = 0; index < graph.argumentCount(); ++index)
      shardings.push_back(toAttribute(context, mesh, layouts[index]));
    sdy::setArgumentShardings(graph.function, shardings);
  }

  Layout resultLayout(const StepValue &value) const {
    if (graph.isArgument(value.node))
      return layouts[value.node];
    return choices[value.node - graph.argumentCount()].results[value.result];
  }

  void annotateOps() {
    for (unsigned index = graph.argumentCount(); index < graph.nodes.size();
         ++index) {
      const StepNode &node = graph.nodes[index];
      // Constants and counters are made in whatever layout is wanted.
      bool isFree =
          node.results.size() == 1 && graph.values[node.results.front()].isFree;
      if (isa<FactorRuleInterface>(node.op) && !isFree)
        node.op->setAttr(smith::kFactorAxesAttributeName,
                         choices[index - graph.argumentCount()].attribute);
      SmallVector<sdy::TensorShardingAttr> shardings;
      for (unsigned value : node.results)
        shardings.push_back(
            toAttribute(context, mesh, resultLayout(graph.values[value])));
      if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(node.op))
        constraint.setShardingAttr(shardings.front());
      else if (!shardings.empty())
        node.op->setAttr(
            sdy::kShardingAttributeName,
            sdy::TensorShardingPerValueAttr::get(context, shardings));
    }
  }

  /// A new parameter has the layout of the argument it replaces, any other
  /// result the one it is pinned to, or that of its value without partial
  /// sums.
  void annotateResults() {
    for (auto [index, value] : llvm::enumerate(graph.results)) {
      int64_t argument = graph.replaced[index];
      Layout layout = argument >= 0
                          ? layouts[argument]
                          : resultLayout(graph.values[value]).withoutPartial();
      sdy::TensorShardingAttr pin =
          sdy::getResultSharding(graph.function, index);
      if (argument < 0 && pin) {
        // The file's mesh has gone; the plan's has its axes.
        auto ofPlan = sdy::TensorShardingAttr::get(
            context, mesh.name, pin.getDimShardings(), pin.getUnreducedAxes(),
            pin.getUnreducedKind());
        FailureOr<Layout> pinned =
            toLayout(ofPlan, layout.getRank(), mesh, graph.function);
        if (succeeded(pinned))
          layout = *pinned;
      }
      sdy::setResultSharding(graph.function, index,
                             toAttribute(context, mesh, layout));
    }
  }

  StepGraph graph;
  const StepPlan &plan;
  NamedMesh mesh;
  MLIRContext *context;
  std::vector<Layout> layouts;
  std::vector<Choice> choices;
};

} // namespace
} // namespace plan

std::string hashTrainStep(func::FuncOp trainStep) {
  // Over op names and types, in program order; types are printed once.
  uint64_t hash = hashText("");
  auto add = [&](StringRef text) {
    hash = hashText("\xff", hashText(text, hash));
  };
  llvm::DenseMap<Type, std::string> texts;
  auto addTypes = [&](TypeRange types) {
    for (Type type : types) {
      std::string &text = texts[type];
      if (text.empty())
        llvm::raw_string_ostream(text) << type;
      add(text);
    }
  };
  addTypes(trainStep.getArgumentTypes());
  for (Operation &op : trainStep.getBody().front()) {
    add(op.getName().getStringRef());
    addTypes(op.getOperandTypes());
    addTypes(op.getResultTypes());
  }
  return toDigits(hash);
}

llvm::Error applyPlan(ModuleOp module, const StepPlan &plan) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function)
    return makeError(ExitCode::BadInput, "the module has no @main");
  if (std::string hash = hashTrainStep(function); hash != plan.stepHash)
    return makeError(ExitCode::BadInput,
                     "the plan is for the train step " + plan.stepHash +
                         " but this one is " + hash +
                         "; plan it again, or use the optimizer and model "
                         "the plan was made for");
  FailureOr<plan::StepGraph> graph = plan::buildStepGraph(function);
  if (failed(graph))
    return makeError(ExitCode::BadInput, "the train step is malformed");
  return plan::Annotator(std::move(*graph), plan).run();
}

} // namespace shardsmith
