// SPDX-License-Identifier: Apache-2.0
//
// A product is prepared once and then kept: which operands must be packed
// into contiguous memory first, and which engine multiplies.
//
//   f32, and bf16 x bf16        oneDNN on the operands as they are
//   … no unit stride            … on packed copies of those operands
//   f32, added to a result      oneDNN's sgemm, which fetches the result ahead
//   other floats but f64        … on copies of all operands as f32
//   f64; integers (mod 2^64)    plain loops on copies as f64 or u64
//
// oneDNN 2.6 multiplies strided operands at full speed as long as every
// matrix has rows or columns of unit stride and the result has rows of unit
// stride. What it offers for other strides is its reference code, a thousand
// times slower than packing: such offers are declined.

#include "shardsmith/Runtime/Gemm.h"

#include "ScratchBuffer.h"
#include "StridedMatrices.h"
#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <unordered_map>

#include <oneapi/dnnl/dnnl.hpp>

namespace shardsmith::runtime {
namespace {

/// c = a · b, with c's rows preferably contiguous.
struct Product {
  StridedMatrices a, b, c;
};

enum class Engine { None, Library, AddingLibrary, Loops };

/// How to run one product.
struct Prepared {
  smith_gemm request;
  Product product;
  bool swapped = false; // computes cᵀ = bᵀ · aᵀ
  bool packA = false, packB = false, packC = false;
  ElementType packedType = SMITH_F32; // of packed operands if `convert`
  bool convert = false;               // packing also converts
  Engine engine = Engine::None;
  dnnl::matmul primitive;
  dnnl::memory a, b, c;

