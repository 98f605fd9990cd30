// SPDX-License-Identifier: Apache-2.0
//
// A convolution is prepared once and then kept: in which of the library's
// forms it is computed, and how each tensor gets there.
//
//     f32, and bf16            oneDNN, in the first form it has fast code for
//     … no form fits           … on lhs with its zeros written out
//     other floats but f64     … on copies of all tensors as f32
//     f64, integers, more than three spatial dimensions
//                              plain loops on copies as f32, f64 or u64
//
// A tensor goes to the library as it is if strides can describe it. Otherwise
// it is packed first (groups that are not beside their channels, mirrored
// windows, other types). The library then has a layout of its own for most of
// its code, and reorders into it and back.

#include "shardsmith/Runtime/Convolution.h"

#include "ConvolutionForms.h"
#include "ConvolutionLoops.h"
#include "ScratchBuffer.h"
#include "StridedMatrices.h"
#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <oneapi/dnnl/dnnl.hpp>

namespace shardsmith::runtime {
namespace {

/// Dimensions that the library slides windows over.
constexpr size_t librarySpace = 3;

/// The tensor as contiguous rows of elements in the order of `loops`.
StridedMatrices asMatrices(ElementType type,
                           const std::vector<StridedLoop> &loops) {
  StridedMatrices matrices;
  matrices.type = type;
  for (const StridedLoop &loop : loops) {
    matrices.batch.push_back(loop.size);
    matrices.batchStride.push_back(loop.stride);
  }
  auto take = [&](int64_t &size, int64_t &stride) {
    if (matrices.batch.empty())
      return;
    size = matrices.batch.back();
    stride = matrices.batchStride.back();
    matrices.batch.pop_back();
    matrices.batchStride.pop_back();
  };
  take(matrices.columns, matrices.columnStride);
  take(matrices.rows, matrices.rowStride);
  return matrices;
}

/// How one tensor is handed to the library.
struct Operand {
  bool isPacked = false;
  StridedMatrices packing; ///< the tensor in the order of its packed copy
  int64_t offset = 0;      ///< of its first element, in elements
  ElementType type = SMITH_F32;
  dnnl::memory given, used; ///< in the layout that it has, and that is wanted
  bool isReordered = false;
  dnnl::reorder reorder;
  ScratchBuffer *packed = nullptr, *wanted = nullptr;

