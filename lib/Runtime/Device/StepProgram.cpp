// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Device/StepProgram.h"

#include "../JsonReader.h"
#include "shardsmith/Runtime/Placement.h"
#include "shardsmith/Runtime/Reduce.h"

#include <algorithm>
#include <array>
#include <set>

namespace shardsmith::runtime::device {
namespace {

constexpr std::string_view documentName = "device program";
constexpr std::string_view format = "shardsmith-device-program/4";

/// In the order of `smith_reduction`.
constexpr std::array<std::string_view, 6> reductionNames{
    "sum", "product", "max", "min", "and", "or"};

class StepProgramReader {
public:
  StepProgramReader(JsonValue root, const Manifest &manifest,
                    int64_t constantBytes)
      : root(std::move(root)), manifest(manifest),
        constantBytes(constantBytes) {}

  StepProgram read() {
    root.allowKeys(
        {"format", "model", "plan_hash", "entries", "functions", "constants"});
    if (JsonValue value = root.at("format"); value.string() != format)
      value.refuse(fmt::format("expected \"{}\", found \"{}\"; compile the "
                               "program again with this version",
                               format, value.string()));
    for (const JsonValue &item : root.at("constants").elements())
      readConstant(item);
    JsonValue functions = root.at("functions");
    for (const std::string &name : functions.keys())
      names.insert(name);
    for (const std::string &name : names)
      program.functions[name] = readFunction(functions.at(name));
    readEntries(root.at("entries"));
    return std::move(program);
  }

private:
  void readConstant(const JsonValue &item) {
    item.allowKeys({"element", "bytes", "offset"});
    int64_t offset = item.at("offset").integer(0, constantBytes);
    program.constants.push_back(
        {offset, item.at("bytes").integer(0, constantBytes - offset)});
  }

  void readEntries(const JsonValue &value) {
    program.entries = value.strings();
    size_t expected =
        manifest.pipeline ? manifest.pipeline->arenaBytes.size() : 1;
    if (program.entries.size() != expected)
      value.refuse(fmt::format("expected {} functions, found {}", expected,
                               program.entries.size()));
    for (const std::string &name : program.entries)
      if (!names.contains(name))
        value.refuse(fmt::format("there is no function \"{}\"", name));
  }

  StepFunction readFunction(const JsonValue &value) {
    value.allowKeys({"steps", "pass", "arena_bytes", "workspace_bytes"});
    StepFunction function;
    if (std::optional<JsonValue> pass = value.find("pass"))
      function.pass = pass->string();
    for (const JsonValue &step : value.at("steps").elements())
      function.steps.push_back(readStep(step));
    return function;
  }

  Step readStep(const JsonValue &step) {
    JsonValue kind = step.at("kind");
    std::string name = kind.string();
    if (name == "launch")
      return readLaunch(step);
    if (name == "copy")
      return readCopy(step);
    if (name == "gemm")
      return readGemm(step);
    if (name == "all_reduce")
      return readAllReduce(step);
    if (name == "all_gather")
      return readAllGather(step);
    if (name == "reduce_scatter")
      return readReduceScatter(step);
    if (name == "exchange_blocks")
      return readExchangeBlocks(step);
    if (name == "collective_permute")
      return readPermute(step);
    if (name == "shard_index")
      return readShardIndex(step);
    if (name == "send" || name == "receive")
      return readMessage(step, name == "send");
    if (name == "repeat" || name == "run")
      return readCall(step, name == "repeat");
    kind.refuse(fmt::format("there is no step of the kind \"{}\"", name));
  }

  Place readPlace(const JsonValue &value) {
    if (!value.isObject())
      return {Place::Kind::Memory, value.size(), {}};
    if (std::optional<JsonValue> entry = value.find("entry"))
      return {Place::Kind::Entry, entry->size(), {}};
    if (std::optional<JsonValue> axes = value.find("counters_of_first"))
      return {Place::Kind::Counters, 0, axesNamed(*axes)};
    return {Place::Kind::Constant,
            value.at("constant")
                .integer(0, static_cast<int64_t>(program.constants.size()) - 1),
            {}};
  }
  std::vector<Place> readPlaces(const JsonValue &value) {
    std::vector<Place> places;
    for (const JsonValue &item : value.elements())
      places.push_back(readPlace(item));
    return places;
  }

  ElementType readElement(const JsonValue &value) {
    std::optional<ElementType> type = elementTypeFromName(value.string());
    if (!type)
      value.refuse(
          fmt::format("there is no element type \"{}\"", value.string()));
    return *type;
  }

  Reduction readReduction(const JsonValue &value) {
    std::string text = value.string();
    for (size_t i = 0; i < reductionNames.size(); ++i)
      if (reductionNames[i] == text)
        return static_cast<Reduction>(i);
    value.refuse(fmt::format("expected one of: {}; found \"{}\"",
                             fmt::join(reductionNames, ", "), text));
  }

  size_t readGroup(const JsonValue &step) {
    auto groups = static_cast<int64_t>(manifest.groups.size());
    return static_cast<size_t>(step.at("group").integer(0, groups - 1));
  }

