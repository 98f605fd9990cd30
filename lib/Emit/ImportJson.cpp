// SPDX-License-Identifier: Apache-2.0
//
// What configurations in JSON decide: DeepSpeed, transformers, and meshes of
// PyTorch, JAX and TensorFlow as emitted.

#include "FlatYaml.h"
#include "ImportReaders.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace shardsmith::emit {
namespace {

class JsonReader {
public:
  JsonReader(const nlohmann::json &file, const std::string &folder,
             ReadBeside readBeside, std::string &error)
      : file(file), folder(folder), readBeside(readBeside), error(error) {}

  std::optional<ImportedPlan> run() {
    const nlohmann::json *name = find("/format");
    std::string format =
        name && name->is_string() ? name->get<std::string>() : "";
    if (format == "shardsmith-pytorch/1")
      readPyTorch();
    else if (format == "jax-shardings/1")
      readJax();
    else if (format == "dtensor-layouts/1")
      readTensorFlow();
    else if (file.contains("zero_optimization"))
      readDeepSpeed();
    else if (file.contains("tp_plan"))
      readTransformers();
    else
      error = "no configuration of DeepSpeed (zero_optimization) or of "
              "transformers (tp_plan), and no mesh of PyTorch, JAX or "
              "TensorFlow (format)";
    return error.empty() ? std::optional(plan) : std::nullopt;
  }

private:
  //===--- Values -----------------------------------------------------------===

  const nlohmann::json *find(const std::string &pointer) const {
    nlohmann::json::json_pointer place(pointer);
    return file.contains(place) ? &file[place] : nullptr;
  }

  int64_t count(const nlohmann::json *value, std::string_view name,
                int64_t fallback, int64_t least = 1) {
    if (!value || value->is_null())
      return fallback;
    std::string text = jsonText(*value);
    std::optional<int64_t> number = countIn(text, least);
    if (!number && error.empty())
      error = notACount(name, text, least);
    return number.value_or(fallback);
  }
  int64_t number(const std::string &pointer, int64_t fallback,
                 int64_t least = 1) {
    return count(find(pointer), pointer.substr(1), fallback, least);
  }

  bool flag(const std::string &pointer) const {
    const nlohmann::json *value = find(pointer);
    return value && *value == true;
  }

  //===--- Runtimes ---------------------------------------------------------===

  void readDeepSpeed() {
    plan.target = "deepspeed";
    int64_t tensor = number("/tensor_parallel/autotp_size", 1);
    int64_t microBatch = number("/train_micro_batch_size_per_gpu", 1);
    int64_t passes = number("/gradient_accumulation_steps", 1);
    plan.add("tp", tensor);
    plan.add("cp", 1);
    if (const nlohmann::json *batch = find("/train_batch_size")) {
      plan.globalBatch = count(batch, "train_batch_size", 1);
      if (plan.globalBatch % (microBatch * passes) != 0 && error.empty())
        error = fmt::format("train_batch_size: expected a multiple of {} × {}, "
                            "got {}",
                            microBatch, passes, plan.globalBatch);
      plan.add("dp", plan.globalBatch / (microBatch * passes));
    }
    plan.add("ep", 1);
    plan.add("pp", 1);
    plan.add("mbs", microBatch);
    plan.add("zero", number("/zero_optimization/stage", 0, 0));
    // Recomputation is code there.
    plan.add("recompute", "none");
    if (tensor > 1)
      plan.add("sp", "off");
    plan.add("order", "tp-cp-dp-pp");
  }

  void readTransformers() {
    plan.target = "transformers";
    int64_t tensor = number("/tp_size", 1);
    plan.add("tp", tensor);
    plan.add("cp", 1);
    // It has no data ranks beside tensor ranks; without them the launch says
    // how many there are.
    if (tensor > 1)
      plan.add("dp", 1);
    plan.add("ep", 1);
    plan.add("pp", 1);
    plan.add("mbs",
             number("/training_arguments/per_device_train_batch_size", 1));
    plan.add("zero", 0);
    plan.add("recompute", flag("/training_arguments/gradient_checkpointing")
                              ? "full"
                              : "none");
    if (tensor > 1) {
      plan.add("sp", "off");
      plan.globalBatch =
          number("/training_arguments/per_device_train_batch_size", 1) *
          number("/training_arguments/gradient_accumulation_steps", 1);
    }
    plan.add("order", "tp-cp-dp-pp");
  }

