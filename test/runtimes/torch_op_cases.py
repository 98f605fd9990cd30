# SPDX-License-Identifier: Apache-2.0
"""Uses of PyTorch's functions, each on tensors of its own, by family.

A case is (shapes of the tensors, function of the tensors). Tensors hold normal
numbers; functions that need others make them, and return floats.
"""

import math

import torch
import torch.nn.functional as F


def positive(x):
    return x.abs() + 0.5


def inside(x):
    """In (-1, 1), away from the ends."""
    return 0.9 * torch.tanh(x)


def places(size, *shape):
    """Fixed positions below `size`, some of them twice."""
    count = math.prod(shape)
    return (torch.arange(count) * 7 % size).reshape(shape)


M = (6, 5)

POINTWISE = {
    "abs": ([M], torch.abs),
    "acos": ([M], lambda x: torch.acos(inside(x))),
    "acosh": ([M], lambda x: torch.acosh(positive(x) + 1)),
    "asin": ([M], lambda x: torch.asin(inside(x))),
    "asinh": ([M], torch.asinh),
    "atan": ([M], torch.atan),
    "atanh": ([M], lambda x: torch.atanh(inside(x))),
    "atan2": ([M, M], lambda x, y: torch.atan2(x, positive(y))),
    "ceil": ([M], lambda x: torch.ceil(x) * x),
    "cos": ([M], torch.cos),
    "cosh": ([M], torch.cosh),
    "erf": ([M], torch.erf),
    "erfc": ([M], torch.erfc),
    "erfinv": ([M], lambda x: torch.erfinv(inside(x))),
    "exp": ([M], torch.exp),
    "exp2": ([M], torch.exp2),
    "expm1": ([M], torch.expm1),
    "floor": ([M], lambda x: torch.floor(x) * x),
    "lgamma": ([M], lambda x: torch.lgamma(positive(x))),
    "digamma": ([M], lambda x: torch.digamma(positive(x.detach())) * x),
    "log": ([M], lambda x: torch.log(positive(x))),
    "log10": ([M], lambda x: torch.log10(positive(x))),
    "log1p": ([M], lambda x: torch.log1p(positive(x))),
    "log2": ([M], lambda x: torch.log2(positive(x))),
    "neg": ([M], torch.neg),
    "reciprocal": ([M], lambda x: torch.reciprocal(positive(x))),
    "round": ([M], lambda x: torch.round(x) * x),
    "rsqrt": ([M], lambda x: torch.rsqrt(positive(x))),
    "sign": ([M], lambda x: torch.sign(x) * x),
    "sin": ([M], torch.sin),
    "sinh": ([M], torch.sinh),
    "sqrt": ([M], lambda x: torch.sqrt(positive(x))),
    "square": ([M], torch.square),
    "tan": ([M], lambda x: torch.tan(inside(x))),
    "tanh": ([M], torch.tanh),
    "trunc": ([M], lambda x: torch.trunc(x * 3) * x),
    "add with a factor": ([M, (5,)], lambda x, y: torch.add(x, y, alpha=2.5)),
    "sub of a number": ([M], lambda x: 3 - x),
    "products and quotients": ([M, (6, 1)], lambda x, y: x * y / positive(y) / 3),
    "integer and float": ([M], lambda x: x * torch.arange(5) + (x > 0)),
    "floor_divide": ([M], lambda x: torch.div(x * 5, 2, rounding_mode="floor") * x),
    "integer floor_divide": ([M], lambda x: ((torch.arange(5) - 2) // 2) * x),
    "integer remainder": ([M], lambda x: ((torch.arange(5) - 2) % 3) * x),
    "remainder": ([M], lambda x: torch.remainder(x * 5, 1.5)),
    "fmod": ([M], lambda x: torch.fmod(x * 5, 1.5)),
    "pow 3": ([M], lambda x: x**3),
    "pow 4": ([M], lambda x: x**4),
    "pow -1": ([M], lambda x: positive(x) ** -1),
    "pow 1.7": ([M], lambda x: positive(x) ** 1.7),
    "pow of tensors": ([M, M], lambda x, y: positive(x) ** y),
    "pow of a number": ([M], lambda x: 1.5**x),
    "maximum": ([M, M], torch.maximum),
    "minimum": ([M, M], torch.minimum),
    "copysign": ([M, M], lambda x, y: torch.copysign(x.detach(), y.detach()) * x),
    "bits": ([M], lambda x: ((torch.arange(5) & 3) ^ 1 | 4) * x),
    "logic": ([M, M], lambda x, y: x * ((x > 0) & ~(y > 0) | torch.logical_xor(x > 1, y > 1))),
    "comparisons": ([M, M], lambda x, y: x * (x >= y) + y * (x != y) + (x <= 0.5) * x),
    "where": ([M, M], lambda x, y: torch.where(x > y, x, 2 * y)),
    "masked_fill": ([M], lambda x: x.masked_fill(x > 0.5, -3.0)),
    "clamp": ([M], lambda x: x.clamp(-0.5, 0.7)),
    "clamp at its bounds": ([M], lambda x: (x * 0 + 1).clamp(-1, 1) * x + (x * 1).clamp(min=0.2)),
    "clamp of tensors": ([M, M], lambda x, y: torch.clamp(x, min=y)),
    "nan_to_num": ([M], lambda x: torch.nan_to_num(torch.where(x > 1, math.inf, x), 0.5, 2.0, -2.0)),
    "isnan and isinf": ([M], lambda x: x * ~torch.isnan(x) * ~torch.isinf(x)),
    "to and back": ([M], lambda x: x.to(torch.int32).to(torch.float32) * x),
    "addcmul": ([M, M, M], lambda x, y, z: torch.addcmul(x, y, z, value=0.5)),
    "addcdiv": ([M, M, M], lambda x, y, z: torch.addcdiv(x, y, positive(z), value=0.5)),
    "lerp": ([M, M], lambda x, y: torch.lerp(x, y, 0.3)),
    "detach": ([M], lambda x: x * x.detach()),
}


def _under_no_grad(x):
    with torch.no_grad():
        scale = x.abs().amax()
        shifted = x - scale
    return x / scale + shifted


def _straight_through(x):
    return x + (x.round() - x).detach()


def _in_place(x):
    y = x.clone()
    y[:, 1] = 2.0 * x[:, 0]
    y[2] += 1
    y[::2, 3:] = x[::2, :2]
    y.mul_(1.5)
    return y


ACTIVATIONS = {
    name: ([M], function)
    for name, function in {
        "relu": F.relu,
        "relu at 0": lambda x: F.relu(x - x.detach()) + x,
        "relu6": lambda x: F.relu6(4 * x),
        "hardtanh": F.hardtanh,
        "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
        "elu": F.elu,
        "celu": lambda x: F.celu(x, 0.7),
        "selu": F.selu,
        "gelu": F.gelu,
        "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
        "mish": F.mish,
        "softplus": lambda x: F.softplus(3 * x, 2.0, 5.0),
        "logsigmoid": F.logsigmoid,
        "sigmoid": F.sigmoid,
        "hardsigmoid": lambda x: F.hardsigmoid(4 * x),
        "hardswish": lambda x: F.hardswish(4 * x),
        "softshrink": F.softshrink,
        "softsign": F.softsign,
        "tanhshrink": F.tanhshrink,
        "threshold": lambda x: F.threshold(x, 0.3, 0.1),
        "glu": lambda x: F.glu(x, 0),
        "softmax": lambda x: F.softmax(x, 1),
        "log_softmax": lambda x: F.log_softmax(x, 0),
        "normalize": lambda x: F.normalize(x, dim=1),
        "no_grad": _under_no_grad,
        "straight through": _straight_through,
        "in place": _in_place,
    }.items()
} | {
    "prelu": ([(2, 3, 4), (3,)], F.prelu),
    "cosine_similarity": ([M, M], F.cosine_similarity),
}

T = (3, 4, 5)

SHAPES = {
    "view": ([T], lambda x: x.view(12, 5) * 1.5),
    "permute": ([T], lambda x: x.permute(2, 0, 1)),
    "transpose": ([T], lambda x: x.transpose(0, -1)),
    "expand": ([(3, 1, 5)], lambda x: x.expand(3, 4, 5)),
    "repeat": ([(2, 3)], lambda x: x.repeat(2, 1, 3)),
    "repeat_interleave": ([T], lambda x: x.repeat_interleave(2, 1)),
    "cat": ([T, (3, 2, 5)], lambda x, y: torch.cat([x, y], 1)),
    "stack": ([M, M], lambda x, y: torch.stack([x, y], 1)),
    "slices": ([T], lambda x: x[1:, ::2, :-1]),
    "select": ([T], lambda x: x[:, -1] * x[:, 0]),
    "narrow": ([T], lambda x: x.narrow(1, 1, 2)),
    "split": ([T], lambda x: x.split([1, 3], 1)[1] * x.split(2, 1)[0][:, :1]),
    "chunk": ([T], lambda x: x.chunk(3, 2)[0]),
    "unbind": ([T], lambda x: x.unbind(0)[0] - x.unbind(0)[2]),
    "flip": ([T], lambda x: x.flip(0, 2)),
    "roll": ([T], lambda x: x.roll((1, -2), (0, 2))),
    "pad": ([T], lambda x: F.pad(x, (1, 2, 0, 1), value=0.5)),
    "pad that cuts": ([T], lambda x: F.pad(x, (-1, 2))),
    "pad reflect": ([T], lambda x: F.pad(x, (1, 2), mode="reflect")),
    "squeeze": ([(3, 1, 5)], lambda x: x.squeeze(1).unsqueeze(0)),
    "diagonal": ([(5, 7)], lambda x: x.diagonal(1) * x.diagonal()),
    "diagonal below": ([(3, 5, 4)], lambda x: x.diagonal(-2, 1, 2)),
    "tril": ([(5, 5)], lambda x: x.tril(1) + x.triu(2)),
    "made": ([M], lambda x: x + torch.eye(6, 5) + torch.linspace(0, 1, 5) + torch.ones_like(x)),
    "arange": ([M], lambda x: x * torch.arange(3, 13, 2)),
    "full": ([M], lambda x: x * torch.full((5,), 2.0) + x.new_zeros(5)),
    "pixel_shuffle": ([(2, 8, 3, 3)], lambda x: F.pixel_shuffle(x, 2)),
    "meshgrid": ([(3,), (4,)], lambda x, y: torch.meshgrid(x, y, indexing="ij")[0] * y),
    "unfold": ([(2, 9)], lambda x: x.unfold(1, 3, 2)),
    "upsample": ([(2, 3, 4, 5)], lambda x: F.interpolate(x, scale_factor=2)),
    "bilinear": (
        [(2, 3, 4, 5)],
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False),
    ),
}

REDUCTIONS = {
    "sum": ([T], lambda x: x.sum((0, 2)) + x.sum()),
    "mean": ([T], lambda x: x.mean(1, keepdim=True) + x.mean()),
    "prod": ([M], lambda x: x.prod(1)),
    "amax": ([T], lambda x: x.amax((0, 1)) + x.amin()),
    "max": ([T], lambda x: x.max(1).values + x.max()),
    "max of equals": ([M], lambda x: (x - x.detach()).max(1).values + x[:, 0]),
    "min": ([T], lambda x: x.min(-1, keepdim=True).values),
    "argmax": ([T], lambda x: x.argmax(1) * x.sum(1) + x.argmin()),
    "any and all": ([M], lambda x: (x > 1).any(1) * x.sum(1) + (x > -1).all(0).sum()),
    "var": ([T], lambda x: x.var(1) + x.var(unbiased=False)),
    "std": ([T], lambda x: x.std((0, 2))),
    "var_mean": ([T], lambda x: torch.var_mean(x, 1)[0] * torch.var_mean(x, 1)[1]),
    "logsumexp": ([T], lambda x: torch.logsumexp(x, (1, 2))),
    "norm": ([T], lambda x: x.norm() + x.norm(dim=1) + torch.linalg.vector_norm(x, 1, 0).sum()),
    "norm 3": ([T], lambda x: torch.linalg.vector_norm(x, 3, 1)),
    "norm of zeros": ([M], lambda x: (x * 0).norm() + x.sum()),
    "cumsum": ([T], lambda x: x.cumsum(1)),
    "cumprod": ([M], lambda x: x.cumprod(1)),
    "topk": ([T], lambda x: x.topk(2, 1).values + x.topk(2, 1, largest=False).values),
    "topk positions": ([T], lambda x: x.topk(2, -1).indices * x[..., :2]),
    "sort": ([T], lambda x: x.sort(1, descending=True).values * torch.arange(4)[:, None]),
    "argsort": ([T], lambda x: x.argsort(-1) * x),
    "median by sort": ([M], lambda x: x.sort(1).values[:, 2]),
}

PRODUCTS = {
    "linear": ([T, (6, 5), (6,)], F.linear),
    "mm": ([(3, 4), (4, 5)], torch.mm),
    "bmm": ([(2, 3, 4), (2, 4, 5)], torch.bmm),
    "addmm": ([(5,), (3, 4), (4, 5)], lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=2)),
    "baddbmm": ([(2, 3, 5), (2, 3, 4), (2, 4, 5)], torch.baddbmm),
    "matmul": ([(2, 1, 3, 4), (5, 4, 3)], torch.matmul),
    "matmul with a vector": ([T, (5,)], torch.matmul),
    "vector times matrices": ([(4,), T], torch.matmul),
    "mv and dot": ([(3, 4), (4,)], lambda x, y: x.mv(y) * torch.dot(y, y)),
    "outer": ([(3,), (4,)], torch.outer),
    "einsum": ([(2, 3, 4), (4, 5, 3)], lambda x, y: torch.einsum("bij,jki->bk", x, y)),
    "einsum of three": (
        [(3, 4), (4, 5), (3, 5)], lambda x, y, z: torch.einsum("ij,jk,ik->i", x, y, z)
    ),
    "einsum without result": ([(3, 4), (4, 5)], lambda x, y: torch.einsum("ij,jk", x, y)),
    "bilinear": ([(6, 3), (6, 4), (2, 3, 4)], F.bilinear),
    "cdist": ([(4, 3), (5, 3)], lambda x, y: ((x[:, None] - y) ** 2).sum(-1).sqrt()),
}  # fmt: skip

