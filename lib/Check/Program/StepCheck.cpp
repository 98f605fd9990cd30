// SPDX-License-Identifier: Apache-2.0

#include "../Annotated/SameGraph.h"
#include "Parts.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Support/Hash.h"
#include "shardsmith/Support/LocationText.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shardsmith::check {
namespace {

/// Over the types of arguments and the names and types of ops, in order.
std::string hashOfStep(func::FuncOp step) {
  uint64_t hash = hashText("");
  auto add = [&](const std::string &text) {
    hash = hashText("\xff", hashText(text, hash));
  };
  auto addType = [&](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    add(text);
  };
  llvm::for_each(step.getArgumentTypes(), addType);
  for (Operation &op : step.getBody().front()) {
    add(op.getName().getStringRef().str());
    llvm::for_each(op.getOperandTypes(), addType);
    llvm::for_each(op.getResultTypes(), addType);
  }
  return toDigits(hash);
}

/// Ops without a rule of their own: constraints pass on what they get, every
/// dimension of all others is whole.
FactorRule ruleOf(Operation *op) {
  if (auto interface = dyn_cast<FactorRuleInterface>(op))
    return interface.getFactorRule();
  if (isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(op)) {
    ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
    FactorRule rule = FactorRuleBuilder::pointwise({shape}, {shape});
    rule.linearOperandSets.push_back({0});
    return rule;
  }
  FactorRuleBuilder builder(op->getNumOperands(), op->getNumResults());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, size] : llvm::enumerate(shapeOf(operand.get())))
      builder.add(size, {{operand.getOperandNumber(), unsigned(dim)}}, {},
                  FactorKind::NeedReplication);
  for (OpResult result : op->getResults())
    for (auto [dim, size] : llvm::enumerate(shapeOf(result)))
      builder.add(size, {}, {{result.getResultNumber(), unsigned(dim)}},
                  FactorKind::NeedReplication);
  return builder.build();
}

/// Made where it is wanted, in whatever layout: it carries no factor axes.
bool isFree(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && isPure(op);
}

std::string textOf(Attribute attribute) {
  std::string text;
  if (attribute)
    llvm::raw_string_ostream(text) << attribute;
  return attribute ? text : "none";
}

class StepCheck {
public:
  StepCheck(const ProgramClaims &claims, const ProgramInputs &inputs,
            Findings &findings, CheckReport &report)
      : claims(claims), inputs(inputs), findings(findings), report(report) {}

  void run() {
    step = main(inputs.step, "train-step.mlir");
    annotated = main(inputs.annotated, "annotated.mlir");
    if (!step || !annotated)
      return;
    std::string hash = hashOfStep(step);
    same("/layouts/train_step/hash", claims.stepHash, hash);
    auto stamped =
        inputs.step->getAttrOfType<StringAttr>(smith::kModelHashAttributeName);
    same("/model/hash", claims.modelHash, stamped ? stamped.str() : hash);
    if (auto difference = matchGraphs(inputs.step, inputs.annotated, peers)) {
      findings.broken(locationText(difference->place), "{} (train-step.mlir)",
                      difference->reason);
      return;
    }
    if (!readMesh())
      return;
    checkTensors();
    checkOps();
    checkResults();
  }

private:
  func::FuncOp main(ModuleOp module, const char *file) {
    auto function = module.lookupSymbol<func::FuncOp>("main");
    if (function && function.getBody().hasOneBlock())
      return function;
    findings.broken(file, "has no function @main of one block");
    return nullptr;
  }

  void same(const std::string &item, const std::string &claimed,
            const std::string &actual) {
    ++report.compared;
    if (claimed != actual)
      findings.differs(item, claimed, actual);
  }

  bool readMesh() {
    auto meshes = llvm::to_vector(
        annotated->getParentOfType<ModuleOp>().getOps<sdy::MeshOp>());
    if (meshes.size() != 1 ||
        !meshes.front().getMesh().getDeviceIds().empty()) {
      findings.broken("annotated.mlir", "expected one sdy.mesh in row-major "
                                        "order");
      return false;
    }
    named = {toMesh(meshes.front().getMesh()),
             meshes.front().getSymName().str()};
    std::string claimed, actual;
    for (const ClaimedAxis &axis : claims.mesh)
      claimed += fmt::format("{}={} ", axis.name, axis.size);
    for (MeshAxis axis = 0; axis < named.mesh.getAxisCount(); ++axis)
      actual += fmt::format("{}={} ", named.mesh.getName(axis).str(),
                            named.mesh.getSize(axis));
    same("/layouts/train_step/mesh", claimed, actual);
    return claimed == actual;
  }

