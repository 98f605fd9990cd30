// SPDX-License-Identifier: Apache-2.0
//
// smith_step has for every op of the local program, in order, one call of the
// runtime on addresses in the arena. Functions of the program become functions
//
//     void f(context, arena, workspace, table)
//
// of the same kind: temporaries are in the workspace, arguments and results
// where the table says. Ranks of several stages have a step each, among which
// smith_step chooses by the rank's coordinate.

#include "EmitProgram.h"

#include "AttentionCall.h"
#include "ConvolutionCall.h"
#include "LinearAlgebraCall.h"
#include "RuntimeCalls.h"

#include "../Kernels/KernelEmitter.h"
#include "../Kernels/ScatterEmitter.h"
#include "../Kernels/SortEmitter.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/CPU/Target.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// Work below this runs on the calling thread; above it, threads take pieces
/// no smaller than this.
constexpr int64_t grainBytes = 64 * 1024;

class ProgramEmitter {
public:
  ProgramEmitter(func::FuncOp function, ModuleOp program)
      : function(function), program(program),
        builder(function.getLoc(), program.getBodyRegion()),
        runtime(program, builder), groups(function) {}

  LogicalResult run();

private:
  LogicalResult emit(Operation *op);
  void emitCollective(Operation *op);
  void emitConstant(stablehlo::ConstantOp op);
  void emitConvolution(stablehlo::ConvolutionOp op);
  void emitAttention(smith::AttentionOp op);
  void emitAttentionGradient(smith::AttentionGradientOp op);
  void emitPartialAttention(smith::PartialAttentionOp op);
  void emitPartialGradient(smith::PartialAttentionGradientOp op);
  /// The address of a descriptor in the program's data.
  Value attentionDescriptor(const smith_attention &attention);
  LogicalResult emitGemm(smith::GemmOp op);
  /// `left`, `right` and `matrices` are what ABI.h calls so.
  void emitGroupedProduct(Operation *op, const char *function, Value left,
                          Value right, Value matrices, bool transposed);
  void emitKernel(smith::KernelOp op);
  LogicalResult emitScatter(stablehlo::ScatterOp op);
  void emitSort(stablehlo::SortOp op);
  void emitCholesky(stablehlo::CholeskyOp op);
  void emitTriangularSolve(stablehlo::TriangularSolveOp op);
  LogicalResult emitRepeat(smith::RepeatOp op);
  LogicalResult emitRun(smith::RunOp op);
  void emitMessage(Operation *op);
  /// Writes the table for a call: the number's address is its first entry.
  /// Carried values are in the buffers of the results already.
  Value fillTable(Operation *call, Value number, ValueRange inputs,
                  ValueRange outputs, ValueRange carried);
  void emitCall(Operation *call, func::FuncOp called, Value table);
  /// A call that is one pass over a micro-batch, for the profile.
  void emitPass(Operation *call, Value table, Value microBatch);
  /// The function that a function of the program becomes; null on failure.
  LLVM::LLVMFuncOp functionFor(func::FuncOp called);
  LogicalResult emitEntry(func::FuncOp entry, StringRef name);
  /// What emitted code refers to in the function it is in.
  struct Frame {
    Value context, arena, workspace, table, argumentArray, callTable;
    DenseMap<Value, Value> constants;
  };
  void emitShardIndex(smith::ShardIndexOp op);
  /// The ops of a function, and its results in their places.
  LogicalResult emitBody(func::FuncOp called);
  void emitResults(func::FuncOp called);

  Value addressAt(int64_t offset);
  Value addressOf(Value tensor);
  /// Of an operand that may be missing.
  Value addressOrNull(Value tensor);
  void callFunction(const KernelFunction &kernel, ArrayRef<Value> addresses);
  void copy(Value to, Value from, int64_t bytes);
  OpBuilder moduleBuilder() { return OpBuilder::atBlockEnd(program.getBody()); }