  //===--- Meshes -----------------------------------------------------------===

  using Axes = std::vector<std::pair<std::string, int64_t>>;

  Axes axesOf(const std::string &names, const std::string &sizes) {
    Axes axes;
    const nlohmann::json *all = find(names), *numbers = find(sizes);
    if (!all || !numbers || !all->is_array() || !numbers->is_array() ||
        all->size() != numbers->size()) {
      error = fmt::format("expected lists of equal length in {} and {}",
                          names.substr(1), sizes.substr(1));
      return axes;
    }
    for (size_t i = 0; i < all->size(); ++i)
      axes.emplace_back((*all)[i].is_string() ? (*all)[i].get<std::string>()
                                              : jsonText((*all)[i]),
                        count(&(*numbers)[i], sizes.substr(1), 1));
    return axes;
  }

  static bool isData(std::string_view axis) { return axis.starts_with("data"); }

  static int64_t sizeOf(const Axes &axes, auto has) {
    // Meshes beyond this are typing errors, and must not overflow.
    constexpr int64_t largest = int64_t(1) << 40;
    int64_t size = 1;
    for (const auto &[name, count] : axes)
      if (has(name) && size <= largest)
        size *= count;
    return size;
  }

  /// Degrees, and the order of devices: a mesh lists axes from distant devices
  /// to neighbours. Axes of one rank come behind the others.
  void addMesh(const Axes &axes) {
    std::string order;
    auto place = [&](std::string_view word) {
      if (order.find(word) == std::string::npos)
        order += fmt::format("{}{}", order.empty() ? "" : "-", word);
    };
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
      if (std::string_view word = wordOf(axis->first); !word.empty())
        place(word);
      else if (error.empty())
        error = fmt::format("the mesh has an axis '{}', which plans do not "
                            "have",
                            axis->first.substr(0, 40));
    for (std::string_view word : {"tp", "cp", "dp", "pp"}) {
      place(word);
      plan.add(word, sizeOf(axes, [&](std::string_view name) {
                 return wordOf(name) == word;
               }));
    }
    plan.add("order", order);
  }

  static std::string_view wordOf(std::string_view axis) {
    return axis == "tensor"     ? "tp"
           : axis == "context"  ? "cp"
           : axis == "pipeline" ? "pp"
           : isData(axis)       ? "dp"
                                : "";
  }

  void readPyTorch() {
    plan.target = "pytorch";
    Axes axes =
        axesOf("/device_mesh/mesh_dim_names", "/device_mesh/mesh_shape");
    addMesh(axes);
    plan.add("ep", expertRanks(axes));
    plan.add("mbs", number("/batch/micro_batch", 1));
    plan.globalBatch = number("/batch/global", 1);
    const nlohmann::json *fsdp = find("/fsdp");
    bool shards = fsdp && fsdp->is_object();
    plan.add("zero", !shards ? 0 : flag("/fsdp/reshard_after_forward") ? 3 : 2);
    if (shards) {
      const nlohmann::json *over = find("/fsdp/mesh_dims");
      auto has = [&](const std::string &name) {
        return over && over->is_array() &&
               std::ranges::find(*over, nlohmann::json(name)) != over->end();
      };
      int64_t ranks = sizeOf(axes, has);
      int64_t all = sizeOf(axes, [](std::string_view name) {
        return isData(name) || name == "context";
      });
      plan.zeroGroup = ranks < all ? ranks : 0;
    }
    if (const nlohmann::json *recompute = find("/recompute");
        recompute && recompute->empty())
      plan.add("recompute", "none");
    addPipeline(
        sizeOf(axes, [](std::string_view name) { return name == "pipeline"; }));
  }

