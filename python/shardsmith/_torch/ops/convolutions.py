# SPDX-License-Identifier: Apache-2.0
"""Convolutions of [samples, features, …], also transposed ones."""

from shardsmith._torch.ops._table import op, pair, refuse


@op("convolution.default")
def convolution(
    call, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
):
    build, count = call.build, input.rank - 2
    stride, dilation = pair(stride, count), pair(dilation, count)
    padding, output_padding = pair(padding, count), pair(output_padding, count)
    if transposed:
        y = _transposed(
            build, input, weight, stride, padding, dilation, output_padding, groups
        )
    else:
        both = [(each, each) for each in padding]
        ones = [1] * count
        y = build.convolution(input, weight, stride, both, ones, dilation, groups)
    return y if bias is None else _with_bias(build, y, bias)


def _with_bias(build, y, bias):
    return build.add(y, build.broadcast_in_dim(bias, y.shape, [1]))


def _transposed(build, x, weight, stride, padding, dilation, more, groups):
    """The derivative of a convolution with respect to its input: neighbours of
    `x` stand `stride` apart, and the kernel is read backwards."""
    kernel = weight
    if groups > 1:
        # [in, out / groups, …] to [in / groups, out, …].
        inside, outside, *places = weight.shape
        kernel = build.reshape(weight, [groups, inside // groups, outside, *places])
        order = [1, 0, 2, *range(3, kernel.rank)]
        kernel = build.reshape(
            build.transpose(kernel, order), [inside // groups, groups * outside, *places]
        )
    pads = []
    for i, size in enumerate(weight.shape[2:]):
        rest = dilation[i] * (size - 1) - padding[i]
        pads.append((rest, rest + more[i]))
    ones = [1] * len(pads)
    return build.convolution(x, kernel, ones, pads, stride, dilation, groups, transposed=True)


def _direct(name, count):
    @op(f"{name}.default")
    def translate(call, input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        plain = (pair(each, count) for each in (stride, padding, dilation))
        zeros = [0] * count
        return convolution(call, input, weight, bias, *plain, False, zeros, groups)

    @op(f"{name}.padding")
    def translate_padding(
        call, input, weight, bias=None, stride=1, padding="valid", dilation=1, groups=1
    ):
        build = call.build
        stride, dilation = pair(stride, count), pair(dilation, count)
        pads = [(0, 0)] * count
        if padding == "same":
            total = [d * (n - 1) for d, n in zip(dilation, weight.shape[2:])]
            pads = [(each // 2, each - each // 2) for each in total]
        elif padding != "valid":
            refuse(f"its padding '{padding}' is neither 'same' nor 'valid'")
        y = build.convolution(input, weight, stride, pads, [1] * count, dilation, groups)
        return y if bias is None else _with_bias(build, y, bias)


for _count in (1, 2, 3):
    _direct(f"conv{_count}d", _count)