  func::FuncOp function;
  ModuleOp program;
  ImplicitLocOpBuilder builder;
  RuntimeCalls runtime;
  lower::GroupTable groups;
  Frame frame;
  llvm::StringMap<LLVM::LLVMFuncOp> functions;
  /// Equal kernels (text and sharing of storage) have one function.
  llvm::StringMap<KernelFunction> kernels;
  int64_t attentionCount = 0, convolutionCount = 0, gemmCount = 0,
          groupedCount = 0, linearAlgebraCount = 0, scatterCount = 0,
          sortCount = 0, constantCount = 0;
};

Value ProgramEmitter::addressAt(int64_t offset) {
  if (int64_t entry = lower::tableEntry(offset); entry >= 0) {
    Value slot = LLVM::GEPOp::create(builder, runtime.pointer(),
                                     runtime.pointer(), frame.table,
                                     LLVM::GEPArg(static_cast<int32_t>(entry)));
    return LLVM::LoadOp::create(builder, runtime.pointer(), slot);
  }
  Value base = frame.workspace ? frame.workspace : frame.arena;
  return LLVM::GEPOp::create(builder, runtime.pointer(), builder.getI8Type(),
                             base, LLVM::GEPArg(runtime.integer64(offset)));
}

Value ProgramEmitter::addressOf(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<stablehlo::ReshapeOp>())
    tensor = reshape.getOperand();
  if (Value constant = frame.constants.lookup(tensor))
    return constant;
  return addressAt(lower::offsetOf(tensor));
}

Value ProgramEmitter::addressOrNull(Value tensor) {
  if (tensor)
    return addressOf(tensor);
  return LLVM::ZeroOp::create(builder, runtime.pointer());
}

