// SPDX-License-Identifier: Apache-2.0

#include "SizeChecks.h"

#include "../SizeLimits.h"

#include "shardsmith/Support/Quantity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::huggingface {
namespace {

/// Positions of rows are 32-bit integers in the graph.
constexpr int64_t mostRows = (int64_t(1) << 31) - 1;

class OverflowCheck {
public:
  OverflowCheck(const ModelSpec &spec, int64_t batch, int64_t length)
      : spec(spec), batch(batch), length(length) {}

  std::string run() {
    if (const auto *patches = std::get_if<PatchEmbedding>(&spec.embedding)) {
      length = patches->patchesPerSide() * patches->patchesPerSide() + 1;
      check("an image batch",
            {batch, patches->channels, patches->imageSize, patches->imageSize});
      check("the scores", {batch, spec.head.outputs});
    } else {
      check("the embedding", {spec.vocabulary, spec.hidden});
      check("the positions", {spec.maxPositions, spec.hidden});
      check("the scores", {batch, length, spec.vocabulary});
    }
    check("an activation", {batch, length, spec.hidden});
    for (const auto *stack : {&spec.encoder, &spec.layers})
      for (const LayerRun &run : *stack) {
        layers = run.count;
        checkLayer(run.layer);
      }
    return problem;
  }

private:
  void checkLayer(const LayerSpec &layer) {
    check("attention scores", {batch, layer.attention.heads, length, length});
    checkAttention(layer.attention);
    if (const auto *mlp = std::get_if<MlpSpec>(&layer.feedForward))
      return checkMlp(*mlp);
    const auto &experts = std::get<ExpertsSpec>(layer.feedForward);
    check("expert weights of all layers",
          {experts.count, experts.hidden, experts.inner, layers});
    check("expert rows", {batch, length, experts.perToken, experts.inner});
    check("expert choices", {batch, length, experts.perToken, experts.count});
    check("expert choices", {batch, length, experts.perToken}, mostRows,
          "rows");
    if (experts.shared)
      checkMlp(*experts.shared);
  }

  void checkAttention(const AttentionSpec &attention) {
    if (const auto *p = std::get_if<SeparateProjections>(&attention.inputs)) {
      checkLinear(p->query);
      checkLinear(p->key);
    }
    if (const auto *p = std::get_if<FusedProjection>(&attention.inputs))
      checkLinear(p->all);
    if (const auto *p = std::get_if<LatentProjections>(&attention.inputs)) {
      checkLinear(p->queryUp);
      checkLinear(p->keyValueDown);
      checkLinear(p->keyValueUp);
    }
    checkLinear(attention.output);
  }

  void checkMlp(const MlpSpec &mlp) {
    checkLinear(mlp.up);
    checkLinear(mlp.down);
  }

  void checkLinear(const LinearSpec &linear) {
    check(linear.name + " of all layers",
          {linear.inputs, linear.outputs, layers});
    check("the result of " + linear.name + " in all layers",
          {batch, length, linear.outputs, layers});
  }

  void check(const std::string &what, std::initializer_list<int64_t> shape,
             int64_t most = mostElements, const char *unit = "elements") {
    std::optional<int64_t> count = 1;
    for (int64_t size : shape)
      if (count)
        count = checkedMultiply(*count, size);
    if (problem.empty() && (!count || *count > most))
      problem = fmt::format("{} of {} would have more than {} {}", what,
                            fmt::join(shape, "x"), most, unit);
  }

  const ModelSpec &spec;
  int64_t batch;
  int64_t length;
  /// Equal ones, whose weights and results add up.
  int64_t layers = 1;
  std::string problem;
};

} // namespace

std::string findOverflow(const ModelSpec &spec, int64_t batch, int64_t length) {
  return OverflowCheck(spec, batch, length).run();
}

} // namespace shardsmith::huggingface
