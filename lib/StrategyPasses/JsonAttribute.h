// SPDX-License-Identifier: Apache-2.0
//
// JSON values as attributes, so that IR can hold what files hold:
//
//     {"a": [1, 2.5, "b"], "c": true, "d": null}
//     {a = [1 : i64, 2.5, "b"], c = true}
//
// Keys of a dictionary are sorted. There is no attribute for null: members of
// objects that are null are left out.

#ifndef SHARDSMITH_LIB_STRATEGYPASSES_JSONATTRIBUTE_H
#define SHARDSMITH_LIB_STRATEGYPASSES_JSONATTRIBUTE_H

#include "mlir/IR/BuiltinAttributes.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace shardsmith {

/// `json` must hold no null but as members of objects, and no integer beyond
/// 64 bits with sign.
mlir::Attribute toAttribute(mlir::MLIRContext *context,
                            const nlohmann::ordered_json &json);

/// Nothing, with a sentence in `error`, for attributes that no JSON value
/// becomes.
std::optional<nlohmann::ordered_json> toJson(mlir::Attribute attribute,
                                             std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_STRATEGYPASSES_JSONATTRIBUTE_H
