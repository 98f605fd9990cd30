#include "shardsmith/Dialect/StableHLO/StableHLO.h"
using namespace mlir;
using namespace shardsmith::stablehlo;
OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
#define F(X) OpFoldResult X::fold(FoldAdaptor) { return {}; }
F(ConvertOp) F(AddOp) F(SubtractOp) F(MulOp) F(DivOp) F(MaxOp) F(MinOp) F(PowOp) F(RemOp) F(AndOp) F(OrOp) F(XorOp) F(ShiftLeftOp) F(ShiftRightLogicalOp) F(ShiftRightArithmeticOp) F(CompareOp) F(SelectOp) F(ReshapeOp) F(BroadcastInDimOp) F(TransposeOp) F(ReverseOp) F(PadOp) F(SliceOp) F(ConcatenateOp) F(GetDimensionSizeOp) F(GetTupleElementOp)
