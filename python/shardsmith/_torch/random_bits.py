# SPDX-License-Identifier: Apache-2.0
"""Random numbers of a model: a function of the step, the place in the model
and the element's position, so that they do not depend on how a program is
split. The function is Threefry-2x32 with 20 rounds (Salmon et al., 2011).

    key      the number of the step, which is a state; the number of the op
    counter  the element's position within its sample; the sample
"""

import math

from shardsmith._stablehlo import Argument, Result, TensorType

STATE_NAME = "random.step"

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA


class RandomBits:
    """The random ops of one model, in order."""

    def __init__(self, build):
        self._build = build
        self._step = build.argument("%random_step", TensorType((), "ui32"))
        self._ops = 0

    @property
    def is_used(self):
        return self._ops > 0

    def state(self):
        """The number of the step as (argument, result)."""
        kept = {"smith.role": "state", "smith.name": STATE_NAME}
        argument = Argument(self._step.name, self._step.type, kept | {"smith.init": "zeros"})
        return argument, Result(self._build.add(self._step, 1), kept)

    def bits(self, shape):
        """32 random bits for each element, as ui32."""
        build, shape = self._build, tuple(shape)
        sample, rest = (shape[0], shape[1:]) if shape else (1, ())
        flat = (sample, math.prod(rest))
        within = build.iota(flat, 1, "ui32")
        samples = build.iota(flat, 0, "ui32")
        key = [
            build.broadcast(self._step, flat),
            build.full(flat, self._ops, "ui32"),
        ]
        self._ops += 1
        return build.reshape(self._threefry(key, within, samples), shape)

    def uniform(self, shape, element):
        """Numbers in [0, 1) with 24 random bits, or as many as the type holds."""
        build = self._build
        kept = {"bf16": 8, "f16": 11}.get(element, 24)
        bits = build.bits_above(self.bits(shape), 32 - kept)
        inner = "f32" if kept < 24 else element
        number = build.multiply(build.convert(bits, inner), 2.0**-kept)
        return build.convert(number, element)

    def normal(self, shape, element):
        """Standard normal numbers, √2·erf⁻¹(2u - 1) of the middle u of one of
        2²³ equal intervals."""
        build = self._build
        inner = "f64" if element == "f64" else "f32"
        bits = build.convert(build.bits_above(self.bits(shape), 9), inner)
        u = build.multiply(build.add(bits, 0.5), 2.0**-22)
        drawn = build.unary("chlo.erf_inv", build.subtract(u, 1.0))
        return build.convert(build.multiply(drawn, math.sqrt(2)), element)

    def _threefry(self, key, x, y):
        build = self._build
        parity = build.full(x.shape, _PARITY, "ui32")
        schedule = [*key, build.binary("xor", build.binary("xor", *key), parity)]
        x, y = build.add(x, schedule[0]), build.add(y, schedule[1])
        for group in range(5):
            for distance in _ROTATIONS[group % 2]:
                x = build.add(x, y)
                y = build.binary("xor", x, self._rotate(y, distance))
            x = build.add(x, schedule[(group + 1) % 3])
            y = build.add(build.add(y, schedule[(group + 2) % 3]), group + 1)
        return x

    def _rotate(self, x, distance):
        build = self._build
        high = build.binary("shift_left", x, build.like(x, distance))
        return build.binary("or", high, build.bits_above(x, 32 - distance))