void ProgramEmitter::callFunction(const KernelFunction &kernel,
                                  ArrayRef<Value> addresses) {
  for (auto [i, address] : llvm::enumerate(addresses)) {
    Value slot = LLVM::GEPOp::create(builder, runtime.pointer(),
                                     runtime.pointer(), frame.argumentArray,
                                     LLVM::GEPArg(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(builder, address, slot);
  }
  Value units = runtime.integer64(kernel.units);
  int64_t grain =
      std::max<int64_t>(1, ceilDivide(grainBytes, kernel.bytesPerUnit));
  if (grain >= kernel.units) {
    LLVM::CallOp::create(
        builder, kernel.function,
        ValueRange{frame.argumentArray, runtime.integer64(0), units});
    return;
  }
  LLVM::LLVMFuncOp target = kernel.function;
  Value body = LLVM::AddressOfOp::create(builder, target);
  runtime.call("smith_parallel_for", {frame.context, body, frame.argumentArray,
                                      units, runtime.integer64(grain)});
}

void ProgramEmitter::copy(Value to, Value from, int64_t bytes) {
  runtime.call("smith_copy",
               {frame.context, to, from, runtime.integer64(bytes)});
}

void ProgramEmitter::emitKernel(smith::KernelOp op) {
  // Buffers by offset; buffers of different size may still overlap only if
  // they start at the same place, because one joined the other's buffer.
  SmallVector<int64_t> storage;
  SmallVector<Value> addresses;
  DenseMap<int64_t, int64_t> numbers;
  int64_t next = 0;
  auto add = [&](Value tensor) {
    addresses.push_back(addressOf(tensor));
    int64_t offset = lower::offsetOf(tensor);
    if (offset == -1) {
      storage.push_back(next++);
      return;
    }
    auto [found, isNew] = numbers.insert({offset, next});
    if (isNew)
      ++next;
    storage.push_back(found->second);
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);

  std::string key;
  llvm::raw_string_ostream text(key);
  for (int64_t number : storage)
    text << number << ' ';
  llvm::interleave(op.getDomain(), text, ",");
  text << " reduced ";
  llvm::interleave(op.getReduced(), text, ",");
  for (Type type : op.getBody().getArgumentTypes())
    text << ' ' << type;
  AsmState state(op, OpPrintingFlags().useLocalScope());
  for (Operation &inner : op.getBody().front()) {
    text << '\n';
    inner.print(text, state);
  }
  auto [entry, isNew] = kernels.try_emplace(key);
  if (isNew) {
    OpBuilder moduleEnd = moduleBuilder();
    entry->second = cpu::emitKernel(
        moduleEnd, op, ("kernel_" + Twine(kernels.size() - 1)).str(), storage);
  }
  callFunction(entry->second, addresses);
}

void ProgramEmitter::emitConvolution(stablehlo::ConvolutionOp op) {
  smith_convolution convolution = describeConvolution(op, convolutionCount++);
  Value descriptor =
      runtime.descriptor("convolution_" + Twine(convolution.id), convolution);
  runtime.call("smith_convolution_run",
               {frame.context, descriptor, addressOf(op.getLhs()),
                addressOf(op.getRhs()), addressOf(op.getResult())});
}

LogicalResult ProgramEmitter::emitGemm(smith::GemmOp op) {
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

LogicalResult ProgramEmitter::emitScatter(stablehlo::ScatterOp op) {
  std::string reason = whyNotScatter(op);
  if (!reason.empty())
    return op.emitOpError() << "is not supported on CPU: " << reason;
  Value operand = op.getInputs().front(), result = op.getResult(0);
  if (lower::offsetOf(operand) != lower::offsetOf(result))
    copy(addressOf(result), addressOf(operand),
         lower::bufferBytes(result.getType()));
  OpBuilder moduleEnd = moduleBuilder();
  KernelFunction scatter = cpu::emitScatter(
      moduleEnd, op, ("scatter_" + Twine(scatterCount++)).str());
  callFunction(scatter,
               {addressOf(op.getScatterIndices()),
                addressOf(op.getUpdates().front()), addressOf(result)});
  return success();
}

void ProgramEmitter::emitCholesky(stablehlo::CholeskyOp op) {
  smith_cholesky cholesky = describeCholesky(op);
  Value descriptor =
      runtime.descriptor("cholesky_" + Twine(linearAlgebraCount++), cholesky);
  runtime.call("smith_cholesky_run",
               {frame.context, descriptor, addressOf(op.getA()),
                addressOf(op.getResult())});
}

void ProgramEmitter::emitTriangularSolve(stablehlo::TriangularSolveOp op) {
  smith_triangular_solve solve = describeTriangularSolve(op);
  Value descriptor = runtime.descriptor(
      "triangular_solve_" + Twine(linearAlgebraCount++), solve);
  runtime.call("smith_triangular_solve_run",
               {frame.context, descriptor, addressOf(op.getA()),
                addressOf(op.getB()), addressOf(op.getResult())});
}

void ProgramEmitter::emitSort(stablehlo::SortOp op) {
  smith_sort sort = describeSort(op);
  for (auto [bytes, type] :
       llvm::zip_first(op.getOperandTypes(), sort.element_bytes))
    type = static_cast<int32_t>(storageBytes(getElementTypeOrSelf(bytes)));
  std::string name = ("sort_" + Twine(sortCount++)).str();
  Value descriptor = runtime.descriptor(name + "_lines", sort);
  OpBuilder moduleEnd = moduleBuilder();
  LLVM::LLVMFuncOp comparator = emitComparator(moduleEnd, op, name);
  auto place = [&](int64_t entry) -> Value {
    return LLVM::GEPOp::create(builder, runtime.pointer(), runtime.pointer(),
                               frame.argumentArray,
                               LLVM::GEPArg(static_cast<int32_t>(entry)));
  };
  // Inputs first, results behind them.
  int64_t entry = 0;
  for (ValueRange tensors :
       {ValueRange(op.getInputs()), ValueRange(op.getResults())})
    for (Value tensor : tensors)
      LLVM::StoreOp::create(builder, addressOf(tensor), place(entry++));
  Value before = LLVM::AddressOfOp::create(builder, comparator);
  runtime.call("smith_sort_run", {frame.context, descriptor, before, place(0),
                                  place(sort.count)});
}

void ProgramEmitter::emitConstant(stablehlo::ConstantOp op) {
  auto values = cast<DenseElementsAttr>(op.getValue());
  std::string contents;
  if (values.getElementType().isInteger(1)) {
    // One byte per boolean, whatever the attribute packs.
    for (bool value : values.getValues<bool>())
      contents.push_back(value);
  } else {
    ArrayRef<char> raw = values.getRawData();
    contents.assign(raw.begin(), raw.end());
    int64_t bytes = lower::bufferBytes(op.getType());
    if (values.isSplat())
      for (size_t size = contents.size();
           static_cast<int64_t>(contents.size()) < bytes;)
        contents.append(contents, 0, size);
  }
  frame.constants[op.getResult()] =
      runtime.bytes(("constant_" + Twine(constantCount++)).str(), contents,
                    cpuTarget().bufferAlignment);
}

void ProgramEmitter::emitShardIndex(smith::ShardIndexOp op) {
  Type i32 = builder.getI32Type();
  Value rank = runtime.call("smith_rank", {frame.context}, i32);
  Value index = runtime.integer32(0);
  for (const std::string &name : lower::axisNames(op.getAxes())) {
    const lower::RankMesh::Axis &axis = groups.mesh().axis(name);
    Value size = runtime.integer32(axis.size);
    Value coordinate =
        LLVM::UDivOp::create(builder, rank, runtime.integer32(axis.stride));
    coordinate = LLVM::URemOp::create(builder, coordinate, size);
    index = LLVM::AddOp::create(
        builder, LLVM::MulOp::create(builder, index, size), coordinate);
  }
  LLVM::StoreOp::create(builder, index, addressOf(op.getResult()));
}

/// Elements before and from dimension `d` on.
struct Split {
  int64_t outer = 1, inner = 1;
};

Split splitAt(Type tensor, int64_t d) {
  Split split;
  for (auto [i, size] :
       llvm::enumerate(cast<RankedTensorType>(tensor).getShape()))
    (static_cast<int64_t>(i) < d ? split.outer : split.inner) *= size;
  return split;
}

void ProgramEmitter::emitCollective(Operation *op) {
  Value input = op->getOperand(0), result = op->getResult(0);
  Value from = addressOf(input), to = addressOf(result);
  Type element = getElementTypeOrSelf(input);
  Value dtype = runtime.integer32(dtypeOf(element));
  auto reduction = [&](auto collective) {
    // The two enumerations list the kinds in the same order.
    return runtime.integer32(
        static_cast<int32_t>(collective.getKind().getValue()));
  };
  auto group = [&](ArrayAttr axes) {
    return runtime.integer32(groups.indexOf(axes));
  };
  if (auto reduce = dyn_cast<smith::AllReduceOp>(op)) {
    runtime.call("smith_all_reduce",
                 {frame.context, group(reduce.getAxes()), dtype,
                  reduction(reduce), from, to,
                  runtime.integer64(splitAt(input.getType(), 0).inner)});
  } else if (auto gather = dyn_cast<smith::AllGatherOp>(op)) {
    Split split = splitAt(input.getType(), gather.getDim());
    runtime.call("smith_all_gather",
                 {frame.context, group(gather.getAxes()), from, to,
                  runtime.integer64(split.outer),
                  runtime.integer64(split.inner * storageBytes(element))});
  } else if (auto scatter = dyn_cast<smith::ReduceScatterOp>(op)) {
    Split split = splitAt(result.getType(), scatter.getDim());
    runtime.call("smith_reduce_scatter",
                 {frame.context, group(scatter.getAxes()), dtype,
                  reduction(scatter), from, to, runtime.integer64(split.outer),
                  runtime.integer64(split.inner)});
  } else if (auto exchange = dyn_cast<smith::ExchangeBlocksOp>(op)) {
    Split split = splitAt(input.getType(), 1);
    runtime.call("smith_all_to_all",
                 {frame.context, group(exchange.getAxes()), from, to,
                  runtime.integer64(split.inner * storageBytes(element))});
  } else {
    auto permute = cast<smith::CollectivePermuteOp>(op);
    std::vector<int32_t> sources(groups.mesh().rankCount(), -1);
    for (int64_t i = 0; i < permute.getPairCount(); ++i)
      sources[permute.getTarget(i)] = permute.getSource(i);
    Value table =
        runtime.bytes(("permutation_" + Twine(constantCount++)).str(),
                      StringRef(reinterpret_cast<const char *>(sources.data()),
                                sources.size() * sizeof(int32_t)),
                      alignof(int32_t));
    runtime.call("smith_collective_permute",
                 {frame.context,
                  runtime.integer32(groups.permuteGroup(permute.getAxes())),
                  table, from, to,
                  runtime.integer64(lower::bufferBytes(input.getType()))});
  }
}

LogicalResult ProgramEmitter::emit(Operation *op) {
  builder.setLoc(op->getLoc());
  if (auto kernel = dyn_cast<smith::KernelOp>(op))
    emitKernel(kernel);
  else if (auto gemm = dyn_cast<smith::GemmOp>(op))
    return emitGemm(gemm);
  else if (auto attention = dyn_cast<smith::AttentionOp>(op))
    emitAttention(attention);
  else if (auto gradient = dyn_cast<smith::AttentionGradientOp>(op))
    emitAttentionGradient(gradient);
  else if (auto partial = dyn_cast<smith::PartialAttentionOp>(op))
    emitPartialAttention(partial);
  else if (auto partial = dyn_cast<smith::PartialAttentionGradientOp>(op))
    emitPartialGradient(partial);
  else if (auto dot = dyn_cast<smith::GroupedDotOp>(op))
    emitGroupedProduct(op, "smith_grouped_dot_run", dot.getRows(),
                       dot.getResult(), dot.getMatrices(), dot.getTransposed());
  else if (auto outer = dyn_cast<smith::GroupedOuterOp>(op))
    emitGroupedProduct(op, "smith_grouped_outer_run", outer.getLhs(),
                       outer.getRhs(), outer.getResult(),
                       /*transposed=*/false);
  else if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
    emitConvolution(convolution);
  else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return emitScatter(scatter);
  else if (auto sort = dyn_cast<stablehlo::SortOp>(op))
    emitSort(sort);
  else if (auto cholesky = dyn_cast<stablehlo::CholeskyOp>(op))
    emitCholesky(cholesky);
  else if (auto solve = dyn_cast<stablehlo::TriangularSolveOp>(op))
    emitTriangularSolve(solve);
  else if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    emitConstant(constant);
  else if (auto index = dyn_cast<smith::ShardIndexOp>(op))
    emitShardIndex(index);
  else if (auto repeat = dyn_cast<smith::RepeatOp>(op))
    return emitRepeat(repeat);
  else if (auto run = dyn_cast<smith::RunOp>(op))
    return emitRun(run);
  else if (isa<smith::SendOp, smith::ReceiveOp>(op))
    emitMessage(op);
  else if (isa<smith::AllReduceOp, smith::AllGatherOp, smith::ReduceScatterOp,
               smith::ExchangeBlocksOp, smith::CollectivePermuteOp>(op))
    emitCollective(op);
  else if (!isa<stablehlo::ReshapeOp>(op))
    return op->emitOpError("is not supported by the CPU lowering");
  return success();
}

// Results that could not be written where they belong are copied there. No
// copy reads what another one overwrites: a result that is an argument was
// given storage of its own before.
void ProgramEmitter::emitResults(func::FuncOp called) {
  Operation *terminator = called.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    int64_t to =
        called.getResultAttrOfType<IntegerAttr>(i, lower::offsetAttributeName)
            .getInt();
    if (lower::offsetOf(value) != to)
      copy(addressAt(to), addressOf(value),
           lower::bufferBytes(value.getType()));
  }
}

LogicalResult ProgramEmitter::emitBody(func::FuncOp called) {
  for (Operation &op : called.getBody().front().without_terminator()) {
    bool isGrouped = op.hasAttr(lower::bucketAttributeName);
    if (isGrouped && !lower::areInOneBucket(op.getPrevNode(), &op))
      runtime.call("smith_begin_group", {frame.context});
    if (failed(emit(&op)))
      return failure();
    if (isGrouped && !lower::areInOneBucket(&op, op.getNextNode()))
      runtime.call("smith_end_group", {frame.context});
  }
  emitResults(called);
  return success();
}

Value ProgramEmitter::fillTable(Operation *call, Value number,
                                ValueRange inputs, ValueRange outputs,
                                ValueRange carried) {
  SmallVector<Value> addresses{number};
  for (Value input : inputs)
    addresses.push_back(addressOf(input));
  ValueRange last = call->getResults().take_back(carried.size());
  for (auto [initial, result] : llvm::zip_equal(carried, last)) {
    if (lower::offsetOf(initial) != lower::offsetOf(result))
      copy(addressOf(result), addressOf(initial),
           lower::bufferBytes(result.getType()));
    addresses.push_back(addressOf(result));
  }
  for (Value output : outputs)
    addresses.push_back(addressOf(output));
  for (auto [i, address] : llvm::enumerate(addresses)) {
    Value slot = LLVM::GEPOp::create(builder, runtime.pointer(),
                                     runtime.pointer(), frame.callTable,
                                     LLVM::GEPArg(static_cast<int32_t>(i)));
    LLVM::StoreOp::create(builder, address, slot);
  }
  return frame.callTable;
}

void ProgramEmitter::emitCall(Operation *call, func::FuncOp called,
                              Value table) {
  int64_t workspace =
      call->getAttrOfType<IntegerAttr>(lower::workspaceAttributeName).getInt();
  LLVM::CallOp::create(
      builder, functions.lookup(called.getName()),
      ValueRange{frame.context, frame.arena, addressAt(workspace), table});
}

void ProgramEmitter::emitPass(Operation *call, Value table, Value microBatch) {
  func::FuncOp called = smith::getCallee(call);
  auto pass = called->getAttrOfType<StringAttr>(smith::kPassAttributeName);
  std::string name = pass ? pass.str() : "micro-batch ";
  Value text = runtime.bytes("pass_" + name,
                             StringRef(name.c_str(), name.size() + 1), 1);
  runtime.call("smith_begin_pass", {frame.context, text, microBatch});
  emitCall(call, called, table);
  runtime.call("smith_end_pass", {frame.context});
}

/// The entries of the largest table that a function writes.
int64_t longestTable(func::FuncOp function) {
  int64_t longest = 1;
  function.walk([&](Operation *op) {
    if (isa<smith::RepeatOp, smith::RunOp>(op))
      longest = std::max<int64_t>(longest, 1 + op->getNumOperands() +
                                               op->getNumResults());
  });
  return longest;
}

LogicalResult ProgramEmitter::emitEntry(func::FuncOp entry, StringRef name) {
  bool isCalled = entry->hasAttr(lower::workspaceBytesAttributeName);
  // Those that it calls stand before it.
  WalkResult walked = entry.walk([&](Operation *op) {
    bool isCall = isa<smith::RepeatOp, smith::RunOp>(op);
    return isCall && !functionFor(smith::getCallee(op))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(program.getBody());
  Type pointer = runtime.pointer();
  SmallVector<Type> arguments(isCalled ? 4 : 2, pointer);
  auto function = LLVM::LLVMFuncOp::create(
      builder, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  arguments));
  Block *block = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  frame = Frame();
  frame.context = block->getArgument(0);
  frame.arena = block->getArgument(1);
  if (isCalled) {
    frame.workspace = block->getArgument(2);
    frame.table = block->getArgument(3);
    function.setLinkage(LLVM::Linkage::Internal);
    functions[entry.getName()] = function;
  }
  int64_t longest = 3; // a scatter's
  entry.walk([&](Operation *op) {
    if (isa<smith::KernelOp, stablehlo::SortOp>(op))
      longest = std::max<int64_t>(longest,
                                  op->getNumOperands() + op->getNumResults());
  });
  frame.argumentArray = LLVM::AllocaOp::create(builder, pointer, pointer,
                                               runtime.integer64(longest));
  frame.callTable = LLVM::AllocaOp::create(
      builder, pointer, pointer, runtime.integer64(longestTable(entry)));
  if (failed(emitBody(entry)))
    return failure();
  LLVM::ReturnOp::create(builder, ValueRange());
  return success();
}

LLVM::LLVMFuncOp ProgramEmitter::functionFor(func::FuncOp called) {
  LLVM::LLVMFuncOp known = functions.lookup(called.getName());
  if (known || failed(emitEntry(called, ("smith_" + called.getName()).str())))
    return known;
  return functions.lookup(called.getName());
}

// The body runs at least once, so that what it defines can be used behind it.
LogicalResult ProgramEmitter::emitRepeat(smith::RepeatOp op) {
  Type i32 = builder.getI32Type();
  Value number = LLVM::AllocaOp::create(builder, runtime.pointer(), i32,
                                        runtime.integer64(1));
  Value table = fillTable(op, number, op.getShared(), {}, op.getCarried());
  LLVM::StoreOp::create(builder, runtime.integer32(0), number);
  Block *before = builder.getInsertionBlock();
  Region *region = before->getParent();
  Block *body = builder.createBlock(region, region->end());
  Block *behind = builder.createBlock(region, region->end());
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, ValueRange(), body);
  builder.setInsertionPointToEnd(body);
  emitPass(op, table, LLVM::LoadOp::create(builder, i32, number));
  Value next =
      LLVM::AddOp::create(builder, LLVM::LoadOp::create(builder, i32, number),
                          runtime.integer32(1));
  LLVM::StoreOp::create(builder, next, number);
  Value isLeft = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::slt, next,
                                      runtime.integer32(op.getCount()));
  LLVM::CondBrOp::create(builder, isLeft, body, behind);
  builder.setInsertionPointToEnd(behind);
  return success();
}

LogicalResult ProgramEmitter::emitRun(smith::RunOp op) {
  Value number = LLVM::AllocaOp::create(
      builder, runtime.pointer(), builder.getI32Type(), runtime.integer64(1));
  Value microBatch = runtime.integer32(op.getMicroBatch());
  LLVM::StoreOp::create(builder, microBatch, number);
  ValueRange outputs = op.getResults().drop_back(op.getCarried().size());
  Value table = fillTable(op, number, op.getInputs(), outputs, op.getCarried());
  emitPass(op, table, microBatch);
  return success();
}

/// Ranks that differ along one axis alone differ by a multiple of its stride.
void ProgramEmitter::emitMessage(Operation *op) {
  auto send = dyn_cast<smith::SendOp>(op);
  auto receive = dyn_cast<smith::ReceiveOp>(op);
  StringRef name = send ? send.getAxis() : receive.getAxis();
  int64_t other = send ? send.getTo() : receive.getFrom();
  const lower::RankMesh::Axis &axis = groups.mesh().axis(name);
  Value rank =
      runtime.call("smith_rank", {frame.context}, builder.getI32Type());
  Value stride = runtime.integer32(axis.stride);
  Value own =
      LLVM::URemOp::create(builder, LLVM::UDivOp::create(builder, rank, stride),
                           runtime.integer32(axis.size));
  Value steps = LLVM::SubOp::create(builder, runtime.integer32(other), own);
  Value peer = LLVM::AddOp::create(builder, rank,
                                   LLVM::MulOp::create(builder, steps, stride));
  Value tensor = send ? send.getInput() : receive.getResult();
  runtime.call(send ? "smith_send" : "smith_receive",
               {frame.context, peer, addressOf(tensor),
                runtime.integer64(lower::bufferBytes(tensor.getType()))});
}

LogicalResult ProgramEmitter::run() {
  if (!function.isExternal())
    return emitEntry(function, "smith_step");
  // One step per coordinate along the axis of stages.
  SmallVector<LLVM::LLVMFuncOp> steps;
  for (func::FuncOp each : lower::rankFunctions(function)) {
    std::string name = ("smith_step_" + Twine(steps.size())).str();
    if (failed(emitEntry(each, name)))
      return failure();
    steps.push_back(program.lookupSymbol<LLVM::LLVMFuncOp>(name));
    steps.back().setLinkage(LLVM::Linkage::Internal);
  }
  builder.setInsertionPointToEnd(program.getBody());
  LLVM::LLVMFuncOp step = LLVM::LLVMFuncOp::create(
      builder, "smith_step", steps.front().getFunctionType());
  Block *entry = step.addEntryBlock(builder);
  Block *end = builder.createBlock(&step.getBody(), step.getBody().end());
  LLVM::ReturnOp::create(builder, ValueRange());
  builder.setInsertionPointToStart(entry);
  const lower::RankMesh::Axis &axis =
      groups.mesh().axis(smith::kPipelineAxisName);
  Value rank =
      runtime.call("smith_rank", {entry->getArgument(0)}, builder.getI32Type());
  Value own = LLVM::URemOp::create(
      builder,
      LLVM::UDivOp::create(builder, rank, runtime.integer32(axis.stride)),
      runtime.integer32(axis.size));
  for (auto [coordinate, each] : llvm::enumerate(steps)) {
    Block *then = builder.createBlock(end);
    LLVM::CallOp::create(builder, each, step.getArguments());
    LLVM::BrOp::create(builder, ValueRange(), end);
    Block *next = builder.createBlock(end);
    builder.setInsertionPointToEnd(entry);
    Value isOwn = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::eq, own,
                                       runtime.integer32(coordinate));
    LLVM::CondBrOp::create(builder, isOwn, then, next);
    entry = next;
    builder.setInsertionPointToEnd(entry);
  }
  LLVM::BrOp::create(builder, ValueRange(), end);
  return success();
}

} // namespace

func::FuncOp findPlannedMain(ModuleOp lowered) {
  auto function = lowered.lookupSymbol<func::FuncOp>("main");
  if (function && function.isExternal() &&
      !lower::rankFunctions(function).empty())
    return function;
  if (function && function->hasAttr(lower::arenaAttributeName))
    return function;
  lowered.emitError("needs a function @main with planned buffers");
  return {};
}

OwningOpRef<ModuleOp> emitProgram(func::FuncOp function, StringRef manifest) {
  OwningOpRef<ModuleOp> program = ModuleOp::create(function.getLoc());
  if (failed(ProgramEmitter(function, *program).run()))
    return nullptr;
  ImplicitLocOpBuilder builder(function.getLoc(), program->getBodyRegion());
  builder.setInsertionPointToEnd(program->getBody());
  std::string text = manifest.str();
  text.push_back('\0');
  LLVM::GlobalOp::create(
      builder, LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()),
      /*isConstant=*/true, LLVM::Linkage::External, "smith_manifest",
      builder.getStringAttr(text));
  return program;
}

} // namespace shardsmith::cpu