  int64_t packedBytes() const {
    return packing.elementCount() * byteSize(type);
  }
};

struct Prepared {
  smith_convolution request;
  std::string description = "zeros";
  Convolution convolution; ///< its lhs is the padded one if `isPadded`
  bool isPadded = false;
  ConvolutionTensor unpadded;
  ElementType paddedType = SMITH_F32;
  std::vector<LibraryProblem> problem; ///< one, or none for loops
  dnnl::primitive primitive;
  dnnl::memory scratchpad;
  Operand source, weights, destination;
};

/// Loops in the order of the library: samples, channels, space.
std::vector<StridedLoop> channelsFirst(const ConvolutionTensor &tensor) {
  std::vector<StridedLoop> loops{tensor.first, tensor.groups, tensor.second};
  loops.insert(loops.end(), tensor.space.begin(), tensor.space.end());
  return loops;
}

std::vector<StridedLoop> weightsOrder(const ConvolutionTensor &tensor) {
  std::vector<StridedLoop> loops{tensor.groups, tensor.first, tensor.second};
  loops.insert(loops.end(), tensor.space.begin(), tensor.space.end());
  return loops;
}

/// The loops of the same tensor, contiguous.
std::vector<StridedLoop> contiguous(std::vector<StridedLoop> loops) {
  int64_t stride = 1;
  for (size_t d = loops.size(); d-- > 0;) {
    loops[d].stride = stride;
    stride *= loops[d].size;
  }
  return loops;
}

/// Groups and channels as one dimension, if they are evenly spaced.
bool joinGroups(std::vector<StridedLoop> &loops) {
  StridedLoop groups = loops[1], channels = loops[2];
  if (groups.size > 1 && channels.size > 1 &&
      groups.stride != channels.size * channels.stride)
    return false;
  StridedLoop joined{groups.size * channels.size, channels.stride};
  if (channels.size == 1)
    joined.stride = groups.stride;
  loops.erase(loops.begin() + 1);
  loops[1] = joined;
  return true;
}

bool isForward(const std::vector<StridedLoop> &loops) {
  return std::all_of(loops.begin(), loops.end(), [](const StridedLoop &loop) {
    return loop.size == 1 || loop.stride > 0;
  });
}

dnnl::memory::dims sizesOf(const std::vector<StridedLoop> &loops) {
  dnnl::memory::dims sizes;
  for (const StridedLoop &loop : loops)
    sizes.push_back(loop.size);
  return sizes;
}

dnnl::memory::data_type libraryType(ElementType type) {
  return type == SMITH_BF16 ? dnnl::memory::data_type::bf16
                            : dnnl::memory::data_type::f32;
}

dnnl::memory::desc layoutOf(std::vector<StridedLoop> loops, ElementType type) {
  // The stride of a dimension of size 1 means nothing, but is compared.
  int64_t stride = 1;
  for (size_t d = loops.size(); d-- > 0;) {
    if (loops[d].size == 1)
      loops[d].stride = stride;
    stride = loops[d].size * loops[d].stride;
  }
  dnnl::memory::dims strides;
  for (const StridedLoop &loop : loops)
    strides.push_back(loop.stride);
  return {sizesOf(loops), libraryType(type), strides};
}

dnnl::memory::desc anyLayout(const dnnl::memory::desc &of) {
  return {of.dims(), of.data_type(), dnnl::memory::format_tag::any};
}

bool isInteger(const Convolution &convolution) {
  return !isFloat(convolution.lhs.type) && !isFloat(convolution.rhs.type) &&
         !isFloat(convolution.result.type);
}

/// The type in which loops compute.
ElementType loopType(const Convolution &convolution) {
  for (ElementType type :
       {convolution.lhs.type, convolution.rhs.type, convolution.result.type})
    if (type == SMITH_F64)
      return SMITH_F64;
  return isInteger(convolution) ? SMITH_U64 : SMITH_F32;
}

template <typename Byte>
Byte *shifted(Byte *data, ElementType type, int64_t elements) {
  return data + elements * byteSize(type);
}

} // namespace

struct ConvolutionLibrary::State {
  explicit State(const ThreadTeam &team) : team(team) {}

  const ThreadTeam &team;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::unordered_map<int32_t, Prepared> prepared;
  ScratchBuffer padded, scratchpad;
  ScratchBuffer packed[3], wanted[3];

