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

#include "ProgramEmitter.h"

#include "shardsmith/Lower/CPU/Target.h"

using namespace mlir;

namespace shardsmith::cpu {

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

void ProgramEmitter::copy(Value to, Value from, int64_t bytes) {
  runtime.call("smith_copy",
               {frame.context, to, from, runtime.integer64(bytes)});
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

LogicalResult ProgramEmitter::emit(Operation *op) {
  builder.setLoc(op->getLoc());
  if (auto kernel = dyn_cast<smith::KernelOp>(op))
    emitKernel(kernel);
  else if (auto gemm = dyn_cast<smith::GemmOp>(op))
    return emitGemm(gemm);
  else if (auto gemm = dyn_cast<smith::AddGemmOp>(op))
    return emitAddGemm(gemm);
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
  else if (auto place = dyn_cast<smith::PlaceRowsOp>(op))
    emitPlaceRows(place);
  else if (auto pack = dyn_cast<smith::PackRowsOp>(op))
    emitMoveRows(op, "smith_pack_rows_run", pack.getRows(), pack.getPacked(),
                 pack.getSlots());
  else if (auto unpack = dyn_cast<smith::UnpackRowsOp>(op))
    emitMoveRows(op, "smith_unpack_rows_run", unpack.getRows(),
                 unpack.getPacked(), unpack.getSlots());
  else if (auto limit = dyn_cast<smith::LimitRowsOp>(op))
    emitLimitRows(limit);
  else if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
    emitConvolution(convolution);
  else if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return emitScatter(scatter);
  else if (auto sort = dyn_cast<stablehlo::SortOp>(op))
    emitSort(sort);
  else if (auto cholesky = dyn_cast<stablehlo::CholeskyOp>(op))
    emitCholesky(cholesky);
  else if (isa<smith::EighOp, smith::LuOp, smith::QrOp>(op))
    emitMatrixFactors(op);
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
  else if (auto exchange = dyn_cast<smith::ExchangeRowsOp>(op))
    emitExchangeRows(exchange);
  else if (isa<smith::AllReduceOp, smith::AllGatherOp, smith::ReduceScatterOp,
               smith::ExchangeBlocksOp, smith::CollectivePermuteOp>(op))
    emitCollective(op);
  else if (!isa<stablehlo::ReshapeOp>(op))
    return op->emitOpError("is not supported by the CPU lowering");
  return success();
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
