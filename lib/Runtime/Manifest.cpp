// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Manifest.h"

#include "JsonReader.h"
#include "shardsmith/Support/Hash.h"
#include "shardsmith/Support/ProgramManifest.h"
#include "shardsmith/Support/Quantity.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace shardsmith::runtime {
namespace {

constexpr std::string_view documentName = "program manifest";
constexpr std::string_view format = "shardsmith-program/1";
constexpr int64_t mostChannelBytes = int64_t(1) << 48;

constexpr std::array<std::string_view, 6> roleNames{
    "param", "state", "batch", "constant", "loss", "output"};

Role readRole(const JsonValue &value, std::initializer_list<Role> allowed) {
  std::string text = value.string();
  std::vector<std::string_view> expected;
  for (Role role : allowed) {
    if (name(role) == text)
      return role;
    expected.push_back(name(role));
  }
  value.refuse(fmt::format("expected one of: {}; found \"{}\"",
                           fmt::join(expected, ", "), text));
}

/// Reads a manifest in one go; members are what later fields are checked
/// against.
class ManifestReader {
public:
  explicit ManifestReader(JsonValue root) : root(std::move(root)) {}

  Manifest read() {
    root.allowKeys({"format", "model", "plan_hash", "ranks", "mesh",
                    "arena_bytes", "pipeline", "channels", "arguments",
                    "results", "groups", "tokens_per_step", "drops_rows",
                    "predicted", "weights"});
    if (JsonValue value = root.at("format"); value.string() != format)
      value.refuse(fmt::format("expected \"{}\", found \"{}\"; compile the "
                               "program again with this version",
                               format, value.string()));
    readModel(root.at("model"));
    manifest.planHash = root.at("plan_hash").string();
    manifest.ranks =
        static_cast<int>(root.at("ranks").integer(1, mostRanksOfProgram));
    readMesh(root.at("mesh"));
    manifest.arenaBytes = root.at("arena_bytes").size();
    if (std::optional<JsonValue> pipeline = root.find("pipeline"))
      readPipeline(*pipeline);
    if (std::optional<JsonValue> channels = root.find("channels"))
      for (const JsonValue &item : channels->elements())
        readChannel(item);
    for (const JsonValue &item : root.at("arguments").elements())
      readArgument(item);
    requireAllRows(root.at("arguments"));
    for (const JsonValue &item : root.at("results").elements())
      readResult(item);
    for (const JsonValue &item : root.at("groups").elements())
      readGroups(item);
    manifest.tokensPerStep = root.at("tokens_per_step").size();
    if (std::optional<JsonValue> drops = root.find("drops_rows"))
      manifest.dropsRows = drops->integer(0, 1) == 1;
    if (std::optional<JsonValue> predicted = root.find("predicted"))
      readPredicted(*predicted);
    if (std::optional<JsonValue> weights = root.find("weights"))
      readWeights(*weights);
    return std::move(manifest);
  }

private:
  void readModel(const JsonValue &value) {
    value.allowKeys({"name", "hash"});
    manifest.modelName = value.at("name").string();
    manifest.modelHash = value.at("hash").string();
  }

  void readMesh(const JsonValue &value) {
    int64_t ranks = 1;
    for (const JsonValue &item : value.elements()) {
      item.allowKeys({"name", "size"});
      MeshAxis axis{item.at("name").string(),
                    item.at("size").integer(1, mostRanksOfProgram)};
      for (const MeshAxis &other : manifest.mesh)
        if (other.name == axis.name)
          item.refuse(fmt::format("two axes are called \"{}\"", axis.name));
      ranks = std::min(ranks * axis.size, mostRanksOfProgram + 1);
      manifest.mesh.push_back(std::move(axis));
    }
    if (ranks != manifest.ranks)
      value.refuse(fmt::format("the axes span {} ranks, but /ranks is {}",
                               ranks, manifest.ranks));
  }

  /// The axis that `value` names as `name`.
  size_t findAxis(const std::string &name, const JsonValue &value) {
    for (size_t axis = 0; axis < manifest.mesh.size(); ++axis)
      if (manifest.mesh[axis].name == name)
        return axis;
    value.refuse(fmt::format("no mesh axis is called \"{}\"", name));
  }

  int64_t axisSize(const std::string &name, const JsonValue &value) {
    return manifest.mesh[findAxis(name, value)].size;
  }