  ElementType typeOf(const StridedMatrices &matrices) const {
    return convert ? packedType : matrices.type;
  }
};

/// Batch dimensions that are one dimension in all three operands become one:
/// oneDNN has faster code for fewer dimensions.
void mergeBatchDimensions(Product &product) {
  auto canMerge = [](const StridedMatrices &matrices, size_t dim) {
    return matrices.batchStride[dim] ==
           matrices.batchStride[dim + 1] * matrices.batch[dim + 1];
  };
  auto merge = [](StridedMatrices &matrices, size_t dim) {
    matrices.batch[dim + 1] *= matrices.batch[dim];
    matrices.batch.erase(matrices.batch.begin() + dim);
    matrices.batchStride.erase(matrices.batchStride.begin() + dim);
  };
  StridedMatrices *operands[] = {&product.a, &product.b, &product.c};
  for (size_t dim = product.c.batch.size(); dim-- > 0;) {
    bool isUnit = product.c.batch[dim] == 1;
    bool hasNext = dim + 1 < product.c.batch.size();
    if (isUnit) {
      for (StridedMatrices *operand : operands) {
        operand->batch.erase(operand->batch.begin() + dim);
        operand->batchStride.erase(operand->batchStride.begin() + dim);
      }
    } else if (hasNext && std::all_of(std::begin(operands), std::end(operands),
                                      [&](StridedMatrices *operand) {
                                        return canMerge(*operand, dim);
                                      })) {
      for (StridedMatrices *operand : operands)
        merge(*operand, dim);
    }
  }
}

StridedMatrices describe(const smith_gemm &gemm, ElementType type,
                         const int64_t *batchStride, int64_t rows,
                         int64_t columns, int64_t rowStride,
                         int64_t columnStride) {
  StridedMatrices matrices;
  matrices.type = type;
  matrices.batch.assign(gemm.batch, gemm.batch + gemm.batch_count);
  matrices.batchStride.assign(batchStride, batchStride + gemm.batch_count);
  matrices.rows = rows;
  matrices.columns = columns;
  matrices.rowStride = rowStride;
  matrices.columnStride = columnStride;
  matrices.normalizeStrides();
  return matrices;
}

Product readProduct(const smith_gemm &gemm) {
  Product product{describe(gemm, gemm.a_dtype, gemm.a_batch_stride, gemm.m,
                           gemm.k, gemm.a_m_stride, gemm.a_k_stride),
                  describe(gemm, gemm.b_dtype, gemm.b_batch_stride, gemm.k,
                           gemm.n, gemm.b_k_stride, gemm.b_n_stride),
                  describe(gemm, gemm.c_dtype, gemm.c_batch_stride, gemm.m,
                           gemm.n, gemm.c_m_stride, gemm.c_n_stride)};
  mergeBatchDimensions(product);
  return product;
}

dnnl::memory::desc describeForLibrary(const StridedMatrices &matrices) {
  dnnl::memory::dims sizes = matrices.batch;
  dnnl::memory::dims strides = matrices.batchStride;
  // A stride of zero repeats the matrix, which oneDNN calls broadcasting.
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    if (strides[dim] == 0) {
      sizes[dim] = 1;
      strides[dim] = matrices.rows * matrices.columns;
    }
  sizes.insert(sizes.end(), {matrices.rows, matrices.columns});
  strides.insert(strides.end(), {matrices.rowStride, matrices.columnStride});
  auto type = matrices.type == SMITH_BF16 ? dnnl::memory::data_type::bf16
                                          : dnnl::memory::data_type::f32;
  return {sizes, type, strides};
}

/// Whether a batch dimension only repeats one product, which oneDNN has no
/// word for: broadcasting needs one operand that is not broadcast.
bool repeatsMatrices(const Product &product) {
  for (size_t dim = 0; dim < product.c.batch.size(); ++dim)
    if (product.a.batchStride[dim] == 0 && product.b.batchStride[dim] == 0)
      return true;
  return false;
}

bool allTypesAre(const Product &product, ElementType type) {
  return product.a.type == type && product.b.type == type &&
         product.c.type == type;
}

bool libraryKnowsTypes(const Product &product) {
  bool isMixed = product.a.type == SMITH_BF16 && product.b.type == SMITH_BF16 &&
                 product.c.type == SMITH_F32;
  return isMixed || allTypesAre(product, SMITH_F32) ||
         allTypesAre(product, SMITH_BF16);
}

/// The type in which an unusual mixture of types is multiplied.
ElementType commonType(const Product &product) {
  ElementType types[] = {product.a.type, product.b.type, product.c.type};
  if (std::count(std::begin(types), std::end(types), SMITH_F64))
    return SMITH_F64;
  if (std::any_of(std::begin(types), std::end(types), isFloat))
    return SMITH_F32;
  return SMITH_U64;
}

/// Whether c += a · b is one product of f32 matrices of which b and c have
/// rows of unit stride, as the gradients of weights have.
bool addsOneMatrix(const smith_gemm &gemm, const Product &product) {
  auto hasRows = [](const StridedMatrices &matrices) {
    return matrices.columnStride == 1 && matrices.hasUnitStride();
  };
  return gemm.accumulates && allTypesAre(product, SMITH_F32) &&
         product.c.batch.empty() && product.a.hasUnitStride() &&
         hasRows(product.b) && hasRows(product.c);
}

/// c += a · b, for what `addsOneMatrix` accepts.
void addOneMatrix(const Product &product, const float *a, const float *b,
                  float *c) {
  // The stride of a single row means nothing, but must not be less than it.
  auto strideOf = [](const StridedMatrices &matrices) {
    return std::max(matrices.rowStride, matrices.columns);
  };
  bool hasRows = product.a.columnStride == 1;
  dnnl::error::wrap_c_api(
      dnnl_sgemm(hasRows ? 'N' : 'T', 'N', product.c.rows, product.c.columns,
                 product.a.columns, 1, a,
                 strideOf(hasRows ? product.a : product.a.transposed()), b,
                 strideOf(product.b), 1, c, strideOf(product.c)),
      "it is not added to its result");
}

/// c = a · b on contiguous operands, or c += a · b.
template <typename T>
void multiplyLoops(const Product &product, bool accumulates, const T *a,
                   const T *b, T *c, const ThreadTeam &team) {
  int64_t m = product.a.rows, k = product.a.columns, n = product.b.columns;
  int64_t work = std::max<int64_t>(n * k, 1);
  int64_t grain = std::max<int64_t>((64 << 10) / work, 1);
  auto multiplyRows = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T *matrix = b + row / m * k * n;
      T *target = c + row * n;
      if (!accumulates)
        std::fill(target, target + n, T{});
      for (int64_t inner = 0; inner < k; ++inner) {
        T factor = a[row * k + inner];
        const T *source = matrix + inner * n;
        for (int64_t column = 0; column < n; ++column)
          target[column] += factor * source[column];
      }
    }
  };
  team.parallelFor(product.c.matrixCount() * m, grain, multiplyRows);
}

} // namespace

