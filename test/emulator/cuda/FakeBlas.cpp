// SPDX-License-Identifier: Apache-2.0
//
// cuBLASLt's functions, as plain loops over column-major matrices. Of
// epilogues there are the bias, and GELU of 16-bit results with or without the
// matrix that it is of.

#include "../Gelu.h"
#include "FakeMachine.h"

#include "shardsmith/Runtime/ElementType.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

using namespace shardsmith;
using namespace shardsmith::emulator;

namespace {

enum : int { success = 0, invalidValue = 7, notSupported = 15 };
/// Bits of an epilogue.
enum : uint32_t {
  plainEpilogue = 1,
  addsBias = 4,
  givesGelu = 32,
  givesAuxiliary = 128
};
enum : int {
  setTransposeA = 3,
  setTransposeB,
  setEpilogue = 7,
  setBias,
  setAuxiliary = 11,
  setAuxiliaryLeading,
  setAuxiliaryStride,
  setScaleA = 17
};

FakeMachine &machine() { return FakeMachine::get(); }

struct Product {
  int compute = 0, scale = 0;
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = plainEpilogue;
  const std::byte *bias = nullptr;
  std::byte *auxiliary = nullptr;
  int64_t auxiliaryLeading = 0, auxiliaryStride = 0;
  const float *scaleOfA = nullptr;

  bool hasBias() const { return (epilogue & addsBias) != 0; }
  bool hasGelu() const { return (epilogue & givesGelu) != 0; }
  bool hasAuxiliary() const { return (epilogue & givesAuxiliary) != 0; }
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
    case 28:
      return SMITH_F8E4M3FN;
    case 29:
      return SMITH_F8E5M2;
    default:
      return SMITH_F32;
    }
  }
  bool isFloat8() const { return type == 28 || type == 29; }
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

/// The largest power of two, up to 256, that divides an address.
uint64_t alignmentOf(const std::byte *address) {
  constexpr uint64_t most = 256;
  return uint64_t(1) << std::countr_zero(reinterpret_cast<uint64_t>(address) |
                                         most);
}

/// The matrix that the GELU is of, as the documentation wants it.
bool isAuxiliaryAllowed(const Product &product, const Layout &d) {
  return !product.hasAuxiliary() || (product.auxiliaryLeading >= d.rows &&
                                     product.auxiliaryLeading % 8 == 0 &&
                                     product.auxiliaryStride % 8 == 0);
}

/// Of floats of eight bits, as the documentation wants them: a transposed and b
/// not, of two types that are not both f8E5M2, to a type of 16 or 32 bits, with
/// sizes and leading dimensions that fill 16 bytes.
bool areFloats8Allowed(const Product &product, const Layout &a, const Layout &b,
                       const Layout &d) {
  if (!a.isFloat8() && !b.isFloat8())
    return a.type == b.type && !product.scaleOfA;
  auto fills = [](const Layout &layout) {
    return layout.rows * layout.bytes() % 16 == 0 &&
           layout.leading * layout.bytes() % 16 == 0;
  };
  constexpr int e5m2 = 29;
  if (product.hasBias() && d.bytes() > 2)
    return false; // a bias of another type than d's is none of ours
  return a.isFloat8() && b.isFloat8() && (a.type != e5m2 || b.type != e5m2) &&
         !d.isFloat8() && d.bytes() <= 4 && product.transposeA &&
         !product.transposeB && fills(a) && fills(b) && fills(d);
}

