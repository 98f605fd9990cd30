// SPDX-License-Identifier: Apache-2.0
//
// Ops that are one call of a library behind the runtime, with a descriptor of
// sizes and strides in the program's data.

#include "ProgramEmitter.h"

#include "AttentionCall.h"
#include "ConvolutionCall.h"
#include "LinearAlgebraCall.h"

using namespace mlir;

namespace shardsmith::cpu {

void ProgramEmitter::emitConvolution(stablehlo::ConvolutionOp op) {
  smith_convolution convolution = describeConvolution(op, convolutionCount++);
  Value descriptor =
      runtime.descriptor("convolution_" + Twine(convolution.id), convolution);
  runtime.call("smith_convolution_run",
               {frame.context, descriptor, addressOf(op.getLhs()),
                addressOf(op.getRhs()), addressOf(op.getResult())});
}

template <typename Op> LogicalResult ProgramEmitter::emitProduct(Op op) {
  if (op.getBatch().size() > SMITH_GEMM_MAX_BATCH)
    return op.emitOpError()
           << "has " << op.getBatch().size()
           << " batch dimensions; the runtime's matrix product has at most "
           << SMITH_GEMM_MAX_BATCH;
  smith_gemm gemm = {};
  gemm.id = gemmCount++;
  gemm.batch_count = op.getBatch().size();
  gemm.a_dtype = dtypeOf(getElementTypeOrSelf(op.getLhs()));
  gemm.b_dtype = dtypeOf(getElementTypeOrSelf(op.getRhs()));
  gemm.c_dtype = dtypeOf(getElementTypeOrSelf(op.getResult()));
  gemm.m = op.getSizes()[0];
  gemm.n = op.getSizes()[1];
  gemm.k = op.getSizes()[2];
  for (int32_t i = 0; i < gemm.batch_count; ++i) {
    gemm.batch[i] = op.getBatch()[i];
    gemm.a_batch_stride[i] = op.getLhsStrides()[i];
    gemm.b_batch_stride[i] = op.getRhsStrides()[i];
    gemm.c_batch_stride[i] = op.getResultStrides()[i];
  }
  gemm.a_m_stride = op.getLhsStrides()[gemm.batch_count];
  gemm.a_k_stride = op.getLhsStrides()[gemm.batch_count + 1];
  gemm.b_k_stride = op.getRhsStrides()[gemm.batch_count];
  gemm.b_n_stride = op.getRhsStrides()[gemm.batch_count + 1];
  gemm.c_m_stride = op.getResultStrides()[gemm.batch_count];
  gemm.c_n_stride = op.getResultStrides()[gemm.batch_count + 1];
  gemm.accumulates = std::is_same_v<Op, smith::AddGemmOp> ? 1 : 0;
  Value descriptor = runtime.descriptor("gemm_" + Twine(gemm.id), gemm);
  auto shifted = [&](Value tensor, int64_t elements) -> Value {
    Value address = addressOf(tensor);
    if (elements == 0)
      return address;
    int64_t bytes = elements * storageBytes(getElementTypeOrSelf(tensor));
    return LLVM::GEPOp::create(builder, runtime.pointer(), builder.getI8Type(),
                               address, LLVM::GEPArg(runtime.integer64(bytes)));
  };
  runtime.call("smith_gemm_run", {frame.context, descriptor,
                                  shifted(op.getLhs(), op.getLhsOffset()),
                                  shifted(op.getRhs(), op.getRhsOffset()),
                                  addressOf(op.getResult())});
  return success();
}

LogicalResult ProgramEmitter::emitGemm(smith::GemmOp op) {
  return emitProduct(op);
}

LogicalResult ProgramEmitter::emitAddGemm(smith::AddGemmOp op) {
  if (lower::offsetOf(op.getSum()) != lower::offsetOf(op.getResult()))
    copy(addressOf(op.getResult()), addressOf(op.getSum()),
         lower::bufferBytes(op.getType()));
  return emitProduct(op);
}

Value ProgramEmitter::attentionDescriptor(const smith_attention &attention) {
  return runtime.descriptor("attention_" + Twine(attentionCount++), attention);
}

void ProgramEmitter::emitAttention(smith::AttentionOp op) {
  Value descriptor = attentionDescriptor(describeAttention(op));
  runtime.call("smith_attention_run",
               {frame.context, descriptor, addressOf(op.getQuery()),
                addressOf(op.getKey()), addressOf(op.getValue()),
                addressOrNull(op.getBias()), addressOf(op.getOutput()),
                addressOf(op.getLogSumExp())});
}

void ProgramEmitter::emitAttentionGradient(smith::AttentionGradientOp op) {
  Value descriptor = attentionDescriptor(describeAttention(op));
  runtime.call("smith_attention_gradient_run",
               {frame.context, descriptor, addressOf(op.getQuery()),
                addressOf(op.getKey()), addressOf(op.getValue()),
                addressOf(op.getOutput()), addressOf(op.getLogSumExp()),
                addressOf(op.getOutputCotangent()), addressOrNull(op.getBias()),
                addressOf(op.getQueryGradient()),
                addressOf(op.getKeyGradient()),
                addressOf(op.getValueGradient())});
}

void ProgramEmitter::emitPartialAttention(smith::PartialAttentionOp op) {
  Value descriptor = attentionDescriptor(describeAttention(op));
  runtime.call("smith_partial_attention_run",
               {frame.context, descriptor, addressOf(op.getQuery()),
                addressOf(op.getKey()), addressOf(op.getValue()),
                addressOf(op.getFirstQuery()), addressOf(op.getFirstKey()),
                addressOrNull(op.getBias()),
                addressOrNull(op.getOutputBefore()),
                addressOrNull(op.getLogSumExpBefore()),
                addressOf(op.getOutput()), addressOf(op.getLogSumExp())});
}

void ProgramEmitter::emitPartialGradient(smith::PartialAttentionGradientOp op) {
  Value descriptor = attentionDescriptor(describeAttention(op));
  runtime.call(
      "smith_partial_attention_gradient_run",
      {frame.context, descriptor, addressOf(op.getQuery()),
       addressOf(op.getKey()), addressOf(op.getValue()),
       addressOf(op.getOutput()), addressOf(op.getLogSumExp()),
       addressOf(op.getOutputCotangent()), addressOf(op.getFirstQuery()),
       addressOf(op.getFirstKey()), addressOrNull(op.getBias()),
       addressOrNull(op.getQueryBefore()), addressOrNull(op.getKeyBefore()),
       addressOrNull(op.getValueBefore()), addressOf(op.getQueryGradient()),
       addressOf(op.getKeyGradient()), addressOf(op.getValueGradient())});
}

void ProgramEmitter::emitGroupedProduct(Operation *op, const char *function,
                                        Value left, Value right, Value matrices,
                                        bool transposed) {
  Value groups = op->getOperand(1);
  auto shapeOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  size_t batches = shapeOf(matrices).size() - 3;
  smith_grouped_product product = {};
  product.id = groupedCount++;
  product.transposed = transposed;
  product.left_dtype = dtypeOf(getElementTypeOrSelf(left));
  product.right_dtype = dtypeOf(getElementTypeOrSelf(right));
  product.matrix_dtype = dtypeOf(getElementTypeOrSelf(matrices));
  product.batch = product.rows = 1;
  for (auto [dim, size] : llvm::enumerate(shapeOf(groups)))
    (dim < batches ? product.batch : product.rows) *= size;
  product.groups = shapeOf(matrices)[batches];
  product.k = shapeOf(left).back();
  product.n = shapeOf(right).back();
  Value descriptor =
      runtime.descriptor("grouped_product_" + Twine(product.id), product);
  runtime.call(function,
               {frame.context, descriptor, addressOf(op->getOperand(0)),
                addressOf(groups), addressOf(op->getOperand(2)),
                addressOf(op->getResult(0))});
}

void ProgramEmitter::emitCholesky(stablehlo::CholeskyOp op) {
  smith_cholesky cholesky = describeCholesky(op);
  Value descriptor =
      runtime.descriptor("cholesky_" + Twine(linearAlgebraCount++), cholesky);
  runtime.call("smith_cholesky_run",
               {frame.context, descriptor, addressOf(op.getA()),
                addressOf(op.getResult())});
}

void ProgramEmitter::emitMatrixFactors(Operation *op) {
  Value descriptor =
      runtime.descriptor("matrix_factors_" + Twine(linearAlgebraCount++),
                         describeMatrixFactors(op));
  Value third = op->getNumResults() > 2 ? op->getResult(2) : Value();
  runtime.call("smith_matrix_factors_run",
               {frame.context, descriptor, addressOf(op->getOperand(0)),
                addressOf(op->getResult(0)), addressOf(op->getResult(1)),
                addressOrNull(third)});
}

void ProgramEmitter::emitTriangularSolve(stablehlo::TriangularSolveOp op) {
  smith_triangular_solve solve = describeTriangularSolve(op);
  Value descriptor = runtime.descriptor(
      "triangular_solve_" + Twine(linearAlgebraCount++), solve);
  runtime.call("smith_triangular_solve_run",
               {frame.context, descriptor, addressOf(op.getA()),
                addressOf(op.getB()), addressOf(op.getResult())});
}

} // namespace shardsmith::cpu
