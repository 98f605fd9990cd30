# SPDX-License-Identifier: Apache-2.0
"""Exporters for the Shardsmith compiler.

`shardsmith.jax` writes a JAX loss function or train step as a model file. It
is imported on demand, so this package itself needs no JAX.
"""