IMAGE = (2, 4, 8, 9)

WINDOWS = {
    "conv1d": ([(2, 3, 9), (4, 3, 3), (4,)], lambda x, w, b: F.conv1d(x, w, b, 2, 1)),
    "conv2d": ([IMAGE, (6, 4, 3, 3)], lambda x, w: F.conv2d(x, w, None, (2, 1), (1, 0), (1, 2))),
    "conv2d same": ([IMAGE, (6, 4, 4, 3)], lambda x, w: F.conv2d(x, w, padding="same")),
    "conv2d in groups": ([IMAGE, (8, 2, 3, 3), (8,)], lambda x, w, b: F.conv2d(x, w, b, groups=2)),
    "conv3d": ([(1, 2, 4, 5, 6), (3, 2, 2, 3, 2)], lambda x, w: F.conv3d(x, w, stride=2)),
    "conv_transpose1d": ([(2, 4, 5), (4, 3, 3)], lambda x, w: F.conv_transpose1d(x, w, None, 2)),
    "conv_transpose2d": (
        [(2, 4, 5, 4), (4, 3, 3, 2), (3,)],
        lambda x, w, b: F.conv_transpose2d(x, w, b, (2, 3), 1, (1, 0), 1, (1, 2)),
    ),
    "conv_transpose2d in groups": (
        [(2, 4, 5, 4), (4, 3, 3, 3)],
        lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, groups=2),
    ),
    "max_pool1d": ([(2, 3, 9)], lambda x: F.max_pool1d(x, 3, 2, 1)),
    "max_pool2d": ([IMAGE], lambda x: F.max_pool2d(x, (3, 2), 2, (1, 0))),
    "max_pool2d ceil": ([IMAGE], lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True)),
    "avg_pool1d": ([(2, 3, 9)], lambda x: F.avg_pool1d(x, 3, 2)),
    "avg_pool2d": ([IMAGE], lambda x: F.avg_pool2d(x, 3, 2, 1)),
    "avg_pool2d of what is there": (
        [IMAGE], lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)
    ),
    "avg_pool2d ceil": ([IMAGE], lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True)),
    "adaptive_avg_pool2d": ([IMAGE], lambda x: F.adaptive_avg_pool2d(x, (4, 3))),
    "adaptive to one": ([IMAGE], lambda x: F.adaptive_avg_pool2d(x, 1)),
}  # fmt: skip


