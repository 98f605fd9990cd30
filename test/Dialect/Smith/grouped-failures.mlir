// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

func.func @f(%x: tensor<12x8xf32>, %g: tensor<12xi32>, %w: tensor<8x6xf32>) {
  // expected-error@+1 {{has matrices of type 'tensor<8x6xf32>': expected groups, rows and columns as their last three dimensions}}
  %y = smith.grouped_dot %x, %g, %w : (tensor<12x8xf32>, tensor<12xi32>, tensor<8x6xf32>) -> tensor<12x6xf32>
  return
}

// -----

func.func @f(%x: tensor<2x12x8xf32>, %g: tensor<3x12xi32>, %w: tensor<2x4x8x6xf32>) {
  // expected-error@+1 {{has groups of type 'tensor<3x12xi32>': expected the 1 leading dimensions of the matrices, 'tensor<2x4x8x6xf32>', and those of the rows}}
  %y = smith.grouped_dot %x, %g, %w : (tensor<2x12x8xf32>, tensor<3x12xi32>, tensor<2x4x8x6xf32>) -> tensor<3x12x6xf32>
  return
}

// -----

func.func @f(%x: tensor<12x7xf32>, %g: tensor<12xi32>, %w: tensor<4x8x6xf32>) {
  // expected-error@+1 {{has rows of type 'tensor<12x7xf32>': expected the dimensions of the groups, 'tensor<12xi32>', and one of 8}}
  %y = smith.grouped_dot %x, %g, %w : (tensor<12x7xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x6xf32>
  return
}

// -----

func.func @f(%x: tensor<12x8xf32>, %g: tensor<12xi32>, %w: tensor<4x8x6xf32>) {
  // expected-error@+1 {{has a result of type 'tensor<12x8xf32>': expected the dimensions of the groups, 'tensor<12xi32>', and one of 6}}
  %y = smith.grouped_dot %x, %g, %w : (tensor<12x8xf32>, tensor<12xi32>, tensor<4x8x6xf32>) -> tensor<12x8xf32>
  return
}

// -----

func.func @f(%x: tensor<12x8xi32>, %g: tensor<12xi32>, %w: tensor<4x8x6xi32>) {
  // expected-error@+1 {{multiplies 'i32': expected floats}}
  %y = smith.grouped_dot %x, %g, %w : (tensor<12x8xi32>, tensor<12xi32>, tensor<4x8x6xi32>) -> tensor<12x6xi32>
  return
}

// -----

func.func @f(%x: tensor<12x8xf32>, %g: tensor<12xi32>, %y: tensor<11x6xf32>) {
  // expected-error@+1 {{has a right side of type 'tensor<11x6xf32>': expected the dimensions of the groups, 'tensor<12xi32>', and one of 6}}
  %d = smith.grouped_outer %x, %g, %y : (tensor<12x8xf32>, tensor<12xi32>, tensor<11x6xf32>) -> tensor<4x8x6xf32>
  return
}
