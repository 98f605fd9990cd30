// SPDX-License-Identifier: Apache-2.0

#include "ArgumentNames.h"
#include "RoleChecks.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Import/Passes.h"
#include "llvm/Support/JSON.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_ASSIGNROLES
#include "shardsmith/Import/Passes.h.inc"

namespace {

constexpr const char *kNotText =
    " is not UTF-8, so that plans and checkpoints could not hold it";

/// What each argument and result of `main` gets, before it is written.
struct Slot {
  StringRef role;
  std::string name;
};

struct AssignRoles : impl::AssignRolesBase<AssignRoles> {
  using AssignRolesBase::AssignRolesBase;

  void runOnOperation() override {
    main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isPrivate()) {
      getOperation().emitError()
          << "has no public function @main, which a model file must have";
      return signalPassFailure();
    }
    arguments.assign(main.getNumArguments(), {});
    results.assign(main.getNumResults(), {});
    if (failed(assignArgumentRoles()) || failed(nameArguments()) ||
        failed(assignResultRoles()) || failed(nameResults()))
      return signalPassFailure();
    write();
    if (failed(checkRoles(main)))
      signalPassFailure();
  }

private:
  //===--- Arguments --------------------------------------------------------===

  LogicalResult assignArgumentRoles() {
    const std::pair<StringRef, std::string> given[] = {
        {roles::param, params},
        {roles::state, states},
        {roles::batch, batch},
        {roles::constant, constants}};
    for (const auto &[role, ranges] : given)
      if (failed(assignRange(role, ranges)))
        return failure();

    // Without an option for batch arguments, they are what is left over.
    bool anyOption = llvm::any_of(
        given, [](const auto &option) { return !option.second.empty(); });
    for (auto [index, slot] : llvm::enumerate(arguments)) {
      if (!slot.role.empty())
        continue;
      if (auto role = main.getArgAttrOfType<StringAttr>(
              index, smith::kRoleAttributeName))
        slot.role = role;
      else if (anyOption && batch.empty())
        slot.role = roles::batch;
      else
        return emitError(main.getArgument(index).getLoc())
               << "argument " << index << " has no role; give it smith.role, "
               << "or say which arguments are parameters: params=0-"
               << std::max(index, size_t(1)) - 1;
    }
    return success();
  }

  LogicalResult assignRange(StringRef role, StringRef ranges) {
    std::string error;
    auto indices = parseIndexRanges(ranges, arguments.size(), error);
    if (!indices)
      return main.emitError() << "option for role '" << role << "': " << error;
    for (unsigned index : *indices) {
      StringRef &other = arguments[index].role;
      if (!other.empty())
        return emitError(main.getArgument(index).getLoc())
               << "argument " << index << " is given two roles, '" << other
               << "' and '" << role << "'";
      other = role;
    }
    return success();
  }

  LogicalResult nameArguments() {
    llvm::StringMap<unsigned> taken;
    for (auto [index, slot] : llvm::enumerate(arguments)) {
      Location location = main.getArgument(index).getLoc();
      if (auto name = main.getArgAttrOfType<StringAttr>(
              index, smith::kNameAttributeName))
        slot.name = name.str();
      else if (auto name = nameInLocation(location))
        slot.name = *name;
      else
        slot.name = "arg" + std::to_string(index);
      if (!llvm::json::isUTF8(slot.name))
        return emitError(location)
               << "the name of argument " << index << kNotText;
      auto [entry, isNew] = taken.try_emplace(slot.name, index);
      if (!isNew)
        return emitError(location)
               << "arguments " << entry->second << " and " << index
               << " are both called '" << slot.name << "'";
    }
    return success();
  }

  /// Positions of the arguments that a train step returns anew, in order.
  SmallVector<unsigned> replacedArguments() const {
    SmallVector<unsigned> replaced;
    for (auto [index, slot] : llvm::enumerate(arguments))
      if (slot.role == roles::param || slot.role == roles::state)
        replaced.push_back(index);
    return replaced;
  }

  //===--- Results ----------------------------------------------------------===

  LogicalResult assignResultRoles() {
    size_t withRole = 0;
    for (auto [index, slot] : llvm::enumerate(results))
      if (auto role = main.getResultAttrOfType<StringAttr>(
              index, smith::kRoleAttributeName)) {
        slot.role = role;
        ++withRole;
      }
    if (withRole == results.size() && withRole > 0)
      return success();
    if (withRole > 0)
      return main.emitError() << "only " << withRole << " of " << results.size()
                              << " results have smith.role";
    return findLoss();
  }

