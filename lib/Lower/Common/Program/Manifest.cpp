// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Manifest.h"

#include "Channels.h"
#include "shardsmith/Dialect/Smith/ParameterRows.h"
#include "shardsmith/Dialect/Smith/ReplacedArgument.h"
#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/Smith/WeightNames.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"
#include "shardsmith/Support/Json.h"

#include "llvm/Support/FormatVariadic.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace shardsmith::lower {
namespace {

using Json = nlohmann::ordered_json;

/// Reads the attributes of one argument or result.
class TensorDescription {
public:
  TensorDescription(Type type, DictionaryAttr attributes)
      : type(cast<RankedTensorType>(type)), attributes(attributes) {}

  std::string text(StringRef name, StringRef otherwise) const {
    auto value = attributes.getAs<StringAttr>(name);
    return value ? value.str() : otherwise.str();
  }

  /// `rows`: those of a whole that files know, if the tensor is a part of one.
  Json describe(StringRef role, std::string name,
                std::optional<smith::ParameterRows> rows) const {
    Json json;
    json["name"] = rows ? *smith::nameOfWhole(name, *rows) : std::move(name);
    json["role"] = role.str();
    json["dtype"] = elementTypeName(type.getElementType());
    json["global_shape"] = globalShape();
    if (rows) {
      json["global_shape"][0] = rows->whole;
      json["rows"] = {rows->begin, rows->end};
    }
    json["local_shape"] = std::vector<int64_t>(type.getShape());
    json["sharding"] = sharding();
    return json;
  }

private:
  std::vector<int64_t> globalShape() const {
    auto shape = attributes.get(smith::kGlobalShapeAttributeName);
    if (auto sizes = dyn_cast_or_null<DenseI64ArrayAttr>(shape))
      return std::vector<int64_t>(sizes.asArrayRef());
    if (auto sizes = dyn_cast_or_null<ArrayAttr>(shape)) {
      std::vector<int64_t> result;
      for (auto size : sizes.getAsRange<IntegerAttr>())
        result.push_back(size.getInt());
      return result;
    }
    return std::vector<int64_t>(type.getShape());
  }

  Json sharding() const {
    Json dimensions = Json::array();
    auto sharding = attributes.getAs<sdy::TensorShardingAttr>("sdy.sharding");
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Json axes = Json::array();
      if (sharding)
        for (sdy::AxisRefAttr axis : sharding.getDimShardings()[d].getAxes())
          axes.push_back(axis.getName().str());
      dimensions.push_back(std::move(axes));
    }
    return dimensions;
  }

  RankedTensorType type;
  DictionaryAttr attributes;
};

/// Where a tensor of @main is: in every rank's arena, or in those of the ranks
/// that hold it, by coordinate along the axis of stages.
class Places {
public:
  explicit Places(func::FuncOp main) : main(main), ranks(rankFunctions(main)) {}

  void addArgument(unsigned number, Json &json) {
    add(json, main.getArgAttrDict(number), [&](func::FuncOp rank) {
      for (unsigned own = 0; own < rank.getNumArguments(); ++own)
        if (isAt(rank.getArgAttrDict(own), number))
          return rank.getArgAttrDict(own);
      return DictionaryAttr();
    });
  }

  void addResult(unsigned number, Json &json) {
    add(json, main.getResultAttrDict(number), [&](func::FuncOp rank) {
      for (unsigned own = 0; own < rank.getNumResults(); ++own)
        if (isAt(rank.getResultAttrDict(own), number))
          return rank.getResultAttrDict(own);
      return DictionaryAttr();
    });
  }

private:
  static bool isAt(DictionaryAttr attributes, unsigned number) {
    auto position =
        attributes.getAs<IntegerAttr>(smith::kPositionAttributeName);
    return position && position.getInt() == int64_t(number);
  }

  static int64_t offsetIn(DictionaryAttr attributes) {
    auto offset = attributes
                      ? attributes.getAs<IntegerAttr>(offsetAttributeName)
                      : IntegerAttr();
    return offset ? offset.getInt() : -1;
  }

  template <typename Find> void add(Json &json, DictionaryAttr own, Find find) {
    if (ranks.empty()) {
      json["offset"] = offsetIn(own);
      return;
    }
    std::vector<int64_t> offsets;
    for (func::FuncOp rank : ranks)
      offsets.push_back(offsetIn(find(rank)));
    json["offset"] =
        *llvm::find_if(offsets, [](int64_t offset) { return offset >= 0; });
    json["offsets"] = offsets;
  }

  func::FuncOp main;
  SmallVector<func::FuncOp> ranks;
};

Json describeArguments(func::FuncOp function) {
  Places places(function);
  Json arguments = Json::array();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    DictionaryAttr attributes = function.getArgAttrDict(i);
    if (!attributes)
      attributes = DictionaryAttr::get(function.getContext());
    TensorDescription description(type, attributes);
    std::string role = description.text(smith::kRoleAttributeName, "batch");
    Json json = description.describe(
        role,
        description.text(smith::kNameAttributeName, "arg" + std::to_string(i)),
        smith::rowsOfArgument(function, i));
    places.addArgument(i, json);
    std::string init = description.text(smith::kInitAttributeName, "");
    if (!init.empty())
      json["init"] = init;
    if (auto batch =
            attributes.getAs<IntegerAttr>(smith::kBatchDimAttributeName))
      json["batch_dim"] = batch.getInt();
    else if (role == "batch")
      json["batch_dim"] = 0;
    if (auto limit = attributes.getAs<IntegerAttr>(smith::kLimitAttributeName))
      json["limit"] = limit.getInt();
    arguments.push_back(std::move(json));
  }
  return arguments;
}

