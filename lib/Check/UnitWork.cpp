// SPDX-License-Identifier: Apache-2.0

#include "UnitWork.h"

#include "OpWork.h"
#include "Repetition.h"
#include "Rounding.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::check {

using namespace workload;

namespace {

/// What the tensor axis has to do to a tensor that is at hand in one form and
/// is wanted in another. A copy can be sliced by everybody alone.
struct Change {
  CollectiveOp operation;
  Bytes bytes;
};

std::optional<Change> changeOf(const LocalBlock &local, TensorIndex tensor,
                               Form from, Form to) {
  if (from == to || from == Form::copy())
    return std::nullopt;
  Bytes whole = local.bytes(tensor, Form::copy());
  if (from == Form::term())
    return Change{to == Form::copy() ? CollectiveOp::AllReduce
                                     : CollectiveOp::ReduceScatter,
                  whole};
  if (to == Form::copy())
    return Change{CollectiveOp::AllGather, whole};
  return Change{CollectiveOp::AllToAll, local.bytes(tensor, from)};
}

class UnitDerivation {
public:
  UnitDerivation(const UnitSetting &setting, BlockIndex block)
      : setting(setting), index(block), block(setting.workload.blocks[block]),
        local(this->block, setting.strategy.layouts[block], setting.strategy),
        ops(setting, local, productType(setting.workload, block), work),
        full(local, {}, false, setting.kernels.profile().recomputeStopsEarly) {
    const StackProfile &profile = setting.kernels.profile();
    if (profile.selectiveKeepsProducts)
      selective = Repetition::besideProducts(local, profile.fusedAttention);
  }

  std::optional<UnitWork> derive(std::string &problem) {
    for (size_t op = 0; op < block.ops.size(); ++op) {
      problem = ops.derive(op);
      if (!problem.empty())
        return std::nullopt;
      for (size_t i = 0; i < block.ops[op].results.size(); ++i)
        store(op, i);
      markOp(op);
    }
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
      TensorRole role = block.tensors[tensor].role;
      if (role == TensorRole::Parameter)
        holdParameter(tensor);
      markReads(tensor);
      if (role != TensorRole::Activation)
        continue;
      read(tensor);
      markReads(tensor);
      hold(tensor);
    }
    addUp();
    return std::move(work);
  }

private:
  /// Blocks that occur once, embedding and head, multiply in 16 bits or more.
  static ElementType productType(const Workload &workload, BlockIndex block) {
    int64_t repetitions = 0;
    for (const Segment &segment : workload.segments)
      if (segment.block == block)
        repetitions += segment.count;
    bool keepsSixteen = repetitions == 1 && bitsOf(workload.computeType) < 16;
    return keepsSixteen ? ElementType::BF16 : workload.computeType;
  }

  /// Work that was written down since the last call, and who repeats it.
  void markNew(bool fully, bool selectively) {
    std::array<bool, 3> repeated = {};
    repeated[static_cast<size_t>(Recompute::Full)] = fully;
    repeated[static_cast<size_t>(Recompute::Selective)] = selectively;
    for (; marked.first < work.kernels.size(); ++marked.first)
      if (work.kernels[marked.first].pass == Pass::Forward)
        work.kernels[marked.first].repeated = repeated;
    for (; marked.second < work.messages.size(); ++marked.second)
      if (work.messages[marked.second].pass == Pass::Forward)
        work.messages[marked.second].repeated = repeated;
  }
  void markOp(size_t op) {
    markNew(full.repeats(op), selective && selective->repeats(op));
  }
  void markReads(TensorIndex tensor) {
    markNew(full.reads(tensor), selective && selective->reads(tensor));
  }

  /// Where the parameter counts.
  Elements &elementsOf(TensorIndex parameter) {
    auto found = std::ranges::find(block.parameters, parameter);
    auto position = static_cast<size_t>(found - block.parameters.begin());
    if (auto group = setting.sharedNames.groupOf(index, position))
      return work.common[*group];
    return work.own;
  }

