# SPDX-License-Identifier: Apache-2.0
"""The Shardsmith compiler from Python.

`shardsmith.jax` plans a JAX loss function, and writes it or a train step as a
model file; `shardsmith.torch` does the same for the loss of a PyTorch module.
Both are imported on demand, so this package itself needs neither.
"""
