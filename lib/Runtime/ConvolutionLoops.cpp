// SPDX-License-Identifier: Apache-2.0

#include "ConvolutionLoops.h"

#include <algorithm>
#include <type_traits>

namespace shardsmith::runtime {
namespace {

/// Least work for one more thread.
constexpr int64_t threadProducts = 64 << 10;

/// Goes to the next position, the last dimension fastest; false at the end.
bool advance(std::vector<int64_t> &position,
             const std::vector<StridedLoop> &space) {
  for (size_t d = space.size(); d-- > 0;) {
    if (++position[d] < space[d].size)
      return true;
    position[d] = 0;
  }
  return false;
}

int64_t place(const std::vector<int64_t> &position,
              const std::vector<StridedLoop> &space) {
  int64_t index = 0;
  for (size_t d = 0; d < space.size(); ++d)
    index = index * space[d].size + position[d];
  return index;
}

template <typename T> class Loops {
  // Sums of f32 are made in double, in which products of two are exact.
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;

public:
  Loops(const Convolution &convolution, const T *lhs, const T *rhs, T *result)
      : convolution(convolution), lhs(lhs), rhs(rhs), result(result),
        features(convolution.lhs.second.size),
        lhsSpace(convolution.lhs.spaceSize()),
        rhsSpace(convolution.rhs.spaceSize()) {}

  /// Result element (group, n, o, y).
  T element(int64_t group, int64_t n, int64_t o,
            const std::vector<int64_t> &y) const {
    const T *samples =
        lhs + (group * convolution.lhs.first.size + n) * lhsSpace * features;
    const T *window =
        rhs + (group * convolution.rhs.first.size + o) * rhsSpace * features;
    Sum sum{};
    if (rhsSpace == 0 || features == 0)
      return T{};
    std::vector<int64_t> w(y.size(), 0), x(y.size());
    do {
      if (!meet(y, w, x))
        continue;
      const T *a = samples + place(x, convolution.lhs.space) * features;
      const T *b = window + place(w, convolution.rhs.space) * features;
      for (int64_t c = 0; c < features; ++c)
        sum += static_cast<Sum>(a[c]) * static_cast<Sum>(b[c]);
    } while (advance(w, convolution.rhs.space));
    return static_cast<T>(sum);
  }

  void run(const ThreadTeam &team) const {
    const ConvolutionTensor &to = convolution.result;
    int64_t space = to.spaceSize();
    int64_t work = std::max<int64_t>(rhsSpace * features, 1) * space;
    int64_t grain =
        std::max<int64_t>(threadProducts / std::max<int64_t>(work, 1), 1);
    int64_t planes = to.groups.size * to.first.size * to.second.size;
    team.parallelFor(planes, grain, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        int64_t o = plane % to.second.size, rest = plane / to.second.size;
        std::vector<int64_t> y(to.space.size(), 0);
        T *target = result + plane * space;
        do
          *target++ = element(rest / to.first.size, rest % to.first.size, o, y);
        while (advance(y, to.space));
      }
    });
  }

private:
  /// The position in lhs that meets y and w; false if it has none.
  bool meet(const std::vector<int64_t> &y, const std::vector<int64_t> &w,
            std::vector<int64_t> &x) const {
    for (size_t d = 0; d < y.size(); ++d) {
      const Meeting &meeting = convolution.space[d];
      int64_t at =
          meeting.step * y[d] + meeting.rhsDilation * w[d] - meeting.padding;
      if (at < 0 || at % meeting.lhsDilation != 0)
        return false;
      x[d] = at / meeting.lhsDilation;
      if (x[d] >= convolution.lhs.space[d].size)
        return false;
    }
    return true;
  }

  const Convolution &convolution;
  const T *lhs, *rhs;
  T *result;
  int64_t features, lhsSpace, rhsSpace;
};

} // namespace

void convolveLoops(const Convolution &convolution, ElementType type,
                   const void *lhs, const void *rhs, void *result,
                   const ThreadTeam &team) {
  visitElementType(type, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, uint64_t>)
      Loops<T>(convolution, static_cast<const T *>(lhs),
               static_cast<const T *>(rhs), static_cast<T *>(result))
          .run(team);
  });
}

} // namespace shardsmith::runtime