/// Without `cData` nothing is added but the bias; c lies as d does.
void multiply(const Product &product, const Layout &a, const std::byte *aData,
              const Layout &b, const std::byte *bData, const std::byte *cData,
              const Layout &d, std::byte *dData) {
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
      for (int64_t j = 0; j < d.columns; ++j) {
        int64_t at = index * d.stride + j * d.leading + i;
        double sum = sums[static_cast<size_t>(j)];
        if (product.scaleOfA)
          sum *= *product.scaleOfA;
        if (cData)
          sum += runtime::loadAsDouble(d.element(), cData, at);
        if (product.hasBias())
          sum += runtime::loadAsDouble(d.element(), product.bias, i);
        if (product.hasAuxiliary())
          runtime::storeFromDouble(d.element(), product.auxiliary,
                                   index * product.auxiliaryStride +
                                       j * product.auxiliaryLeading + i,
                                   sum);
        if (product.hasGelu())
          sum = gelu(sum);
        runtime::storeFromDouble(d.element(), dData, at, sum);
      }
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
  auto set = [&](auto &field) {
    if (bytes != sizeof field)
      return invalidValue;
    std::memcpy(static_cast<void *>(&field), value, sizeof field);
    return success;
  };
  switch (attribute) {
  case setTransposeA:
    return set(product->transposeA);
  case setTransposeB:
    return set(product->transposeB);
  case setEpilogue:
    return set(product->epilogue);
  case setBias:
    return set(product->bias);
  case setAuxiliary:
    return set(product->auxiliary);
  case setAuxiliaryLeading:
    return set(product->auxiliaryLeading);
  case setAuxiliaryStride:
    return set(product->auxiliaryStride);
  case setScaleA:
    return set(product->scaleOfA);
  default:
    return invalidValue;
  }
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
// The algorithm holds the alignments that it was chosen for, and what it does
// behind the product.
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
  if (!areFloats8Allowed(*product, *a, *b, *d) || c->type != d->type ||
      wanted < 1)
    return notSupported;
  choices[0] = Choice();
  uint32_t known = plainEpilogue | addsBias | givesGelu | givesAuxiliary;
  if ((product->epilogue & ~known) != 0 || !isAuxiliaryAllowed(*product, *d) ||
      (product->hasGelu() &&
       (d->bytes() != 2 || environmentOr("FAKE_CUBLASLT_GELU", "") == "no")))
    return notSupported;
  for (int i = 0; i < 4; ++i)
    choices[0].algorithm.data[i] =
        preference->values.contains(5 + i) ? preference->values[5 + i] : 256;
  choices[0].algorithm.data[4] = product->epilogue;
  choices[0].algorithm.data[5] = alignmentOf(product->bias);
  choices[0].algorithm.data[6] = alignmentOf(product->auxiliary);
  *found = 1;
  return success;
}
int cublasLtMatmul(void *, Product *product, const void *alpha, const void *a,
                   Layout *aLayout, const void *b, Layout *bLayout,
                   const void *beta, const void *c, Layout *cLayout, void *d,
                   Layout *dLayout, const Algorithm *algorithm, void *workspace,
                   size_t workspaceBytes, FakeStream *stream) {
  constexpr int f64 = 1;
  bool isDouble = product->scale == f64;
  double one = isDouble ? *static_cast<const double *>(alpha)
                        : *static_cast<const float *>(alpha);
  double timesC = isDouble ? *static_cast<const double *>(beta)
                           : *static_cast<const float *>(beta);
  bool addsC = timesC == 1;
  if (one != 1 || (timesC != 0 && !addsC) || (c == d && cLayout != dLayout))
    return notSupported;
  if (algorithm->data[4] != product->epilogue)
    machine().accuse("cuBLASLt: the algorithm is for another epilogue");
  std::vector<Touch> touches;
  auto touch = [&](const void *data, const Layout &layout, bool isWrite) {
    auto begin = reinterpret_cast<uint64_t>(data);
    touches.push_back({begin, begin + layout.extent(), isWrite});
  };
  touch(a, *aLayout, false);
  touch(b, *bLayout, false);
  touch(c, *cLayout, false);
  touch(d, *dLayout, true);
  auto begin = reinterpret_cast<uint64_t>(workspace);
  touches.push_back({begin, begin + workspaceBytes, true});
  const Layout *layouts[] = {aLayout, bLayout, cLayout, dLayout};
  for (size_t i = 0; i < std::size(layouts); ++i) {
    const Layout *layout = layouts[i];
    uint64_t alignment = algorithm->data[i];
    uint64_t address = touches[i].begin;
    uint64_t stride =
        layout->batch > 1
            ? static_cast<uint64_t>(layout->stride * layout->bytes())
            : 0;
    if (address % alignment != 0 || stride % alignment != 0)
      machine().accuse(fmt::format("cuBLASLt: operand {} is not aligned to {}",
                                   i, alignment));
  }
  if (!addsC)
    touches.erase(touches.begin() + 2);
  if (product->hasBias()) {
    auto biased = reinterpret_cast<uint64_t>(product->bias);
    if (biased == 0 || biased % algorithm->data[5] != 0)
      machine().accuse(fmt::format("cuBLASLt: a bias at {:#x}", biased));
    touches.push_back(
        {biased,
         biased + static_cast<uint64_t>(dLayout->rows * dLayout->bytes()),
         false});
  }
  if (product->scaleOfA) {
    auto scale = reinterpret_cast<uint64_t>(product->scaleOfA);
    touches.push_back({scale, scale + sizeof(float), false});
  }
  if (product->hasAuxiliary()) {
    auto kept = reinterpret_cast<uint64_t>(product->auxiliary);
    if (kept == 0 || kept % algorithm->data[6] != 0)
      machine().accuse(
          fmt::format("cuBLASLt: an auxiliary matrix at {:#x}", kept));
    touches.push_back({kept, kept + dLayout->extent(), true});
  }
  machine().put(stream, [=, product = *product, aLayout = *aLayout,
                         bLayout = *bLayout, dLayout = *dLayout] {
    machine().count("multiplications");
    if (addsC)
      machine().count("sums of products");
    if (product.hasBias())
      machine().count("biases of products");
    if (product.hasGelu())
      machine().count("GELUs of products");
    if (aLayout.isFloat8())
      machine().count("products of eight bits");
    machine().add(
        stream,
        {fmt::format("product of {} x {}", dLayout.rows, dLayout.columns),
         [=] {
           multiply(product, aLayout, static_cast<const std::byte *>(a),
                    bLayout, static_cast<const std::byte *>(b),
                    addsC ? static_cast<const std::byte *>(c) : nullptr,
                    dLayout, static_cast<std::byte *>(d));
           return true;
         }},
        touches);
  });
  return machine().isBroken() ? notSupported : success;
}

} // extern "C"