  void change(TensorIndex tensor, Form from, Form to, Pass pass) {
    if (auto change = changeOf(local, tensor, from, to))
      ops.tensorMessage(pass, change->operation, change->bytes);
  }

  /// A result, from the form in which the op leaves it to the one that is
  /// kept; its gradient comes the other way. The gradient of a term is the
  /// gradient of the sum.
  void store(size_t op, size_t result) {
    TensorIndex tensor = block.ops[op].results[result].tensor;
    if (block.tensors[tensor].role != TensorRole::Activation)
      return;
    Form made = local.resultForm(op, result);
    // Terms of a sum that nobody reads (the loss) stay terms.
    bool used = local.isRead(tensor) || local.isOutput(tensor);
    if (!used && made == Form::term())
      return;
    change(tensor, made, local.kept(tensor), Pass::Forward);
    if (local.isTrained(tensor))
      change(tensor, local.kept(tensor),
             made == Form::term() ? Form::copy() : made, Pass::Backward);
  }

  /// Every form that some reader wants is made once, and gradients of one form
  /// are added up before they travel.
  void read(TensorIndex tensor) {
    for (Form form : local.wanted(tensor))
      change(tensor, local.kept(tensor), form, Pass::Forward);
    for (Form form : local.gradients(tensor))
      change(tensor, form, local.kept(tensor), Pass::Backward);
  }

  void holdParameter(TensorIndex tensor) {
    Form kept = local.kept(tensor);
    int64_t elements = local.elements(tensor, kept);
    Elements &all = elementsOf(tensor);
    int64_t &count = local.belongsToExperts(tensor) ? all.expert : all.dense;
    count = added(count, elements);
    if (kept != Form::copy()) {
      read(tensor);
      return;
    }
    // Every rank has all values. Gradients of ranks that did a share of the
    // work are added up once per step.
    std::set<Form> gradients = local.gradients(tensor);
    gradients.erase(Form::copy());
    if (!gradients.empty())
      all.sharedGradients = added(all.sharedGradients, elements);
  }

  void hold(TensorIndex tensor) {
    const Tensor &described = block.tensors[tensor];
    Bytes bytes = local.bytes(tensor, local.kept(tensor));
    if (local.isOutput(tensor)) {
      // The unit behind counts it among its inputs.
      bool scattered = local.kept(tensor) == Form::copy() &&
                       setting.kernels.profile().scatterGatherPipeline;
      work.handedOn +=
          scattered ? Bytes(ceilDivide(bytes.count(), setting.strategy.tensor))
                    : bytes;
      return;
    }
    auto save = [&](Recompute choice) {
      work.saved[static_cast<size_t>(choice)] += bytes;
    };
    bool input = local.isInput(tensor) && local.isRead(tensor);
    if (input)
      save(Recompute::Full);
    if (selective && (input || selective->stores(tensor)))
      save(Recompute::Selective);
    if (!described.savedForBackward)
      return;
    if (!described.insideAttention) {
      if (!selective)
        save(Recompute::Selective);
      save(Recompute::None);
    } else if (!setting.kernels.profile().fusedAttention) {
      // Probabilities before and after dropout, and its mask of bytes.
      work.saved[static_cast<size_t>(Recompute::None)] +=
          bytes * 2 + Bytes(local.elements(tensor, local.kept(tensor)));
    }
  }

  /// Launches from the host run beside the kernels: neither hides the other
  /// wholly, (device³ + host³)^(1/3).
  static Nanoseconds withHost(Nanoseconds device, Nanoseconds host) {
    if (host.count() <= 0 || device.isSaturated())
      return device;
    auto d = static_cast<double>(device.count());
    auto h = static_cast<double>(host.count());
    double larger = std::max(d, h), ratio = std::min(d, h) / larger;
    return times(std::max(device, host), std::cbrt(1 + ratio * ratio * ratio));
  }

