// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_HUGGINGFACE_FUNCTIONBUILDER_H
#define SHARDSMITH_LIB_IMPORT_HUGGINGFACE_FUNCTIONBUILDER_H

#include "ModelSpec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace shardsmith::huggingface {

/// How training starts a parameter.
enum class Init { Normal, Zeros, Ones };

struct Parameter {
  std::string name;
  mlir::RankedTensorType type;
  Init init;
  /// The name is that of the whole model, the same in all layers.
  bool isShared = false;
};

/// A function that grows while its body is written: a parameter becomes an
/// argument where it is first asked for, and asking again gives the same
/// argument.
///
///     layers:  @layer(inputs…, parameters…)
///     @main:   @main(parameters…, inputs…)
class FunctionBuilder {
public:
  enum class Order { InputsFirst, ParametersFirst };

  /// Parameters and activations have `elementType`.
  FunctionBuilder(mlir::ModuleOp module, llvm::StringRef name, Order order,
                  mlir::FloatType elementType);

  mlir::ImplicitLocOpBuilder &builder() { return ops; }
  mlir::FloatType elementType() const { return activationType; }

  /// Inputs are declared before any parameter.
  TensorValue input(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  TensorValue parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                        Init init, bool isShared = false);

  /// Parameters in the order of their arguments.
  llvm::ArrayRef<Parameter> parameters() const { return declared; }

  /// Ends the body and gives the function its type.
  mlir::func::FuncOp finish(mlir::ValueRange results);

private:
  mlir::func::FuncOp function;
  mlir::ImplicitLocOpBuilder ops;
  mlir::FloatType activationType;
  Order order;
  std::vector<Parameter> declared;
  llvm::StringMap<mlir::Value> values;
};

//===----------------------------------------------------------------------===//
// Parts that own parameters
//===----------------------------------------------------------------------===//

/// x · weightᵀ + bias along the last dimension of `x`.
TensorValue linear(FunctionBuilder &function, const LinearSpec &spec,
                   TensorValue x);

/// Computed in f32, rounded once.
TensorValue normalize(FunctionBuilder &function, const NormSpec &spec,
                      TensorValue x);

} // namespace shardsmith::huggingface

#endif // SHARDSMITH_LIB_IMPORT_HUGGINGFACE_FUNCTIONBUILDER_H
