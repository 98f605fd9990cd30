#include "Rules.h"
using namespace mlir;
using namespace shardsmith::stablehlo;
#define V(X) LogicalResult X::verify() { return success(); }
#define R(X) LogicalResult X::verifyRegions() { return success(); }
V(AllReduceOp) R(AllReduceOp) V(AllGatherOp) V(ReduceScatterOp) R(ReduceScatterOp) V(AllToAllOp) V(CollectivePermuteOp) V(CollectiveBroadcastOp) V(AsyncStartOp) V(AsyncDoneOp)
V(WhileOp) R(WhileOp) V(IfOp) R(IfOp) V(CaseOp) R(CaseOp)
V(DynamicReshapeOp) V(DynamicBroadcastInDimOp) V(DynamicIotaOp) V(DynamicPadOp) V(RealDynamicSliceOp) V(SetDimensionSizeOp)
V(RngOp) V(RngBitGeneratorOp) V(CustomCallOp)
V(ConvolutionOp) V(ReduceOp) R(ReduceOp) V(ReduceWindowOp) R(ReduceWindowOp) V(SelectAndScatterOp) R(SelectAndScatterOp) V(SortOp) R(SortOp) V(MapOp) R(MapOp)
LogicalResult GetDimensionSizeOp::inferReturnTypes(MLIRContext *c, OptionalLocation, Adaptor, SmallVectorImpl<Type> &types) { types.push_back(RankedTensorType::get({}, IntegerType::get(c, 32))); return success(); }
FailureOr<Shape> shardsmith::stablehlo::inferReduceShape(const Reporter &report, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  if (failed(checkUnique(report, "dimensions", dims, shape.size()))) return failure();
  Shape out; for (auto [d, s] : llvm::enumerate(shape)) if (!llvm::is_contained(dims, d)) out.push_back(s);
  return out;
}
