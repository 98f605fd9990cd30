// SPDX-License-Identifier: Apache-2.0

#include "ConvolutionForms.h"

#include <algorithm>
#include <utility>

namespace shardsmith::runtime {

int64_t ConvolutionTensor::spaceSize() const {
  int64_t size = 1;
  for (const StridedLoop &loop : space)
    size *= loop.size;
  return size;
}

int64_t ConvolutionTensor::elementCount() const {
  return groups.size * first.size * second.size * spaceSize();
}

ConvolutionTensor ConvolutionTensor::swapped() const {
  ConvolutionTensor other = *this;
  std::swap(other.first, other.second);
  return other;
}

void ConvolutionTensor::mirror(size_t dimension) {
  StridedLoop &loop = space[dimension];
  offset += (loop.size - 1) * loop.stride;
  loop.stride = -loop.stride;
}

ConvolutionTensor ConvolutionTensor::mirrored() const {
  ConvolutionTensor other = *this;
  for (size_t dimension = 0; dimension < space.size(); ++dimension)
    other.mirror(dimension);
  return other;
}

Convolution readConvolution(const smith_convolution &from) {
  Convolution to;
  to.lhs.type = from.lhs_dtype;
  to.lhs.groups = {from.g, from.lhs_g_stride};
  to.lhs.first = {from.n, from.lhs_n_stride};
  to.lhs.second = {from.c, from.lhs_c_stride};
  to.rhs.type = from.rhs_dtype;
  to.rhs.groups = {from.g, from.rhs_g_stride};
  to.rhs.first = {from.o, from.rhs_o_stride};
  to.rhs.second = {from.c, from.rhs_c_stride};
  to.result.type = from.result_dtype;
  to.result.groups = {from.g, from.result_g_stride};
  to.result.first = {from.n, from.result_n_stride};
  to.result.second = {from.o, from.result_o_stride};
  for (int32_t i = 0; i < from.space_count; ++i) {
    const smith_convolution_space &space = from.space[i];
    to.lhs.space.push_back({space.lhs_size, space.lhs_stride});
    to.rhs.space.push_back({space.rhs_size, space.rhs_stride});
    to.result.space.push_back({space.result_size, space.result_stride});
    to.space.push_back(
        {space.step, space.padding, space.lhs_dilation, space.rhs_dilation});
    if (space.is_reversed && space.rhs_size > 0)
      to.rhs.mirror(static_cast<size_t>(i));
  }
  if (to.space.empty()) {
    for (ConvolutionTensor *tensor : {&to.lhs, &to.rhs, &to.result})
      tensor->space.push_back({1, 0});
    to.space.push_back({});
  }
  return to;
}

const ConvolutionTensor &LibraryProblem::output() const {
  switch (form) {
  case LibraryForm::Forward:
    break;
  case LibraryForm::BackwardData:
    return source;
  case LibraryForm::BackwardWeights:
    return weights;
  }
  return destination;
}

namespace {

/// Takes what is never read off a source that is an input, so that no padding
/// is negative.
void cropSource(LibraryProblem &problem) {
  for (size_t d = 0; d < problem.stride.size(); ++d) {
    StridedLoop &loop = problem.source.space[d];
    if (problem.low[d] < 0) {
      problem.source.offset -= problem.low[d] * loop.stride;
      loop.size += problem.low[d];
      problem.low[d] = 0;
    }
    if (problem.high[d] < 0) {
      loop.size += problem.high[d];
      problem.high[d] = 0;
    }
  }
}

/// Whether each of `count` positions, which are `step` apart from -low on, has
/// an element of the source among the `taps` that are `distance` apart from it
/// on.
bool allMeetSource(int64_t count, int64_t step, int64_t taps, int64_t distance,
                   int64_t low, int64_t size) {
  for (int64_t position = 0; position < count; ++position) {
    int64_t begin = position * step - low;
    // The first tap that is not before the source.
    int64_t tap = begin < 0 ? (distance - 1 - begin) / distance : 0;
    if (tap >= taps || begin + tap * distance >= size)
      return false;
  }
  return true;
}

/// Whether all windows have something of the source, and all elements of the
/// weights are used. Where some are not, oneDNN 2.6 calls code that it has not
/// made (bf16 with AMX), or leaves gradients of weights as they were.
bool hasNothingEmpty(const LibraryProblem &problem) {
  for (size_t d = 0; d < problem.stride.size(); ++d) {
    int64_t size = problem.source.space[d].size, low = problem.low[d];
    int64_t windows = problem.destination.space[d].size,
            taps = problem.weights.space[d].size;
    if (!allMeetSource(windows, problem.stride[d], taps, problem.dilation[d],
                       low, size) ||
        !allMeetSource(taps, problem.dilation[d], windows, problem.stride[d],
                       low, size))
      return false;
  }
  return true;
}

/// Completes a problem: the padding behind the source with which the
/// destination has as many positions as it has.
bool complete(LibraryProblem &problem) {
  for (size_t d = 0; d < problem.stride.size(); ++d) {
    int64_t last = (problem.destination.space[d].size - 1) * problem.stride[d] +
                   (problem.weights.space[d].size - 1) * problem.dilation[d];
    int64_t high = last + 1 - problem.source.space[d].size - problem.low[d];
    // The last stride may leave elements of the source unread.
    if (high < 0)
      high = std::min<int64_t>(0, high + problem.stride[d] - 1);
    problem.high.push_back(high);
  }
  if (problem.form != LibraryForm::BackwardData)
    cropSource(problem);
  for (size_t d = 0; d < problem.stride.size(); ++d)
    if (problem.low[d] < 0 || problem.high[d] < 0 ||
        problem.source.space[d].size <= 0)
      return false;
  return hasNothingEmpty(problem);
}

} // namespace

std::vector<LibraryProblem> findForms(const Convolution &convolution) {
  const ConvolutionTensor &lhs = convolution.lhs, &rhs = convolution.rhs,
                          &result = convolution.result;
  auto all = [&](int64_t Meeting::*factor) {
    return std::all_of(
        convolution.space.begin(), convolution.space.end(),
        [&](const Meeting &meeting) { return meeting.*factor == 1; });
  };
  auto collect = [&](int64_t Meeting::*field) {
    std::vector<int64_t> values;
    for (const Meeting &meeting : convolution.space)
      values.push_back(meeting.*field);
    return values;
  };
  /// Padding after `tensor`, with this factor, has changed sides.
  auto mirroredPadding = [&](const ConvolutionTensor &tensor,
                             int64_t Meeting::*factor) {
    std::vector<int64_t> padding;
    for (size_t d = 0; d < convolution.space.size(); ++d)
      padding.push_back((tensor.space[d].size - 1) *
                            (convolution.space[d].*factor) -
                        convolution.space[d].padding);
    return padding;
  };
  std::vector<int64_t> step = collect(&Meeting::step),
                       padding = collect(&Meeting::padding),
                       lhsDilation = collect(&Meeting::lhsDilation),
                       rhsDilation = collect(&Meeting::rhsDilation);

  std::vector<LibraryProblem> slides, sums;
  if (all(&Meeting::lhsDilation)) {
    slides.push_back({LibraryForm::Forward,
                      lhs,
                      rhs,
                      result,
                      step,
                      rhsDilation,
                      padding,
                      {}});
    sums.push_back({LibraryForm::BackwardWeights,
                    lhs.swapped(),
                    result.swapped(),
                    rhs.swapped(),
                    rhsDilation,
                    step,
                    padding,
                    {}});
  }
  if (all(&Meeting::step))
    slides.push_back({LibraryForm::BackwardData,
                      result,
                      rhs.mirrored().swapped(),
                      lhs,
                      lhsDilation,
                      rhsDilation,
                      mirroredPadding(rhs, &Meeting::rhsDilation),
                      {}});
  if (all(&Meeting::rhsDilation))
    sums.push_back({LibraryForm::BackwardWeights,
                    rhs.swapped(),
                    result.mirrored(),
                    lhs.swapped(),
                    lhsDilation,
                    step,
                    mirroredPadding(result, &Meeting::step),
                    {},
                    /*sourceIsRhs=*/true});

  bool resultIsSmallest = result.spaceSize() < rhs.spaceSize();
  std::vector<LibraryProblem> &preferred = resultIsSmallest ? sums : slides,
                              &others = resultIsSmallest ? slides : sums;
  preferred.insert(preferred.end(), others.begin(), others.end());
  std::vector<LibraryProblem> forms;
  for (LibraryProblem &problem : preferred)
    if (complete(problem))
      forms.push_back(std::move(problem));
  return forms;
}

std::vector<int64_t> paddedSpace(const Convolution &convolution) {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < convolution.space.size(); ++d) {
    const Meeting &meeting = convolution.space[d];
    sizes.push_back((convolution.result.space[d].size - 1) * meeting.step +
                    (convolution.rhs.space[d].size - 1) * meeting.rhsDilation +
                    1);
  }
  return sizes;
}

} // namespace shardsmith::runtime
