// SPDX-License-Identifier: Apache-2.0
//
// What is decided about GPUs without one: forms of products and reductions,
// images of kernels.

#include "shardsmith/Runtime/CUDA/KernelImages.h"
#include "shardsmith/Runtime/CUDA/ProductForm.h"
#include "shardsmith/Runtime/CUDA/ReductionForm.h"

#include "../FirstSeed.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <ranges>

namespace shardsmith::runtime::cuda {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

using Numbers = std::vector<int64_t>;

/// A product whose operands lie in memory in a random order of dimensions.
class DrawnProduct {
public:
  explicit DrawnProduct(std::mt19937_64 &random) : random(random) {
    gemm.batch_count = static_cast<int32_t>(below(4));
    gemm.m = 1 + below(5);
    gemm.n = 1 + below(5);
    gemm.k = 1 + below(5);
    for (int32_t i = 0; i < gemm.batch_count; ++i)
      gemm.batch[i] = 1 + below(4);
    a = layOut(gemm.a_batch_stride, gemm.m, gemm.a_m_stride, gemm.k,
               gemm.a_k_stride, true);
    b = layOut(gemm.b_batch_stride, gemm.k, gemm.b_k_stride, gemm.n,
               gemm.b_n_stride, true);
    c = layOut(gemm.c_batch_stride, gemm.m, gemm.c_m_stride, gemm.n,
               gemm.c_n_stride, false);
  }

  smith_gemm gemm = {};
  Numbers a, b, c;

  /// A number for each column, if columns lie side by side.
  Numbers drawBias() {
    Numbers bias;
    for (int64_t n = 0; gemm.c_n_stride == 1 && n < gemm.n; ++n)
      bias.push_back(below(100));
    return bias;
  }

  /// By its definition in ABI.h, and the bias, if there is one, added.
  Numbers product(const Numbers &bias) const {
    Numbers result = c;
    std::vector<int64_t> at(gemm.batch_count);
    bool isMore = true;
    while (isMore) {
      int64_t aPlace = 0, bPlace = 0, cPlace = 0;
      for (int32_t i = 0; i < gemm.batch_count; ++i) {
        aPlace += at[i] * gemm.a_batch_stride[i];
        bPlace += at[i] * gemm.b_batch_stride[i];
        cPlace += at[i] * gemm.c_batch_stride[i];
      }
      for (int64_t m = 0; m < gemm.m; ++m)
        for (int64_t n = 0; n < gemm.n; ++n) {
          int64_t sum = bias.empty() ? 0 : bias[n];
          for (int64_t k = 0; k < gemm.k; ++k)
            sum += a[aPlace + m * gemm.a_m_stride + k * gemm.a_k_stride] *
                   b[bPlace + k * gemm.b_k_stride + n * gemm.b_n_stride];
          result[cPlace + m * gemm.c_m_stride + n * gemm.c_n_stride] = sum;
        }
      isMore = false;
      for (int32_t i = 0; i < gemm.batch_count && !isMore; ++i) {
        isMore = ++at[i] < gemm.batch[i];
        if (!isMore)
          at[i] = 0;
      }
    }
    return result;
  }

private:
  int64_t below(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }

  /// Gives dimensions strides, one of the matrix's the smallest one, with gaps,
  /// and returns memory for them. Batch dimensions may repeat the operand.
  Numbers layOut(int64_t *batchStrides, int64_t rows, int64_t &rowStride,
                 int64_t columns, int64_t &columnStride, bool mayRepeat) {
    std::vector<std::pair<int64_t, int64_t *>> order;
    for (int32_t i = 0; i < gemm.batch_count; ++i)
      order.emplace_back(gemm.batch[i], &batchStrides[i]);
    bool isRowMajor = below(2) == 0;
    order.emplace_back(isRowMajor ? rows : columns,
                       isRowMajor ? &rowStride : &columnStride);
    std::ranges::shuffle(order, random);
    order.emplace_back(isRowMajor ? columns : rows,
                       isRowMajor ? &columnStride : &rowStride);
    int64_t stride = 1;
    for (auto [size, place] : std::views::reverse(order)) {
      bool isBatch = place != &rowStride && place != &columnStride;
      bool repeats = isBatch && mayRepeat && below(5) == 0;
      *place = repeats ? 0 : stride;
      if (!repeats)
        stride = stride * size + (below(3) == 0 ? below(3) : 0);
    }
    Numbers memory(static_cast<size_t>(stride) + 1);
    for (int64_t &value : memory)
      value = below(100);
    return memory;
  }