  Layout layoutOf(Value value) {
    return layoutOf(sdy::getSharding(value), value.getType(),
                    annotated.getOperation());
  }
  Layout layoutOf(sdy::TensorShardingAttr sharding, Type type, Operation *at) {
    unsigned rank = cast<RankedTensorType>(type).getRank();
    FailureOr<Layout> layout = toLayout(sharding, rank, named, at);
    return succeeded(layout) ? *layout : Layout::replicated(rank);
  }
  std::string textOf(const Layout &layout) {
    return check::textOf(toAttribute(annotated.getContext(), named, layout));
  }

  std::string argumentText(unsigned index, StringRef name) {
    auto text = step.getArgAttrOfType<StringAttr>(index, name);
    return text ? text.str() : "";
  }

  void checkTensors() {
    if (claims.arguments.size() != step.getNumArguments()) {
      findings.differs("/layouts/train_step/arguments", claims.arguments.size(),
                       size_t(step.getNumArguments()),
                       "arguments of the train step");
      return;
    }
    for (auto [index, tensor] : llvm::enumerate(claims.arguments)) {
      std::string item = fmt::format("/layouts/train_step/arguments/{}", index);
      std::string name = argumentText(index, smith::kNameAttributeName);
      auto type = cast<RankedTensorType>(step.getArgumentTypes()[index]);
      std::string element;
      llvm::raw_string_ostream(element) << type.getElementType();
      same(item + "/name", tensor.name,
           name.empty() ? "arg" + std::to_string(index) : name);
      same(item + "/role", tensor.role,
           argumentText(index, smith::kRoleAttributeName));
      same(item + "/dtype", tensor.type, element);
      same(item + "/shape", fmt::format("{}", fmt::join(tensor.shape, " x ")),
           fmt::format("{}", fmt::join(type.getShape(), " x ")));
      Layout layout = layoutOf(annotated.getArgument(index));
      std::string axes, found;
      for (const auto &dim : tensor.axes)
        axes += fmt::format("[{}]", fmt::join(dim, ", "));
      for (const AxisList &dim : layout.dims) {
        std::vector<std::string> names;
        for (MeshAxis axis : dim)
          names.push_back(named.mesh.getName(axis).str());
        found += fmt::format("[{}]", fmt::join(names, ", "));
      }
      same(item + "/axes", axes, found);
    }
  }

  /// Nothing if the text is no choice for an op of this rule.
  std::optional<FactorAxes> axesOf(const ClaimedChoice &choice,
                                   const FactorRule &rule, Operation *op,
                                   smith::FactorAxesAttr &attribute) {
    ScopedDiagnosticHandler quiet(op->getContext(),
                                  [](Diagnostic &) { return success(); });
    attribute = llvm::dyn_cast_if_present<smith::FactorAxesAttr>(
        parseAttribute(choice.factorAxes, op->getContext()));
    if (!attribute)
      return std::nullopt;
    FailureOr<FactorAxes> axes = toFactorAxes(attribute, named.mesh, op);
    if (failed(axes) || !verifyFactorAxes(named.mesh, rule, *axes).empty())
      return std::nullopt;
    FactorAxes found = std::move(*axes);
    return found;
  }

  /// The sharding that a choice names for a result, or null.
  sdy::TensorShardingAttr namedResult(const ClaimedChoice &choice,
                                      unsigned index, MLIRContext *context) {
    if (index >= choice.results.size() || choice.results[index].empty())
      return nullptr;
    ScopedDiagnosticHandler quiet(context,
                                  [](Diagnostic &) { return success(); });
    return llvm::dyn_cast_if_present<sdy::TensorShardingAttr>(
        parseAttribute(choice.results[index], context));
  }