  size_t axisNamed(const JsonValue &value, const std::string &name) {
    for (size_t axis = 0; axis < manifest.mesh.size(); ++axis)
      if (manifest.mesh[axis].name == name)
        return axis;
    value.refuse(fmt::format("the mesh has no axis \"{}\"", name));
  }

  std::vector<size_t> axesNamed(const JsonValue &names) {
    std::vector<size_t> axes;
    for (const std::string &name : names.strings())
      axes.push_back(axisNamed(names, name));
    return axes;
  }

  LaunchStep readLaunch(const JsonValue &step) {
    step.allowKeys(
        {"kind", "function", "grid", "block", "buffers", "bytes", "written"});
    LaunchStep launch;
    launch.function = step.at("function").string();
    launch.grid = step.at("grid").integer(1, INT32_MAX);
    launch.block = step.at("block").integer(1, 1024);
    launch.buffers = readPlaces(step.at("buffers"));
    launch.bytes = step.at("bytes").sizes();
    if (launch.bytes.size() != launch.buffers.size())
      step.at("bytes").refuse("expected one number per buffer");
    auto count = static_cast<int64_t>(launch.buffers.size());
    launch.written = static_cast<size_t>(step.at("written").integer(0, count));
    return launch;
  }

  CopyStep readCopy(const JsonValue &step) {
    step.allowKeys({"kind", "from", "to", "bytes"});
    return {readPlace(step.at("from")), readPlace(step.at("to")),
            step.at("bytes").size()};
  }

  /// Strides of the batch dimensions, then those of rows and columns.
  void readView(const JsonValue &value, const smith_gemm &gemm,
                GemmStep::View &view, smith_dtype &type, int64_t *batch,
                int64_t &rows, int64_t &columns) {
    value.allowKeys({"buffer", "bytes", "element", "offset", "strides"});
    view.place = readPlace(value.at("buffer"));
    view.bytes = value.at("bytes").size();
    view.offset = value.at("offset").size();
    type = readElement(value.at("element"));
    std::vector<int64_t> strides = value.at("strides").sizes();
    auto count = static_cast<size_t>(gemm.batch_count);
    if (strides.size() != count + 2)
      value.at("strides").refuse(fmt::format("expected {} strides", count + 2));
    std::copy_n(strides.begin(), count, batch);
    rows = strides[count];
    columns = strides[count + 1];
  }

  GemmStep readGemm(const JsonValue &step) {
    step.allowKeys({"kind", "batch", "sizes", "lhs", "rhs", "result", "sum",
                    "bias", "scale", "gelu"});
    GemmStep product;
    smith_gemm &gemm = product.gemm;
    gemm.id = gemmCount++;
    std::vector<int64_t> batch = step.at("batch").sizes();
    std::vector<int64_t> sizes = step.at("sizes").sizes();
    if (batch.size() > SMITH_GEMM_MAX_BATCH)
      step.at("batch").refuse(
          fmt::format("at most {} batch dimensions", SMITH_GEMM_MAX_BATCH));
    if (sizes.size() != 3)
      step.at("sizes").refuse("expected [m, n, k]");
    gemm.batch_count = static_cast<int32_t>(batch.size());
    std::copy(batch.begin(), batch.end(), gemm.batch);
    gemm.m = sizes[0];
    gemm.n = sizes[1];
    gemm.k = sizes[2];
    readView(step.at("lhs"), gemm, product.lhs, gemm.a_dtype,
             gemm.a_batch_stride, gemm.a_m_stride, gemm.a_k_stride);
    readView(step.at("rhs"), gemm, product.rhs, gemm.b_dtype,
             gemm.b_batch_stride, gemm.b_k_stride, gemm.b_n_stride);
    readView(step.at("result"), gemm, product.result, gemm.c_dtype,
             gemm.c_batch_stride, gemm.c_m_stride, gemm.c_n_stride);
    if (std::optional<JsonValue> sum = step.find("sum"))
      product.sum = readPlace(*sum);
    if (std::optional<JsonValue> bias = step.find("bias")) {
      if (gemm.c_n_stride != 1)
        bias->refuse("a bias is along columns of stride 1");
      product.bias = readPlace(*bias);
    }
    if (std::optional<JsonValue> scale = step.find("scale"))
      product.scale = readPlace(*scale);
    if (std::optional<JsonValue> gelu = step.find("gelu")) {
      product.gelu = readLaunch(*gelu);
      if (product.gelu->buffers.size() != 2 || product.gelu->written != 1)
        gelu->refuse("expected a launch that reads the product's result and "
                     "writes another tensor");
    }
    return product;
  }

  AllReduceStep readAllReduce(const JsonValue &step) {
    step.allowKeys(
        {"kind", "group", "reduction", "element", "count", "input", "result"});
    AllReduceStep reduce{readGroup(step),
                         readElement(step.at("element")),
                         readReduction(step.at("reduction")),
                         readPlace(step.at("input")),
                         readPlace(step.at("result")),
                         step.at("count").size()};
    checkReduction(reduce.type, reduce.reduction);
    return reduce;
  }