  /// Without attributes, results are recognised by type: those of a train
  /// step are the replaced arguments in order with the loss somewhere among
  /// them, those of a forward model the loss alone; outputs may follow.
  LogicalResult findLoss() {
    SmallVector<unsigned> replaced = replacedArguments();
    SmallVector<unsigned> asStep, asForward;
    for (unsigned index = 0; index < results.size(); ++index) {
      if (loss >= 0 && index != loss)
        continue;
      if (!isLossType(main.getResultTypes()[index]))
        continue;
      if (replacesArguments(replaced, index))
        asStep.push_back(index);
      asForward.push_back(index);
    }
    bool hasState = llvm::any_of(
        arguments, [](const Slot &slot) { return slot.role == roles::state; });
    if (hasState && asStep.empty())
      return main.emitError()
             << "has optimizer state, so its results must be the "
             << replaced.size() << " parameters and states, with the loss "
             << "before, between or after them; they are "
             << main.getResultTypes();
    const SmallVector<unsigned> &candidates =
        asStep.empty() ? asForward : asStep;
    if (candidates.empty())
      return main.emitError()
             << "has no result that can be the loss: a scalar of "
             << "floating-point type; the results are "
             << main.getResultTypes();
    if (candidates.size() > 1)
      return main.emitError()
             << "results " << candidates[0] << " and " << candidates[1]
             << " could each be the loss; choose one with loss=N";
    unsigned chosen = candidates.front();
    for (Slot &slot : results)
      slot.role = roles::output;
    results[chosen].role = roles::loss;
    if (!asStep.empty())
      for (auto [position, argument] : llvm::enumerate(replaced))
        results[position + (position >= chosen)].role =
            arguments[argument].role;
    return success();
  }

  /// Whether the results without number `skipped` begin with the types of
  /// the arguments `replaced`.
  bool replacesArguments(ArrayRef<unsigned> replaced, unsigned skipped) {
    if (replaced.empty() || results.size() < replaced.size() + 1)
      return false;
    for (auto [position, argument] : llvm::enumerate(replaced))
      if (main.getResultTypes()[position + (position >= skipped)] !=
          main.getArgumentTypes()[argument])
        return false;
    return true;
  }

  /// A result that replaces an argument is called like it. Unnamed ones are
  /// taken in the order of the arguments of their role.
  LogicalResult nameResults() {
    llvm::StringMap<SmallVector<unsigned>> byRole;
    SmallVector<unsigned> replaced = replacedArguments();
    for (unsigned index : llvm::reverse(replaced))
      byRole[arguments[index].role].push_back(index);
    for (auto [index, slot] : llvm::enumerate(results)) {
      if (auto name = main.getResultAttrOfType<StringAttr>(
              index, smith::kNameAttributeName)) {
        slot.name = name.str();
        if (!llvm::json::isUTF8(slot.name))
          return main.emitError() << "the name of result " << index << kNotText;
        continue;
      }
      SmallVector<unsigned> &unclaimed = byRole[slot.role];
      bool replaces = slot.role == roles::param || slot.role == roles::state;
      if (replaces && unclaimed.empty())
        return main.emitError() << "has more results of role '" << slot.role
                                << "' than arguments";
      if (replaces)
        slot.name = arguments[unclaimed.pop_back_val()].name;
      else if (slot.role == roles::loss)
        slot.name = "loss";
      else
        slot.name = "output" + std::to_string(index);
    }
    return success();
  }

  //===--- Writing ----------------------------------------------------------===

  /// Replaces what frameworks wrote about arguments and results by ours.
  void write() {
    Builder builder(&getContext());
    auto merge = [&](DictionaryAttr old, const Slot &slot) {
      NamedAttrList kept;
      for (NamedAttribute attribute :
           old ? old.getValue() : ArrayRef<NamedAttribute>()) {
        StringRef name = attribute.getName();
        if (name.starts_with("smith.") || name.starts_with("sdy."))
          kept.append(attribute);
      }
      kept.set(smith::kRoleAttributeName, builder.getStringAttr(slot.role));
      kept.set(smith::kNameAttributeName, builder.getStringAttr(slot.name));
      return kept;
    };
    for (auto [index, slot] : llvm::enumerate(arguments)) {
      NamedAttrList attributes = merge(main.getArgAttrDict(index), slot);
      auto type = dyn_cast<ShapedType>(main.getArgumentTypes()[index]);
      if (slot.role == roles::batch &&
          !attributes.get(smith::kBatchDimAttributeName))
        attributes.set(smith::kBatchDimAttributeName,
                       builder.getI64IntegerAttr(
                           type && type.hasRank() && type.getRank() ? 0 : -1));
      if (slot.role == roles::state &&
          !attributes.get(smith::kInitAttributeName))
        attributes.set(smith::kInitAttributeName,
                       builder.getStringAttr("zeros"));
      main.setArgAttrs(index, attributes);
    }
    for (auto [index, slot] : llvm::enumerate(results))
      main.setResultAttrs(index, merge(main.getResultAttrDict(index), slot)
                                     .getDictionary(&getContext()));
  }

  func::FuncOp main;
  SmallVector<Slot> arguments, results;
};

} // namespace
} // namespace shardsmith