Json describeResults(func::FuncOp function) {
  Places places(function);
  Json results = Json::array();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    TensorDescription description(type, function.getResultAttrDict(i));
    std::string role = description.text(smith::kRoleAttributeName, "output");
    int64_t replaced = smith::replacedArgument(function, i);
    std::optional<smith::ParameterRows> rows;
    if (replaced >= 0)
      rows = smith::rowsOfArgument(function, unsigned(replaced));
    Json json =
        description.describe(role,
                             description.text(smith::kNameAttributeName,
                                              "result" + std::to_string(i)),
                             rows);
    places.addResult(i, json);
    json["argument"] = replaced;
    results.push_back(std::move(json));
  }
  return results;
}

/// Elements of the first integer batch argument of rank 2 or more, over all
/// ranks.
int64_t tokensPerStep(const Json &arguments) {
  for (const Json &argument : arguments) {
    std::string dtype = argument["dtype"];
    bool isInteger = dtype[0] == 'i' || dtype[0] == 'u';
    if (argument["role"] != "batch" || !isInteger ||
        argument["global_shape"].size() < 2)
      continue;
    int64_t tokens = 1;
    for (int64_t size : argument["global_shape"])
      tokens *= size;
    return tokens;
  }
  return 0;
}

/// Copies of what is no argument here, such as a table that the loss does not
/// read, are tensors like any other.
Json describeWeights(const smith::WeightNames &names, const Json &arguments) {
  auto isParameter = [&](const std::string &name) {
    return llvm::any_of(arguments, [&](const Json &argument) {
      return argument["role"] == "param" && argument["name"] == name;
    });
  };
  Json copies = Json::array(), older = Json::array();
  for (const auto &[copy, original] : names.copies)
    if (isParameter(original))
      copies.push_back({copy, original});
  for (const auto &[from, to] : names.older)
    older.push_back({from, to});
  return {{"prefix", names.prefix},
          {"ignored", names.ignored},
          {"copies", std::move(copies)},
          {"older", std::move(older)},
          {"stacked", names.stacked}};
}

} // namespace

std::string elementTypeName(Type element) {
  if (element.isInteger(1))
    return "bool";
  if (isa<FloatType>(element))
    return llvm::formatv("{0}", element);
  return (element.isUnsignedInteger() ? "u" : "i") +
         std::to_string(element.getIntOrFloatBitWidth());
}

std::string makeManifest(func::FuncOp function,
                         const ProgramDescription &description) {
  auto module = function->getParentOfType<ModuleOp>();
  auto hash = module->getAttrOfType<StringAttr>(smith::kModelHashAttributeName);
  GroupTable table(function);
  Json mesh = Json::array();
  for (const RankMesh::Axis &axis : table.mesh().allAxes())
    mesh.push_back({{"name", axis.name}, {"size", axis.size}});
  Json groups = Json::array();
  for (const RankGroups &group : table.all())
    groups.push_back({{"axes", group.axes}, {"ranks", group.ranks}});
  std::vector<int64_t> arenas;
  for (func::FuncOp rank : rankFunctions(function))
    arenas.push_back(
        rank->getAttrOfType<IntegerAttr>(arenaAttributeName).getInt());
  int64_t arena =
      arenas.empty()
          ? function->getAttrOfType<IntegerAttr>(arenaAttributeName).getInt()
          : *std::ranges::max_element(arenas);

  Json json;
  json["format"] = "shardsmith-program/1";
  json["model"] = {{"name", description.modelName},
                   {"hash", hash ? hash.str() : ""}};
  json["plan_hash"] = description.planHash;
  json["ranks"] = table.mesh().rankCount();
  json["mesh"] = std::move(mesh);
  json["arena_bytes"] = arena;
  if (!arenas.empty()) {
    json["pipeline"] = {{"axis", smith::kPipelineAxisName.str()},
                        {"arena_bytes", arenas}};
    json["channels"] = Json::array();
    for (const Channel &channel : findChannels(function))
      json["channels"].push_back({{"from", channel.from},
                                  {"to", channel.to},
                                  {"bytes", channel.bytes.count()}});
  }
  json["arguments"] = describeArguments(function);
  json["results"] = describeResults(function);
  json["groups"] = std::move(groups);
  json["tokens_per_step"] = tokensPerStep(json["arguments"]);
  WalkResult limits = module.walk([](smith::LimitRowsOp limit) {
    return limit.getCounts() ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (limits.wasInterrupted())
    json["drops_rows"] = 1;
  json["predicted"] = {
      {"communication_bytes_per_rank", description.predictedCommunicationBytes},
      {"peak_bytes", arena},
      {"step_nanoseconds", description.predictedStepNanoseconds}};
  if (description.predictedRowBytes > 0)
    json["predicted"]["row_bytes_per_rank"] = description.predictedRowBytes;
  if (Attribute weights = module->getAttr(smith::kWeightNamesAttributeName))
    if (auto names = smith::readWeightNames(weights))
      json["weights"] = describeWeights(*names, json["arguments"]);
  return jsonText(json);
}

} // namespace shardsmith::lower