struct GemmLibrary::State {
  explicit State(const ThreadTeam &team) : team(team) {}

  const ThreadTeam &team;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::unordered_map<int32_t, Prepared> prepared;
  ScratchBuffer scratchA, scratchB, scratchC;

  Prepared prepare(const smith_gemm &gemm);
  bool offer(Prepared &candidate, bool mayBeSlow);
  void execute(Prepared &prepared, const void *a, const void *b, void *c);
};

/// Tries to get fast library code for the operands as `candidate` packs them.
bool GemmLibrary::State::offer(Prepared &candidate, bool mayBeSlow) {
  auto layout = [&](const StridedMatrices &matrices, bool pack) {
    return describeForLibrary(
        pack ? matrices.contiguous(candidate.typeOf(matrices)) : matrices);
  };
  try {
    dnnl::memory::desc a = layout(candidate.product.a, candidate.packA);
    dnnl::memory::desc b = layout(candidate.product.b, candidate.packB);
    dnnl::memory::desc c = layout(candidate.product.c, candidate.packC);
    dnnl::primitive_attr attributes;
    if (candidate.request.accumulates) {
      dnnl::post_ops sum;
      sum.append_sum();
      attributes.set_post_ops(sum);
    }
    dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c),
                                             attributes, engine);
    bool isReference = std::strncmp(description.impl_info_str(), "ref", 3) == 0;
    if (isReference && !mayBeSlow)
      return false;
    candidate.primitive = dnnl::matmul(description);
    candidate.a = dnnl::memory(a, engine, nullptr);
    candidate.b = dnnl::memory(b, engine, nullptr);
    candidate.c = dnnl::memory(c, engine, nullptr);
  } catch (const dnnl::error &) {
    return false; // these types or strides are beyond this processor's code
  }
  candidate.engine = Engine::Library;
  return true;
}

Prepared GemmLibrary::State::prepare(const smith_gemm &gemm) {
  Prepared result;
  result.request = gemm;
  result.product = readProduct(gemm);
  Product &product = result.product;
  if (product.c.elementCount() == 0)
    return result;

  if (product.c.columnStride != 1 && product.c.rowStride == 1) {
    result.swapped = true;
    product = {product.b.transposed(), product.a.transposed(),
               product.c.transposed()};
  }
  bool hasRows = product.c.columnStride == 1 && product.c.hasUnitStride();
  if (product.a.columns > 0 && addsOneMatrix(gemm, product)) {
    result.engine = Engine::AddingLibrary;
    return result;
  }
  if (libraryKnowsTypes(product) && product.a.columns > 0) {
    result.packA = !product.a.hasUnitStride() || repeatsMatrices(product);
    result.packB = !product.b.hasUnitStride();
    result.packC = !hasRows;
    if (offer(result, /*mayBeSlow=*/false))
      return result;
    result.packA = result.packB = result.packC = true;
    if (offer(result, /*mayBeSlow=*/false))
      return result;
  }

  result.packA = result.packB = result.packC = result.convert = true;
  result.packedType = commonType(product);
  if (result.packedType == SMITH_F32 && product.a.columns > 0 &&
      offer(result, /*mayBeSlow=*/true))
    return result;
  result.engine = Engine::Loops;
  return result;
}

