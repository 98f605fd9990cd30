// SPDX-License-Identifier: Apache-2.0
// How the context sees the ops of stablehlo and chlo.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_OPMODEL_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_OPMODEL_H

#include "mlir/IR/OperationSupport.h"

namespace shardsmith::stablehlo {

/// Reports inferred types that do not fit the op's own, in one message. MLIR
/// checks them too, but afterwards, and adds a second message.
llvm::LogicalResult checkInferredTypes(mlir::Operation *op);

/// MLIR's own model of an op, to which all is delegated but for two things.
///
/// Lists of dimensions may also be given as dense elements, as older producers
/// wrote them:
///
///   permutation = dense<[1, 0]> : tensor<2xi64>
///   permutation = array<i64: 1, 0>                 // what is stored
///
/// Attributes come from the parser's two generic positions, `<{…}>` and `{…}`,
/// and from pretty forms' attribute dictionaries: three functions convert them
/// before the op sees them.
///
/// The verifier compares the result types with those inferred.
class OpModel : public mlir::OperationName::Impl {
public:
  explicit OpModel(std::unique_ptr<mlir::OperationName::Impl> model);

  template <typename Op> static void insert(mlir::Dialect &dialect) {
    using Model = mlir::RegisteredOperationName::Model<Op>;
    mlir::RegisteredOperationName::insert(
        std::make_unique<OpModel>(std::make_unique<Model>(&dialect)),
        Op::getAttributeNames());
  }

  //===--------------------------------------------------------------------===//
  // Converting
  //===--------------------------------------------------------------------===//

  void setInherentAttr(mlir::Operation *op, mlir::StringAttr name,
                       mlir::Attribute value) override;
  llvm::LogicalResult verifyInherentAttrs(
      mlir::OperationName name, mlir::NamedAttrList &attributes,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) override;
  llvm::LogicalResult setPropertiesFromAttr(
      mlir::OperationName name, mlir::OpaqueProperties properties,
      mlir::Attribute attribute,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) override;

  //===--------------------------------------------------------------------===//
  // Verifying
  //===--------------------------------------------------------------------===//

  llvm::LogicalResult verifyInvariants(mlir::Operation *op) override {
    return llvm::failure(failed(model->verifyInvariants(op)) ||
                         failed(checkInferredTypes(op)));
  }

  //===--------------------------------------------------------------------===//
  // Delegating
  //===--------------------------------------------------------------------===//

  llvm::LogicalResult
  foldHook(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands,
           llvm::SmallVectorImpl<mlir::OpFoldResult> &results) override {
    return model->foldHook(op, operands, results);
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                   mlir::MLIRContext *context) override {
    model->getCanonicalizationPatterns(patterns, context);
  }
  bool hasTrait(mlir::TypeID trait) override { return model->hasTrait(trait); }
  mlir::OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return model->getParseAssemblyFn();
  }
  void populateDefaultAttrs(const mlir::OperationName &name,
                            mlir::NamedAttrList &attributes) override {
    model->populateDefaultAttrs(name, attributes);
  }
  void printAssembly(mlir::Operation *op, mlir::OpAsmPrinter &printer,
                     llvm::StringRef defaultDialect) override {
    model->printAssembly(op, printer, defaultDialect);
  }
  llvm::LogicalResult verifyRegionInvariants(mlir::Operation *op) override {
    return model->verifyRegionInvariants(op);
  }
  std::optional<mlir::Attribute>
  getInherentAttr(mlir::Operation *op, llvm::StringRef attribute) override {
    return model->getInherentAttr(op, attribute);
  }
  void populateInherentAttrs(mlir::Operation *op,
                             mlir::NamedAttrList &attributes) override {
    model->populateInherentAttrs(op, attributes);
  }
  int getOpPropertyByteSize() override {
    return model->getOpPropertyByteSize();
  }
  void initProperties(mlir::OperationName name, mlir::OpaqueProperties storage,
                      mlir::OpaqueProperties initial) override {
    model->initProperties(name, storage, initial);
  }
  void deleteProperties(mlir::OpaqueProperties properties) override {
    model->deleteProperties(properties);
  }
  void populateDefaultProperties(mlir::OperationName name,
                                 mlir::OpaqueProperties properties) override {
    model->populateDefaultProperties(name, properties);
  }
  mlir::Attribute getPropertiesAsAttr(mlir::Operation *op) override {
    return model->getPropertiesAsAttr(op);
  }
  void copyProperties(mlir::OpaqueProperties target,
                      mlir::OpaqueProperties source) override {
    model->copyProperties(target, source);
  }
  bool compareProperties(mlir::OpaqueProperties left,
                         mlir::OpaqueProperties right) override {
    return model->compareProperties(left, right);
  }
  llvm::hash_code hashProperties(mlir::OpaqueProperties properties) override {
    return model->hashProperties(properties);
  }

private:
  std::unique_ptr<mlir::OperationName::Impl> model;
};

/// Makes the ops known to the dialect's context.
template <typename... Ops> void insertOps(mlir::Dialect &dialect) {
  (OpModel::insert<Ops>(dialect), ...);
}

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_OPMODEL_H
