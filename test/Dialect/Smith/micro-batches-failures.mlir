// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0

func.func @f() {
  // expected-error@+1 {{attribute 'count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %i = smith.micro_batch_index of 0 : tensor<i32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{result #0 must be 0D tensor of 32-bit signless integer values, but got 'tensor<1xi32>'}}
  %i = smith.micro_batch_index of 2 : tensor<1xi32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{counts 2 micro-batches: another one of this function counts 3}}
  %i = smith.micro_batch_index of 2 : tensor<i32>
  %j = smith.micro_batch_index of 3 : tensor<i32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error@+1 {{expected a reduction kind: sum, product, max, min, and, or}}
  %0 = smith.accumulate %x kind = mean : tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error@+1 {{operand #0 must be statically shaped tensor}}
  %0 = smith.accumulate %x kind = sum : tensor<?xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{attribute 'count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  smith.repeat @body count = 0 with() carry() : () -> ()
  return
}
func.func private @body(%i: tensor<i32>) {
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{has results of types (): expected those of what it carries, ('tensor<f32>')}}
  smith.repeat @body count = 2 with() carry(%x) : (tensor<f32>) -> ()
  return
}
func.func private @body(%i: tensor<i32>, %x: tensor<f32>) {
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{names @body, which is not a function of this module}}
  smith.repeat @body count = 2 with() carry() : () -> ()
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{names @body of type '(tensor<f32>) -> tensor<f32>': expected '(tensor<i32>, tensor<f32>) -> tensor<f32>'}}
  %0 = smith.repeat @body count = 2 with() carry(%x) : (tensor<f32>) -> tensor<f32>
  return
}
func.func private @body(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

func.func @f(%x: tensor<i32>) {
  // expected-error@+1 {{goes on while carried value 0 is true: expected the position of a tensor<i1>}}
  %0 = smith.repeat @body count = 2 while 0 with() carry(%x) : (tensor<i32>) -> tensor<i32>
  return
}
func.func private @body(%i: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}

// -----

func.func @f(%x: tensor<i1>) {
  // expected-error@+1 {{goes on while carried value 1 is true: expected the position of a tensor<i1>}}
  %0 = smith.repeat @body count = 2 while 1 with() carry(%x) : (tensor<i1>) -> tensor<i1>
  return
}
func.func private @body(%i: tensor<i32>, %x: tensor<i1>) -> tensor<i1> {
  return %x : tensor<i1>
}

// -----

func.func @f(%x: tensor<i1>) {
  // expected-error@+1 {{has a number of calls per device, and a value that decides how many there are}}
  %0 = smith.repeat @body count = 2 while 0 with() carry(%x) {smith.counts = array<i64: 2, 1>} : (tensor<i1>) -> tensor<i1>
  return
}
func.func private @body(%i: tensor<i32>, %x: tensor<i1>) -> tensor<i1> {
  return %x : tensor<i1>
}

// -----

func.func private @itself(%i: tensor<i32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{names @itself, which calls the function that it is in}}
  %0 = smith.run @itself micro_batch = 1 with(%w) carry() : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @one(%i: tensor<i32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = smith.run @other micro_batch = 1 with(%w) carry() : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @other(%i: tensor<i32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{names @one, which calls the function that it is in}}
  %0 = smith.run @one micro_batch = 1 with(%w) carry() : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
