# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts train: a step of their programs is that of plain JAX with
the same weights, on one rank and with experts on several."""

import json
import re
from collections import Counter

import pytest

jax = pytest.importorskip("jax")

import numpy as np  # noqa: E402
import reference_models  # noqa: E402
from seeds import random_seed  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402
from tools import run_tool  # noqa: E402
from training import shardsmith, train  # noqa: E402

BATCH, LENGTH = 8, 6
SIZES = ["--seq", LENGTH, "--global-batch", BATCH, "--dtype", "f32"]
SGD = ["--optimizer", "sgd", "--lr", "0.1", "--momentum", "0"]

LLAMA = {
    "hidden_size": 24,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 56,
    "rms_norm_eps": 1e-5,
    "rope_theta": 5000.0,
}
MIXTRAL = LLAMA | {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2}
QWEN3 = LLAMA | {
    "num_hidden_layers": 3,
    "model_type": "qwen3_moe",
    "num_experts": 8,
    "num_experts_per_tok": 3,
    "moe_intermediate_size": 12,
    "norm_topk_prob": True,
    "mlp_only_layers": [0],
}
DEEPSEEK = LLAMA | {
    "num_hidden_layers": 3,
    "model_type": "deepseek_v3",
    "first_k_dense_replace": 1,
    "q_lora_rank": 14,
    "kv_lora_rank": 10,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 6,
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "moe_intermediate_size": 12,
    "n_shared_experts": 1,
    "n_group": 4,
    "topk_group": 2,
    "routed_scaling_factor": 1.7,
}
# Five experts leave the last rank with fewer than the others.
UNEVEN = MIXTRAL | {"num_local_experts": 5}
CONFIGS = {
    "mixtral": MIXTRAL,
    "mixtral-uneven": UNEVEN,
    "qwen3_moe": QWEN3,
    "deepseek_v3": DEEPSEEK,
}
PLANS = [
    (1, "dp=1"),
    (2, "dp=2,ep=1,micro-batch=2"),
    (2, "dp=2,ep=2"),
    (4, "dp=4,ep=4,micro-batch=1"),
    (4, "dp=2,ep=2,tp=2"),
    (4, "dp=2,ep=2,pp=2,micro-batch=2"),
    (4, "cp=2,dp=2,ep=4"),
    (4, "dp=4,ep=2,zero=3"),
]


def draw_weights(config, folder, seed):
    """By the names of the built graph, where a layer's experts are one tensor."""
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    text = shardsmith("import", path, *SIZES, "--folded")[0]
    header = re.search(r"func\.func public @main\((.*?)\) -> ", text).group(1)
    random = np.random.default_rng(seed)
    weights = {}
    for shape, attributes in re.findall(r"tensor<((?:\d+x)*)f32> \{(.*?)\}", header):
        name = re.search(r'smith\.name = "(.*?)"', attributes).group(1)
        center = 1.0 if "ones" in attributes else 0.0
        value = center + 0.3 * random.normal(size=tuple(map(int, shape.split("x")[:-1])))
        weights[name] = value.astype(np.float32)
    return weights


def is_decided(weights, batch, config, random):
    """Whether roundings leave the choice of experts as it is: of two experts that a
    token scores alike, another order of sums may take the other one."""
    loss = lambda weights: float(reference_models.llama(weights, batch, config))
    shaken = [
        {key: w * (1 + 1e-5 * random.normal(size=w.shape)) for key, w in weights.items()}
        for _ in range(4)
    ]
    return all(abs(loss(each) / loss(weights) - 1) < 1e-4 for each in shaken)


def as_published(weights):
    """Checkpoints have the matrices of every expert by themselves, [out, in]."""
    tensors = {}
    for name, value in weights.items():
        if ".experts." not in name:
            tensors[name] = value
            continue
        for number, matrix in enumerate(value):
            own = name.replace(".experts.", f".experts.{number}.")
            tensors[own] = np.ascontiguousarray(matrix.T)
    return tensors


def but_rows(bytes_of):
    """Without the rows of experts, which depend on the data."""
    return Counter({key: n for key, n in bytes_of.items() if key[0] != "all_to_all_rows"})


def counted(report):
    bytes_of = Counter()
    for entry in report["communication"]:
        if entry.get("axes") and entry["axes"] != ["world"]:
            bytes_of[entry["kind"], tuple(entry["axes"])] += entry["bytes"]
    return +bytes_of


def claimed(step):
    bytes_of = Counter()
    for entry in step["collectives"]:
        bytes_of[entry["collective"], tuple(entry["axes"])] += entry["bytes_per_rank"]
    return +bytes_of


CASES = [
    (name, ranks, fix)
    for name in CONFIGS
    for ranks, fix in PLANS
    # Four ranks cannot share out five experts; on one rank they are as others.
    if name != "mixtral-uneven" or fix in ("dp=2,ep=2", "dp=2,ep=2,tp=2")
]