  void readPipeline(const JsonValue &value) {
    value.allowKeys({"axis", "arena_bytes"});
    Pipeline pipeline;
    JsonValue axis = value.at("axis"), arenas = value.at("arena_bytes");
    pipeline.axis = findAxis(axis.string(), axis);
    pipeline.arenaBytes = arenas.sizes();
    int64_t coordinates = manifest.mesh[pipeline.axis].size;
    if (std::ssize(pipeline.arenaBytes) != coordinates)
      arenas.refuse(fmt::format("expected {} entries, one per coordinate of "
                                "axis \"{}\"",
                                coordinates, axis.string()));
    int64_t largest = std::ranges::max(pipeline.arenaBytes);
    if (largest != manifest.arenaBytes)
      arenas.refuse(fmt::format("the largest is {}, but /arena_bytes is {}",
                                largest, manifest.arenaBytes));
    manifest.pipeline = std::move(pipeline);
  }

  void readChannel(const JsonValue &value) {
    value.allowKeys({"from", "to", "bytes"});
    auto readRank = [&](std::string_view key) {
      return static_cast<int>(value.at(key).integer(0, manifest.ranks - 1));
    };
    Channel channel{readRank("from"), readRank("to"),
                    value.at("bytes").integer(0, mostChannelBytes)};
    if (channel.from == channel.to)
      value.refuse(
          fmt::format("rank {} needs no channel to itself", channel.to));
    if (!connected.insert({channel.from, channel.to}).second)
      value.refuse(fmt::format("there are two channels from rank {} to rank {}",
                               channel.from, channel.to));
    manifest.channels.push_back(channel);
  }

  void readTensor(const JsonValue &value, Tensor &tensor) {
    tensor.name = value.at("name").string();
    JsonValue type = value.at("dtype");
    if (std::optional<ElementType> known = elementTypeFromName(type.string()))
      tensor.type = *known;
    else
      type.refuse(fmt::format("unknown element type \"{}\"", type.string()));
    tensor.globalShape = value.at("global_shape").sizes();
    if (std::optional<JsonValue> rows = value.find("rows"))
      tensor.rows = readRows(*rows, tensor);
    tensor.localShape = value.at("local_shape").sizes();
    for (const JsonValue &axes : value.at("sharding").elements())
      tensor.sharding.push_back(axes.strings());
    tensor.offset = value.at("offset").size();
    checkSharding(value, tensor);
    checkSize(value, tensor);
    if (manifest.pipeline)
      return readOffsets(value.at("offsets"), value.at("offset"), tensor);
    if (std::optional<JsonValue> offsets = value.find("offsets"))
      offsets->refuse("only tensors of a program with a /pipeline have it");
    checkPlace(value.at("offset"), tensor, tensor.offset, manifest.arenaBytes,
               "/arena_bytes");
  }

  Rows readRows(const JsonValue &value, const Tensor &tensor) {
    if (tensor.globalShape.empty())
      value.refuse("a tensor without dimensions has no rows");
    std::vector<int64_t> bounds = value.sizes();
    int64_t whole = tensor.globalShape[0];
    if (bounds.size() != 2 || bounds[0] >= bounds[1] || bounds[1] > whole)
      value.refuse(fmt::format("expected two numbers, the first smaller than "
                               "the second, of 0 to {}",
                               whole));
    return {bounds[0], bounds[1]};
  }

  /// Where the ranks of every coordinate of the pipeline hold the tensor.
  void readOffsets(const JsonValue &value, const JsonValue &first,
                   Tensor &tensor) {
    const Pipeline &pipeline = *manifest.pipeline;
    std::vector<JsonValue> items = value.elements();
    if (items.size() != pipeline.arenaBytes.size())
      value.refuse(fmt::format(
          "expected {} entries, one per coordinate of axis \"{}\"",
          pipeline.arenaBytes.size(), manifest.mesh[pipeline.axis].name));
    for (size_t i = 0; i < items.size(); ++i) {
      tensor.offsets.push_back(items[i].integer(-1, INT64_MAX));
      if (tensor.offsets[i] < 0 && isNeededEverywhere(tensor))
        items[i].refuse("all ranks must hold the loss, scalar outputs, and "
                        "tensors that the pipeline's axis splits");
      if (tensor.offsets[i] >= 0)
        checkPlace(items[i], tensor, tensor.offsets[i], pipeline.arenaBytes[i],
                   fmt::format("/pipeline/arena_bytes/{}", i));
    }
    auto holder = std::ranges::find_if(
        tensor.offsets, [](int64_t offset) { return offset >= 0; });
    if (holder == tensor.offsets.end())
      value.refuse("no rank holds the tensor");
    if (*holder != tensor.offset)
      first.refuse(fmt::format("the first rank that holds the tensor has it at "
                               "{}, found {}",
                               *holder, tensor.offset));
  }

  bool isNeededEverywhere(const Tensor &tensor) const {
    if (tensor.role == Role::Loss ||
        (tensor.role == Role::Output && tensor.globalShape.empty()))
      return true;
    const std::string &axis = manifest.mesh[manifest.pipeline->axis].name;
    return std::ranges::any_of(tensor.sharding, [&](const auto &axes) {
      return std::ranges::find(axes, axis) != axes.end();
    });
  }

