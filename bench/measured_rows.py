# SPDX-License-Identifier: Apache-2.0
"""Rows of published training runs, as the tool's batch takes them.

One csv row becomes one line of `shardsmith estimate --batch`: a model, a
cluster and a plan with given degrees (docs/calibration.md). What a row does
not say is filled in by the customs written down here; what cannot be filled in
raises Unusable with the reason.
"""

import math
import re

# Columns that a file must have; all others may be missing or empty.
REQUIRED = ["row_id", "gpu", "num_gpus"]

# First match of the device's name (case ignored): the built-in device and the
# devices that one scale-up domain has where the row does not say.
DEVICES = [
    (r"^V100.*16GB", "v100-16", 8),
    (r"^V100", "v100-32", 8),
    (r"^A[18]00.*40GB", "a100-40", 8),
    (r"^A100.*PCIe", "a100-pcie", 8),
    (r"^A[18]00", "a100-80", 8),
    (r"^H[18]00.*PCIe", "h100-pcie", 8),
    (r"^H[18]00", "h100", 8),
    (r"^H200", "h200", 8),
    (r"^GB200", "gb200", 72),
    (r"^GB300", "gb300", 72),
    (r"^B200", "b200", 8),
    (r"^B300", "b300", 8),
    (r"^MI300X", "mi300x", 8),
    (r"^MI325X", "mi325x", 8),
    (r"^MI355X", "mi355x", 8),
    (r"^L40S", "l40s", 8),
    (r"^L4\b", "l4", 8),
    (r"^TPU.?v4", "tpu-v4", 4),
    (r"^TPU.?v5e", "tpu-v5e", 4),
    (r"^TPU.?v5p", "tpu-v5p", 4),
    (r"^TPU.?(v6e|Trillium)", "tpu-v6e", 4),
    (r"^TPU.?(v7|Ironwood)", "tpu-v7x", 4),
]

# A power cap slows arithmetic: rate as the square root of the power.
FULL_POWER_WATTS = {"h100": 700, "a100-80": 400, "a100-40": 400, "h200": 700}

# Memory that a device's name states and the built-in one does not have.
NAMED_MEMORY = {("h100", "96GB-HBM2e"): {"memory_gib": 96,
                                         "memory_bandwidth_gb_per_s": 2400}}

# Stack profiles: the first line that matches framework, device, type of
# products and date. Dates compare as text: `2023` is before `2024-01`.
PROFILES = [
    # framework, device, dtype, from date, profile
    (r"InternEvo", r"", r"", "", "internevo-2023-a100"),
    (r"DeepSpeed ZeRO-3", r"", r"", "2022", "deepspeed-zero3-2022-a100"),
    (r"DeepSpeed ZeRO-3", r"", r"", "", "deepspeed-zero3-2021-a100"),
    (r"Megatron-DeepSpeed", r"^V100", r"", "", "megatron-2021-a100"),
    (r"Megatron-DeepSpeed", r"", r"", "2023", "megatron-deepspeed-2023-a100"),
    (r"Megatron-DeepSpeed", r"", r"bf16", "",
     "megatron-deepspeed-2022-a100-bf16"),
    (r"Megatron-DeepSpeed", r"", r"", "", "megatron-deepspeed-2022-a100"),
    (r"Megatron-LM", r"", r"", "", "megatron-2021-a100"),
    (r"Megatron-(Bridge|Core)", r"", r"", "", "megatron-bridge-2026"),
    (r"NeMo|Meta", r"^G?B[23]00", r"", "", "megatron-bridge-2026"),
    (r"NeMo|Meta", r"", r"", "2024", "nemo-2024-h100"),
    (r"NeMo|Meta", r"", r"", "", "nemo-2023-h100"),
    (r"composer|torchtitan|fms-fsdp|FSDP", r"^V100|^A100|^A800", r"", "",
     "pytorch-fsdp-2024-a100"),
    (r"composer|torchtitan|fms-fsdp|FSDP", r"", r"", "",
     "torchtitan-2025-h100"),
    (r"MaxText|Pax|JAX|tpu-recipes", r"^TPU", r"", "", "maxtext-2024-tpu"),
    (r"MaxText|Pax|JAX", r"", r"", "", "jax-2024-h100"),
    (r"", r"^TPU", r"", "", "maxtext-2024-tpu"),
]
DEFAULT_PROFILE = "generic"
# The same for models with experts. The releases from June 2026 on run the same
# plan of them in two thirds of the time.
EXPERT_PROFILES = [
    # profile without experts, from date, profile
    ("megatron-bridge-2026", "2026-06", "megatron-bridge-moe-2026-06"),
    ("megatron-bridge-2026", "", "megatron-bridge-moe-2026"),
]