@pytest.mark.parametrize("name, ranks, fix", CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_a_step_is_that_of_jax(name, ranks, fix, tmp_path):
    config = CONFIGS[name]
    source, build, tuned, batches = (tmp_path / n for n in ("model", "build", "tuned", "batches"))
    source.mkdir()
    (source / "config.json").write_text(json.dumps(config))
    cluster = ["--cluster", f"cpu:{ranks}", "--fix", fix]
    shardsmith("compile", source, *cluster, *SIZES, *SGD, "-o", build)
    saving = ["--save-weights", tuned, "--save-batches", batches]
    seed = random_seed()
    with jax.enable_x64(True):
        for attempt in range(seed, seed + 5):
            weights = draw_weights(config, source, attempt)
            save_file(as_published(weights), source / "model.safetensors", {"format": "pt"})
            report = train(build, ranks, 1, "--init", source, *saving)
            batch = {key.split("batch.")[1]: value for key, value in load_file(batches).items()}
            weights = {key: w.astype(np.float64) for key, w in weights.items()}
            if is_decided(weights, batch, config, np.random.default_rng(attempt)):
                break
        loss, gradients = jax.value_and_grad(reference_models.llama)(weights, batch, config)
    np.testing.assert_allclose(report["losses"][0], loss, rtol=1e-5)
    stepped = as_published({key: w - 0.1 * gradients[key] for key, w in weights.items()})
    written = load_file(tuned / "model.safetensors")
    assert written.keys() == stepped.keys()
    for key, expected in stepped.items():
        np.testing.assert_allclose(written[key], expected, rtol=2e-4, atol=4e-6, err_msg=key)

    # The plan that is shown is the plan that runs.
    plan = json.loads((build / "plan.json").read_text())
    wanted = dict(part.split("=") for part in fix.split(","))
    assert plan["strategy"]["degrees"]["expert"] == int(wanted.get("ep", 1))
    assert but_rows(counted(report)) == but_rows(claimed(plan["prediction"]["train_step"]))
    assert max(report["arena_bytes_of_ranks"]) == (
        plan["prediction"]["train_step"]["memory_bytes_per_rank"]["peak"]
    )


@pytest.mark.parametrize("name", ["mixtral", "qwen3_moe", "deepseek_v3"])
@pytest.mark.parametrize("fix", ["dp=2,zero=0", "dp=2,zero=1", "dp=2,tp=2,zero=0"])
def test_data_ranks_exchange_as_often_whatever_a_micro_batch_is(name, fix, tmp_path):
    """Where every data rank has all experts, tokens stay where they are: over the
    data axis only gradients are exchanged, once per step, however few tokens a
    micro-batch has."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps(CONFIGS[name]))
    ranks = 4 if "tp=2" in fix else 2
    found = []
    for size in (2, 1):
        build = tmp_path / f"of-{size}"
        choices = f"{fix},ep=1,recompute=none,micro-batch={size}"
        shardsmith("compile", config, "--cluster", f"cpu:{ranks}", "--fix", choices, *SIZES, *SGD, "-o", build)
        step = json.loads((build / "plan.json").read_text())["prediction"]["train_step"]
        found.append({key: n for key, n in claimed(step).items() if set(key[1]) - {"tensor"}})
    assert found[0] == found[1]
    assert {kind for kind, _ in found[0]} <= {"all_reduce", "reduce_scatter", "all_gather"}


def test_experts_lie_on_their_ranks(tmp_path):
    """Each rank holds its own experts, and tokens come to them."""
    (tmp_path / "config.json").write_text(json.dumps(MIXTRAL))
    request = [tmp_path / "config.json", "--cluster", "cpu:4", "--fix", "dp=4,ep=4", *SIZES]
    fixed = ["--expert-exchange", "fixed", "--dump-dir", tmp_path / "dump"]
    shardsmith("compile", *request, *fixed, "-o", tmp_path / "build")
    local = (tmp_path / "dump" / "05-local.mlir").read_text()
    # Of four matrices one, for all 48 tokens of the four ranks: a slot each.
    products = re.findall(r"smith\.grouped_dot .*", local)
    assert products
    assert all("tensor<1x48xi32>, tensor<1x1x" in each for each in products), products
    for part in ("w1", "w2", "w3"):
        assert re.search(
            rf'sdy\.sharding = #sdy\.sharding<@mesh, \[\{{"expert"\}}, \{{\}}, \{{\}}\]>[^}}]*'
            rf'experts\.{part}\.weight', local
        )  # fmt: skip
    # Tokens come and results go: slots change places, or all ranks get all rows.
    gathered = "all_gather %" in local and "reduce_scatter %" in local
    assert "all_to_all %" in local or gathered


def test_ranks_without_experts(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(UNEVEN))
    request = [tmp_path / "config.json", "--cluster", "cpu:4", "--fix", "dp=4,ep=4", *SIZES]
    err = shardsmith("compile", *request, "-o", tmp_path / "build", code=5)[1]
    assert "of 5 experts 4 ranks hold 2 each, and the last one none; use ep=3" in err


def test_one_program_in_the_interpreter(tmp_path):
    """`verify` compares the partitioned program with the model's, step by step."""
    (tmp_path / "config.json").write_text(json.dumps(DEEPSEEK))
    request = [tmp_path / "config.json", "--cluster", "cpu:4", "--fix", "dp=2,ep=2,tp=2", *SIZES]
    shardsmith("compile", *request, "-o", tmp_path / "build")
    assert "0 mismatches" in run_tool("shardsmith", "verify", tmp_path / "build")
    assert "accepted" in run_tool("shardsmith", "check", tmp_path / "build")
