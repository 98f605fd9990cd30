# SPDX-License-Identifier: Apache-2.0
"""Small models of the usual families in plain PyTorch, each with the batch and
the loss that it is trained with."""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY = 48
CLASSES = 10


@dataclass
class Case:
    """`batch` has random tensors in the sizes that are exported."""

    module: nn.Module
    batch: dict
    loss: object = None
    limits: dict = field(default_factory=dict)


def cross_entropy(scores, labels):
    return F.cross_entropy(scores.reshape(-1, scores.shape[-1]), labels.reshape(-1))


# --- Transformers ------------------------------------------------------------


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        shape = (*x.shape[:2], self.heads, -1)
        q, k, v = (
            part.view(shape).transpose(1, 2) for part in self.attn(self.ln_1(x)).chunk(3, -1)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class Gpt(nn.Module):
    """Tied embeddings, learned positions."""

    def __init__(self, width=32, heads=4, layers=2, length=12, vocabulary=VOCABULARY):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.h = nn.ModuleList(GptBlock(width, heads) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.h:
            x = block(x)
        return self.head(self.ln_f(x))


class OlderAttention(nn.Module):
    """Written out, with a mask in a buffer."""

    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).bool())

    def forward(self, x):
        q, k, v = (
            f(x).unflatten(-1, (self.heads, -1)).permute(0, 2, 1, 3)
            for f in (self.q, self.k, self.v)
        )
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~self.mask[: x.shape[1], : x.shape[1]], float("-inf"))
        return self.o((scores.softmax(-1) @ v).permute(0, 2, 1, 3).flatten(2))


class OlderGpt(nn.Module):
    def __init__(self, width=32, length=12):
        super().__init__()
        self.wte = nn.Embedding(VOCABULARY, width)
        self.attention = OlderAttention(width, 4, 2 * length)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.wte(tokens)
        return self.head(self.norm(x + self.attention(x)))


def rotary(x, base=10000.0):
    """Channel i turns with channel i + half."""
    length, half = x.shape[-2], x.shape[-1] // 2
    speed = base ** (-torch.arange(half, device=x.device) / half)
    angles = torch.arange(length, device=x.device)[:, None] * speed
    a, b = x[..., :half], x[..., half:]
    return torch.cat(
        [a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1
    )


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.heads, self.kv_heads, size = heads, kv_heads, width // heads
        self.attention_norm, self.ffn_norm = nn.RMSNorm(width), nn.RMSNorm(width)
        self.wq = nn.Linear(width, heads * size, bias=False)
        self.wk = nn.Linear(width, kv_heads * size, bias=False)
        self.wv = nn.Linear(width, kv_heads * size, bias=False)
        self.wo = nn.Linear(width, width, bias=False)
        self.w1 = nn.Linear(width, inner, bias=False)
        self.w2 = nn.Linear(inner, width, bias=False)
        self.w3 = nn.Linear(width, inner, bias=False)

    def forward(self, x):
        y = self.attention_norm(x)
        q = self.wq(y).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k = self.wk(y).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
        v = self.wv(y).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(
            rotary(q), rotary(k), v, is_causal=True, enable_gqa=True
        )
        x = x + self.wo(mixed.transpose(1, 2).flatten(2))
        y = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(y)) * self.w3(y))


class Llama(nn.Module):
    def __init__(self, width=32, heads=4, kv_heads=2, layers=2, vocabulary=VOCABULARY):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            LlamaBlock(width, heads, kv_heads, 3 * width) for _ in range(layers)
        )
        self.norm = nn.RMSNorm(width)
        self.output = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tok_embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


class Bert(nn.Module):
    """PyTorch's own encoder layers, with a mask of padding."""

    def __init__(self, width=32, length=12):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, width, padding_idx=0), nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(
            width, 4, 2 * width, dropout=0.0, activation="gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens, length):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.words(tokens) + self.places(places)
        hidden = places[None, :] >= length[:, None]
        return self.head(self.encoder(x, src_key_padding_mask=hidden))


class T5Attention(nn.Module):
    def __init__(self, width, heads, buckets=None):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.bias = nn.Embedding(buckets, heads) if buckets else None

    def forward(self, x, other, causal):
        q, k, v = (
            f(y).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for f, y in ((self.q, x), (self.k, other), (self.v, other))
        )
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
        if self.bias is not None:
            rows = torch.arange(x.shape[1], device=x.device)[:, None]
            columns = torch.arange(other.shape[1], device=x.device)
            distance = (rows - columns).abs().clamp(max=self.bias.num_embeddings - 1)
            scores = scores + self.bias(distance).permute(2, 0, 1)[None]
            if causal:
                scores = torch.where(columns > rows, float("-inf"), scores)
        mixed = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v)
        return self.o(mixed.flatten(2))


