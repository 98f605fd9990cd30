// RUN: shardsmith-opt %s --plan-buffers --split-input-file --verify-diagnostics
// RUN: shardsmith-opt %s --simplify-local --lower-dots --form-kernels --plan-buffers --split-input-file --verify-diagnostics

// expected-error@below {{'@no_body' needs a body of one block for its buffers to be planned}}
func.func private @no_body(tensor<4xf32>) -> tensor<4xf32>

// -----

// expected-error@below {{unsupported on CPU: a value of type 'tensor<4096xcomplex<f32>>'}}
func.func @complex(%p: tensor<4096xcomplex<f32>>) -> tensor<4096xcomplex<f32>> {
  %0 = smith.kernel(%p) domain = [4096] reduced = [] : (tensor<4096xcomplex<f32>>) -> tensor<4096xcomplex<f32>> {
  ^bb0(%a: tensor<4096xcomplex<f32>>):
    %1 = stablehlo.reverse %a, dims = [0] : tensor<4096xcomplex<f32>>
    smith.kernel_yield %1 : tensor<4096xcomplex<f32>>
  }
  return %0 : tensor<4096xcomplex<f32>>
}

// -----

func.func @complex_result(%p: tensor<8xf32>) -> tensor<8xcomplex<f32>> {
  // expected-error@below {{unsupported on CPU: a value of type 'tensor<8xcomplex<f32>>'}}
  %0 = stablehlo.complex %p, %p : tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}

// -----

func.func @dynamic(%p: tensor<8xf32>, %q: tensor<1xi32>) -> tensor<?xf32> {
  // expected-error@below {{unsupported on CPU: a value of type 'tensor<?xf32>'}}
  %0 = stablehlo.dynamic_reshape %p, %q : (tensor<8xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error@below {{the program's tensors exceed 2^63 bytes}}
func.func @large(%p: tensor<1152921504606846976xf64>, %q: tensor<1152921504606846976xf64>) {
  return
}
