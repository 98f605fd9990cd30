#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzz targets, and runs over them.

  fuzz.py seeds BUILD FOLDER     one folder of seeds per target
  fuzz.py run BUILD --seconds S  libFuzzer over all targets, S seconds in all

Seeds come from what the tests read already and from what the tools write; only
inputs that once did harm lie in `regressions`, a folder per target.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TEST = HERE.parent
ROOT = TEST.parent
LONGEST = 1 << 16  # of one seed, in bytes: what is longer is slow, not richer


def output_of(tool, *arguments):
    done = subprocess.run(
        [tool, *map(str, arguments)], text=True, capture_output=True, check=True
    )
    return done.stdout


def compact(text):
    return json.dumps(json.loads(text), separators=(",", ":"))


def texts(*patterns):
    """Contents of the files under the project's root that fit."""
    return [path.read_text() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def run_lines(text):
    """Option lists of shardsmith-opt in a lit test."""
    joined = re.sub(r"\\\n[^\n]*?RUN:", " ", text)
    return re.findall(r"RUN:[^\n]*?shardsmith-opt ([^|>\n]*)", joined)


def pipeline_of(options):
    """`--plan="cluster=cpu:4" --canonicalize` as a pass pipeline's text."""
    passes = []
    for option in re.findall(r"""--?([a-z][\w-]*(?:=(?:"[^"]*"|'[^']*'|\S+))?)""", options):
        name, _, values = option.partition("=")
        if name in ("split-input-file", "verify-diagnostics", "o") or name.startswith("mlir"):
            continue
        values = values.strip("\"'")
        passes.append(f"{name}{{{values}}}" if values else name)
    return ",".join(passes)


def pipelines():
    """The pieces of lit tests behind the passes that run on them."""
    seeds = []
    for path in sorted(TEST.rglob("*.mlir")):
        if "models" in path.parts or "Inputs" in path.parts:
            continue
        text = path.read_text()
        for options in run_lines(text):
            pipeline = pipeline_of(options)
            if not pipeline or "emit" in pipeline or "/" in pipeline or "%" in pipeline:
                continue
            for piece in re.split(r"^\s*// -----.*$", text, flags=re.M):
                body = re.sub(r"^\s*//.*\n", "", piece, flags=re.M)
                seeds.append(f"{pipeline}\n{body}")
    return seeds


def modules():
    """The same pieces, and the models, as model files."""
    small = [p.read_text() for p in sorted((TEST / "models").rglob("*.mlir"))]
    pieces = {seed.partition("\n")[2] for seed in pipelines()}
    return small + sorted(piece for piece in pieces if "@main" in piece)


def stages(tool, folder):
    """What `compile` dumps of a small model, behind the passes that follow."""
    model = TEST / "models" / "gpt2-tiny.mlir"
    output_of(
        tool, "compile", model, "--cluster", "cpu:2", "-o", folder / "build",
        "--dump-dir", folder / "dumps", "--fix", "data=2", "--optimizer", "sgd",
    )  # fmt: skip
    following = {
        "00": "train",
        "01": "split-micro-batches{count=2},plan{cluster=cpu:2}",
        "02": "partition",
        "03": "reshards-to-collectives",
        "04": "global-to-local",
        "05": "func.func(lower-windows,simplify-local,lower-dots,form-kernels,"
        "recompute-in-kernels{target=cuda},collapse-kernels),plan-buffers",
        "06": "plan-buffers",
    }
    return [
        f"{following[path.name[:2]]}\n{path.read_text()}"
        for path in sorted((folder / "dumps").glob("*.mlir"))
        if path.name[:2] in following
    ]


def plans(tool, folder):
    """Small plans of every shape: (workload, cluster, plan) as compact JSON."""
    asked = [
        ("gpt2-tiny.mlir", "2xh100", []),
        ("gpt2-tiny.mlir", "8xh100", ["--fix", "pp=2"]),
        ("gpt2-tiny.mlir", "8xh100", ["--objective", "front", "--price", "2"]),
        ("llama-tiny.mlir", "4xa100-80", ["--fix", "tp=2,recompute=full"]),
        ("gpt2-tiny.mlir", TEST / "Commands/Inputs/two-speeds.json", []),
    ]
    found = []
    for number, (model, cluster, options) in enumerate(asked):
        model = TEST / "models" / model
        into = folder / f"plan-{number}"
        output_of(
            tool, "plan", model, "--cluster", cluster, "--top", 2, "--threads", 1,
            "-o", into, *options,
        )  # fmt: skip
        workload = output_of(tool, "inspect", model, "--workload", "--json")
        machines = into / "cluster.json"
        if not machines.exists():
            machines = folder / f"cluster-{number}.json"
            machines.write_text(output_of(tool, "inspect", cluster, "--json"))
        found.append(
            tuple(compact(t) for t in (workload, machines.read_text(), (into / "plan.json").read_text()))
        )
    return found


def scripts(tool, folder):
    """Scripts of other runtimes, with the schedules that they name."""
    found = []
    for target, fix in (
        ("megatron", "tp=8,pp=4,schedule=interleaved,vpp=4"),
        ("torchtitan", "tp=2,pp=4,zero=2,schedule=zb-v,mbs=1,dp=8"),
    ):
        plan, out = folder / f"for-{target}", folder / f"emitted-{target}"
        output_of(
            tool, "plan", "llama3-8b", "--cluster", "64xh100", "--top", 1,
            "--global-batch", 64, "--fix", fix, "-o", plan,
        )  # fmt: skip
        output_of(tool, "emit", plan, "--to", target, "--adapt", "-o", out)
        script = (out / f"{target}.sh").read_text()
        table = out / "schedule.csv"
        if table.exists():
            script += "\n----\n" + table.read_text()
        found.append(script)
    return found


def safetensors():
    header = json.dumps(
        {
            "__metadata__": {"step": "3"},
            "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "b": {"dtype": "BF16", "shape": [4], "data_offsets": [24, 32]},
            "empty": {"dtype": "I64", "shape": [0, 5], "data_offsets": [32, 32]},
        }
    ).encode()
    return [struct.pack("<Q", len(header)) + header + bytes(32)]


def npy():
    seeds = []
    for version, descr, shape in [(1, "<f4", "(2, 3), "), (2, "|b1", "(4,), "), (3, "<i8", "(), ")]:
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
        size = struct.pack("<H" if version == 1 else "<I", len(header))
        seeds.append(b"\x93NUMPY" + bytes([version, 0]) + size + header + bytes(24))
    return seeds


def message(*fields):
    """A protocol buffer of (number, value) pairs; integers are variable-length,
    all else is bytes, and lists are packed integers."""

    def varint(number):
        number &= (1 << 64) - 1
        encoded = b""
        while number > 0x7F:
            encoded += bytes([number & 0x7F | 0x80])
            number >>= 7
        return encoded + bytes([number])

    encoded = b""
    for number, value in fields:
        if isinstance(value, int):
            encoded += varint(number << 3) + varint(value)
            continue
        if isinstance(value, list):
            value = b"".join(map(varint, value))
        if isinstance(value, str):
            value = value.encode()
        encoded += varint(number << 3 | 2) + varint(len(value)) + value
    return encoded


def onnx_models():
    """Graphs with weights, attributes, shapes that are computed, a branch and a
    function; numbers of fields are those of lib/Import/ONNX/Onnx.proto."""
    FLOAT, INT64, BOOL = 1, 7, 9

    def tensor(name, kind, dims, raw):
        return message(*((1, d) for d in dims), (2, kind), (8, name), (9, raw))

    def value(name, kind, dims):
        sizes = [(1, message((2, d) if isinstance(d, str) else (1, d))) for d in dims]
        shape = message((1, kind), (2, message(*sizes)))
        return message((1, name), (2, message((1, shape))))

    def node(op, inputs, outputs, *attributes, domain=""):
        return message(
            *((1, i) for i in inputs), *((2, o) for o in outputs), (3, f"{op}_"), (4, op),
            *((5, a) for a in attributes), (7, domain),
        )  # fmt: skip

    def attribute(name, kind, field, content):
        return message((1, name), (20, kind), (field, content))

    def graph(nodes, tensors, inputs, outputs):
        return message(
            *((1, n) for n in nodes), (2, "g"), *((5, t) for t in tensors),
            *((11, i) for i in inputs), *((12, o) for o in outputs),
        )  # fmt: skip

    def model(body, *functions):
        return message((1, 8), (7, body), (8, message((1, ""), (2, 17))), *((25, f) for f in functions))

    numbers = lambda *n: struct.pack(f"<{len(n)}q", *n)
    weight = tensor("w", FLOAT, [3, 4], struct.pack("<12f", *range(12)))
    x, y = value("x", FLOAT, ["n", 3]), value("y", FLOAT, ["n", 4])
    axis = attribute("axis", 2, 3, 0)
    computed = graph(
        [
            node("MatMul", ["x", "w"], ["h"]),
            node("Shape", ["h"], ["s"]),
            node("Gather", ["s", "zero"], ["n"], axis),
            node("Concat", ["n", "rest"], ["t"], axis),
            node("Reshape", ["h", "t"], ["y"]),
        ],
        [weight, tensor("zero", INT64, [1], numbers(0)), tensor("rest", INT64, [1], numbers(-1))],
        [x],
        [y],
    )
    image = graph(
        [
            node("Conv", ["x", "k"], ["c"], attribute("pads", 7, 8, [1, 1, 1, 1])),
            node("MaxPool", ["c"], ["p"], attribute("kernel_shape", 7, 8, [2, 2])),
            node("Pad", ["p", "pads"], ["q"]),
            node("Slice", ["q", "one", "two", "one"], ["y"]),
        ],
        [
            tensor("k", FLOAT, [2, 1, 3, 3], bytes(72)),
            tensor("pads", INT64, [8], numbers(0, 0, 1, 1, 0, 0, 2, 2)),
            tensor("one", INT64, [1], numbers(1)),
            tensor("two", INT64, [1], numbers(-1)),
        ],
        [value("x", FLOAT, ["n", 1, 4, 4])],
        [value("y", FLOAT, ["n", 1, 6, 6])],
    )
    then = graph([node("Relu", ["x"], ["r"])], [], [], [value("r", FLOAT, [])])
    other = graph([node("Neg", ["x"], ["r"])], [], [], [value("r", FLOAT, [])])
    branch = graph(
        [node("If", ["c"], ["y"], attribute("then_branch", 5, 6, then), attribute("else_branch", 5, 6, other))],
        [tensor("c", BOOL, [], b"\1")],
        [x],
        [y],
    )
    twice = message(
        (1, "Twice"), (4, "a"), (5, "b"), (7, node("Add", ["a", "a"], ["b"])), (10, "own"),
        (9, message((1, ""), (2, 17))),
    )  # fmt: skip
    call = graph([node("Twice", ["x"], ["y"], domain="own")], [], [x], [y])
    return [model(computed), model(image), model(branch), model(call, twice)]


def batch_rows(workload):
    rows = [
        {"id": "a", "model": "m", "cluster": "8xh100", "global_batch": 64,
         "plan": {"tensor": 2, "data": 2, "pipeline": 2, "micro_batch": 2, "zero": 1}},
        {"id": "b", "model": "m", "cluster": {"builtin": "16xa100-80", "memory_gib": 40, "compute_scale": 0.5},
         "global_batch": 64, "compute_type": "bf16", "plan": {"data": 16, "zero": 3, "zero_group": 8,
         "recompute": "selective", "recompute_every": 2, "sequence_parallel": True},
         "settings": {"kernels.fused_attention": False, "step.fixed_ms": 3.5}, "measured": {"step_s": 0.1}},
    ]  # fmt: skip
    return workload + "\n" + "\n".join(json.dumps(row) for row in rows)


FITS = json.dumps(
    {
        "fits": [
            {"name": "first", "description": "d", "ridge": 0.01},
            {"name": "second", "start": "first", "rows": ["a", "b"], "constants": ["step.fixed_ms"]},
        ]
    }
)
INDEX = json.dumps(
    {
        "metadata": {"total_size": 8},
        "weight_map": {"a": "a.safetensors", "b": "b.safetensors"},
    }
)
TABLES = [
    "0F0,0F1,,0B0,0F2,0B1,,0B2\n,1F0,1B0,1F1,1B1,1F2,1B2,\n",
    "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1I0,1SEND_B0,1W0\n",
    "0UNSHARD,0F0,(0F1;1B0)OVERLAP_F_B,0REDUCE_GRAD\n1F0,1F1,0B0\n",
]


def as_pipeline(manifest):
    """The same program with an axis of two stages that hold all tensors."""
    manifest["ranks"] *= 2
    manifest["mesh"].insert(0, {"name": "pipeline", "size": 2})
    manifest["pipeline"] = {"axis": "pipeline", "arena_bytes": [manifest["arena_bytes"]] * 2}
    manifest["channels"] = [{"from": 0, "to": 4, "bytes": 65536}]
    for tensor in manifest["arguments"] + manifest["results"]:
        tensor["offsets"] = [tensor["offset"]] * 2
    manifest["groups"] = []
    return manifest


def manifests():
    page = (ROOT / "docs" / "program-manifest.md").read_text()
    program = re.search(r"```json\n(.*?)```", page, re.S).group(1)
    return [program, json.dumps(as_pipeline(json.loads(program)))]


def without_strategy(plan):
    """The plan of the same train step, as if it followed from nothing."""
    name, value = plan["model"]["name"], plan["model"]["hash"]
    step = plan["prediction"]["train_step"]
    alone = {key: plan[key] for key in plan if key not in ("strategy", "alternatives")}
    return alone | {
        "model": {"name": name, "hash": value},
        "layouts": {"train_step": plan["layouts"]["train_step"]},
        "prediction": {
            "step_ns": plan["search"]["layouts"]["cost_ns"],
            "train_step": step,
        },
    }


def pasted():
    """What `cluster detect` reads, behind the name of its source."""
    sources = {
        "eight-h100": "nvidia-smi-topo", "bridged-pairs": "nvidia-smi-topo", "ten-ports": "ibstat",
        "slurm-nodes": "scontrol", "labels": "kubernetes", "all-reduce-8": "nccl-tests",
        "two-collectives-16": "nccl-tests",
    }  # fmt: skip
    folder = TEST / "Commands" / "Inputs" / "detect"
    seeds = [f"{source}\n{(folder / name).with_suffix('.txt').read_text()}" for name, source in sources.items()]
    return seeds + ["instance\np5.48xlarge\n"]


def seeds_of(build, folder):
    """Per target its seeds, as text or bytes."""
    tool = build / "bin" / "shardsmith"
    planned = plans(tool, folder)
    configurations = texts("test/Import/HuggingFace/Inputs/*.json", "test/ValueLayouts/Inputs/*layers.json")
    configurations += texts("test/ValueLayouts/Inputs/six-decoders.json")
    staged = stages(tool, folder)
    document = json.loads((folder / "build" / "plan.json").read_text())
    return {
        "BatchRowsFuzz": [batch_rows(workload) for workload, _, _ in planned[:1] + planned[3:4]],
        "CheckFuzz": ["\n".join(plan) for plan in planned],
        "ClusterFuzz": [c for _, c, _ in planned]
        + texts("test/Commands/Inputs/*.json", "test/ValueLayouts/Inputs/*-islands.json")
        + texts("test/ValueLayouts/Inputs/four-cores.json", "test/ValueLayouts/Inputs/slow-devices.json"),
        "DetectFuzz": pasted(),
        "EmitFuzz": ["\n".join(plan) for plan in planned],
        "FitRequestsFuzz": [FITS],
        "ImportPlanFuzz": scripts(tool, folder),
        "ManifestFuzz": manifests(),
        "ModelConfigFuzz": configurations,
        "ModelTextFuzz": modules(),
        "NpyFuzz": npy(),
        "OnnxFuzz": onnx_models(),
        "PassPipelineFuzz": pipelines() + staged,
        "PlanDocumentFuzz": [plan for _, _, plan in planned]
        + [json.dumps(document), json.dumps(without_strategy(document))],
        "ProfileFuzz": texts("profiles/*.json"),
        "SafeTensorsFuzz": safetensors(),
        "ScheduleTableFuzz": TABLES,
        "WeightIndexFuzz": [INDEX],
        "WorkloadFuzz": [workload for workload, _, _ in planned],
    }


def write_seeds(build, folder):
    """Seeds and regressions of every target, in a folder each."""
    scratch = folder / "scratch"
    shutil.rmtree(folder, ignore_errors=True)
    scratch.mkdir(parents=True)
    for target, seeds in seeds_of(build, scratch).items():
        into = folder / target
        into.mkdir()
        for number, seed in enumerate(seeds):
            data = seed if isinstance(seed, bytes) else seed.encode()
            if len(data) <= LONGEST:
                (into / f"{number:03}").write_bytes(data)
        for path in sorted((HERE / "regressions" / target).glob("*")):
            shutil.copy(path, into / path.name)
    shutil.rmtree(scratch)


def fuzz(program, seeds, seconds, timeout):
    """Runs libFuzzer; returns executions, processor seconds, whether all is well, and the log.

    What it has found to be new is kept in `corpus`, for the next run."""
    folder = program.parent
    corpus, findings = folder / "corpus" / program.name, folder / "findings" / program.name
    for needed in (corpus, findings):
        needed.mkdir(parents=True, exist_ok=True)
    log = findings / "log.txt"
    with log.open("w") as stream:
        child = subprocess.Popen(
            [
                program, corpus, seeds, f"-artifact_prefix={findings}/", f"-max_total_time={seconds}",
                f"-max_len={LONGEST}", f"-timeout={timeout}", "-rss_limit_mb=2048",
                "-print_final_stats=1", "-close_fd_mask=1",
            ],
            stdout=stream, stderr=stream,
        )  # fmt: skip
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    found = re.findall(r"number_of_executed_units: (\d+)", log.read_text(errors="replace"))
    return int(found[-1]) if found else 0, used.ru_utime + used.ru_stime, child.returncode == 0, log


def run(build, seeds_from, seconds, only, timeout):
    programs = sorted(p for p in (build / "fuzz").glob("*Fuzz") if not only or p.name in only)
    if not programs:
        sys.exit(f"no fuzz targets in {build}/fuzz; build them with: cmake --preset fuzz && ninja -C {build} fuzz")
    seeds = build / "fuzz" / "seeds"
    write_seeds(seeds_from, seeds)
    workers = min(len(programs), os.cpu_count())
    each = max(1, seconds * workers // len(programs))
    executions, used, failed = 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        jobs = {p: pool.submit(fuzz, p, seeds / p.name, each, timeout) for p in programs}
        for program, job in jobs.items():
            count, busy, well, log = job.result()
            executions += count
            used += busy
            print(
                f"{program.name}: {count} executions in {busy:.0f} s of a processor"
                f"{'' if well else ', a finding: ' + str(log)}",
                flush=True,
            )
            if not well:
                failed.append(program.name)
    print(
        f"{executions} executions of {len(programs)} targets in {used / 3600:.2f} hours of a processor, "
        f"{len(failed)} with findings"
    )
    sys.exit(1 if failed else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    seeds = commands.add_parser("seeds")
    seeds.add_argument("build", type=Path)
    seeds.add_argument("folder", type=Path)
    runs = commands.add_parser("run")
    runs.add_argument("build", type=Path)
    runs.add_argument("--seeds-from", type=Path, default=ROOT / "build" / "release", help="a build that has the tools")
    runs.add_argument("--seconds", type=int, default=600)
    runs.add_argument("--only", nargs="*", help="targets")
    runs.add_argument("--timeout", type=int, default=20, help="seconds that one input may take; more on a busy machine")
    given = parser.parse_args()
    if given.command == "seeds":
        write_seeds(given.build, given.folder)
    else:
        run(given.build, given.seeds_from, given.seconds, given.only, given.timeout)


if __name__ == "__main__":
    main()