void GemmLibrary::State::execute(Prepared &prepared, const void *a,
                                 const void *b, void *c) {
  const Product &product = prepared.product;
  if (prepared.swapped)
    std::swap(a, b);
  auto packed = [&](const StridedMatrices &matrices, const void *source,
                    ScratchBuffer &scratch) -> const void * {
    ElementType type = prepared.typeOf(matrices);
    void *target = scratch.reserve(matrices.elementCount() * byteSize(type));
    packMatrices(matrices, source, type, target, team);
    return target;
  };
  if (prepared.packA)
    a = packed(product.a, a, scratchA);
  if (prepared.packB)
    b = packed(product.b, b, scratchB);
  ElementType resultType = prepared.typeOf(product.c);
  void *result = c;
  if (prepared.packC)
    result = scratchC.reserve(product.c.elementCount() * byteSize(resultType));
  if (prepared.packC && prepared.request.accumulates)
    packMatrices(product.c, c, resultType, result, team);

  if (prepared.engine == Engine::Library) {
    prepared.a.set_data_handle(const_cast<void *>(a));
    prepared.b.set_data_handle(const_cast<void *>(b));
    prepared.c.set_data_handle(result);
    prepared.primitive.execute(stream, {{DNNL_ARG_SRC, prepared.a},
                                        {DNNL_ARG_WEIGHTS, prepared.b},
                                        {DNNL_ARG_DST, prepared.c}});
    stream.wait();
  } else if (prepared.engine == Engine::AddingLibrary) {
    addOneMatrix(product, static_cast<const float *>(a),
                 static_cast<const float *>(b), static_cast<float *>(result));
  } else {
    visitElementType(prepared.packedType, [&](auto tag) {
      using T = decltype(tag);
      if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                    std::is_same_v<T, uint64_t>)
        multiplyLoops(product, prepared.request.accumulates != 0,
                      static_cast<const T *>(a), static_cast<const T *>(b),
                      static_cast<T *>(result), team);
    });
  }
  if (prepared.packC)
    unpackMatrices(product.c, c, resultType, result, team);
}

GemmLibrary::GemmLibrary(const ThreadTeam &team)
    : state(std::make_unique<State>(team)) {}

GemmLibrary::~GemmLibrary() = default;

namespace {

/// True if two requests are for the same product. The padding before the
/// sizes may hold anything.
bool isSame(const smith_gemm &a, const smith_gemm &b) {
  constexpr size_t sizes = offsetof(smith_gemm, m);
  auto sizesOf = [](const smith_gemm &gemm) {
    return reinterpret_cast<const char *>(&gemm) + sizes;
  };
  return a.id == b.id && a.batch_count == b.batch_count &&
         a.a_dtype == b.a_dtype && a.b_dtype == b.b_dtype &&
         a.c_dtype == b.c_dtype &&
         std::memcmp(sizesOf(a), sizesOf(b), sizeof a - sizes) == 0;
}

} // namespace

void GemmLibrary::run(const smith_gemm &gemm, const void *a, const void *b,
                      void *c) {
  if (gemm.batch_count < 0 || gemm.batch_count > SMITH_GEMM_MAX_BATCH)
    fail(ExitCode::Internal,
         "product {} has {} batch dimensions, at most {} "
         "are possible",
         gemm.id, gemm.batch_count, SMITH_GEMM_MAX_BATCH);
  auto [entry, isNew] = state->prepared.try_emplace(gemm.id);
  Prepared &prepared = entry->second;
  if (isNew || !isSame(prepared.request, gemm))
    prepared = state->prepare(gemm);
  if (prepared.engine == Engine::None)
    return;
  try {
    state->execute(prepared, a, b, c);
  } catch (const dnnl::error &error) {
    fail(ExitCode::Internal, "product {} failed in oneDNN: {}", gemm.id,
         error.what());
  }
}

} // namespace shardsmith::runtime
