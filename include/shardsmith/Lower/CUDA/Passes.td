// SPDX-License-Identifier: Apache-2.0
// What only NVIDIA's devices have; shardsmith/Lower/Common/Passes.td has the
// rest.

#ifndef SHARDSMITH_LOWER_CUDA_PASSES_TD
#define SHARDSMITH_LOWER_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitCudaKernels : Pass<"emit-cuda-kernels", "::mlir::ModuleOp"> {
  let summary = "Emit a device function for every different kernel";
  let description = [{
    Adds a `gpu.module @kernels` with a `gpu.func` for each different
    `smith.kernel` and scatter of the module's functions, and names it on the
    op. The ops stay: they say with which buffers the function is launched.

    Before:
      %1 = smith.kernel(%0) domain = [1024] reduced = []
          : (tensor<1024xf32>) -> tensor<1024xf32> { … negate … }
    After:
      %1 = smith.kernel(%0) domain = [1024] reduced = []
          attributes {smith.device_function = @kernels::@kernel_0} : …
      gpu.module @kernels {
        gpu.func @kernel_0(%input: memref<1024xf32>,
                           %result: memref<1024xf32>) kernel
            attributes {known_block_size = array<i32: 256, 1, 1>,
                        known_grid_size = array<i32: 1, 1, 1>} {
          … a thread's id, vector.load, arith.negf, vector.store …
        }
      }

    Arguments are the kernel's inputs and results; those of a scatter are its
    indices, its updates and its result, which holds the operand when the
    function is launched.

    Assumptions: the program was lowered for the target `cuda`; buffers begin
    at multiples of 16 bytes. A result may have an input's buffer where
    `plan-buffers` allows it.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandDeviceMath : Pass<"expand-device-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn functions that devices have no instruction for into code";
  let description = [{
    After this pass device functions call nothing: `math` ops are left only
    where the device has an instruction (fma, sqrt, rounding, bit counts).

    Before:
      %1 = math.tanh %0 : vector<4xf32>
    After:
      a quotient of two polynomials

    Assumption: functions of f64 were refused when the program was lowered;
    one that is left is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def EstimateKernels : Pass<"estimate-kernels", "::mlir::ModuleOp"> {
  let summary = "Say what every device function moves through memory";
  let description = [{
    Runs some blocks of every device function for their positions alone
    (`KernelTraffic.h`), and notes what they ask for.

    Before:
      gpu.func @kernel_0(%input: memref<1024xf32>, %result: memref<1024xf32>) …
    After:
      the same with smith.traffic = {active_lanes = 1.0, asked = 8192,
      buffers = 8192, coalescing = 1.0, data_dependent = false, exact = true,
      moved = 8192, shared = 0}

    `asked`, `buffers`, `moved` and `shared` are bytes. Assumption: functions are those of
    `emit-cuda-kernels`. A loop that runs as often as data says is an error.
  }];
}

def EmitPtx : Pass<"emit-ptx", "::mlir::ModuleOp"> {
  let summary = "Compile the device functions of a module to PTX";
  let description = [{
    Every `gpu.module` gets its PTX as the attribute `smith.ptx`; with `path`
    the text is written there. Needs no CUDA toolkit. For tests and
    experiments; `shardsmith compile --target cuda:CHIP` does the same.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_80\"",
           "sm_80, sm_90a, sm_100a or sm_120">,
    Option<"path", "path", "std::string", "\"\"", "File to write">
  ];
}

#endif
