// SPDX-License-Identifier: Apache-2.0
//
// Text forms that attributes and ops share.

#ifndef SHARDSMITH_LIB_DIALECT_SDY_SDYTEXT_H
#define SHARDSMITH_LIB_DIALECT_SDY_SDYTEXT_H

#include "shardsmith/Dialect/Sdy/Sdy.h"

namespace shardsmith::sdy {

// `[<@mesh, [{"x"}]>, <@mesh, [{}]>]`
mlir::ParseResult parseShardingList(mlir::AsmParser &parser,
                                    TensorShardingPerValueAttr &shardings);
void printShardingList(mlir::AsmPrinter &printer, mlir::Operation *,
                       TensorShardingPerValueAttr shardings);

// `max {"x"}`, or without kind for a sum.
mlir::ParseResult parseReductionOverAxes(mlir::AsmParser &parser,
                                         ReductionKindAttr &kind,
                                         AxisRefListAttr &axes);
void printReductionOverAxes(mlir::AsmPrinter &printer, mlir::Operation *,
                            ReductionKindAttr kind, AxisRefListAttr axes);

// `max [{"x"}, {}]`, or without kind for a sum.
mlir::ParseResult parseReductionOverLists(mlir::AsmParser &parser,
                                          ReductionKindAttr &kind,
                                          ListOfAxisRefListsAttr &axes);
void printReductionOverLists(mlir::AsmPrinter &printer, mlir::Operation *,
                             ReductionKindAttr kind,
                             ListOfAxisRefListsAttr axes);

// `FORWARD`
mlir::ParseResult parseDirection(mlir::AsmParser &parser,
                                 PropagationDirectionAttr &direction);
void printDirection(mlir::AsmPrinter &printer, mlir::Operation *,
                    PropagationDirectionAttr direction);

// `(%arg0: type, …) { … }`
mlir::ParseResult parseBodyWithArguments(mlir::OpAsmParser &parser,
                                         mlir::Region &body);
void printBodyWithArguments(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::Region &body);

} // namespace shardsmith::sdy

#endif // SHARDSMITH_LIB_DIALECT_SDY_SDYTEXT_H
