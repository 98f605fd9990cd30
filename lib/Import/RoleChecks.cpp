// SPDX-License-Identifier: Apache-2.0

#include "RoleChecks.h"
#include "shardsmith/Dialect/Smith/Smith.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

using namespace mlir;

namespace shardsmith {
namespace {

class RoleChecks {
public:
  explicit RoleChecks(func::FuncOp main) : main(main) {}

  LogicalResult run() {
    for (unsigned index = 0; index < main.getNumArguments(); ++index)
      if (failed(checkArgument(index)))
        return failure();
    for (unsigned index = 0; index < main.getNumResults(); ++index)
      if (failed(checkResult(index)))
        return failure();
    if (losses != 1)
      return main.emitError() << "must return one loss, a scalar of "
                              << "floating-point type, but returns " << losses;
    return checkAllReplaced();
  }

private:
  //===--- Arguments --------------------------------------------------------===

  LogicalResult checkArgument(unsigned index) {
    auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[index]);
    if (!type)
      return argumentError(index)
             << "is a " << main.getArgumentTypes()[index] << ", not a tensor";
    StringRef role = argumentText(index, smith::kRoleAttributeName);
    // Complex parameters will be two, `expand-complex` says how.
    if (role == roles::param &&
        !isa<FloatType, ComplexType>(type.getElementType()))
      return argumentError(index)
             << "is a parameter of " << type.getElementType()
             << "; parameters must be floating point (is it state, batch or "
             << "constant?)";
    unreplaced[argumentText(index, smith::kNameAttributeName)] = index;
    return role == roles::batch ? checkSamples(index, type) : success();
  }

  /// All batch arguments must hold the same number of samples.
  LogicalResult checkSamples(unsigned index, RankedTensorType type) {
    auto dim = main.getArgAttrOfType<IntegerAttr>(
        index, smith::kBatchDimAttributeName);
    if (dim.getInt() < 0 || dim.getInt() >= type.getRank())
      return success();
    int64_t count = type.getDimSize(dim.getInt());
    if (!firstBatch) {
      firstBatch = index;
      samples = count;
    }
    if (count == samples)
      return success();
    return argumentError(index)
           << "holds " << count << " samples (dimension " << dim.getInt()
           << "), but argument " << *firstBatch << " holds " << samples
           << "; say with smith.batch_dim which dimension counts samples, -1 "
           << "for none";
  }

  //===--- Results ----------------------------------------------------------===

  LogicalResult checkResult(unsigned index) {
    StringRef role = resultText(index, smith::kRoleAttributeName);
    Type type = main.getResultTypes()[index];
    if (role == roles::output)
      return success();
    if (role == roles::loss) {
      ++losses;
      if (isLossType(type))
        return success();
      return resultError(index) << "is the loss, which must be a scalar of "
                                << "floating-point type, but is a " << type;
    }

    isTrainStep |= role == roles::param;
    isStateful = true;
    auto replaced =
        unreplaced.find(resultText(index, smith::kNameAttributeName));
    if (replaced == unreplaced.end())
      return resultError(index) << "has role '" << role << "', but there is no "
                                << "argument of its name for it to replace";
    unsigned argument = replaced->second;
    if (argumentText(argument, smith::kRoleAttributeName) != role)
      return resultError(index) << "has role '" << role << "', but the "
                                << "argument of its name does not";
    if (main.getArgumentTypes()[argument] != type)
      return resultError(index)
             << "is a " << type << ", but the argument it "
             << "replaces is a " << main.getArgumentTypes()[argument];
    unreplaced.erase(replaced);
    return success();
  }

  /// A train step returns every parameter and state; a forward graph that
  /// returns a state, such as averages of its own, returns all states.
  LogicalResult checkAllReplaced() {
    for (unsigned index = 0; index < main.getNumArguments(); ++index) {
      StringRef role = argumentText(index, smith::kRoleAttributeName);
      bool changes = (role == roles::param && isTrainStep) ||
                     (role == roles::state && isStateful);
      if (!changes ||
          !unreplaced.contains(argumentText(index, smith::kNameAttributeName)))
        continue;
      return argumentError(index)
             << "has role '" << role << "', but no result of this "
             << (isTrainStep ? "train step" : "model")
             << " replaces it; if it never changes, it is constant";
    }
    return success();
  }

  //===--- Words ------------------------------------------------------------===

  StringRef argumentText(unsigned index, StringRef attribute) {
    return main.getArgAttrOfType<StringAttr>(index, attribute).getValue();
  }
  StringRef resultText(unsigned index, StringRef attribute) {
    return main.getResultAttrOfType<StringAttr>(index, attribute).getValue();
  }
  InFlightDiagnostic argumentError(unsigned index) {
    return emitError(main.getArgument(index).getLoc())
           << "argument " << index << " ('"
           << argumentText(index, smith::kNameAttributeName) << "') ";
  }
  InFlightDiagnostic resultError(unsigned index) {
    return main.emitError()
           << "result " << index << " ('"
           << resultText(index, smith::kNameAttributeName) << "') ";
  }

  func::FuncOp main;
  std::optional<unsigned> firstBatch;
  int64_t samples = 0;
  unsigned losses = 0;
  /// Parameters are returned; so are states, here or in a forward graph.
  bool isTrainStep = false, isStateful = false;
  /// Position of each argument that no result has replaced so far, by name.
  llvm::StringMap<unsigned> unreplaced;
};

} // namespace

bool isLossType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         isa<FloatType>(tensor.getElementType());
}

LogicalResult checkRoles(func::FuncOp main) { return RoleChecks(main).run(); }

} // namespace shardsmith
