// SPDX-License-Identifier: Apache-2.0
//
// A plan as the files that other runtimes read. Every target says what its
// format can, and names what it cannot; none approximates. docs/emit.md lists
// the targets.

#ifndef SHARDSMITH_EMIT_EMIT_H
#define SHARDSMITH_EMIT_EMIT_H

#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/PlanFiles/PlanDocument.h"
#include "shardsmith/Workload/ParameterSplits.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::emit {

/// Shapes of parameters as the model's file has them, by name. Those of a
/// workload may be finer.
using ParameterShapes =
    std::map<std::string, std::vector<int64_t>, std::less<>>;

/// A value of the model's file that is a tensor of a block.
struct NamedValue {
  workload::BlockIndex block = 0;
  workload::TensorIndex tensor = 0;
  /// What the file says of where it is from.
  std::string source;
  /// Of the file.
  std::vector<int64_t> shape;
  /// The parts of its dimensions, major to minor, without those of one element.
  struct Part {
    unsigned dim = 0;
    int64_t size = 1;
    workload::FactorRole role = workload::FactorRole::Other;
    /// The dimension of the tensor.
    unsigned tensorDim = 0;
  };
  std::vector<Part> parts;
};

/// Some equal units of the chain in a row, and what the model's file says of
/// where their ops are from: for each op the names of its own place and of the
/// calls that lead to it, innermost first, each once.
struct NamedUnit {
  int64_t count = 1;
  std::vector<std::string> ops;
  /// Those of them that make up attention.
  std::vector<std::string> attention;
};

/// What the emitters read of the model's file.
struct ModelNames {
  ParameterShapes shapes;
  /// In program order; empty if the file does not name where they are from.
  std::vector<NamedValue> values;
  /// The whole chain, or nothing.
  std::vector<NamedUnit> units;
};

/// A plan, and what its decisions are about. What is passed by reference must
/// outlive this.
struct EmitInput {
  /// Its layouts are bound.
  const PlanDocument &document;
  const workload::Workload &workload;
  const StackProfile &profile;
  const ClusterTopology &topology;
  /// Empty if the model has no file, or one without shapes.
  ParameterShapes shapes;
  /// Devices that one process launcher starts ranks on.
  int64_t devicesPerNode = 1;
  /// What is written piece by piece (`StreamedFile`) is refused beyond this,
  /// all files together.
  Bytes mostStreamed = Bytes(int64_t(1) << 30);
  /// As of `ModelNames`.
  std::span<const NamedValue> values = {};
  std::span<const NamedUnit> units = {};

  const Strategy &strategy() const { return document.strategy; }
};

/// A decision that a format cannot say.
struct Obstacle {
  std::string decision;
  /// The nearest plan that the format can say, in the words of `plan --fix`
  /// where there are some; empty if there is none.
  std::string nearest;

  bool operator==(const Obstacle &) const = default;
};

/// A decision that a runtime takes by itself, and takes in another way.
struct Change {
  /// `model.embed_tokens.weight split by dimension 1`
  std::string decision;
  /// `split by dimension 0`
  std::string there;

  bool operator==(const Change &) const = default;
};

struct EmittedFile {
  std::string name;
  std::string text;
  bool isExecutable = false;

  bool operator==(const EmittedFile &) const = default;
};

/// Takes the pieces of a file, in order.
using TextSink = std::function<void(std::string_view)>;

/// A file that is made while it is written: it is too large to be held, or not
/// worth its time for a plan that is not chosen. It needs nothing of the input
/// that it was made of.
struct StreamedFile {
  std::string name;
  std::function<void(const TextSink &)> write;
};

/// Files are for use only where there are no obstacles.
struct Emission {
  std::vector<EmittedFile> files;
  std::vector<StreamedFile> streamed;
  std::vector<Obstacle> obstacles;
  /// What the files say otherwise than the plan, because ranks cannot have it
  /// in equal parts; it makes no difference to the prices that are planned.
  std::vector<Change> changes;
};

struct Target {
  /// As `--to` has it.
  std::string_view name;
  /// What people call the runtime.
  std::string_view runtime;
  /// One line for help: what is written.
  std::string_view writes;
  /// A file that only some plans have; empty if there is none.
  std::string_view sometimes = {};
  /// The file for the annotated graph, in StableHLO and sdy alone; empty if the
  /// runtime reads none. Not all plans have one.
  std::string_view graph = {};
  /// What is written is a script `NAME.sh` that starts all ranks.
  bool startsRanks = false;
  /// Shell that starts the ranks of one node of any other. `"$@"` is the
  /// training script with its arguments, `"$folder"` where the files are;
  /// @NODES@ and @RANKS@ stand for numbers, @TORCHRUN@ for torchrun with its
  /// options.
  std::string_view start = "exec @TORCHRUN@ \"$@\"\n";
};
/// In the order of help.
std::span<const Target> targets();
const Target *targetNamed(std::string_view name);
std::vector<std::string> targetNames();

/// What of a model no plan for the target can say; empty if there is nothing.
std::string modelObstacle(const Target &target,
                          const workload::Workload &workload);

Emission emitPlan(const Target &target, const EmitInput &input);

/// A strategy in which what a runtime decides by itself, layouts around layers
/// and what is recomputed there, is as the runtime decides it.
struct Adaptation {
  Strategy strategy;
  /// Empty if the strategy is such as it is.
  std::vector<Change> changes;
};
Adaptation adaptTo(const Target &target, const EmitInput &input);

/// How parameters may lie on tensor ranks so that the target's files say them
/// and `adaptTo` leaves them as they are; null if in any way. Parameters whose
/// shape is not known may.
std::shared_ptr<const workload::ParameterSplits>
parameterSplits(const Target &target, const workload::Workload &workload,
                const ParameterShapes &shapes);

/// The script that `plan` writes beside a plan: it starts NVIDIA/Megatron-LM,
/// or says which decisions its flags cannot say, and ends with code 5.
std::string launchScript(const EmitInput &input);

} // namespace shardsmith::emit

#endif // SHARDSMITH_EMIT_EMIT_H
