// SPDX-License-Identifier: Apache-2.0
//
// cuBLASLt's functions, as plain loops over column-major matrices.

#include "FakeMachine.h"

#include "shardsmith/Runtime/ElementType.h"

#include <fmt/format.h>

using namespace shardsmith;
using namespace shardsmith::emulator;

namespace {

enum : int { success = 0, invalidValue = 7, notSupported = 15 };

FakeMachine &machine() { return FakeMachine::get(); }

struct Product {
  int compute = 0, scale = 0;
  int32_t transposeA = 0, transposeB = 0;
};

struct Layout {
  int type = 0;
  int64_t rows = 0, columns = 0, leading = 0;
  int32_t batch = 1;
  int64_t stride = 0;

  smith_dtype element() const {
    switch (type) {
    case 1:
      return SMITH_F64;
    case 2:
      return SMITH_F16;
    case 14:
      return SMITH_BF16;
    default:
      return SMITH_F32;
    }
  }
  int64_t bytes() const { return runtime::byteSize(element()); }
  /// From the first to behind the last element.
  uint64_t extent() const {
    return static_cast<uint64_t>(
        ((batch - 1) * stride + (columns - 1) * leading + rows) * bytes());
  }
};

struct Preference {
  std::map<int, uint64_t> values;
};

/// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct Algorithm {
  uint64_t data[8];
};
struct Choice {
  Algorithm algorithm;
  size_t workspaceBytes;
  int state;
  float waves;
  int reserved[4];
};

/// One matrix of a batch as numbers, row by row.
std::vector<float> rowsOf(const Layout &layout, const std::byte *data,
                          int64_t index, bool isTransposed) {
  int64_t rows = isTransposed ? layout.columns : layout.rows;
  int64_t columns = isTransposed ? layout.rows : layout.columns;
  std::vector<float> result(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t stored =
          isTransposed ? i * layout.leading + j : j * layout.leading + i;
      result[static_cast<size_t>(i * columns + j)] =
          static_cast<float>(runtime::loadAsDouble(
              layout.element(), data, index * layout.stride + stored));
    }
  return result;
}

void multiply(const Product &product, const Layout &a, const std::byte *aData,
              const Layout &b, const std::byte *bData, const Layout &d,
              std::byte *dData) {
  int64_t depth = product.transposeA ? a.rows : a.columns;
  std::vector<float> sums(static_cast<size_t>(d.columns));
  for (int64_t index = 0; index < d.batch; ++index) {
    std::vector<float> left = rowsOf(a, aData, index, product.transposeA != 0);
    std::vector<float> right = rowsOf(b, bData, index, product.transposeB != 0);
    for (int64_t i = 0; i < d.rows; ++i) {
      std::ranges::fill(sums, 0);
      for (int64_t k = 0; k < depth; ++k) {
        float factor = left[static_cast<size_t>(i * depth + k)];
        const float *row = &right[static_cast<size_t>(k * d.columns)];
        for (int64_t j = 0; j < d.columns; ++j)
          sums[static_cast<size_t>(j)] += factor * row[j];
      }
      for (int64_t j = 0; j < d.columns; ++j)
        runtime::storeFromDouble(d.element(), dData,
                                 index * d.stride + j * d.leading + i,
                                 sums[static_cast<size_t>(j)]);
    }
  }
}

