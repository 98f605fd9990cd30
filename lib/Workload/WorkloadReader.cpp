// SPDX-License-Identifier: Apache-2.0

#include "DescriptorWords.h"
#include "EnumNames.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Workload/Workload.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

using nlohmann::json;

namespace shardsmith::workload {
namespace {

/// The first thing that is wrong with the text.
struct ReadError {
  std::string message;
};

/// A JSON value and the pointer to it.
class Node {
public:
  Node(const json &value, std::string pointer)
      : value(value), pointer(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string &message) const {
    throw ReadError{(pointer.empty() ? "/" : pointer) + ": " + message};
  }

  bool has(const char *key) const {
    return object().find(key) != object().end();
  }
  Node at(const char *key) const {
    auto found = object().find(key);
    if (found == object().end())
      fail(std::string("the key \"") + key + "\" is missing");
    return Node(*found, pointer + "/" + key);
  }

  int64_t integer(int64_t least = 0) const {
    bool fits = value.is_number_integer() &&
                !(value.is_number_unsigned() &&
                  value.get<uint64_t>() > uint64_t(INT64_MAX)) &&
                value.get<int64_t>() >= least;
    if (!fits)
      fail("expected an integer of " + std::to_string(least) +
           " or more, found " + shown());
    return value.get<int64_t>();
  }
  unsigned index() const {
    int64_t number = integer();
    if (number > UINT32_MAX)
      fail("expected an index, found " + shown());
    return unsigned(number);
  }
  std::string string() const {
    if (!value.is_string())
      fail("expected a string, found " + shown());
    return value.get<std::string>();
  }
  bool boolean() const {
    if (!value.is_boolean())
      fail("expected true or false, found " + shown());
    return value.get<bool>();
  }
  template <typename Enum, size_t size>
  Enum word(const std::array<std::string_view, size> &words) const {
    return static_cast<Enum>(position(words));
  }
  /// Which of the words this is.
  size_t position(std::span<const std::string_view> words) const {
    auto found = std::ranges::find(words, string());
    if (found != words.end())
      return size_t(found - words.begin());
    std::string list;
    for (std::string_view known : words)
      list += (list.empty() ? "" : ", ") + std::string(known);
    fail("expected one of " + list + ", found " + shown());
  }
  template <typename Read> auto list(Read read) const {
    if (!value.is_array())
      fail("expected an array, found " + shown());
    std::vector<decltype(read(*this))> result;
    for (size_t i = 0; i < value.size(); ++i)
      result.push_back(read(Node(value[i], pointer + "/" + std::to_string(i))));
    return result;
  }

private:
  const json &object() const {
    if (!value.is_object())
      fail("expected an object, found " + shown());
    return value;
  }
  std::string shown() const {
    std::string text =
        value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() > 40 ? text.substr(0, 37) + "..." : text;
  }