  Prepared prepare(const smith_convolution &convolution);
  /// Tries to get fast library code for one form, in `type` or in the types of
  /// the tensors.
  bool offer(Prepared &candidate, const LibraryProblem &problem,
             std::optional<ElementType> type);
  bool offerAll(Prepared &candidate);
  void describeOperand(Operand &operand, const ConvolutionTensor &tensor,
                       bool isWeights, std::optional<ElementType> type,
                       dnnl::memory::desc &desc);
  void connect(Operand &operand, const dnnl::memory::desc &given,
               const dnnl::memory::desc &wanted, bool isOutput);
  const void *writeOutZeros(Prepared &prepared, const void *lhs);
  void execute(Prepared &prepared, const void *lhs, const void *rhs,
               void *result);
  void runLibrary(Prepared &prepared, const void *lhs, const void *rhs,
                  void *result);
  void runLoops(Prepared &prepared, const void *lhs, const void *rhs,
                void *result);
};

void ConvolutionLibrary::State::describeOperand(Operand &operand,
                                                const ConvolutionTensor &tensor,
                                                bool isWeights,
                                                std::optional<ElementType> type,
                                                dnnl::memory::desc &desc) {
  std::vector<StridedLoop> loops =
      isWeights ? weightsOrder(tensor) : channelsFirst(tensor);
  operand.packing = asMatrices(tensor.type, loops);
  operand.offset = tensor.offset;
  operand.type = type.value_or(tensor.type);
  auto join = [&](std::vector<StridedLoop> &from) {
    if (!isWeights)
      return joinGroups(from);
    if (from.front().size == 1)
      from.erase(from.begin());
    return true;
  };
  std::vector<StridedLoop> direct = loops;
  operand.isPacked =
      operand.type != tensor.type || !join(direct) || !isForward(direct);
  if (operand.isPacked) {
    direct = contiguous(loops);
    join(direct);
  }
  desc = layoutOf(direct, operand.type);
}

void ConvolutionLibrary::State::connect(Operand &operand,
                                        const dnnl::memory::desc &given,
                                        const dnnl::memory::desc &used,
                                        bool isOutput) {
  operand.given = dnnl::memory(given, engine, nullptr);
  operand.used = dnnl::memory(used, engine, nullptr);
  operand.isReordered = given != used;
  if (operand.isReordered)
    operand.reorder = isOutput ? dnnl::reorder(operand.used, operand.given)
                               : dnnl::reorder(operand.given, operand.used);
}

bool ConvolutionLibrary::State::offer(Prepared &candidate,
                                      const LibraryProblem &problem,
                                      std::optional<ElementType> type) {
  Operand source, weights, destination;
  dnnl::memory::desc from, by, to;
  describeOperand(source, problem.source, false, type, from);
  describeOperand(weights, problem.weights, true, type, by);
  describeOperand(destination, problem.destination, false, type, to);

  // oneDNN counts dilations from 0.
  dnnl::memory::dims stride = problem.stride, dilation = problem.dilation;
  for (int64_t &distance : dilation)
    --distance;
  constexpr dnnl::algorithm direct = dnnl::algorithm::convolution_direct;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::memory::desc anyFrom = anyLayout(from), anyBy = anyLayout(by),
                     anyTo = anyLayout(to);
  auto take = [&](const auto &description, auto primitive,
                  const dnnl::memory::desc &fromUsed,
                  const dnnl::memory::desc &byUsed,
                  const dnnl::memory::desc &toUsed) {
    if (std::strncmp(description.impl_info_str(), "ref", 3) == 0)
      return false;
    candidate.primitive = primitive(description);
    candidate.scratchpad =
        dnnl::memory(description.scratchpad_desc(), engine, nullptr);
    const ConvolutionTensor *output = &problem.output();
    connect(source, from, fromUsed, output == &problem.source);
    connect(weights, by, byUsed, output == &problem.weights);
    connect(destination, to, toUsed, output == &problem.destination);
    return true;
  };
  try {
    // Every backward description wants the forward one as a hint.
    dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, direct, anyFrom, anyBy, anyTo,
         stride, dilation, problem.low, problem.high},
        attributes, engine);
    bool isTaken = false;
    switch (problem.form) {
    case LibraryForm::Forward:
      isTaken = take(
          forward,
          [](const auto &description) {
            return dnnl::convolution_forward(description);
          },
          forward.src_desc(), forward.weights_desc(), forward.dst_desc());
      break;
    case LibraryForm::BackwardData: {
      dnnl::convolution_backward_data::primitive_desc backward(
          {direct, anyFrom, anyBy, anyTo, stride, dilation, problem.low,
           problem.high},
          attributes, engine, forward);
      isTaken = take(
          backward,
          [](const auto &description) {
            return dnnl::convolution_backward_data(description);
          },
          backward.diff_src_desc(), backward.weights_desc(),
          backward.diff_dst_desc());
      break;
    }
    case LibraryForm::BackwardWeights: {
      dnnl::convolution_backward_weights::primitive_desc backward(
          {direct, anyFrom, anyBy, anyTo, stride, dilation, problem.low,
           problem.high},
          attributes, engine, forward);
      isTaken = take(
          backward,
          [](const auto &description) {
            return dnnl::convolution_backward_weights(description);
          },
          backward.src_desc(), backward.diff_weights_desc(),
          backward.diff_dst_desc());
      break;
    }
    }
    if (!isTaken)
      return false;
  } catch (const dnnl::error &) {
    return false; // these types or sizes are beyond this processor's code
  }
  candidate.source = std::move(source);
  candidate.weights = std::move(weights);
  candidate.destination = std::move(destination);
  candidate.problem = {problem};
  switch (problem.form) {
  case LibraryForm::Forward:
    candidate.description = "forward";
    break;
  case LibraryForm::BackwardData:
    candidate.description = "backward data";
    break;
  case LibraryForm::BackwardWeights:
    candidate.description = "backward weights";
    break;
  }
  return true;
}