  std::mt19937_64 &random;
};

/// What cuBLASLt is documented to compute of a form.
Numbers multiply(const ProductForm &form, const Numbers &left,
                 const Numbers &right, const Numbers &bias, Numbers result) {
  const Numbers &a = form.isSwapped ? right : left;
  const Numbers &b = form.isSwapped ? left : right;
  auto read = [](const Numbers &memory, const ProductForm::Matrix &matrix,
                 int64_t base, int64_t row, int64_t column) {
    if (matrix.isTransposed)
      std::swap(row, column);
    return memory.at(base + column * matrix.leadingDimension + row);
  };
  for (const ProductForm::Call &call : form.calls)
    for (int64_t batch = 0; batch < form.batch; ++batch)
      for (int64_t i = 0; i < form.rows; ++i)
        for (int64_t j = 0; j < form.columns; ++j) {
          int64_t sum = bias.empty() ? 0 : bias.at(i);
          for (int64_t k = 0; k < form.depth; ++k)
            sum += read(a, form.a, call.a + batch * form.a.batchStride, i, k) *
                   read(b, form.b, call.b + batch * form.b.batchStride, k, j);
          result.at(call.d + batch * form.d.batchStride +
                    j * form.d.leadingDimension + i) = sum;
        }
  return result;
}

TEST(ProductForm, EqualsTheProductItIsOf) {
  uint64_t seed = test::firstSeed();
  std::mt19937_64 random(seed);
  int swapped = 0, several = 0, biased = 0;
  for (int i = 0; i < 2000; ++i) {
    DrawnProduct drawn(random);
    Numbers bias = drawn.drawBias();
    ProductForm form;
    ASSERT_EQ(findProductForm(drawn.gemm, !bias.empty(), form), "")
        << "seed " << seed;
    // What the library demands of a matrix.
    auto checkLeading = [&](const ProductForm::Matrix &matrix, int64_t rows,
                            int64_t columns) {
      EXPECT_GE(matrix.leadingDimension, matrix.isTransposed ? columns : rows)
          << "seed " << seed;
    };
    checkLeading(form.a, form.rows, form.depth);
    checkLeading(form.b, form.depth, form.columns);
    checkLeading(form.d, form.rows, form.columns);
    EXPECT_FALSE(form.d.isTransposed);
    ASSERT_EQ(multiply(form, drawn.a, drawn.b, bias, drawn.c),
              drawn.product(bias))
        << "seed " << seed << ", product " << i;
    swapped += form.isSwapped ? 1 : 0;
    biased += bias.empty() ? 0 : 1;
    several += form.calls.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(swapped, 100);
  EXPECT_GT(several, 100);
  EXPECT_GT(biased, 100);
}

TEST(ProductForm, DenseBatchesAreOneCall) {
  smith_gemm gemm = {};
  gemm.batch_count = 3;
  gemm.m = gemm.n = gemm.k = 2;
  for (int64_t *strides :
       {gemm.a_batch_stride, gemm.b_batch_stride, gemm.c_batch_stride})
    std::ranges::copy(Numbers{40, 20, 4}, strides);
  std::ranges::copy(Numbers{3, 2, 5}, gemm.batch);
  gemm.a_m_stride = gemm.b_k_stride = gemm.c_m_stride = 2;
  gemm.a_k_stride = gemm.b_n_stride = gemm.c_n_stride = 1;
  ProductForm form;
  ASSERT_EQ(findProductForm(gemm, false, form), "");
  EXPECT_EQ(form.batch, 30);
  EXPECT_EQ(form.calls.size(), 1u);
  EXPECT_EQ(form.a.batchStride, 4);
}

TEST(ProductForm, RefusesWhatTheLibraryDoesNotHave) {
  smith_gemm plain = {};
  plain.m = plain.n = plain.k = 4;
  plain.a_m_stride = plain.b_k_stride = plain.c_m_stride = 4;
  plain.a_k_stride = plain.b_n_stride = plain.c_n_stride = 1;
  ProductForm form;
  ASSERT_THAT(findProductForm(plain, false, form), IsEmpty());
  auto refused = [&](auto change) {
    smith_gemm gemm = plain;
    change(gemm);
    return findProductForm(gemm, false, form);
  };
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.a_k_stride = 2; }),
              HasSubstr("left operand has no dimension of stride 1"));
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.b_k_stride = 0; }),
              HasSubstr("right operand has no dimension of stride 1"));
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.c_m_stride = 3; }),
              HasSubstr("result has no dimension of stride 1"));
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.k = 0; }),
              HasSubstr("adds up no terms"));
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.a_dtype = SMITH_BF16; }),
              HasSubstr("its types are bf16 x f32 to f32"));
  EXPECT_THAT(refused([](smith_gemm &gemm) {
                gemm.a_dtype = gemm.b_dtype = gemm.c_dtype = SMITH_I32;
              }),
              HasSubstr("its types are i32 x i32 to i32"));
  EXPECT_THAT(refused([](smith_gemm &gemm) {
                gemm.a_dtype = gemm.b_dtype = SMITH_F16;
              }),
              IsEmpty());
}