  /// FSDP adds its own axes to parameters, so that those of data and context
  /// ranks are there for experts alone.
  int64_t expertRanks(const Axes &axes) const {
    std::vector<std::string> over;
    if (const nlohmann::json *parameters = find("/parameters"))
      for (const auto &[ignored, placements] : parameters->items())
        for (const auto &[axis, placement] : placements.items())
          over.push_back(axis);
    return sizeOf(axes, [&](const std::string &name) {
      return (isData(name) || name == "context") &&
             std::ranges::find(over, name) != over.end();
    });
  }

  void addPipeline(int64_t pipeline) {
    const nlohmann::json *stages = find("/pipeline/stages");
    if (!stages || !stages->is_array() || !error.empty())
      return;
    if (stages->empty() || int64_t(stages->size()) % pipeline != 0) {
      error = fmt::format("{} stages are no multiple of {} pipeline ranks",
                          stages->size(), pipeline);
      return;
    }
    int64_t virtualStages = int64_t(stages->size()) / pipeline;
    plan.add("vpp", virtualStages);
    const nlohmann::json *name = find("/pipeline/schedule_csv");
    std::string path =
        name && name->is_string() ? name->get<std::string>() : "";
    std::optional<ScheduleFamily> family =
        readTable(path, folder, readBeside, pipeline, virtualStages,
                  number("/batch/micro_batches", 1), error);
    if (family)
      plan.add("schedule", nameOf(*family));
  }

  /// What emitted files say in so many words: layouts do not tell the levels of
  /// ZeRO apart, nor experts from other parts.
  void addSaid(const Axes &axes) {
    int64_t microBatch = number("/micro_batches/sequences_per_data_rank", 1);
    plan.add("mbs", microBatch);
    int64_t data = sizeOf(axes, isData);
    if (find("/micro_batches/count"))
      plan.globalBatch = multiplied(
          multiplied(number("/micro_batches/count", 1), microBatch), data);
    if (find("/expert_ranks"))
      plan.add("ep", number("/expert_ranks", 1));
    if (!find("/zero/stage"))
      return;
    int64_t stage = number("/zero/stage", 0, 0);
    plan.add("zero", stage);
    int64_t ranks = number("/zero/ranks", 1);
    int64_t all = multiplied(data, sizeOf(axes, [](std::string_view name) {
                               return name == "context";
                             }));
    plan.zeroGroup = stage > 0 && ranks < all ? ranks : 0;
  }

  static int64_t multiplied(int64_t a, int64_t b) {
    return checkedMultiply(a, b).value_or(0);
  }

  void readJax() {
    plan.target = "jax";
    Axes axes = axesOf("/mesh/axis_names", "/mesh/axis_sizes");
    addMesh(axes);
    addSaid(axes);
    const nlohmann::json *recompute = find("/recompute");
    if (recompute && recompute->is_array() && recompute->size() == 1 &&
        (*recompute)[0].is_array() && !(*recompute)[0].empty() &&
        (*recompute)[0][0].is_string())
      plan.add("recompute", (*recompute)[0][0].get<std::string>());
  }

  void readTensorFlow() {
    plan.target = "tensorflow";
    Axes axes;
    const nlohmann::json *dims = find("/mesh_dims");
    if (dims && dims->is_array())
      for (const nlohmann::json &dim : *dims)
        if (dim.is_array() && dim.size() == 2 && dim[0].is_string())
          axes.emplace_back(dim[0].get<std::string>(),
                            count(&dim[1], "mesh_dims", 1));
    addMesh(axes);
    addSaid(axes);
    plan.add("recompute", "none");
  }

  const nlohmann::json &file;
  const std::string &folder;
  ReadBeside readBeside;
  std::string &error;
  ImportedPlan plan;
};

} // namespace

std::optional<ImportedPlan> importJson(std::string_view text,
                                       const std::string &folder,
                                       ReadBeside readBeside,
                                       std::string &error) {
  std::optional<nlohmann::json> file = parseJson(text, error);
  if (!file)
    return std::nullopt;
  return JsonReader(*file, folder, readBeside, error).run();
}

} // namespace shardsmith::emit