/// What is wrong with the layouts of a product.
std::string findProblem(const Product &product, const Layout &a,
                        const Layout &b, const Layout &d) {
  for (const Layout *each : {&a, &b, &d})
    if (each->rows < 1 || each->columns < 1 || each->leading < each->rows ||
        each->batch != d.batch)
      return fmt::format("a matrix of {} x {} with leading dimension {}, {} "
                         "times",
                         each->rows, each->columns, each->leading, each->batch);
  auto [m, k] = product.transposeA ? std::pair(a.columns, a.rows)
                                   : std::pair(a.rows, a.columns);
  auto [k2, n] = product.transposeB ? std::pair(b.columns, b.rows)
                                    : std::pair(b.rows, b.columns);
  if (m != d.rows || n != d.columns || k != k2)
    return fmt::format("{} x {} times {} x {} to {} x {}", m, k, k2, n, d.rows,
                       d.columns);
  return "";
}

} // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130100; }
int cublasLtCreate(void **handle) {
  static int only;
  *handle = &only;
  machine().count("handles");
  return success;
}
int cublasLtDestroy(void *) {
  machine().count("handles", -1);
  return success;
}
int cublasLtMatmulDescCreate(Product **product, int compute, int scale) {
  *product = new Product{compute, scale};
  machine().count("products");
  return success;
}
int cublasLtMatmulDescDestroy(Product *product) {
  delete product;
  machine().count("products", -1);
  return success;
}
int cublasLtMatmulDescSetAttribute(Product *product, int attribute,
                                   const void *value, size_t bytes) {
  if (bytes != sizeof(int32_t) || (attribute != 3 && attribute != 4))
    return invalidValue;
  (attribute == 3 ? product->transposeA : product->transposeB) =
      *static_cast<const int32_t *>(value);
  return success;
}
int cublasLtMatrixLayoutCreate(Layout **layout, int type, uint64_t rows,
                               uint64_t columns, int64_t leading) {
  *layout = new Layout{type, static_cast<int64_t>(rows),
                       static_cast<int64_t>(columns), leading};
  machine().count("layouts");
  return success;
}
int cublasLtMatrixLayoutDestroy(Layout *layout) {
  delete layout;
  machine().count("layouts", -1);
  return success;
}
int cublasLtMatrixLayoutSetAttribute(Layout *layout, int attribute,
                                     const void *value, size_t bytes) {
  if (attribute == 5 && bytes == sizeof(int32_t))
    layout->batch = *static_cast<const int32_t *>(value);
  else if (attribute == 6 && bytes == sizeof(int64_t))
    layout->stride = *static_cast<const int64_t *>(value);
  else
    return invalidValue;
  return success;
}
int cublasLtMatmulPreferenceCreate(Preference **preference) {
  *preference = new Preference();
  machine().count("preferences");
  return success;
}
int cublasLtMatmulPreferenceDestroy(Preference *preference) {
  delete preference;
  machine().count("preferences", -1);
  return success;
}
int cublasLtMatmulPreferenceSetAttribute(Preference *preference, int attribute,
                                         const void *value, size_t bytes) {
  bool isWorkspace = attribute == 1;
  if (bytes != (isWorkspace ? sizeof(uint64_t) : sizeof(uint32_t)))
    return invalidValue;
  preference->values[attribute] = isWorkspace
                                      ? *static_cast<const uint64_t *>(value)
                                      : *static_cast<const uint32_t *>(value);
  return success;
}
// The algorithm holds the alignments that it was chosen for.
int cublasLtMatmulAlgoGetHeuristic(void *, Product *product, Layout *a,
                                   Layout *b, Layout *c, Layout *d,
                                   Preference *preference, int wanted,
                                   Choice *choices, int *found) {
  machine().count("heuristics");
  *found = 0;
  std::string problem = findProblem(*product, *a, *b, *d);
  if (!problem.empty()) {
    machine().accuse("cuBLASLt: " + problem);
    return invalidValue;
  }
  if (a->type != b->type || c->type != d->type || wanted < 1)
    return notSupported;
  choices[0] = Choice();
  for (int i = 0; i < 4; ++i)
    choices[0].algorithm.data[i] =
        preference->values.contains(5 + i) ? preference->values[5 + i] : 256;
  *found = 1;
  return success;
}
int cublasLtMatmul(void *, Product *product, const void *alpha, const void *a,
                   Layout *aLayout, const void *b, Layout *bLayout,
                   const void *beta, const void *, Layout *, void *d,
                   Layout *dLayout, const Algorithm *algorithm, void *workspace,
                   size_t workspaceBytes, FakeStream *stream) {
  constexpr int f64 = 1;
  bool isDouble = product->scale == f64;
  double one = isDouble ? *static_cast<const double *>(alpha)
                        : *static_cast<const float *>(alpha);
  double zero = isDouble ? *static_cast<const double *>(beta)
                         : *static_cast<const float *>(beta);
  if (one != 1 || zero != 0)
    return notSupported;
  std::vector<Touch> touches;
  auto touch = [&](const void *data, const Layout &layout, bool isWrite) {
    auto begin = reinterpret_cast<uint64_t>(data);
    touches.push_back({begin, begin + layout.extent(), isWrite});
  };
  touch(a, *aLayout, false);
  touch(b, *bLayout, false);
  touch(d, *dLayout, true);
  auto begin = reinterpret_cast<uint64_t>(workspace);
  touches.push_back({begin, begin + workspaceBytes, true});
  for (auto [i, layout] :
       {std::pair(0, aLayout), std::pair(1, bLayout), std::pair(3, dLayout)}) {
    uint64_t alignment = algorithm->data[i];
    uint64_t address = touches[static_cast<size_t>(i == 3 ? 2 : i)].begin;
    uint64_t stride =
        layout->batch > 1
            ? static_cast<uint64_t>(layout->stride * layout->bytes())
            : 0;
    if (address % alignment != 0 || stride % alignment != 0)
      machine().accuse(fmt::format("cuBLASLt: operand {} is not aligned to {}",
                                   i, alignment));
  }
  machine().put(stream, [=, product = *product, aLayout = *aLayout,
                         bLayout = *bLayout, dLayout = *dLayout] {
    machine().count("multiplications");
    machine().add(
        stream,
        {fmt::format("product of {} x {}", dLayout.rows, dLayout.columns),
         [=] {
           multiply(product, aLayout, static_cast<const std::byte *>(a),
                    bLayout, static_cast<const std::byte *>(b), dLayout,
                    static_cast<std::byte *>(d));
           return true;
         }},
        touches);
  });
  return machine().isBroken() ? notSupported : success;
}

} // extern "C"