  AllGatherStep readAllGather(const JsonValue &step) {
    step.allowKeys(
        {"kind", "group", "outer", "chunk_bytes", "input", "result"});
    return {readGroup(step), readPlace(step.at("input")),
            readPlace(step.at("result")), step.at("outer").size(),
            step.at("chunk_bytes").size()};
  }

  ReduceScatterStep readReduceScatter(const JsonValue &step) {
    step.allowKeys({"kind", "group", "reduction", "element", "outer", "chunk",
                    "input", "result"});
    ReduceScatterStep scatter{readGroup(step),
                              readElement(step.at("element")),
                              readReduction(step.at("reduction")),
                              readPlace(step.at("input")),
                              readPlace(step.at("result")),
                              step.at("outer").size(),
                              step.at("chunk").size()};
    checkReduction(scatter.type, scatter.reduction);
    return scatter;
  }

  ExchangeBlocksStep readExchangeBlocks(const JsonValue &step) {
    step.allowKeys({"kind", "group", "block_bytes", "input", "result"});
    return {readGroup(step), readPlace(step.at("input")),
            readPlace(step.at("result")), step.at("block_bytes").size()};
  }

  PermuteStep readPermute(const JsonValue &step) {
    step.allowKeys({"kind", "group", "sources", "bytes", "input", "result"});
    auto groups = static_cast<int64_t>(manifest.groups.size());
    int64_t group = step.at("group").integer(-1, groups - 1);
    PermuteStep permute{group < 0 ? std::nullopt : std::optional<size_t>(group),
                        {},
                        readPlace(step.at("input")),
                        readPlace(step.at("result")),
                        step.at("bytes").size()};
    for (const JsonValue &source : step.at("sources").elements())
      permute.sources.push_back(source.integer(-1, manifest.ranks - 1));
    if (static_cast<int>(permute.sources.size()) != manifest.ranks)
      step.at("sources").refuse("expected one source per rank");
    return permute;
  }

  ShardIndexStep readShardIndex(const JsonValue &step) {
    step.allowKeys({"kind", "axes", "result"});
    return {axesNamed(step.at("axes")), readPlace(step.at("result"))};
  }

  MessageStep readMessage(const JsonValue &step, bool isSend) {
    step.allowKeys({"kind", "axis", isSend ? "to" : "from",
                    isSend ? "input" : "result", "bytes"});
    MessageStep message;
    message.isSend = isSend;
    message.axis = axisNamed(step.at("axis"), step.at("axis").string());
    message.peer = step.at(isSend ? "to" : "from")
                       .integer(0, manifest.mesh[message.axis].size - 1);
    message.place = readPlace(step.at(isSend ? "input" : "result"));
    message.bytes = step.at("bytes").size();
    return message;
  }

  CallStep readCall(const JsonValue &step, bool isRepeat) {
    bool isDecided = isRepeat && step.find("while").has_value();
    step.allowKeys({"kind", "function", "inputs", "carried", "carried_bytes",
                    "outputs", "workspace",
                    isDecided  ? "while"
                    : isRepeat ? "count"
                               : "micro_batch"});
    CallStep call;
    JsonValue function = step.at("function");
    call.function = function.string();
    if (!names.contains(call.function))
      function.refuse(
          fmt::format("there is no function \"{}\"", call.function));
    if (!isRepeat)
      call.first = step.at("micro_batch").integer(0, INT32_MAX - 1);
    else if (!isDecided)
      call.count = step.at("count").integer(1, INT32_MAX);
    call.inputs = readPlaces(step.at("inputs"));
    call.carried = readPlaces(step.at("carried"));
    call.carriedBytes = step.at("carried_bytes").sizes();
    call.outputs = readPlaces(step.at("outputs"));
    if (call.carriedBytes.size() != call.carried.size() ||
        call.outputs.size() < call.carried.size())
      step.refuse("what is carried has other sizes or places");
    if (isDecided) {
      auto last = static_cast<int64_t>(call.carried.size()) - 1;
      call.decider = static_cast<size_t>(step.at("while").integer(0, last));
      if (call.carriedBytes[*call.decider] != 1)
        step.at("while").refuse("what decides is not one boolean");
    }
    call.workspace = step.at("workspace").size();
    return call;
  }

  JsonValue root;
  const Manifest &manifest;
  int64_t constantBytes;
  std::set<std::string> names;
  int32_t gemmCount = 0;
  StepProgram program;
};

} // namespace

const StepFunction &StepProgram::entryOf(const Manifest &manifest,
                                         int rank) const {
  size_t number = 0;
  if (manifest.pipeline)
    number = static_cast<size_t>(
        coordinatesOf(manifest, rank)[manifest.pipeline->axis]);
  return functions.at(entries[number]);
}

StepProgram readStepProgram(std::string_view text, const Manifest &manifest,
                            int64_t constantBytes) {
  nlohmann::json json =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    fail(ExitCode::BadInput, "{}: not a JSON text", documentName);
  return StepProgramReader(JsonValue(json, std::string(documentName)), manifest,
                           constantBytes)
      .read();
}

} // namespace shardsmith::runtime::device
