# SPDX-License-Identifier: Apache-2.0
"""Random numbers: other ones than PyTorch's, of the same distribution."""

from shardsmith._stablehlo import is_float
from shardsmith._torch.ops._table import op, refuse


def _dropout(call, x, p):
    """(result, what was kept)."""
    build = call.build
    if p == 0:
        return x, build.full(x.shape, True, "i1")
    if p == 1:
        return build.like(x, 0), build.full(x.shape, False, "i1")
    kept = build.compare("GE", call.random.uniform(x.shape, "f32"), p)
    return build.select(kept, build.multiply(x, 1 / (1 - p)), build.like(x, 0)), kept


@op("native_dropout.default")
def native_dropout(call, input, p, train):
    return _dropout(call, input, p if train or train is None else 0)


@op("dropout.default")
def dropout(call, input, p, train):
    return _dropout(call, input, p if train else 0)[0]


def _like(call, kind):
    if not is_float(call.element):
        refuse(f"it draws {call.element}, and only floats are drawn so")
    return getattr(call.random, kind)(call.shape, call.element)


@op("rand.default", "rand_like.default")
def rand(call, *_, **__):
    return _like(call, "uniform")


@op("randn.default", "randn_like.default")
def randn(call, *_, **__):
    return _like(call, "normal")


@op("bernoulli.default", "bernoulli.p")
def bernoulli(call, self, p=None, generator=None):
    build = call.build
    drawn = call.random.uniform(call.shape, "f32")
    chance = build.like(drawn, p) if p is not None else build.convert(self, "f32")
    return build.convert(build.compare("LT", drawn, build.stop_gradient(chance)), call.element)


@op("uniform.default")
def uniform(call, self, from_=0.0, to=1.0, generator=None, **named):
    low = named.get("from", from_)
    drawn = _like(call, "uniform")
    return call.build.add(call.build.multiply(drawn, to - low), low)


@op("normal_functional.default")
def normal(call, self, mean=0.0, std=1.0, generator=None):
    drawn = _like(call, "normal")
    return call.build.add(call.build.multiply(drawn, std), mean)