  void checkSharding(const JsonValue &value, const Tensor &tensor) {
    size_t rank = tensor.globalShape.size();
    for (std::string_view key : {"local_shape", "sharding"})
      if (value.at(key).elements().size() != rank)
        value.at(key).refuse(fmt::format(
            "expected {} entries, one per dimension of global_shape", rank));

    std::set<std::string> used;
    for (size_t dim = 0; dim < rank; ++dim) {
      JsonValue axes = value.at("sharding").elements()[dim];
      int64_t shards = 1;
      for (const std::string &axis : tensor.sharding[dim]) {
        shards *= axisSize(axis, axes);
        if (!used.insert(axis).second)
          axes.refuse(fmt::format("axis \"{}\" splits the tensor twice", axis));
      }
      int64_t expected = ceilDivide(tensor.sizeOf(dim), shards);
      if (tensor.localShape[dim] != expected)
        value.at("local_shape")
            .elements()[dim]
            .refuse(fmt::format("{} split {} ways is {}, found {}",
                                tensor.sizeOf(dim), shards, expected,
                                tensor.localShape[dim]));
    }
  }

  void checkSize(const JsonValue &value, const Tensor &tensor) {
    for (std::string_view key : {"global_shape", "local_shape"}) {
      Bytes bytes(byteSize(tensor.type));
      for (int64_t size : value.at(key).sizes())
        bytes = size == 0 ? Bytes(0) : bytes * size;
      if (bytes.isSaturated())
        value.at(key).refuse("the tensor's size in bytes exceeds 64 bits");
    }
  }

  /// `arena` is the pointer of the field with the size of the arena.
  void checkPlace(const JsonValue &value, const Tensor &tensor, int64_t offset,
                  int64_t arenaBytes, std::string_view arena) {
    Bytes end = Bytes(offset) + Bytes(tensor.localBytes());
    if (end > Bytes(arenaBytes))
      value.refuse(fmt::format("the tensor ends at byte {}, but {} is {}",
                               end.count(), arena, arenaBytes));
  }

  void readArgument(const JsonValue &value) {
    value.allowKeys({"name", "role", "dtype", "global_shape", "local_shape",
                     "rows", "sharding", "offset", "offsets", "init",
                     "batch_dim", "limit"});
    Argument argument;
    argument.role = readRole(value.at("role"), {Role::Param, Role::State,
                                                Role::Batch, Role::Constant});
    readTensor(value, argument);
    for (const Argument &other : manifest.arguments)
      if (other.name == argument.name && !areOtherRows(other, argument))
        value.at("name").refuse(
            fmt::format("two arguments are called \"{}\"", argument.name));
    if (std::optional<JsonValue> init = value.find("init"))
      argument.init = init->string();
    if (std::optional<JsonValue> dim = value.find("batch_dim"))
      argument.batchDim = dim->integer(
          -1, std::max<int64_t>(argument.globalShape.size(), 1) - 1);
    if (std::optional<JsonValue> limit = value.find("limit"))
      argument.limit = limit->integer(1, INT64_MAX);
    manifest.arguments.push_back(std::move(argument));
  }

  /// Whether two arguments of one name are different rows of one tensor.
  static bool areOtherRows(const Argument &one, const Argument &other) {
    return one.rows && other.rows && one.type == other.type &&
           one.role == other.role && one.globalShape == other.globalShape &&
           (one.rows->end <= other.rows->begin ||
            other.rows->end <= one.rows->begin);
  }

  /// Every row of a tensor is in some argument, so that files are complete.
  void requireAllRows(const JsonValue &value) {
    std::map<std::string, int64_t> missing;
    for (const Argument &argument : manifest.arguments)
      if (argument.rows) {
        auto entry =
            missing.try_emplace(argument.name, argument.globalShape[0]).first;
        entry->second -= argument.rows->end - argument.rows->begin;
      }
    for (const auto &[name, rows] : missing)
      if (rows > 0)
        value.refuse(fmt::format("{} rows of \"{}\" are missing", rows, name));
  }

  void readResult(const JsonValue &value) {
    value.allowKeys({"name", "role", "dtype", "global_shape", "local_shape",
                     "rows", "sharding", "offset", "offsets", "argument"});
    Result result;
    result.role = readRole(
        value.at("role"), {Role::Param, Role::State, Role::Loss, Role::Output});
    readTensor(value, result);
    int64_t arguments = static_cast<int64_t>(manifest.arguments.size());
    JsonValue index = value.at("argument");
    result.argument = index.integer(-1, arguments - 1);
    if (result.argument >= 0)
      checkStorage(index, result, manifest.arguments[result.argument]);
    manifest.results.push_back(std::move(result));
  }