TEST(ProductForm, MultipliesEightBitsAlongNeighbours) {
  smith_gemm plain = {};
  plain.m = 32, plain.n = 48, plain.k = 16;
  plain.a_dtype = SMITH_F8E4M3FN;
  plain.b_dtype = SMITH_F8E5M2;
  plain.a_m_stride = plain.b_n_stride = 16;
  plain.a_k_stride = plain.b_k_stride = plain.c_n_stride = 1;
  plain.c_m_stride = 48;
  ProductForm form;
  for (smith_dtype result : {SMITH_F32, SMITH_BF16, SMITH_F16}) {
    plain.c_dtype = result;
    ASSERT_EQ(findProductForm(plain, false, form), "");
    // Swapped, as the result is row-major: a is the right operand.
    EXPECT_TRUE(form.isSwapped && form.a.isTransposed && !form.b.isTransposed);
    EXPECT_EQ(form.a.type, SMITH_F8E5M2);
  }
  auto refused = [&](auto change) {
    smith_gemm gemm = plain;
    change(gemm);
    return findProductForm(gemm, false, form);
  };
  auto areAcross = HasSubstr("along dimensions of stride 1");
  EXPECT_THAT(refused([](smith_gemm &gemm) {
                gemm.a_m_stride = 1, gemm.a_k_stride = 32;
              }),
              areAcross);
  EXPECT_THAT(refused([](smith_gemm &gemm) {
                gemm.b_n_stride = 1, gemm.b_k_stride = 48;
              }),
              areAcross);
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.a_dtype = SMITH_F8E5M2; }),
              HasSubstr("its types are f8E5M2 x f8E5M2 to f16"));
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.b_dtype = SMITH_BF16; }),
              HasSubstr("its types are f8E4M3FN x bf16 to f16"));
  EXPECT_THAT(refused([](smith_gemm &gemm) { gemm.c_dtype = SMITH_F8E4M3FN; }),
              HasSubstr("its types are f8E4M3FN x f8E5M2 to f8E4M3FN"));
}

TEST(KernelImages, AreReadFromNamesOfFiles) {
  std::optional<KernelImage> image = kernelImage("kernels.sm_90a.cubin", "x");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->chip, "sm_90a");
  EXPECT_FALSE(image->isPtx);
  EXPECT_TRUE(kernelImage("kernels.sm_80.ptx", "")->isPtx);
  for (const char *name : {"device-program.json", "kernels.ptx", "kernels."})
    EXPECT_FALSE(kernelImage(name, "")) << name;
}

TEST(KernelImages, TheBestForAGpuIsChosen) {
  std::vector<KernelImage> images;
  for (const char *name :
       {"kernels.sm_80.ptx", "kernels.sm_80.cubin", "kernels.sm_90a.ptx",
        "kernels.sm_90a.cubin", "kernels.sm_100a.ptx", "kernels.sm_120.ptx"})
    images.push_back(*kernelImage(name, ""));
  auto chosen = [&](int major, int minor) {
    const KernelImage *image = chooseImage(images, major, minor);
    return image ? image->chip + (image->isPtx ? " PTX" : "") : "none";
  };
  EXPECT_EQ(chosen(7, 5), "none");
  EXPECT_EQ(chosen(8, 0), "sm_80");
  EXPECT_EQ(chosen(8, 9), "sm_80");
  EXPECT_EQ(chosen(9, 0), "sm_90a");
  EXPECT_EQ(chosen(10, 0), "sm_100a PTX");
  EXPECT_EQ(chosen(10, 3), "sm_80 PTX");
  EXPECT_EQ(chosen(12, 1), "sm_120 PTX");
  images.erase(images.begin() + 3);
  EXPECT_EQ(chosen(9, 0), "sm_90a PTX");
}

TEST(ReductionForm, BooleansAreBytesAndSomeIntegersAreMissing) {
  EXPECT_TRUE(findReductionForm(SMITH_BF16, SMITH_SUM));
  std::optional<ReductionForm> either = findReductionForm(SMITH_BOOL, SMITH_OR);
  std::optional<ReductionForm> most = findReductionForm(SMITH_U8, SMITH_MAX);
  ASSERT_TRUE(either && most);
  EXPECT_EQ(either->type, most->type);
  EXPECT_EQ(either->reduction, most->reduction);
  // Or is the addition of booleans.
  std::optional<ReductionForm> sum = findReductionForm(SMITH_BOOL, SMITH_SUM);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->reduction, either->reduction);
  EXPECT_FALSE(findReductionForm(SMITH_I16, SMITH_SUM));
  EXPECT_FALSE(findReductionForm(SMITH_I32, SMITH_AND));
}

} // namespace
} // namespace shardsmith::runtime::cuda