  const json &value;
  std::string pointer;
};

std::vector<unsigned> readIndices(const Node &node) {
  return node.list([](const Node &item) { return item.index(); });
}

Tensor readTensor(const Node &node) {
  Tensor tensor;
  tensor.name = node.at("name").string();
  tensor.shape =
      node.at("shape").list([](const Node &size) { return size.integer(1); });
  tensor.type = node.at("type").word<ElementType>(elementTypeNames);
  tensor.role = node.at("role").word<TensorRole>(tensorRoleNames);
  if (node.has("saved"))
    tensor.savedForBackward = node.at("saved").boolean();
  if (node.has("inside_attention"))
    tensor.insideAttention = node.at("inside_attention").boolean();
  return tensor;
}

Factor readFactor(const Node &node) {
  Factor factor;
  factor.name = node.at("name").string();
  factor.size = node.at("size").integer(1);
  if (node.has("kind"))
    factor.kind = node.at("kind").word<FactorKind>(factorKindNames);
  if (node.has("role"))
    factor.role = node.at("role").word<FactorRole>(factorRoleNames);
  return factor;
}

FactorIndex readFactorName(const Node &node, const Op &op) {
  std::string name = node.string();
  auto found =
      std::find_if(op.factors.begin(), op.factors.end(),
                   [&](const Factor &factor) { return factor.name == name; });
  if (found == op.factors.end())
    node.fail("the op has no factor \"" + name + "\"");
  return FactorIndex(found - op.factors.begin());
}

TensorUse readUse(const Node &node, const Op &op) {
  TensorUse use;
  use.tensor = node.at("tensor").index();
  use.dims = node.at("dims").list([&](const Node &dim) {
    return dim.list(
        [&](const Node &factor) { return readFactorName(factor, op); });
  });
  return use;
}

AttentionParts readAttention(const Node &node, const Op &op) {
  auto factor = [&](const char *key) {
    return readFactorName(node.at(key), op);
  };
  AttentionParts parts;
  parts.keyValueHeads = factor("key_value_heads");
  if (node.has("group"))
    parts.group = factor("group");
  parts.queries = factor("queries");
  parts.keys = factor("keys");
  parts.headSize = factor("head_size");
  parts.valueSize = factor("value_size");
  parts.causal = node.at("causal").boolean();
  return parts;
}

/// The parts of attention name factors, so they are read behind those.
void readDescriptors(const Node &node, Op &op) {
  std::span<const DescriptorWord> words = descriptorWords();
  std::vector<std::string_view> names;
  for (const DescriptorWord &each : words)
    names.push_back(each.word);
  Node kind = node.at("kind");
  static_cast<OpDescriptors &>(op) = words[kind.position(names)].descriptors;
  if (node.has("attention") != op.attention.has_value())
    kind.fail(op.attention ? "the parts of attention are missing"
                           : "only attention has its parts");
}

Op readOp(const Node &node) {
  Op op;
  op.name = node.at("name").string();
  readDescriptors(node, op);
  if (node.has("factors"))
    op.factors = node.at("factors").list(readFactor);
  auto uses = [&](const Node &list) {
    return list.list([&](const Node &use) { return readUse(use, op); });
  };
  if (node.has("operands"))
    op.operands = uses(node.at("operands"));
  if (node.has("results"))
    op.results = uses(node.at("results"));
  if (node.has("linear_operand_sets"))
    op.linearOperandSets = node.at("linear_operand_sets").list(readIndices);
  op.flops = Flops(node.at("flops").integer());
  if (node.has("row_statistics"))
    op.rowStatistics = node.at("row_statistics").integer();
  if (op.attention)
    op.attention = readAttention(node.at("attention"), op);
  if (node.has("experts_per_token"))
    op.expertsPerToken = node.at("experts_per_token").integer();
  if (node.has("has_backward"))
    op.hasBackward = node.at("has_backward").boolean();
  return op;
}

Block readBlock(const Node &node) {
  Block block;
  block.name = node.at("name").string();
  block.inputs = readIndices(node.at("inputs"));
  block.outputs = readIndices(node.at("outputs"));
  block.parameters = readIndices(node.at("parameters"));
  block.tensors = node.at("tensors").list(readTensor);
  block.ops = node.at("ops").list(readOp);
  return block;
}

Segment readSegment(const Node &node) {
  Segment segment;
  segment.block = node.at("block").index();
  segment.count = node.at("count").integer(1);
  auto repetitions = node.at("parameter_names").list([](const Node &names) {
    return names.list([](const Node &name) { return name.string(); });
  });
  for (const std::vector<std::string> &names : repetitions)
    segment.parameterNames.add(names);
  return segment;
}

Workload readWorkload(const Node &node) {
  Workload workload;
  workload.modelName = node.at("model").string();
  workload.modelHash = node.at("model_hash").string();
  workload.globalBatch = node.at("global_batch").integer(1);
  workload.sequenceLength = node.at("sequence_length").integer(1);
  workload.computeType =
      node.at("compute_type").word<ElementType>(elementTypeNames);
  if (node.has("micro_batch_obstacle"))
    workload.microBatchObstacle = node.at("micro_batch_obstacle").string();
  if (node.has("position_obstacle"))
    workload.positionObstacle = node.at("position_obstacle").string();
  workload.segments = node.at("segments").list(readSegment);
  workload.blocks = node.at("blocks").list(readBlock);
  return workload;
}

} // namespace

std::optional<Workload> workloadFromJson(std::string_view text,
                                         std::string &error) {
  try {
    std::optional<json> value = parseJson(text, error);
    if (!value)
      throw ReadError{"/: " + error};
    Workload workload = readWorkload(Node(*value, ""));
    error = workload.verify();
    if (!error.empty())
      return std::nullopt;
    return workload;
  } catch (const ReadError &readError) {
    error = readError.message;
  }
  return std::nullopt;
}

} // namespace shardsmith::workload