  void checkStorage(const JsonValue &index, const Result &result,
                    const Argument &argument) {
    if (result.offset != argument.offset ||
        result.offsets != argument.offsets || result.type != argument.type ||
        result.globalShape != argument.globalShape ||
        result.rows != argument.rows || result.sharding != argument.sharding)
      index.refuse(fmt::format("result \"{}\" differs from argument \"{}\", "
                               "whose storage it shares, in offset, type, "
                               "shape or sharding",
                               result.name, argument.name));
  }

  void readGroups(const JsonValue &value) {
    value.allowKeys({"axes", "ranks"});
    RankGroups groups;
    groups.axes = value.at("axes").strings();
    std::vector<bool> seen(manifest.ranks, false);
    for (const JsonValue &list : value.at("ranks").elements()) {
      std::vector<int> ranks;
      for (const JsonValue &item : list.elements()) {
        int rank = static_cast<int>(item.integer(0, manifest.ranks - 1));
        if (seen[rank])
          item.refuse(fmt::format("rank {} is in the groups twice", rank));
        seen[rank] = true;
        ranks.push_back(rank);
      }
      groups.ranks.push_back(std::move(ranks));
    }
    auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing != seen.end())
      value.at("ranks").refuse(
          fmt::format("rank {} is in no group", missing - seen.begin()));
    manifest.groups.push_back(std::move(groups));
  }

  void readPredicted(const JsonValue &value) {
    value.allowKeys({"communication_bytes_per_rank", "row_bytes_per_rank",
                     "peak_bytes", "step_nanoseconds"});
    auto optionalSize = [&](std::string_view key) -> std::optional<int64_t> {
      std::optional<JsonValue> item = value.find(key);
      return item ? std::optional(item->size()) : std::nullopt;
    };
    manifest.predictedCommunicationBytes =
        optionalSize("communication_bytes_per_rank");
    manifest.predictedRowBytes = optionalSize("row_bytes_per_rank");
    manifest.predictedPeakBytes = optionalSize("peak_bytes");
    manifest.predictedStepNanoseconds = optionalSize("step_nanoseconds");
  }

  using Pairs = std::vector<std::pair<std::string, std::string>>;

  static Pairs readPairs(const JsonValue &value) {
    Pairs pairs;
    for (const JsonValue &item : value.elements()) {
      std::vector<std::string> words = item.strings();
      if (words.size() != 2 || words[0].empty())
        item.refuse("expected two names");
      pairs.emplace_back(words[0], words[1]);
    }
    return pairs;
  }

  void readWeights(const JsonValue &value) {
    value.allowKeys({"prefix", "ignored", "copies", "older", "stacked"});
    WeightSpelling &weights = manifest.weights;
    weights.prefix = value.at("prefix").string();
    weights.ignored = value.at("ignored").strings();
    weights.copies = readPairs(value.at("copies"));
    weights.older = readPairs(value.at("older"));
    weights.stacked = value.at("stacked").strings();
    for (const auto &[copy, original] : weights.copies)
      if (std::ranges::none_of(manifest.arguments, [&](const Argument &each) {
            return each.role == Role::Param && each.name == original;
          }))
        value.at("copies").refuse(fmt::format("\"{}\" should be a copy of "
                                              "\"{}\", which is no parameter",
                                              copy, original));
  }

  JsonValue root;
  Manifest manifest;
  std::set<std::pair<int, int>> connected; // from, to
};

} // namespace

std::string_view name(Role role) {
  return roleNames[static_cast<size_t>(role)];
}

std::vector<const Argument *> partsOf(const Manifest &manifest,
                                      const Argument &argument) {
  if (!argument.rows)
    return {&argument};
  std::vector<const Argument *> parts;
  for (const Argument &other : manifest.arguments)
    if (other.name == argument.name)
      parts.push_back(&other);
  return parts;
}

int64_t Tensor::sizeOf(size_t dim) const {
  return dim == 0 && rows ? rows->end - rows->begin : globalShape[dim];
}

int64_t Tensor::localBytes() const {
  return elementCount(localShape) * byteSize(type);
}

int64_t Tensor::globalBytes() const {
  return elementCount(globalShape) * byteSize(type);
}

Manifest readManifest(std::string_view text) {
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception &error) {
    fail(ExitCode::BadInput, "{}: {}", documentName, error.what());
  }
  Manifest manifest =
      ManifestReader(JsonValue(document, std::string(documentName))).read();
  manifest.textHash = hashText(text);
  return manifest;
}

} // namespace shardsmith::runtime