def _batch_norm(x, w, b):
    return F.batch_norm(x, None, None, w, b, training=True)


def _batch_norm_of_averages(x, w, b):
    return F.batch_norm(x, x.new_ones(4), x.new_full((4,), 2.0), w, b)


NORMALISATIONS = {
    "layer_norm": ([T, (5,), (5,)], lambda x, w, b: F.layer_norm(x, (5,), w, b)),
    "layer_norm of two": ([T, (4, 5)], lambda x, w: F.layer_norm(x, (4, 5), w)),
    "rms_norm": ([T, (5,)], lambda x, w: F.rms_norm(x, (5,), w)),
    "group_norm": ([IMAGE, (4,), (4,)], lambda x, w, b: F.group_norm(x, 2, w, b)),
    "instance_norm": ([IMAGE], lambda x: F.instance_norm(x)),
    "batch_norm": ([IMAGE, (4,), (4,)], _batch_norm),
    "batch_norm of averages": ([IMAGE, (4,), (4,)], _batch_norm_of_averages),
    "local_response_norm": ([IMAGE], lambda x: F.local_response_norm(x, 3)),
}

Q, K = (2, 4, 6, 8), (2, 2, 7, 8)

ATTENTION = {
    "plain": ([Q, Q, Q], F.scaled_dot_product_attention),
    "causal": ([Q, Q, Q], lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
    "masked": (
        [Q, Q, Q],
        lambda q, k, v: F.scaled_dot_product_attention(
            q, k, v, torch.arange(6)[:, None] >= torch.arange(6) - 1
        ),
    ),
    "biased": (
        [Q, Q, Q, (4, 6, 6)],
        lambda q, k, v, bias: F.scaled_dot_product_attention(q, k, v, bias, scale=0.2),
    ),
    "grouped": (
        [Q, K, K], lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    ),
    "of three dimensions": ([(4, 6, 8)] * 3, F.scaled_dot_product_attention),
    "multi-head function": (
        [(6, 2, 8), (24, 8), (24,), (8, 8), (8,)],
        lambda x, w, b, o, c: F.multi_head_attention_forward(
            x, x, x, 8, 2, w, b, None, None, False, 0.0, o, c, need_weights=False
        )[0],
    ),
}  # fmt: skip

INDEXING = {
    "embedding": ([(9, 4)], lambda x: F.embedding(places(9, 3, 5), x)),
    "embedding with padding": ([(9, 4)], lambda x: F.embedding(places(9, 3, 5), x, 0)),
    "one_hot": ([(6, 9)], lambda x: F.one_hot(places(9, 6), 9) * x),
    "index_select": ([T], lambda x: x.index_select(1, places(4, 6))),
    "gather": ([T], lambda x: x.gather(1, places(4, 2, 3, 5))),
    "take_along_dim": ([T], lambda x: x.take_along_dim(places(4, 3, 2, 1), 1)),
    "index by one": ([T], lambda x: x[places(3, 4)]),
    "index by the last": ([T], lambda x: x[..., places(5, 2, 3)]),
    "index by two": ([T], lambda x: x[places(3, 4), places(4, 4) - 4]),
    "index by two apart": ([T], lambda x: x[places(3, 6), :, places(5, 6)]),
    "index by two with repetition": ([T], lambda x: x[:, places(4, 2, 1), places(5, 3)]),
    "index_put": ([T, (2, 5)], lambda x, y: x.index_put((torch.tensor([0, 2]), torch.tensor([1, 3])), y)),
    "index_put that adds": (
        [T, (6, 4, 5)], lambda x, y: x.index_put((places(3, 6),), y, accumulate=True)
    ),
    "masked write": ([M], lambda x: x.index_put((x.detach() > 0,), torch.tensor(0.5))),
    "scatter": ([T, T], lambda x, y: x.scatter(1, torch.tensor([3, 1, 0, 2])[None, :, None].expand(3, 4, 5), y)),
    "scatter of a number": ([T], lambda x: x.scatter(2, places(5, 3, 4, 1), 2.0)),
    "scatter_add": ([T, T], lambda x, y: x.scatter_add(1, places(4, 3, 4, 5), y)),
    "index_add": ([T, (6, 4, 5)], lambda x, y: x.index_add(0, places(3, 6), y)),
    "index_copy": ([T, (2, 4, 5)], lambda x, y: x.index_copy(0, torch.tensor([2, 0]), y)),
    "slice_scatter": ([T, (3, 2, 5)], lambda x, y: torch.slice_scatter(x, y, 1, 1, 3)),
    "slice_scatter with a step": (
        [T, (3, 2, 5)], lambda x, y: torch.slice_scatter(x, y, 1, 0, 4, 2)
    ),
    "slice_scatter up to the last element": (
        [T, (3, 4, 2)], lambda x, y: torch.slice_scatter(x, y, 2, 1, 5, 3)
    ),
    "slice_scatter of a part": ([(3, 9), (3, 2)], lambda x, y: torch.slice_scatter(x, y, 1, 1, 5, 3)),
    "cross_entropy": ([(6, 9)], lambda x: F.cross_entropy(x, places(9, 6))),
    "cross_entropy of pixels": ([(2, 4, 3, 3)], lambda x: F.cross_entropy(x, places(4, 2, 3, 3))),
    "cross_entropy that ignores": ([(6, 9)], lambda x: F.cross_entropy(x, places(9, 6), ignore_index=5)),
    "cross_entropy with weights": (
        [(6, 9), (9,)],
        lambda x, w: F.cross_entropy(x, places(9, 6), positive(w.detach()), label_smoothing=0.1),
    ),
    "cross_entropy of each": ([(6, 9)], lambda x: F.cross_entropy(x, places(9, 6), reduction="none")),
    "cross_entropy of probabilities": (
        [(6, 9), (6, 9)], lambda x, y: F.cross_entropy(x, F.softmax(y, 1), label_smoothing=0.2)
    ),
    "nll_loss": ([(6, 9)], lambda x: F.nll_loss(F.log_softmax(x, 1), places(9, 6), reduction="sum")),
    "losses": (
        [M, M],
        lambda x, y: F.mse_loss(x, y) + F.l1_loss(x, y) + F.smooth_l1_loss(x, y) + F.huber_loss(x, y),
    ),
    "losses of probabilities": (
        [M, M],
        lambda x, y: F.binary_cross_entropy(F.sigmoid(x), F.sigmoid(y.detach()))
        + F.binary_cross_entropy_with_logits(x, F.sigmoid(y.detach()))
        + F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean"),
    ),
}  # fmt: skip

FAMILIES = {
    "activations": ACTIVATIONS,
    "attention": ATTENTION,
    "indexing": INDEXING,
    "normalisations": NORMALISATIONS,
    "pointwise": POINTWISE,
    "products": PRODUCTS,
    "reductions": REDUCTIONS,
    "shapes": SHAPES,
    "windows": WINDOWS,
}
