# SPDX-License-Identifier: Apache-2.0
"""Losses of the model families in plain JAX, written from their publications:
what `shardsmith import config.json` must equal, given the same weights.

`p` maps the names of a checkpoint to arrays; `c` is the configuration.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np


def gelu_tanh(x):
    return jax.nn.gelu(x, approximate=True)


def gelu_erf(x):
    return jax.nn.gelu(x, approximate=False)


def rms_norm(x, weight, eps):
    return x / jnp.sqrt(jnp.mean(x**2, -1, keepdims=True) + eps) * weight


def layer_norm(x, p, name, eps):
    x = x - x.mean(-1, keepdims=True)
    x = x / jnp.sqrt((x**2).mean(-1, keepdims=True) + eps)
    return x * p[name + ".weight"] + p[name + ".bias"]


def dense(x, p, name):
    y = jnp.einsum("...i,oi->...o", x, p[name + ".weight"])
    return y + p[name + ".bias"] if name + ".bias" in p else y


def mean_cross_entropy(scores, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[..., None], -1).mean()


def frequencies(size, base, scaling=None):
    """Angle per position of each pair of channels."""
    values = [base ** (-2 * i / size) for i in range(size // 2)]
    if not scaling:
        return np.array(values)
    factor = scaling["factor"]
    if scaling["rope_type"] == "linear":
        return np.array(values) / factor
    old = scaling["original_max_position_embeddings"]
    if scaling["rope_type"] == "yarn":
        # Pairs that turn fast keep their speed, slow ones are divided.
        bounds = [
            size / 2 * np.log(old / (2 * np.pi * turns)) / np.log(base) for turns in (scaling["beta_fast"], scaling["beta_slow"])
        ]
        if scaling.get("truncate", True):
            bounds = [np.floor(bounds[0]), np.ceil(bounds[1])]
        low, high = max(bounds[0], 0), min(bounds[1], size - 1)
        slowed = np.interp(np.arange(size // 2), [low, high], [0, 1])
        return np.array(values) * (1 - slowed + slowed / factor)
    assert scaling["rope_type"] == "llama3"
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    stretched = []
    for value in values:
        wavelength = 2 * np.pi / value
        if wavelength < old / high:
            stretched.append(value)
        elif wavelength > old / low:
            stretched.append(value / factor)
        else:
            smooth = (old / wavelength - low) / (high - low)
            stretched.append((1 - smooth) * value / factor + smooth * value)
    return np.array(stretched)


def yarn_magnitude(c):
    """What YaRN multiplies rotated queries and keys by."""
    scaling = c.get("rope_scaling") or {}
    if "attention_factor" in scaling:
        return scaling["attention_factor"]
    return 0.1 * np.log(scaling["factor"]) + 1 if scaling.get("rope_type") == "yarn" else 1.0


def rotate(x, angles_per_position):
    """Of [batch, length, heads, channels]: channel i with channel i + half."""
    half = len(angles_per_position)
    angles = np.arange(x.shape[1])[:, None, None] * angles_per_position
    turned = (x[..., :half] + 1j * x[..., half : 2 * half]) * np.exp(1j * angles)
    return jnp.concatenate([turned.real, turned.imag, x[..., 2 * half :]], -1)


def attention(q, k, v, scale, causal, bias=None):
    """Heads in, [batch, length, heads * channels] out."""
    repeats = q.shape[2] // k.shape[2]
    k, v = jnp.repeat(k, repeats, 2), jnp.repeat(v, repeats, 2)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if bias is not None:
        scores = scores + bias
    if causal:
        hidden = np.triu(np.ones(scores.shape[-2:], bool), 1)
        scores = jnp.where(hidden, -1e30, scores)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return mixed.reshape(*mixed.shape[:2], -1)


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1)


# --- Llama and its relatives -------------------------------------------------


def llama_attention(x, p, name, c):
    eps = c["rms_norm_eps"]
    kv_heads = c.get("num_key_value_heads", c["num_attention_heads"])
    q = heads(dense(x, p, name + "q_proj"), c["num_attention_heads"])
    k = heads(dense(x, p, name + "k_proj"), kv_heads)
    v = heads(dense(x, p, name + "v_proj"), kv_heads)
    if name + "q_norm.weight" in p:
        q = rms_norm(q, p[name + "q_norm.weight"], eps)
        k = rms_norm(k, p[name + "k_norm.weight"], eps)
    turn = frequencies(q.shape[-1], c.get("rope_theta", 10000.0), c.get("rope_scaling"))
    q, k = rotate(q, turn), rotate(k, turn)
    scale = q.shape[-1] ** -0.5 * yarn_magnitude(c) ** 2
    return dense(attention(q, k, v, scale, True), p, name + "o_proj")


def latent_attention(x, p, name, c):
    count, eps = c["num_attention_heads"], c["rms_norm_eps"]
    plain, rotated, latent = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["kv_lora_rank"]
    q = rms_norm(dense(x, p, name + "q_a_proj"), p[name + "q_a_layernorm.weight"], eps)
    q = heads(dense(q, p, name + "q_b_proj"), count)
    down = dense(x, p, name + "kv_a_proj_with_mqa")
    up = rms_norm(down[..., :latent], p[name + "kv_a_layernorm.weight"], eps)
    up = heads(dense(up, p, name + "kv_b_proj"), count)
    turn = frequencies(rotated, c.get("rope_theta", 10000.0), c.get("rope_scaling"))

    def turned(x):
        return rotate(jnp.concatenate([x[..., 0::2], x[..., 1::2]], -1), turn)

    q = jnp.concatenate([q[..., :plain], turned(q[..., plain:])], -1)
    shared = jnp.repeat(turned(down[:, :, None, latent:]), count, 2)
    k = jnp.concatenate([up[..., :plain], shared], -1)
    # DeepSeek multiplies all scores, not only those of rotated channels.
    scale = (plain + rotated) ** -0.5 * yarn_magnitude(c) ** 2
    mixed = attention(q, k, up[..., plain:], scale, True)
    return dense(mixed, p, name + "o_proj")


def gated_mlp(x, p, name):
    gate = jax.nn.silu(dense(x, p, name + "gate_proj"))
    return dense(gate * dense(x, p, name + "up_proj"), p, name + "down_proj")


def every_expert(x, weights, gate, up, down):
    """All tokens through all experts, most with weight zero."""
    inner = jax.nn.silu(jnp.einsum("bsh,ehf->bsef", x, gate))
    inner = inner * jnp.einsum("bsh,ehf->bsef", x, up)
    return jnp.einsum("bsef,efh,bse->bsh", inner, down, weights)


def expert_weights(scores, preference, k, normalize):
    """Scores of the k preferred experts, of equal ones the first, zero elsewhere."""
    chosen = jax.lax.top_k(preference, k)[1]
    is_chosen = jax.nn.one_hot(chosen, scores.shape[-1]).sum(-2)
    kept = jnp.where(is_chosen > 0, scores, 0)
    return kept / kept.sum(-1, keepdims=True) if normalize else kept


def within_capacity(weights, c):
    """Of each sample an expert takes the first ceil(F · rows / experts) tokens."""
    if "capacity" not in c:
        return weights
    tokens, experts = weights.shape[1:]
    most = math.ceil(c["capacity"] * tokens * c["num_experts_per_tok"] / experts)
    rank = jnp.cumsum(weights != 0, axis=1)
    return jnp.where(rank <= most, weights, 0)


def mixtral_experts(x, p, name, c):
    scores = jax.nn.softmax(dense(x, p, name + "gate"))
    weights = expert_weights(scores, scores, c["num_experts_per_tok"], True)
    weights = within_capacity(weights, c)
    names = [f"{name}experts.{w}.weight" for w in ("w1", "w3", "w2")]
    return every_expert(x, weights, *(p[n] for n in names))


def stacked_experts(x, p, name, c):
    names = [f"{name}experts.{w}_proj.weight" for w in ("gate", "up", "down")]
    matrices = [p[n] for n in names]
    if "n_routed_experts" not in c:
        scores = jax.nn.softmax(dense(x, p, name + "gate"))
        k, normalize = c["num_experts_per_tok"], c["norm_topk_prob"]
        weights = within_capacity(expert_weights(scores, scores, k, normalize), c)
        return every_expert(x, weights, *matrices)

    scores = jax.nn.sigmoid(dense(x, p, name + "gate"))
    preference = scores + p[name + "gate.e_score_correction_bias"]
    grouped = preference.reshape(*preference.shape[:-1], c["n_group"], -1)
    quality = jnp.sort(grouped, -1)[..., -2:].sum(-1)
    worst_kept = jnp.sort(quality, -1)[..., -c["topk_group"], None]
    grouped = jnp.where((quality >= worst_kept)[..., None], grouped, -jnp.inf)
    preference = grouped.reshape(preference.shape)
    weights = expert_weights(scores, preference, c["num_experts_per_tok"], True)
    weights = within_capacity(weights * c["routed_scaling_factor"], c)
    return every_expert(x, weights, *matrices) + gated_mlp(x, p, name + "shared_experts.")


def llama(p, batch, c):
    eps = c["rms_norm_eps"]
    attend = latent_attention if "kv_lora_rank" in c else llama_attention
    x = p["model.embed_tokens.weight"][batch["tokens"]]
    for i in range(c["num_hidden_layers"]):
        name = f"model.layers.{i}."
        y = rms_norm(x, p[name + "input_layernorm.weight"], eps)
        x = x + attend(y, p, name + "self_attn.", c)
        y = rms_norm(x, p[name + "post_attention_layernorm.weight"], eps)
        if name + "block_sparse_moe.gate.weight" in p:
            x = x + mixtral_experts(y, p, name + "block_sparse_moe.", c)
        elif name + "mlp.gate.weight" in p:
            x = x + stacked_experts(y, p, name + "mlp.", c)
        else:
            x = x + gated_mlp(y, p, name + "mlp.")
    x = rms_norm(x, p["model.norm.weight"], eps)
    head = p.get("lm_head.weight", p["model.embed_tokens.weight"])
    return mean_cross_entropy(x @ head.T, batch["labels"])


# --- GPT ---------------------------------------------------------------------


def gpt2(p, batch, c):
    def conv1d(x, name):
        return x @ p[name + ".weight"] + p[name + ".bias"]

    embedding = p["transformer.wte.weight"]
    tokens = batch["tokens"]
    x = embedding[tokens] + p["transformer.wpe.weight"][: tokens.shape[1]]
    for i in range(c["n_layer"]):
        name = f"transformer.h.{i}."
        y = layer_norm(x, p, name + "ln_1", 1e-5)
        parts = jnp.split(conv1d(y, name + "attn.c_attn"), 3, -1)
        q, k, v = (heads(part, c["n_head"]) for part in parts)
        mixed = attention(q, k, v, q.shape[-1] ** -0.5, True)
        x = x + conv1d(mixed, name + "attn.c_proj")
        y = gelu_tanh(conv1d(layer_norm(x, p, name + "ln_2", 1e-5), name + "mlp.c_fc"))
        x = x + conv1d(y, name + "mlp.c_proj")
    x = layer_norm(x, p, "transformer.ln_f", 1e-5)
    return mean_cross_entropy(x @ embedding.T, batch["labels"])


def gpt_neox(p, batch, c):
    count = c["num_attention_heads"]
    x = p["gpt_neox.embed_in.weight"][batch["tokens"]]
    for i in range(c["num_hidden_layers"]):
        name = f"gpt_neox.layers.{i}."
        y = layer_norm(x, p, name + "input_layernorm", 1e-5)
        # Per head: query, key, value.
        q, k, v = jnp.split(heads(dense(y, p, name + "attention.query_key_value"), count), 3, -1)
        share = c.get("rotary_pct") or c["rope_parameters"]["partial_rotary_factor"]
        turn = frequencies(int(share * q.shape[-1]), 10000.0)
        mixed = attention(rotate(q, turn), rotate(k, turn), v, q.shape[-1] ** -0.5, True)
        y = layer_norm(x, p, name + "post_attention_layernorm", 1e-5)
        y = gelu_erf(dense(y, p, name + "mlp.dense_h_to_4h"))
        x = x + dense(mixed, p, name + "attention.dense") + dense(y, p, name + "mlp.dense_4h_to_h")
    x = layer_norm(x, p, "gpt_neox.final_layer_norm", 1e-5)
    return mean_cross_entropy(x @ p["embed_out.weight"].T, batch["labels"])


# --- Encoders ----------------------------------------------------------------


def encoder_attention(x, p, name, count, output):
    q, k, v = (heads(dense(x, p, f"{name}.{part}"), count) for part in ("query", "key", "value"))
    return dense(attention(q, k, v, q.shape[-1] ** -0.5, False), p, output)


def bert(p, batch, c):
    eps, count = 1e-12, c["num_attention_heads"]
    name = "bert.embeddings."
    embedding = p[name + "word_embeddings.weight"]
    x = embedding[batch["tokens"]]
    x = x + p[name + "position_embeddings.weight"][: x.shape[1]]
    x = x + p[name + "token_type_embeddings.weight"][0]
    x = layer_norm(x, p, name + "LayerNorm", eps)
    for i in range(c["num_hidden_layers"]):
        name = f"bert.encoder.layer.{i}."
        y = encoder_attention(x, p, name + "attention.self", count, name + "attention.output.dense")
        x = layer_norm(x + y, p, name + "attention.output.LayerNorm", eps)
        y = gelu_erf(dense(x, p, name + "intermediate.dense"))
        x = layer_norm(x + dense(y, p, name + "output.dense"), p, name + "output.LayerNorm", eps)
    x = gelu_erf(dense(x, p, "cls.predictions.transform.dense"))
    x = layer_norm(x, p, "cls.predictions.transform.LayerNorm", eps)
    return mean_cross_entropy(x @ embedding.T + p["cls.predictions.bias"], batch["labels"])


def vit(p, batch, c):
    eps, count, size = 1e-12, c["num_attention_heads"], c["patch_size"]
    projection = "vit.embeddings.patch_embeddings.projection"
    x = jax.lax.conv(batch["images"], p[projection + ".weight"], (size, size), "VALID")
    x = x.reshape(*x.shape[:2], -1).swapaxes(1, 2) + p[projection + ".bias"]
    first = jnp.broadcast_to(p["vit.embeddings.cls_token"], (len(x), 1, x.shape[-1]))
    x = jnp.concatenate([first, x], 1) + p["vit.embeddings.position_embeddings"]
    for i in range(c["num_hidden_layers"]):
        name = f"vit.encoder.layer.{i}."
        y = layer_norm(x, p, name + "layernorm_before", eps)
        output = name + "attention.output.dense"
        x = x + encoder_attention(y, p, name + "attention.attention", count, output)
        y = layer_norm(x, p, name + "layernorm_after", eps)
        y = gelu_erf(dense(y, p, name + "intermediate.dense"))
        x = x + dense(y, p, name + "output.dense")
    x = layer_norm(x, p, "vit.layernorm", eps)[:, 0]
    return mean_cross_entropy(dense(x, p, "classifier"), batch["labels"])


def t5_bucket(distance, bidirectional, buckets, most):
    """Of key position minus query position, one number at a time."""
    start = 0
    if bidirectional:
        buckets //= 2
        start = buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = buckets // 2
    if distance < exact:
        return start + distance
    grown = np.log(distance / exact) / np.log(most / exact) * (buckets - exact)
    return start + min(exact + int(grown), buckets - 1)


def t5(p, batch, c):
    def norm(x, name):
        return rms_norm(x, p[name + "layer_norm.weight"], 1e-6)

    def attend(x, source, name, causal, bias):
        q, k, v = (heads(dense(s, p, f"{name}.{n}"), c["num_heads"]) for s, n in ((x, "q"), (source, "k"), (source, "v")))
        return dense(attention(q, k, v, 1.0, causal, bias), p, name + ".o")

    def bias_of(stack, length):
        table = p[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
        count, most = c["relative_attention_num_buckets"], c["relative_attention_max_distance"]
        bucket = [
            [t5_bucket(key - query, stack == "encoder", count, most) for key in range(length)]
            for query in range(length)
        ]
        return table[np.array(bucket)].transpose(2, 0, 1)

    def mlp(x, name):
        if name + "wi.weight" in p:
            return dense(jax.nn.relu(dense(x, p, name + "wi")), p, name + "wo")
        return dense(gelu_tanh(dense(x, p, name + "wi_0")) * dense(x, p, name + "wi_1"), p, name + "wo")

    def stack(which, x, memory):
        bias = bias_of(which, x.shape[1])
        for i in range(c["num_layers"]):
            name = f"{which}.block.{i}.layer."
            y = norm(x, name + "0.")
            x = x + attend(y, y, name + "0.SelfAttention", which == "decoder", bias)
            if memory is not None:
                x = x + attend(norm(x, name + "1."), memory, name + "1.EncDecAttention", False, None)
            last = name + ("2." if memory is not None else "1.")
            x = x + mlp(norm(x, last), last + "DenseReluDense.")
        return norm(x, which + ".final_")

    embedding = p["shared.weight"]
    memory = stack("encoder", embedding[batch["tokens"]], None)
    x = stack("decoder", embedding[batch["decoder_tokens"]], memory)
    if "lm_head.weight" in p:
        return mean_cross_entropy(x @ p["lm_head.weight"].T, batch["labels"])
    scale = x.shape[-1] ** -0.5 if c.get("scale_decoder_outputs", True) else 1.0
    return mean_cross_entropy(x * scale @ embedding.T, batch["labels"])