bool ConvolutionLibrary::State::offerAll(Prepared &candidate) {
  const Convolution &convolution = candidate.convolution;
  std::vector<LibraryProblem> forms = findForms(convolution);
  auto allTypesAre = [&](ElementType type) {
    return convolution.lhs.type == type && convolution.rhs.type == type &&
           convolution.result.type == type;
  };
  if (allTypesAre(SMITH_F32) || allTypesAre(SMITH_BF16))
    for (const LibraryProblem &form : forms)
      if (offer(candidate, form, {}))
        return true;
  if (allTypesAre(SMITH_F32))
    return false;
  return std::any_of(forms.begin(), forms.end(),
                     [&](const LibraryProblem &form) {
                       return offer(candidate, form, SMITH_F32);
                     });
}

Prepared
ConvolutionLibrary::State::prepare(const smith_convolution &convolution) {
  Prepared result;
  result.request = convolution;
  result.convolution = readConvolution(convolution);
  Convolution &read = result.convolution;
  if (read.lhs.elementCount() == 0 || read.rhs.elementCount() == 0 ||
      read.result.elementCount() == 0)
    return result;
  if (read.space.size() <= librarySpace && loopType(read) == SMITH_F32) {
    if (offerAll(result))
      return result;
    Convolution original = read;
    std::vector<int64_t> sizes = paddedSpace(read);
    result.isPadded = true;
    result.unpadded = read.lhs;
    result.paddedType = read.lhs.type == SMITH_BF16 ? SMITH_BF16 : SMITH_F32;
    ConvolutionTensor padded = read.lhs;
    padded.type = result.paddedType;
    padded.offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d)
      padded.space[d].size = sizes[d];
    std::vector<StridedLoop> dense = contiguous(channelsFirst(padded));
    padded.first = dense[0];
    padded.groups = dense[1];
    padded.second = dense[2];
    std::copy(dense.begin() + 3, dense.end(), padded.space.begin());
    read.lhs = padded;
    for (Meeting &meeting : read.space) {
      meeting.padding = 0;
      meeting.lhsDilation = 1;
    }
    if (offerAll(result))
      return result;
    read = original;
    result.isPadded = false;
  }
  result.description = "loops";
  return result;
}

/// Copies lhs to where its elements are among the zeros. Positions that no
/// window reaches are left out.
const void *ConvolutionLibrary::State::writeOutZeros(Prepared &prepared,
                                                     const void *lhs) {
  const ConvolutionTensor &to = prepared.convolution.lhs;
  ConvolutionTensor from = prepared.unpadded, target = to;
  Convolution original = readConvolution(prepared.request);
  int64_t bytes = to.elementCount() * byteSize(to.type);
  auto *memory = static_cast<char *>(padded.reserve(bytes));
  std::memset(memory, 0, static_cast<size_t>(bytes));
  for (size_t d = 0; d < to.space.size(); ++d) {
    // Element i is at lhsDilation * i + padding.
    int64_t dilation = original.space[d].lhsDilation,
            padding = original.space[d].padding;
    auto ceilOf = [&](int64_t value) {
      return value <= 0 ? 0 : (value + dilation - 1) / dilation;
    };
    int64_t begin = ceilOf(-padding);
    int64_t end =
        std::min(from.space[d].size, ceilOf(to.space[d].size - padding));
    int64_t count = std::max<int64_t>(end - begin, 0);
    from.offset += begin * from.space[d].stride;
    target.offset += (begin * dilation + padding) * target.space[d].stride;
    from.space[d].size = target.space[d].size = count;
    target.space[d].stride *= dilation;
  }
  if (from.elementCount() == 0)
    return memory;
  StridedMatrices read = asMatrices(from.type, channelsFirst(from)),
                  write = asMatrices(target.type, channelsFirst(target));
  void *dense = packed[0].reserve(read.elementCount() * byteSize(target.type));
  packMatrices(read,
               shifted(static_cast<const char *>(lhs), from.type, from.offset),
               target.type, dense, team);
  unpackMatrices(write, shifted(memory, target.type, target.offset),
                 target.type, dense, team);
  return memory;
}