  /// The host's time of a layer, by the block's share of the longest block's
  /// kernels; mixtures of experts take further time each.
  Nanoseconds hostForward() const {
    size_t longest = 1;
    for (const Block &other : setting.workload.blocks)
      longest = std::max(longest, other.ops.size());
    Nanoseconds time = times(setting.kernels.layerFloor(),
                             static_cast<double>(block.ops.size()) /
                                 static_cast<double>(longest));
    double perMixture =
        setting.kernels.profile().expertLayerMicroseconds * 1000;
    for (const Op &op : block.ops)
      if (op.exchange && op.exchange->isToExperts)
        time += Nanoseconds(std::llround(perMixture));
    return time;
  }

  void addUp() {
    for (const Kernel &kernel : work.kernels) {
      if (kernel.pass == Pass::Forward)
        work.forward += kernel.time;
      else
        (kernel.forWeights ? work.backwardWeight : work.backwardInput) +=
            kernel.time;
    }
    Nanoseconds hostForward = this->hostForward();
    Nanoseconds hostBackward =
        times(hostForward, setting.kernels.profile().layerBackwardRatio);
    Nanoseconds host = hostForward + hostBackward;
    // Every launch leaves the device idle for a moment.
    double gap = setting.kernels.profile().kernelGapRatio;
    Nanoseconds idleForward = times(hostForward, gap);
    work.forward += idleForward;
    work.backwardInput += times(hostBackward, gap);
    Nanoseconds forward = work.forward + work.exposed(Pass::Forward);
    Nanoseconds device = forward + work.backwardInput + work.backwardWeight +
                         work.exposed(Pass::Backward);
    Nanoseconds together = withHost(device, host);
    Nanoseconds waiting = together - device;
    Nanoseconds waitingForward =
        std::clamp(hostForward - forward, Nanoseconds(0), waiting);
    work.forward += waitingForward;
    work.backwardInput += waiting - waitingForward;

    for (Recompute choice : {Recompute::Selective, Recompute::Full}) {
      auto index = static_cast<size_t>(choice);
      Nanoseconds &again = work.again[index];
      for (const Kernel &kernel : work.kernels)
        if (kernel.repeated[index])
          again += kernel.time;
      for (const Message &message : work.messages)
        if (message.repeated[index])
          again += message.exposed;
      // Attention by itself is no pass that the host has to go through.
      bool pass = choice == Recompute::Full || selective.has_value();
      Nanoseconds idle = pass ? idleForward : Nanoseconds(0);
      Nanoseconds launches = pass ? hostForward : Nanoseconds(0);
      again = withHost(device + again + idle, host + launches) - together;
    }
  }

  const UnitSetting &setting;
  BlockIndex index;
  const Block &block;
  LocalBlock local;
  UnitWork work;
  OpWork ops;
  /// Selective only if the stack keeps products then.
  Repetition full;
  std::optional<Repetition> selective;
  /// Kernels and messages that `markNew` has seen.
  std::pair<size_t, size_t> marked;
};

} // namespace

Nanoseconds UnitWork::exposed(Degree axis, Pass pass) const {
  Nanoseconds sum;
  for (const Message &message : messages)
    if (message.axis == axis && message.pass == pass)
      sum += message.exposed;
  return sum;
}

Nanoseconds UnitWork::exposed(Pass pass) const {
  Nanoseconds sum;
  for (const Message &message : messages)
    if (message.pass == pass)
      sum += message.exposed;
  return sum;
}

Elements UnitWork::parameters() const {
  Elements all = own;
  for (const auto &[family, elements] : common)
    all.add(elements);
  return all;
}

std::optional<UnitWork> deriveUnit(const UnitSetting &setting, BlockIndex block,
                                   std::string &problem) {
  return UnitDerivation(setting, block).derive(problem);
}

} // namespace shardsmith::check
