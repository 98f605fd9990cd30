// SPDX-License-Identifier: Apache-2.0
//
// The constants that belong to a software stack rather than to a device or a
// model: how near to the kernel tables it runs, what it overlaps, what it
// keeps in memory. `shardsmith calibrate` fits them to measured steps.
// docs/cost-model.md gives the formula each constant stands in.

#ifndef SHARDSMITH_COST_PROFILES_STACKPROFILE_H
#define SHARDSMITH_COST_PROFILES_STACKPROFILE_H

#include "shardsmith/Cluster/Cluster.h"

#include <optional>
#include <string>
#include <vector>

namespace shardsmith {

struct StackProfile {
  std::string name = "generic";
  std::string description;
  Provenance provenance = Provenance::Calibrated;
  /// Half width of the interval around predicted step times (a fraction).
  double uncertainty = 0.14;

  // Kernels.
  /// Rate of products inside training ÷ rate alone, for types of 16, 8 and 4
  /// bits.
  double matmulRate = 0.88;
  double lowPrecisionMatmulRate = 0.95;
  double fourBitMatmulRate = 0.95;
  /// Rate of products with n or k not a multiple of 64 ÷ aligned.
  double misalignedRate = 0.67;
  /// Attention runs as one kernel that never writes scores to memory.
  bool fusedAttention = true;
  /// Full recomputation leaves out what nothing in the backward pass reads.
  bool recomputeStopsEarly = false;
  /// Selective recomputation keeps the results of attention and of every second
  /// product, and computes all else again; otherwise it drops attention's
  /// inside only.
  bool selectiveKeepsProducts = false;
  /// Fused attention: rate inside training ÷ the device's forward rate.
  double attentionForwardRate = 0.9;
  double attentionBackwardRate = 0.65;
  /// Attention of separate kernels: rate of its two products ÷ peak, and
  /// passes over the scores.
  double unfusedAttentionRate = 0.45;
  double unfusedAttentionPasses = 2.5;
  /// Rate of those products for head sizes that are not multiples of 8 ÷
  /// aligned.
  double misalignedHeadRate = 0.3;
  /// Memory traffic of element-wise groups ÷ what perfect fusion moves.
  double elementwiseTraffic = 1.2;
  /// The same with products of 8 bits or fewer ÷ with 16: casts, scales and
  /// transposed copies.
  double lowPrecisionTraffic = 1.35;
  /// Every few elements of 8-bit operands have a scale of their own (MX
  /// formats), so that rows and columns are quantised apart; rate of products
  /// with such scales ÷ with one per tensor, quantisation included.
  bool blockScales = false;
  double blockScaleRate = 0.95;
  /// Host time of launching a layer's forward pass, and backward ÷ forward. A
  /// layer takes (device³ + host³)^(1/3): some of its kernels wait for the
  /// host, some make it wait.
  double layerForwardMicroseconds = 300;
  double layerBackwardRatio = 1.9;
  /// What the device idles from one kernel's end to the next one's start ÷ the
  /// host's time to launch a kernel.
  double kernelGapRatio = 0.3;
  /// Rate of expert products with k tokens per expert is k/(k + this).
  double expertHalfRateTokens = 256;
  /// Busiest expert ÷ mean.
  double expertImbalance = 1.25;
  /// Host and router time of a mixture layer's forward pass.
  double expertLayerMicroseconds = 0;

  // Communication.
  /// Bandwidth of collectives inside training ÷ alone.
  double collectiveRate = 1.0;
  /// Bandwidth across nodes that collectives get ÷ the network's.
  double networkRate = 1.0;
  /// Time of a tensor axis' collectives that leave the node ÷ alone.
  double crossNodeTensorFactor = 2.0;
  /// Shares that compute does not hide.
  double tensorExposure = 1.0;
  double contextExposure = 0.5;
  double expertExposure = 1.0;
  /// Of gradients that are reduced once per step: 1 for stacks that do it after
  /// the last backward pass.
  double dataExposure = 0.4;
  /// Of what ZeRO-2 and ZeRO-3 exchange in every micro-batch, unless it takes
  /// even longer than the kernels beside it.
  double parameterGatherExposure = 0.3;
  /// Of what a stage hands on and of the gradient that comes back.
  double pipelineExposure = 0.3;
  /// Bytes per parameter that data ranks exchange: 2, or 4 where gradients are
  /// reduced in fp32.
  double gradientMessageBytes = 2;
  /// Compute slows down by this much while communication runs beside it.
  double overlapSlowdown = 1.13;
  /// Ring attention is that of compiled programs (docs/attention.md): sums of
  /// the gradients of keys and values travel in 32 bits, and causal rings are
  /// balanced only where the graph lets positions be dealt out. Others send
  /// gradients in the type of the keys, and their data comes dealt out.
  bool compiledRings = false;
  /// Of ranks that hold a parameter in several stages of a pipeline one updates
  /// it: the others send it their gradients, and it sends back the new value,
  /// as in compiled programs. Else gradients are all-reduced and each updates.
  bool sharedUpdatesOnce = false;
  /// A pipeline message is split over the tensor axis and gathered behind.
  bool scatterGatherPipeline = true;
  /// Added per rank of the ZeRO group and step (a broadcast per rank).
  double zeroMicrosecondsPerRank = 0;

  // Step.
  double fixedMillisecondsPerStep = 0;
  /// Step time grows by this share per doubling of the number of nodes.
  double stragglerPerDoubling = 0.005;
  /// Bytes the optimizer moves per parameter.
  double optimizerBytesPerParameter = 30;

  // Memory.
  double gradientBytesPerParameter = 4;
  double stateBytesPerParameter = 12;
  /// Saved activations ÷ what the graph says, and constant memory per rank.
  double activationFactor = 1.0;
  /// While a loss over rows of logits is computed, per logit: two copies in 32
  /// bits where no kernel does all of it.
  double lossBytesPerLogit = 8;
  /// The same where the vocabulary is split over the tensor axis.
  double splitLossBytesPerLogit = 8;
  double constantGib = 3;

  bool operator==(const StackProfile &) const = default;
};

/// `generic`, `megatron-2021-a100`, `torchtitan-2025-h100`, … and `shardsmith`
/// for the programs this compiler makes.
std::vector<std::string> builtinProfileNames();
/// A built-in name or a file; fails with a sentence in `error`.
std::optional<StackProfile> findProfile(const std::string &nameOrPath,
                                        std::string &error);
/// The one that fits the cluster: `shardsmith` where programs can be made for
/// all devices, else `generic`.
std::string defaultProfileName(const Cluster &cluster);
std::string toJson(const StackProfile &profile);
/// Sixteen hexadecimal digits over everything a profile says.
std::string hashOf(const StackProfile &profile);
std::optional<StackProfile> profileFromJson(std::string_view text,
                                            std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_COST_PROFILES_STACKPROFILE_H