# Attention with narrow latent vectors: sizes that the columns do not hold, from
# the models' published configurations.
LATENT_ATTENTION = {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
LATENT_MODELS = {
    # name: dense layers in front, width of their feed-forward part, shared
    # experts
    "DeepSeekV3": (3, 18432, 1),
    "Kimi_K2": (1, 18432, 1),
}

LOW_PRECISION = {
    "fp8": "f8E4M3FN",
    "mxfp8": "f8E4M3FN",
    "nvfp4": "f4E2M1FN",
    "fp4": "f4E2M1FN",
}
PLAIN_TYPES = {"fp16": "f16", "bf16": "bf16", "fp32": "f32", "tf32": "f32"}


class Unusable(Exception):
    """A row that no prediction can be made for."""


def number(row, key):
    text = (row.get(key) or "").strip()
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


def count(row, key, default=None):
    """A positive whole number."""
    value = number(row, key)
    if value is None:
        if default is None:
            raise Unusable(f"{key} is missing")
        return default
    if value < 1 or value != int(value):
        raise Unusable(f"{key} is {row[key]}, expected a whole number above 0")
    return int(value)


def device_of(row):
    """The built-in device, and the devices of a scale-up domain."""
    for pattern, name, domain in DEVICES:
        if re.search(pattern, row["gpu"], re.IGNORECASE):
            return name, domain
    raise Unusable(f"unknown device {row['gpu']!r}")


def profile_of(row):
    framework, date = row.get("framework") or "", row.get("date") or ""
    if row.get("family") == "tpu-recipes":
        framework = framework or "tpu-recipes"
    kind = row.get("dtype") or ""
    for stack, device, dtype, since, profile in PROFILES:
        if (re.search(stack, framework) and re.search(dtype, kind)
                and re.search(device, row["gpu"]) and date >= since):
            break
    else:
        profile = DEFAULT_PROFILE
    if (number(row, "moe_experts") or 0) > 0:
        for dense, since, with_experts in EXPERT_PROFILES:
            if profile == dense and date >= since:
                return with_experts
    return profile


def model_of(row):
    """The configuration of the model."""
    hidden, heads = count(row, "hidden"), count(row, "heads")
    gated = (number(row, "gated_mlp") or 0) > 0
    experts = int(number(row, "moe_experts") or 0)
    vocabulary = count(row, "vocab", 51200)
    width = count(row, "ffn_hidden", 4 * hidden)
    layers = count(row, "layers")
    name = (row.get("model") or "").split(" ")[0]
    if name in LATENT_MODELS and experts > 0:
        dense, dense_width, shared = LATENT_MODELS[name]
        return dict(LATENT_ATTENTION, model_type="deepseek_v3",
                    hidden_size=hidden, num_hidden_layers=layers,
                    num_attention_heads=heads, num_key_value_heads=heads,
                    vocab_size=vocabulary, intermediate_size=dense_width,
                    moe_intermediate_size=width, n_routed_experts=experts,
                    num_experts_per_tok=count(row, "moe_topk"),
                    n_shared_experts=shared, first_k_dense_replace=dense,
                    n_group=1, topk_group=1, norm_topk_prob=True,
                    routed_scaling_factor=2.5, scoring_func="sigmoid",
                    max_position_embeddings=count(row, "seq_len"))
    config = {
        "model_type": "shardsmith-transformer",
        "hidden": hidden,
        "layers": layers,
        "heads": heads,
        "kv_heads": count(row, "kv_heads", heads),
        "ffn": width,
        "gated": gated,
        "vocab": vocabulary,
        # Models with gates are Llama's descendants, the others GPT's.
        "norm": "rms" if gated else "layer",
        "positions": "rotary" if gated else "learned",
        "max_positions": count(row, "seq_len"),
        "tied": not gated,
        "bias": not gated,
    }
    head_size = number(row, "head_dim")
    if head_size:
        config["head_dim"] = int(head_size)
    elif hidden % heads:
        raise Unusable(f"{heads} heads do not divide hidden size {hidden}")
    if experts > 0:
        config.update(experts=experts, expert_ffn=width,
                      experts_per_token=count(row, "moe_topk"))
    return config


def cluster_of(row, ranks):
    device, domain = device_of(row)
    stated = count(row, "gpus_per_node", domain)
    per_node = stated if domain <= 8 else domain
    per_node = min(per_node, ranks)
    if ranks % per_node:
        per_node = max(n for n in range(1, per_node + 1) if ranks % n == 0)
    if device.startswith("tpu"):
        cluster = {"builtin": f"{ranks}x{device}"}
        # A slice is a 16 by 16 torus; slices are stacked.
        if device in ("tpu-v5e", "tpu-v6e") and ranks % 256 == 0:
            cluster["torus"] = [16, 16, ranks // 256]
    else:
        cluster = {"builtin": f"{ranks // per_node}x{per_node}x{device}"}
    network = number(row, "inter_GBps_per_node")
    if network and ranks > per_node and not device.startswith("tpu"):
        cluster["network_gb_per_s_per_node"] = network * per_node / stated
    watts = re.search(r"(\d{3,4})W\b", row["gpu"])
    if watts and device in FULL_POWER_WATTS:
        share = int(watts.group(1)) / FULL_POWER_WATTS[device]
        cluster["compute_scale"] = round(min(1.0, share) ** 0.5, 4)
    for (base, part), differences in NAMED_MEMORY.items():
        if device == base and part in row["gpu"]:
            cluster.update(differences)
    return cluster


def zero_stage(row):
    """ZeRO stage; what only gathers once per step counts as 2."""
    text = (row.get("zero_stage") or "").strip()
    if "no reshard" in text:
        return 2
    if text.startswith("FSDP"):
        return 3
    # `0/1` and `unknown(0 or 1)` are the lower one.
    digit = re.search(r"[0-3]", text)
    return int(digit.group()) if digit else 0


def recompute_of(row):
    """What layers recompute; what JAX's libraries do not say is full."""
    text = (row.get("recompute") or "").strip().lower()
    if text in ("full", "qkv_offload"):
        return "full"
    if text.startswith("selective") or text.startswith("minimal"):
        return "selective"
    if text in ("", "none", "none/partial"):
        jax = re.search("MaxText|Pax|JAX", row.get("framework") or "")
        jax = jax or row.get("family") == "tpu-recipes"
        return "full" if text == "" and jax else "none"
    return "selective"


def plan_of(row):
    devices = count(row, "num_gpus")
    tensor, context = count(row, "tp", 1), count(row, "cp", 1)
    pipeline, expert = count(row, "pp", 1), count(row, "ep", 1)
    inner = tensor * context * pipeline
    data = count(row, "dp", max(1, devices // inner))
    # Degrees that do not multiply to the devices: the devices are right.
    if data * inner != devices and devices % inner == 0:
        data = devices // inner
    micro_batch = count(row, "micro_batch", 1)
    zero = zero_stage(row)
    group = 0
    shard = number(row, "fsdp_shard_size")
    if zero and shard and shard > 0:
        group = int(shard)
        if group >= data * context or (data * context) % group:
            group = 0
    recompute = recompute_of(row)
    virtual = number(row, "vpp")
    if virtual is None and pipeline > 1:
        # Runs that interleave but do not say how much: one layer per stage. Where
        # that does not divide, embedding and head have stages of their own.
        interleaves = re.search("NeMo|Meta", row.get("framework") or "")
        units = count(row, "layers")
        if units % pipeline and (units + 2) % pipeline == 0:
            units += 2
        virtual = units // pipeline if interleaves else 1
    # Expert groups that reach over tensor ranks are priced as the part that
    # lies within the data and context axes.
    expert = math.gcd(expert, data * context)
    return {
        "tensor": tensor,
        "context": context,
        "pipeline": pipeline,
        "virtual_stages": max(1, int(virtual or 1)) if pipeline > 1 else 1,
        "expert": expert,
        "data": data,
        "zero": zero,
        "zero_group": group,
        "micro_batch": micro_batch,
        "recompute": recompute,
        "sequence_parallel": (number(row, "sp") or 0) > 0,
    }


# PyTorch's checkpoints stop where the backward pass has all that it reads
# (since 2.1), and XLA removes what nobody reads; others run the forward pass
# again as it was. Composer's runs on A100 are older.
STOPS_EARLY = [
    # framework, device
    (r"torchtitan|fms-fsdp|MaxText|Pax|JAX", r""),
    (r"composer", r"^H"),
]


def settings_of(row):
    """What the row knows about its stack."""
    settings = {}
    settings["kernels.recompute_stops_early"] = any(
        re.search(framework, row.get("framework") or "")
        and re.search(device, row["gpu"])
        for framework, device in STOPS_EARLY)
    # Selective checkpoints of torchtitan keep what attention and every second
    # product make; those of others drop attention's inside.
    is_torchtitan = bool(re.search("torchtitan", row.get("framework") or ""))
    settings["kernels.selective_keeps_products"] = is_torchtitan
    if is_torchtitan:
        # PyTorch's cross entropy: the gradients of log probabilities and of
        # logits beside the former, all in 32 bits; a split vocabulary has one
        # more (torch/distributed/tensor/parallel/loss.py). Less 2 bytes of the
        # logits themselves, which are counted with what is saved.
        settings["memory.loss_bytes_per_logit"] = 10.0
        settings["memory.split_loss_bytes_per_logit"] = 14.0
    settings["kernels.block_scales"] = (
        (row.get("dtype") or "").strip().lower().startswith("mxfp8"))
    fused = number(row, "flash_attention")
    if fused is not None:
        settings["kernels.fused_attention"] = fused > 0
    if number(row, "ddp_overlap") == 0:
        settings["communication.data_exposure"] = 1.0
    if (number(row, "sp") or 0) > 0:
        settings["communication.scatter_gather_pipeline"] = True
    if row["gpu"].startswith("TPU"):
        # A step is one program; no host launches its kernels.
        settings["kernels.layer_forward_us"] = 0.0
    return settings


def to_batch_row(row):
    """One line of the batch; raises Unusable."""
    for key in REQUIRED:
        if not (row.get(key) or "").strip():
            raise Unusable(f"{key} is missing")
    if (row.get("task") or "").strip() == "lora":
        raise Unusable("only adapters are trained (LoRA), which is not priced")
    plan = plan_of(row)
    ranks = (plan["tensor"] * plan["context"] * plan["pipeline"]
             * plan["data"])
    kind = (row.get("dtype") or "bf16").strip().lower()
    kind = kind.split("/")[0].split(" ")[0]
    if kind not in LOW_PRECISION and kind not in PLAIN_TYPES:
        raise Unusable(f"unknown dtype {row['dtype']!r}")
    line = {
        "id": row["row_id"],
        "model": model_of(row),
        "sequence_length": count(row, "seq_len"),
        "global_batch": count(row, "global_batch"),
        "dtype": PLAIN_TYPES.get(kind, "bf16"),
        "cluster": cluster_of(row, ranks),
        "plan": plan,
        "profile": profile_of(row),
        "settings": settings_of(row),
    }
    if kind in LOW_PRECISION:
        line["compute_type"] = LOW_PRECISION[kind]
    seconds, memory = number(row, "step_time_s"), number(row, "memory_GB")
    measured = {}
    if seconds and seconds > 0:
        measured["step_s"] = seconds
    if memory and memory > 0:
        measured["memory_gib"] = memory
    if measured:
        line["measured"] = measured
    return line
