# SPDX-License-Identifier: Apache-2.0
"""Windows over the last dimensions of [samples, features, …]."""

import math

from shardsmith._torch.ops._table import op, pair, refuse


def _windows(x, count, kernel, stride, padding, dilation, ceil_mode):
    """Lists for all dimensions of `x`; with `ceil_mode` the last window may begin
    inside and end behind the padding."""
    kernel = pair(kernel, count)
    stride = pair(stride, count) if stride else kernel
    padding, dilation = pair(padding, count), pair(dilation, count)
    first = x.rank - count
    pads = []
    for i in range(count):
        covered = dilation[i] * (kernel[i] - 1) + 1
        free = x.shape[first + i] + 2 * padding[i] - covered
        more = 0
        if ceil_mode and free % stride[i]:
            start = (free // stride[i] + 1) * stride[i]
            if start < x.shape[first + i] + padding[i]:
                more = start - free
        pads.append((padding[i], padding[i] + more))
    lead = [1] * first
    return (
        lead + kernel,
        lead + stride,
        lead + dilation,
        [(0, 0)] * first + pads,
    )


def _max_pool(count):
    def pool(call, self, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
        windows = _windows(self, count, kernel_size, stride, padding, dilation, ceil_mode)
        return call.build.reduce_window("maximum", self, *windows)

    @op(f"max_pool{count}d.default")
    def translate(call, self, *args, **named):
        return pool(call, self, *args, **named)

    @op(f"max_pool{count}d_with_indices.default")
    def translate_with_indices(call, self, *args, **named):
        if call.wants(1):
            refuse("the model uses the positions of the largest elements")
        return pool(call, self, *args, **named), None


def _avg_pool(count):
    @op(f"avg_pool{count}d.default")
    def translate(
        call,
        self,
        kernel_size,
        stride=(),
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        build = call.build
        windows = _windows(self, count, kernel_size, stride, padding, 1, ceil_mode)
        total = build.reduce_window("add", self, *windows)
        if divisor_override:
            return build.divide(total, divisor_override)
        full, pads = pair(kernel_size, count), windows[3]
        uneven = any(low != high for low, high in pads)
        if not uneven and (count_include_pad or not any(map(sum, pads))):
            return build.divide(total, math.prod(full))
        # How many elements each window has: those of the tensor, or with the
        # padding that is not there only to complete the last window.
        lead = self.rank - count
        shape = [1] * lead + list(self.shape[lead:])
        ones = build.full(shape, 1, self.element)
        if count_include_pad:
            low = [pad[0] for pad in pads]
            ones = build.pad(ones, 1, low, low)
            pads = [(0, pad[1] - pad[0]) for pad in pads]
        counts = build.reduce_window("add", ones, *windows[:3], pads)
        return build.divide(total, build.broadcast(counts, total.shape))


for _count in (1, 2, 3):
    _max_pool(_count)
    _avg_pool(_count)


def _adaptive(call, x, sizes, count):
    """Windows of equal size, where the sizes divide."""
    build = call.build
    first = x.rank - count
    sizes = [
        x.shape[first + i] if size is None else size for i, size in enumerate(pair(sizes, count))
    ]
    if all(size == 1 for size in sizes):
        return build.mean(x, range(first, x.rank), keep=True)
    windows = []
    for size, want in zip(x.shape[first:], sizes):
        if size % want:
            refuse(f"{want} windows do not divide {size} positions")
        windows.append(size // want)
    lead = [1] * first
    total = build.reduce_window(
        "add", x, lead + windows, lead + windows, [1] * x.rank, [(0, 0)] * x.rank
    )
    return build.divide(total, math.prod(windows))


def _adaptive_pool(name, count):
    @op(f"{name}.default")
    def translate(call, self, output_size):
        return _adaptive(call, self, output_size, count)


_adaptive_pool("adaptive_avg_pool1d", 1)
_adaptive_pool("_adaptive_avg_pool2d", 2)
_adaptive_pool("adaptive_avg_pool2d", 2)
_adaptive_pool("_adaptive_avg_pool3d", 3)