class T5Layer(nn.Module):
    def __init__(self, width, decodes):
        super().__init__()
        self.norms = nn.ModuleList(nn.RMSNorm(width, eps=1e-6) for _ in range(3))
        self.own = T5Attention(width, 4, 8)
        self.cross = T5Attention(width, 4) if decodes else None
        self.wi = nn.Linear(width, 2 * width, bias=False)
        self.wo = nn.Linear(2 * width, width, bias=False)

    def forward(self, x, memory=None):
        y = self.norms[0](x)
        x = x + self.own(y, y, self.cross is not None)
        if self.cross is not None:
            x = x + self.cross(self.norms[1](x), memory, False)
        return x + self.wo(F.relu(self.wi(self.norms[2](x))))


class T5(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.shared = nn.Embedding(VOCABULARY, width)
        self.encoder = nn.ModuleList([T5Layer(width, False) for _ in range(2)])
        self.decoder = nn.ModuleList([T5Layer(width, True) for _ in range(2)])
        self.norm = nn.RMSNorm(width)

    def forward(self, source, target):
        x, y = self.shared(source), self.shared(target)
        for layer in self.encoder:
            x = layer(x)
        for layer in self.decoder:
            y = layer(y, x)
        return F.linear(self.norm(y) * y.shape[-1] ** -0.5, self.shared.weight)


class Mixture(nn.Module):
    """The two best of four experts for each token, by their gates."""

    def __init__(self, width=32, experts=4, chosen=2):
        super().__init__()
        self.chosen = chosen
        self.embed = nn.Embedding(VOCABULARY, width)
        self.gate = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, 2 * width) / width**0.5)
        self.down = nn.Parameter(torch.randn(experts, 2 * width, width) / width**0.5)
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens):
        x = self.embed(tokens)
        best, places = self.gate(x).topk(self.chosen, -1)
        weights = torch.zeros(*x.shape[:2], self.up.shape[0], dtype=x.dtype)
        weights = weights.scatter(-1, places, best.softmax(-1))
        inner = F.silu(torch.einsum("bsw,ewi->bsei", x, self.up))
        y = torch.einsum("bsei,eiw,bse->bsw", inner, self.down, weights)
        return self.head(x + y)


# --- Images ------------------------------------------------------------------


class Vit(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 4, stride=4)
        self.cls = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.places = nn.Parameter(torch.randn(1, 17, width) * 0.02)
        self.blocks = nn.ModuleList(GptBlock(width, 4) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, CLASSES)

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


class ResidualBlock(nn.Module):
    def __init__(self, inside, outside, stride, norm):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = norm(outside), norm(outside)
        self.short = nn.Conv2d(inside, outside, 1, stride, bias=False) if stride > 1 else None

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + (self.short(x) if self.short else x))


class ResNet(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 7, 2, 3, bias=False), norm(8)
        self.blocks = nn.Sequential(
            ResidualBlock(8, 8, 1, norm), ResidualBlock(8, 16, 2, norm)
        )
        self.fc = nn.Linear(16, CLASSES)

    def forward(self, image):
        x = F.max_pool2d(F.relu(self.norm(self.stem(image))), 3, 2, 1)
        x = F.adaptive_avg_pool2d(self.blocks(x), 1).flatten(1)
        return self.fc(x)


class ConvNext(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 4, 4)
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(torch.full((width,), 0.5))
        self.head = nn.Linear(width, CLASSES)

    def forward(self, image):
        x = self.stem(image)
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.gamma * self.down(F.gelu(self.up(y)))
        return self.head((x + y.permute(0, 3, 1, 2)).mean((2, 3)))