void ConvolutionLibrary::State::runLibrary(Prepared &prepared, const void *lhs,
                                           const void *rhs, void *result) {
  const LibraryProblem &problem = prepared.problem.front();
  // Which of the tensors of the program plays which part.
  const void *source = lhs, *weights = rhs, *destination = result;
  bool isOutput[3] = {false, false, true};
  switch (problem.form) {
  case LibraryForm::Forward:
    break;
  case LibraryForm::BackwardData:
    source = result;
    destination = lhs;
    isOutput[0] = true;
    isOutput[2] = false;
    break;
  case LibraryForm::BackwardWeights:
    weights = result;
    source = problem.sourceIsRhs ? rhs : lhs;
    destination = problem.sourceIsRhs ? lhs : rhs;
    isOutput[1] = true;
    isOutput[2] = false;
    break;
  }
  Operand *operands[3] = {&prepared.source, &prepared.weights,
                          &prepared.destination};
  const void *data[3] = {source, weights, destination};
  for (int i = 0; i < 3; ++i) {
    Operand &operand = *operands[i];
    auto *tensor = shifted(static_cast<const char *>(data[i]),
                           operand.packing.type, operand.offset);
    const void *given = tensor;
    if (operand.isPacked) {
      given = packed[i].reserve(operand.packedBytes());
      if (!isOutput[i])
        packMatrices(operand.packing, tensor, operand.type,
                     packed[i].reserve(operand.packedBytes()), team);
    }
    operand.given.set_data_handle(const_cast<void *>(given));
    void *used = const_cast<void *>(given);
    if (operand.isReordered)
      used = wanted[i].reserve(
          static_cast<int64_t>(operand.used.get_desc().get_size()));
    operand.used.set_data_handle(used);
    if (operand.isReordered && !isOutput[i])
      operand.reorder.execute(stream, operand.given, operand.used);
  }
  // Threads of some backward forms meet at a barrier in this memory, whose
  // count oneDNN 2.6 takes as it finds it: with what another convolution has
  // left there they would wait for ever.
  size_t padBytes = prepared.scratchpad.get_desc().get_size();
  void *pad = scratchpad.reserve(static_cast<int64_t>(padBytes));
  if (problem.form == LibraryForm::BackwardWeights && padBytes > 0)
    std::memset(pad, 0, padBytes);
  prepared.scratchpad.set_data_handle(pad);
  bool isForwardForm = problem.form == LibraryForm::Forward;
  bool computesSource = problem.form == LibraryForm::BackwardData;
  bool computesWeights = problem.form == LibraryForm::BackwardWeights;
  prepared.primitive.execute(
      stream, {{computesSource ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
                prepared.source.used},
               {computesWeights ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
                prepared.weights.used},
               {isForwardForm ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST,
                prepared.destination.used},
               {DNNL_ARG_SCRATCHPAD, prepared.scratchpad}});
  for (int i = 0; i < 3; ++i) {
    Operand &operand = *operands[i];
    if (!isOutput[i])
      continue;
    if (operand.isReordered)
      operand.reorder.execute(stream, operand.used, operand.given);
    stream.wait();
    if (operand.isPacked)
      unpackMatrices(operand.packing,
                     shifted(static_cast<char *>(result), operand.packing.type,
                             operand.offset),
                     operand.type, operand.given.get_data_handle(), team);
  }
}