  void checkOps() {
    size_t count =
        llvm::range_size(step.getBody().front().without_terminator());
    std::string item = "/layouts/train_step/ops";
    ++report.compared;
    if (claims.opChoices.size() != count) {
      findings.differs(item, claims.opChoices.size(), count,
                       "ops of the train step");
      return;
    }
    same("/search/layouts/ops", fmt::format("{}", claims.ops),
         fmt::format("{}", count));
    std::vector<bool> isUsed(claims.choices.size(), false);
    size_t index = 0;
    for (Operation &op : step.getBody().front().without_terminator()) {
      auto position = static_cast<size_t>(claims.opChoices[index++]);
      isUsed[position] = true;
      checkOp(&op, claims.choices[position],
              fmt::format("/layouts/train_step/choices/{}", position));
    }
    for (size_t i = 0; i < isUsed.size(); ++i)
      if (!isUsed[i])
        findings.broken(fmt::format("/layouts/train_step/choices/{}", i),
                        "no op takes it");
  }

  void checkOp(Operation *op, const ClaimedChoice &choice,
               const std::string &item) {
    Operation *peer = peers.ops.lookup(op);
    std::string place = locationText(peer->getLoc());
    FactorRule rule = ruleOf(op);
    smith::FactorAxesAttr attribute;
    std::optional<FactorAxes> axes = axesOf(choice, rule, op, attribute);
    if (!axes) {
      findings.broken(item, "is no choice of axes for the op at {}", place);
      return;
    }
    ++report.compared;
    Attribute said = peer->getAttr(smith::kFactorAxesAttributeName);
    Attribute wanted;
    if (isa<FactorRuleInterface>(op) && !isFree(op))
      wanted = attribute;
    if (said != wanted)
      findings.differs(place, check::textOf(said), check::textOf(wanted),
                       "smith.factor_axes by " + item);
    bool isPerResult =
        choice.results.empty() || choice.results.size() == op->getNumResults();
    if (!isPerResult) {
      findings.broken(item + "/results", "is for another number of results");
      return;
    }
    for (OpResult result : op->getResults()) {
      ++report.compared;
      unsigned number = result.getResultNumber();
      Layout layout = getResultLayout(named.mesh, rule, *axes, number);
      if (number < choice.results.size() && !choice.results[number].empty()) {
        auto sharding = namedResult(choice, number, op->getContext());
        if (!sharding) {
          findings.broken(fmt::format("{}/results/{}", item, number),
                          "is no sharding");
          continue;
        }
        layout = layoutOf(sharding, result.getType(), peer);
      }
      Layout found = layoutOf(peer->getResult(number));
      if (!sdy::getSharding(peer->getResult(number)))
        findings.broken(place, "has no sdy.sharding");
      else if (found != layout)
        findings.differs(place, textOf(found), textOf(layout),
                         "sdy.sharding by " + item);
    }
  }

  /// A new parameter lies as the one that it replaces; anything else as it is
  /// pinned or made, with partial sums added up.
  void checkResults() {
    std::map<std::string, unsigned> arguments;
    for (unsigned i = 0; i < step.getNumArguments(); ++i)
      arguments[argumentText(i, smith::kNameAttributeName)] = i;
    Operation *end = annotated.getBody().front().getTerminator();
    for (unsigned i = 0; i < step.getNumResults(); ++i) {
      ++report.compared;
      Type type = step.getResultTypes()[i];
      auto name =
          step.getResultAttrOfType<StringAttr>(i, smith::kNameAttributeName);
      auto role =
          step.getResultAttrOfType<StringAttr>(i, smith::kRoleAttributeName);
      bool isKept = role && (role == "param" || role == "state");
      auto argument = arguments.find(name ? name.str() : "");
      sdy::TensorShardingAttr pin = sdy::getResultSharding(step, i);
      Layout wanted = layoutOf(end->getOperand(i)).withoutPartial();
      if (isKept && argument != arguments.end())
        wanted = layoutOf(annotated.getArgument(argument->second));
      else if (pin && pin.getMeshName() == named.name)
        wanted = layoutOf(pin, type, annotated);
      Layout found =
          layoutOf(sdy::getResultSharding(annotated, i), type, annotated);
      if (found != wanted)
        findings.differs("annotated.mlir", textOf(found), textOf(wanted),
                         fmt::format("result {} of @main", i));
    }
  }

  const ProgramClaims &claims;
  const ProgramInputs &inputs;
  Findings &findings;
  CheckReport &report;
  func::FuncOp step, annotated;
  Peers peers;
  NamedMesh named{Mesh({}), ""};
};

} // namespace

void checkStep(const ProgramClaims &claims, const ProgramInputs &inputs,
               Findings &findings, CheckReport &report) {
  StepCheck(claims, inputs, findings, report).run();
}

} // namespace shardsmith::check