class UNet(nn.Module):
    """Two levels; one grows by a transposed convolution, one by repetition."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (
            nn.Conv2d(i, o, 3, padding=1) for i, o in ((3, 8), (8, 16), (16, 16))
        )
        self.grow = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.d, self.e = nn.Conv2d(24, 8, 3, padding=1), nn.Conv2d(16, 8, 3, padding=1)
        self.group = nn.GroupNorm(2, 8)
        self.out = nn.Conv2d(8, 3, 1)

    def forward(self, image):
        a = F.silu(self.a(image))
        b = F.silu(self.b(F.avg_pool2d(a, 2)))
        c = F.silu(self.c(F.max_pool2d(b, 2)))
        d = F.silu(self.d(torch.cat([b, self.grow(c)], 1)))
        wide = F.interpolate(d, scale_factor=2, mode="nearest")
        return self.out(F.silu(self.group(self.e(torch.cat([a, wide], 1)))))


# --- Others ------------------------------------------------------------------


class Lstm(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        self.lstm = nn.LSTM(width, width, 2, batch_first=True)
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens):
        y, _ = self.lstm(self.embed(tokens))
        return self.head(y)


class Dlrm(nn.Module):
    def __init__(self, width=8, tables=3, rows=20):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        rows = [x] + [table(sparse[:, i]) for i, table in enumerate(self.tables)]
        stacked = torch.stack(rows, 1)
        product = torch.bmm(stacked, stacked.transpose(1, 2))
        i, j = torch.tril_indices(len(rows), len(rows), -1, device=dense.device)
        return self.top(torch.cat([x, product[:, i, j]], 1)).squeeze(1)


# --- The zoo -----------------------------------------------------------------


def _tokens(*names, samples=8, length=12):
    return {name: torch.randint(VOCABULARY, (samples, length)) for name in names}


def _language(module):
    return Case(
        module,
        _tokens("tokens", "labels"),
        lambda module, batch: cross_entropy(module(batch["tokens"]), batch["labels"]),
        {"tokens": VOCABULARY, "labels": VOCABULARY},
    )


def _images(module):
    return Case(
        module,
        {"image": torch.randn(8, 3, 16, 16), "label": torch.randint(CLASSES, (8,))},
        lambda module, batch: cross_entropy(module(batch["image"]), batch["label"]),
        {"label": CLASSES},
    )


def _bert():
    batch = _tokens("tokens", "labels") | {"length": torch.randint(1, 13, (8,))}

    # A sentence has at least one word: what nobody sees is no number.
    def loss(module, batch):
        scores = module(batch["tokens"], batch["length"] + 1)
        return cross_entropy(scores, batch["labels"])

    return Case(Bert(), batch, loss, {"tokens": VOCABULARY, "labels": VOCABULARY, "length": 11})


def _t5():
    limits = dict.fromkeys(("source", "target", "labels"), VOCABULARY)
    return Case(
        T5(),
        _tokens("source", "target", "labels"),
        lambda m, b: cross_entropy(m(b["source"], b["target"]), b["labels"]),
        limits,
    )


def _unet():
    return Case(
        UNet(),
        {"image": torch.randn(8, 3, 16, 16), "noise": torch.randn(8, 3, 16, 16)},
        lambda m, b: F.mse_loss(m(b["image"] + b["noise"]), b["noise"]),
    )


def _dlrm():
    batch = {
        "dense": torch.randn(8, 5),
        "sparse": torch.randint(20, (8, 3)),
        "click": torch.rand(8),
    }

    def loss(module, batch):
        scores = module(batch["dense"], batch["sparse"])
        return F.binary_cross_entropy_with_logits(scores, batch["click"])

    return Case(Dlrm(), batch, loss, {"sparse": 20})


def _group_norm(features):
    return nn.GroupNorm(4, features)


ZOO = {
    "gpt": lambda: _language(Gpt()),
    "gpt-written-out": lambda: _language(OlderGpt()),
    "llama": lambda: _language(Llama()),
    "bert": _bert,
    "t5": _t5,
    "mixture": lambda: _language(Mixture()),
    "vit": lambda: _images(Vit()),
    "resnet-batch-norm": lambda: _images(ResNet(nn.BatchNorm2d)),
    "resnet-group-norm": lambda: _images(ResNet(_group_norm)),
    "convnext": lambda: _images(ConvNext()),
    "unet": _unet,
    "lstm": lambda: _language(Lstm()),
    "dlrm": _dlrm,
}