void ConvolutionLibrary::State::runLoops(Prepared &prepared, const void *lhs,
                                         const void *rhs, void *result) {
  const Convolution &convolution = prepared.convolution;
  ElementType type = loopType(convolution);
  auto order = [](const ConvolutionTensor &tensor, bool isResult) {
    std::vector<StridedLoop> loops{tensor.groups, tensor.first};
    if (isResult)
      loops.push_back(tensor.second);
    loops.insert(loops.end(), tensor.space.begin(), tensor.space.end());
    if (!isResult)
      loops.push_back(tensor.second);
    return asMatrices(tensor.type, loops);
  };
  auto packedCopy = [&](const ConvolutionTensor &tensor, const void *data,
                        ScratchBuffer &scratch) {
    void *copy = scratch.reserve(tensor.elementCount() * byteSize(type));
    if (tensor.elementCount() > 0)
      packMatrices(
          order(tensor, false),
          shifted(static_cast<const char *>(data), tensor.type, tensor.offset),
          type, copy, team);
    return copy;
  };
  const void *from = packedCopy(convolution.lhs, lhs, packed[0]);
  const void *by = packedCopy(convolution.rhs, rhs, packed[1]);
  void *to =
      packed[2].reserve(convolution.result.elementCount() * byteSize(type));
  convolveLoops(convolution, type, from, by, to, team);
  unpackMatrices(order(convolution.result, true),
                 shifted(static_cast<char *>(result), convolution.result.type,
                         convolution.result.offset),
                 type, to, team);
}

void ConvolutionLibrary::State::execute(Prepared &prepared, const void *lhs,
                                        const void *rhs, void *result) {
  if (prepared.convolution.result.elementCount() == 0)
    return;
  if (prepared.problem.empty())
    return runLoops(prepared, lhs, rhs, result);
  if (prepared.isPadded)
    lhs = writeOutZeros(prepared, lhs);
  runLibrary(prepared, lhs, rhs, result);
}

ConvolutionLibrary::ConvolutionLibrary(const ThreadTeam &team)
    : state(std::make_unique<State>(team)) {}

ConvolutionLibrary::~ConvolutionLibrary() = default;

namespace {

/// True if two requests are for the same convolution. The padding between
/// fields may hold anything.
bool isSame(const smith_convolution &a, const smith_convolution &b) {
  constexpr size_t sizes = offsetof(smith_convolution, g);
  auto bytes = [](const smith_convolution &convolution) {
    return reinterpret_cast<const char *>(&convolution) + sizes;
  };
  size_t used = offsetof(smith_convolution, space) - sizes +
                static_cast<size_t>(a.space_count) * sizeof a.space[0];
  return a.id == b.id && a.space_count == b.space_count &&
         a.lhs_dtype == b.lhs_dtype && a.rhs_dtype == b.rhs_dtype &&
         a.result_dtype == b.result_dtype &&
         std::memcmp(bytes(a), bytes(b), used) == 0;
}

} // namespace

void ConvolutionLibrary::run(const smith_convolution &convolution,
                             const void *lhs, const void *rhs, void *result) {
  if (convolution.space_count < 0 ||
      convolution.space_count > SMITH_CONVOLUTION_MAX_SPACE)
    fail(ExitCode::Internal,
         "convolution {} has {} spatial dimensions, at most {} are possible",
         convolution.id, convolution.space_count, SMITH_CONVOLUTION_MAX_SPACE);
  auto [entry, isNew] = state->prepared.try_emplace(convolution.id);
  Prepared &prepared = entry->second;
  if (isNew || !isSame(prepared.request, convolution))
    prepared = state->prepare(convolution);
  try {
    state->execute(prepared, lhs, rhs, result);
  } catch (const dnnl::error &error) {
    fail(ExitCode::Internal, "convolution {} failed in oneDNN: {}",
         convolution.id, error.what());
  }
}

std::string ConvolutionLibrary::describe(int32_t id) const {
  auto found = state->prepared.find(id);
  return found == state->prepared.end() ? "" : found->second.description;
}

} // namespace shardsmith::runtime
