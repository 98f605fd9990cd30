// SPDX-License-Identifier: Apache-2.0

#include "Products.h"

#include "LoadLibraries.h"

#include "shardsmith/Runtime/ElementType.h"
#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <bit>

namespace shardsmith::runtime::cuda {

/// A product with its layouts and its algorithm.
struct Products::Prepared {
  explicit Prepared(const CublasLtApi &api) : api(api) {}
  ~Prepared() {
    for (BlasLayout layout : {a, b, d})
      if (layout)
        api.destroyLayout(layout);
    if (product)
      api.destroyProduct(product);
  }
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;

  const CublasLtApi &api;
  ProductForm form;
  BlasProduct product = nullptr;
  BlasLayout a = nullptr, b = nullptr, d = nullptr;
  BlasChoice choice = {};
  bool isF64 = false;
};

namespace {

BlasType blasType(smith_dtype type) {
  switch (type) {
  case SMITH_F64:
    return blasF64;
  case SMITH_F16:
    return blasF16;
  case SMITH_BF16:
    return blasBf16;
  case SMITH_F8E4M3FN:
    return blasF8E4M3;
  case SMITH_F8E5M2:
    return blasF8E5M2;
  default:
    return blasF32;
  }
}

/// The largest power of two, up to 256, that divides an address and the steps
/// between the operands of calls and batches.
int64_t alignmentOf(uint64_t bits) {
  constexpr uint64_t most = 256;
  return int64_t(1) << std::countr_zero(bits | most);
}

std::vector<int64_t> numbersOf(const smith_gemm &gemm) {
  std::vector<int64_t> numbers{
      gemm.a_dtype,    gemm.b_dtype,    gemm.c_dtype,    gemm.m,
      gemm.n,          gemm.k,          gemm.a_m_stride, gemm.a_k_stride,
      gemm.b_k_stride, gemm.b_n_stride, gemm.c_m_stride, gemm.c_n_stride};
  for (int32_t i = 0; i < gemm.batch_count; ++i)
    numbers.insert(numbers.end(),
                   {gemm.batch[i], gemm.a_batch_stride[i],
                    gemm.b_batch_stride[i], gemm.c_batch_stride[i]});
  return numbers;
}

/// Address and batch strides of an operand, in bytes, one on top of the other:
/// the lowest bit that is set is how far all of them are aligned.
int64_t operandAlignment(const smith_gemm &gemm, DevicePointer address,
                         const int64_t *strides, smith_dtype type) {
  uint64_t bits = address;
  for (int32_t i = 0; i < gemm.batch_count; ++i)
    if (gemm.batch[i] > 1)
      bits |= static_cast<uint64_t>(strides[i] * byteSize(type));
  return alignmentOf(bits);
}

/// Whether d is the GELU of what is kept beside it.
bool keepsProduct(const device::ProductAddresses &at) {
  return at.gelu && *at.gelu != at.c;
}

BlasEpilogue epilogueOf(const device::ProductAddresses &at) {
  if (!at.gelu)
    return at.bias ? blasAddBias : blasPlain;
  if (keepsProduct(at))
    return at.bias ? blasGeluAuxiliaryBias : blasGeluAuxiliary;
  return at.bias ? blasGeluBias : blasGelu;
}

} // namespace

Products::Products(GpuContext &gpu, bool usesTf32, bool isNeeded)
    : gpu(gpu), usesTf32(usesTf32) {
  if (!isNeeded)
    return;
  api = loadCublasLt();
  check(api.create(&handle), "cublasLtCreate");
}

Products::~Products() {
  prepared.clear();
  if (handle)
    api.destroy(handle);
}

void Products::check(BlasResult result, const char *function) const {
  if (result != 0)
    fail(ExitCode::Environment, "{} fails (error {})", function, result);
}

void Products::set(const Prepared &product, BlasProductAttribute attribute,
                   const auto &value) const {
  check(api.setProduct(product.product, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

std::unique_ptr<Products::Prepared>
Products::prepare(const smith_gemm &gemm, const device::ProductAddresses &at,
                  const std::vector<int64_t> &alignments) {
  auto made = std::make_unique<Prepared>(api);
  std::string problem = findProductForm(gemm, at.bias.has_value(), made->form);
  if (!problem.empty())
    fail(ExitCode::Unsupported, "a product of {} x {} x {}: {}", gemm.m, gemm.n,
         gemm.k, problem);
  const ProductForm &form = made->form;
  made->isF64 = form.d.type == SMITH_F64;
  BlasCompute compute = blasComputeF32;
  if (made->isF64)
    compute = blasComputeF64;
  else if (usesTf32 && form.a.type == SMITH_F32)
    compute = blasComputeTf32;
  check(api.createProduct(&made->product, compute,
                          made->isF64 ? blasF64 : blasF32),
        "cublasLtMatmulDescCreate");
  for (auto [attribute, matrix] : {std::pair(blasTransposeA, &form.a),
                                   std::pair(blasTransposeB, &form.b)}) {
    int32_t value = matrix->isTransposed ? blasTransposed : blasAsStored;
    set(*made, attribute, value);
  }
  set(*made, blasEpilogue, epilogueOf(at));
  if (at.bias)
    set(*made, blasBiasPointer, *at.bias);
  if (at.scale)
    set(*made, blasScalePointerA, *at.scale);
  if (keepsProduct(at)) {
    set(*made, blasAuxiliaryPointer, at.c);
    set(*made, blasAuxiliaryLeadingDimension, form.d.leadingDimension);
    set(*made, blasAuxiliaryBatchStride, form.d.batchStride);
  }
  auto makeLayout = [&](const ProductForm::Matrix &matrix, int64_t rows,
                        int64_t columns) {
    if (matrix.isTransposed)
      std::swap(rows, columns);
    BlasLayout layout = nullptr;
    check(api.createLayout(
              &layout, blasType(matrix.type), static_cast<uint64_t>(rows),
              static_cast<uint64_t>(columns), matrix.leadingDimension),
          "cublasLtMatrixLayoutCreate");
    auto batch = static_cast<int32_t>(form.batch);
    check(api.setLayout(layout, blasBatchCount, &batch, sizeof batch),
          "cublasLtMatrixLayoutSetAttribute");
    check(api.setLayout(layout, blasBatchStride, &matrix.batchStride,
                        sizeof matrix.batchStride),
          "cublasLtMatrixLayoutSetAttribute");
    return layout;
  };
  made->a = makeLayout(form.a, form.rows, form.depth);
  made->b = makeLayout(form.b, form.depth, form.columns);
  made->d = makeLayout(form.d, form.rows, form.columns);

  BlasPreference preference = nullptr;
  check(api.createPreference(&preference), "cublasLtMatmulPreferenceCreate");
  auto prefer = [&](BlasPreferenceAttribute attribute, auto value) {
    check(api.setPreference(preference, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(blasMaxWorkspaceBytes, static_cast<uint64_t>(workspaceBytes));
  auto [left, right, result, added] =
      std::tuple(alignments[0], alignments[1], alignments[2], alignments[3]);
  prefer(blasMinAlignmentA,
         static_cast<uint32_t>(form.isSwapped ? right : left));
  prefer(blasMinAlignmentB,
         static_cast<uint32_t>(form.isSwapped ? left : right));
  prefer(blasMinAlignmentC, static_cast<uint32_t>(added));
  prefer(blasMinAlignmentD, static_cast<uint32_t>(result));
  int found = 0;
  BlasResult code = api.choose(handle, made->product, made->a, made->b, made->d,
                               made->d, preference, 1, &made->choice, &found);
  api.destroyPreference(preference);
  if (code == 0 && found > 0 && made->choice.state == 0)
    return made;
  if (at.gelu)
    return nullptr;
  fail(ExitCode::Unsupported,
       "cuBLASLt has no algorithm for a product of {} x {} x {} of {} to {} "
       "(error {})",
       gemm.m, gemm.n, gemm.k, name(gemm.a_dtype), name(gemm.c_dtype), code);
}

const Products::Prepared *Products::find(const smith_gemm &gemm,
                                         const device::ProductAddresses &at) {
  DevicePointer result = at.gelu.value_or(at.c);
  auto alignment = [&](DevicePointer address) {
    return operandAlignment(gemm, address, gemm.c_batch_stride, gemm.c_dtype);
  };
  std::vector<int64_t> alignments{
      operandAlignment(gemm, at.a, gemm.a_batch_stride, gemm.a_dtype),
      operandAlignment(gemm, at.b, gemm.b_batch_stride, gemm.b_dtype),
      alignment(result), alignment(at.sum.value_or(result))};
  if (at.bias)
    alignments.push_back(alignmentOf(*at.bias));
  if (keepsProduct(at))
    alignments.push_back(alignment(at.c));
  std::vector<int64_t> key = numbersOf(gemm);
  key.push_back(epilogueOf(at));
  key.push_back(at.scale.has_value());
  key.insert(key.end(), alignments.begin(), alignments.end());
  auto [known, isNew] = prepared.try_emplace(std::move(key));
  if (isNew)
    known->second = prepare(gemm, at, alignments);
  return known->second.get();
}

bool Products::multiply(DriverStream stream, const smith_gemm &gemm,
                        const device::ProductAddresses &at) {
  int64_t elements = gemm.m * gemm.n;
  for (int32_t i = 0; i < gemm.batch_count; ++i)
    elements *= gemm.batch[i];
  if (elements == 0)
    return true;
  // What is added would be read where the product is kept.
  bool isWrittenOver = keepsProduct(at) && at.sum == at.c;
  const Prepared *known = isWrittenOver ? nullptr : find(gemm, at);
  if (!known) {
    device::ProductAddresses without = at;
    without.gelu.reset();
    multiply(stream, gemm, without);
    return false;
  }
  if (workspace == 0)
    workspace = gpu.allocate(workspaceBytes);
  if (at.bias)
    set(*known, blasBiasPointer, *at.bias);
  if (at.scale)
    set(*known, blasScalePointerA, *at.scale);
  const ProductForm &form = known->form;
  DevicePointer a = at.a, b = at.b, d = at.gelu.value_or(at.c);
  if (form.isSwapped)
    std::swap(a, b);
  float one32 = 1, zero32 = 0;
  double one64 = 1, zero64 = 0;
  const void *one = known->isF64 ? static_cast<void *>(&one64) : &one32;
  const void *zero = known->isF64 ? static_cast<void *>(&zero64) : &zero32;
  const void *timesAdded = at.sum ? one : zero;
  auto place = [](DevicePointer base, int64_t elements, smith_dtype type) {
    return base + static_cast<uint64_t>(elements * byteSize(type));
  };
  auto matrix = [&](DevicePointer base, int64_t elements, smith_dtype type) {
    return reinterpret_cast<void *>(place(base, elements, type));
  };
  for (const ProductForm::Call &call : form.calls) {
    if (keepsProduct(at))
      set(*known, blasAuxiliaryPointer, place(at.c, call.d, form.d.type));
    check(api.multiply(
              handle, known->product, one, matrix(a, call.a, form.a.type),
              known->a, matrix(b, call.b, form.b.type), known->b, timesAdded,
              matrix(at.sum.value_or(d), call.d, form.d.type), known->d,
              matrix(d, call.d, form.d.type), known->d,
              &known->choice.algorithm, reinterpret_cast<void *>(workspace),
              workspaceBytes, stream),
          "cublasLtMatmul");
  }
  return true;
}

} // namespace shardsmith::runtime::cuda
