// RUN: shardsmith-opt %s --split-input-file --verify-diagnostics

func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 1 inputs but 0 body arguments}}
  %0 = smith.kernel(%x) domain = [4] reduced = [] : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.constant dense<0.0> : tensor<4xf32>
    smith.kernel_yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @elements(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{input 0 is 'tensor<4xf32>' but the body expects 'tensor<5xf32>'}}
  %0 = smith.kernel(%x) domain = [4] reduced = [] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<5xf32>):
    %1 = stablehlo.constant dense<0.0> : tensor<4xf32>
    smith.kernel_yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @reduced(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{reduced dimensions must increase and lie in the domain}}
  %0 = smith.kernel(%x) domain = [4] reduced = [1] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    smith.kernel_yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @outside(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  // expected-error @+1 {{rhs reaches element 8 of 'tensor<2x4xf32>'}}
  %0 = smith.gemm %x[0, [4, 1]], %x[1, [1, 4]] batch = [] sizes = [2, 2, 4] strides = [2, 1] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @incomplete(%x: tensor<2x4xf32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{writes 4 elements of 'tensor<3x2xf32>'}}
  %0 = smith.gemm %x[0, [4, 1]], %x[0, [1, 4]] batch = [] sizes = [2, 2, 4] strides = [2, 1] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @beyond_numbers(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @+1 {{lhs reaches elements beyond any number}}
  %0 = smith.gemm %x[0, [16, 1]], %x[0, [16, 1]] batch = [] sizes = [4611686018427387904, 16, 16] strides = [16, 1] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// -----

// Strides of zero reach nothing, however often they are gone.
func.func @writes_too_much(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @+1 {{writes more elements than 'tensor<16x16xf32>'}}
  %0 = smith.gemm %x[0, [0, 1]], %x[0, [0, 0]] batch = [] sizes = [4611686018427387904, 4611686018427387904, 16] strides = [0, 0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// -----

func.func @adds_nothing(%x: tensor<2x4xf32>, %y: tensor<4x8xf32>) -> tensor<2x8xf32> {
  // expected-error @+1 {{adds nothing; smith.gemm is the product alone}}
  %0 = smith.add_gemm %x[0, [4, 1]], %y[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [8, 1] : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

func.func @other_sum(%x: tensor<2x4xf32>, %y: tensor<4x8xf32>, %s: tensor<16xf32>) -> tensor<2x8xf32> {
  // expected-error @+1 {{adds to 'tensor<16xf32>', which is not the result's type 'tensor<2x8xf32>'}}
  %0 = smith.add_gemm %x[0, [4, 1]], %y[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [8, 1] sum(%s : tensor<16xf32>) : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

func.func @short_bias(%x: tensor<2x4xf32>, %y: tensor<4x8xf32>, %b: tensor<2xf32>) -> tensor<2x8xf32> {
  // expected-error @+1 {{expects a bias of type 'tensor<8xf32>', found 'tensor<2xf32>'}}
  %0 = smith.add_gemm %x[0, [4, 1]], %y[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [8, 1] bias(%b : tensor<2xf32>) : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

func.func @bias_of_rows(%x: tensor<2x4xf32>, %y: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<8x2xf32> {
  // expected-error @+1 {{has a bias along a dimension of stride 2; expected 1}}
  %0 = smith.add_gemm %x[0, [4, 1]], %y[0, [8, 1]] batch = [] sizes = [2, 8, 4] strides = [1, 2] bias(%b : tensor<8xf32>) : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
