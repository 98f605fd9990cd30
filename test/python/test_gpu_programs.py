# SPDX-License-Identifier: Apache-2.0
"""Programs for GPUs, run with libraries that stand in for NVIDIA's.

The executables are those of users. `libfake_cuda.so` (test/emulator/cuda) has
the functions of CUDA's driver, cuBLASLt and NCCL, and is found under their
names through LD_LIBRARY_PATH. It runs the kernels of the program's own IR,
checks what it is called with, and counts what was made and not given back.
"""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from seeds import random_seed
from safetensors.numpy import load_file
from test_stages import source_of
from tools import ROOT, tool
from training import SEED, shardsmith, train

# The first one is put into streams, the others are a graph.
STEPS = 3
LIBRARIES = ["libcuda.so.1", "libcublasLt.so.13", "libnccl.so.2"]
WITHOUT_NCCL = LIBRARIES[:2]
# Model, ranks, what is fixed of the plan.
PLANS = [
    ("gpt2-tiny", 1, None),
    ("gpt2-tiny", 2, "dp=2"),
    ("gpt2-tiny-bf16", 2, "dp=2,zero=3"),
    ("llama-tiny", 4, "dp=2,tp=2,zero=1"),
    ("llama-tiny", 2, "pp=2"),
    ("gpt2-tiny", 2, "cp=2,context-method=all-to-all"),
    ("mixtral", 2, "dp=2,ep=2"),
]


class GpuProgram:
    """A program for GPUs, and the one for processors of the same plan."""

    def __init__(self, folder, model, ranks, fix, *options, chip="sm_80"):
        self.folder, self.ranks = folder, ranks
        shardsmith("compile", *source_of(model, folder / "cpu", sequences=8), "--cluster",
                   f"cpu:{ranks}", *(["--fix", fix] if fix else []), *options, "-o",
                   folder / "cpu")
        _, said = shardsmith("compile", folder / "cpu", "--target", f"cuda:{chip}", "--no-cubin",
                             "--dump-dir", folder / "ir", "-o", folder / "gpu")
        assert f"wrote {folder}/gpu/program; start it with 'shardsmith run" in said
        (folder / "tmp").mkdir()

    def environment(self, libraries=LIBRARIES, **variables):
        """One in which the libraries stand in for NVIDIA's."""
        named = self.folder / f"libraries-{len(libraries)}"
        named.mkdir(exist_ok=True)
        fake = tool("shardsmith").parents[1] / "lib/libfake_cuda.so"
        if not fake.exists():
            pytest.skip("libfake_cuda.so is not built")
        for name in LIBRARIES:
            # What is no library hides one that the machine may have.
            source = fake if name in libraries else os.devnull
            if not (named / name).is_symlink():
                (named / name).symlink_to(source)
        self.seed = random_seed()
        return {
            **os.environ,
            "LD_LIBRARY_PATH": str(named),
            "FAKE_CUDA_FUNCTIONS": str(self.folder / "ir/07-device-functions.mlir"),
            "SHARDSMITH_TEST_SEED": str(self.seed),
            "TMPDIR": str(self.folder / "tmp"),
            **{name: str(value) for name, value in variables.items()},
        }

    def start(self, *options, code=0, steps=STEPS, **variables):
        done = subprocess.run(
            [tool("shardsmith"), "run", self.folder / "gpu", "--ranks", str(self.ranks), "--steps",
             str(steps), "--seed", str(SEED), *map(str, options)],
            capture_output=True, text=True, timeout=300, env=self.environment(**variables))
        assert done.returncode == code, f"seed {self.seed}: {done.stdout}{done.stderr}"
        return done

    def losses(self, *options, **variables):
        done = self.start("--json", "--quiet", *options, **variables)
        return json.loads(done.stdout)["losses"]


class PlannedGpuProgram(GpuProgram):
    """One of a plan for GPUs, and one for processors with the same options."""

    def __init__(self, folder, model, ranks, *options):
        self.folder, self.ranks = folder, ranks
        question = [ROOT / f"test/models/{model}.mlir", *options]
        for name, cluster in (("gpu", f"{ranks}xh100"), ("cpu", f"cpu:{ranks}")):
            shardsmith("plan", *question, "--cluster", cluster, "-o", folder / name)
        self.planned = json.loads((folder / "gpu/plan.json").read_text())
        shardsmith("compile", folder / "gpu", "--target", "cuda:sm_80", "--no-cubin",
                   "--dump-dir", folder / "ir")
        shardsmith("compile", folder / "cpu")
        (folder / "tmp").mkdir()


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    return GpuProgram(tmp_path_factory.mktemp("single"), "gpt2-tiny", 1, None)


@pytest.fixture(scope="module")
def double(tmp_path_factory):
    return GpuProgram(tmp_path_factory.mktemp("double"), "gpt2-tiny", 2, "dp=2")


def test_kernels_compute_gelu_where_the_library_does_not(tmp_path):
    program = GpuProgram(tmp_path, "gpt2-tiny-bf16", 1, None)
    log = tmp_path / "log"
    log.mkdir()
    expected = program.losses()
    got = program.losses(FAKE_CUBLASLT_GELU="no", FAKE_CUDA_LOG=log)
    np.testing.assert_allclose(got, expected, rtol=2e-3)
    counts = json.loads((log / "0.json").read_text())
    assert counts["multiplications"] > 0 and "GELUs of products" not in counts


def test_products_of_eight_bits_are_the_library_s(tmp_path):
    """Of the layers of 32 samples, on ranks that share their columns out."""
    program = GpuProgram(tmp_path, "llama-tiny", 2, "tp=2", "--compute-dtype", "f8",
                         "--optimizer", "sgd", chip="sm_90a")
    expected = train(tmp_path / "cpu", 2, STEPS)["losses"]
    log = tmp_path / "log"
    log.mkdir()
    got = program.losses(FAKE_CUDA_CAPABILITY="9.0", FAKE_CUDA_LOG=log)
    np.testing.assert_allclose(got, expected, rtol=2e-3)
    counts = json.loads((log / "0.json").read_text())
    assert 0 < counts["products of eight bits"] < counts["multiplications"]


@pytest.mark.parametrize(("model", "ranks", "fix"), PLANS)
def test_training_is_that_of_processors(tmp_path, model, ranks, fix):
    # Experts drop some of their rows.
    options = ["--expert-capacity", "0.5"] if model == "mixtral" else []
    program = GpuProgram(tmp_path, model, ranks, fix, *options)
    expected, got, log = (tmp_path / name for name in ("expected", "got", "log"))
    log.mkdir()
    reference = train(tmp_path / "cpu", ranks, STEPS, "--dump-outputs", expected)
    done = program.start("--json", "--quiet", "--dump-outputs", got, FAKE_CUDA_LOG=log)
    summary = json.loads(done.stdout)
    assert summary["device"] == "Fake GPU" and "device" not in reference
    is_half = model.endswith("bf16")
    np.testing.assert_allclose(summary["losses"], reference["losses"],
                               rtol=2e-3 if is_half else 1e-4)
    assert summary["communication_bytes_per_step"] == reference["communication_bytes_per_step"]
    assert summary.get("dropped_rows") == reference.get("dropped_rows")
    assert ("dropped_rows" in summary) == (model == "mixtral")
    expected, got = load_file(expected), load_file(got)
    assert expected.keys() == got.keys() and len(got) > 20
    for name, value in expected.items():
        # AdamW makes a step of one size of any gradient, of rounding errors too.
        tolerance = {"rtol": 1e-2, "atol": 5e-3} if is_half else {"rtol": 1e-4, "atol": 3e-5}
        np.testing.assert_allclose(got[name].astype(np.float64), value.astype(np.float64),
                                   err_msg=name, **tolerance)
    for rank in range(ranks):
        counts = json.loads((log / f"{rank}.json").read_text())
        assert counts["launches"] > 100 and (ranks == 1) == ("exchanges" not in counts)
        # An algorithm is chosen in the first step, and for equal products once.
        assert STEPS * counts["heuristics"] < counts["multiplications"]
        assert counts["sums of products"] > 0
        assert (counts.get("biases of products", 0) > 0) == model.startswith("gpt2")
        assert (counts.get("GELUs of products", 0) > 0) == (model == "gpt2-tiny-bf16")
        assert counts["graph launches"] == STEPS - 1
        left = {name: counts.get(name, 0) for name in
                ("blocks", "comms", "contexts", "events", "graphs", "graph programs", "handles",
                 "host blocks", "layouts", "modules", "preferences", "products", "streams")}
        assert not any(left.values()), left
        assert "aborts" not in counts
    if ranks > 1:
        assert program.losses("--exchange-on-host", libraries=WITHOUT_NCCL) == summary["losses"]


def test_hosts_exchange_messages_and_parts_of_rings(tmp_path):
    program = GpuProgram(tmp_path, "llama-tiny", 4,
                         "pp=2,cp=2,micro-batch=4,schedule=1f1b,context-method=ring")
    reference = train(tmp_path / "cpu", 4, STEPS)
    done = program.start("--json", "--quiet", "--exchange-on-host", libraries=WITHOUT_NCCL)
    assert "exchange through the memory of their hosts: this is for tests" in done.stderr
    summary = json.loads(done.stdout)
    np.testing.assert_allclose(summary["losses"], reference["losses"], rtol=1e-4)
    assert summary["communication_bytes_per_step"] == reference["communication_bytes_per_step"]


@pytest.mark.parametrize("refused", ["all", "1"])
def test_hosts_exchange_where_nccl_refuses(double, refused):
    """Of all ranks, though it refuses one alone and connects the other."""
    done = double.start("--json", "--quiet", "--share-gpus", FAKE_CUDA_DEVICES=1,
                        FAKE_NCCL_REFUSES=refused)
    assert json.loads(done.stdout)["losses"] == double.losses()
    assert done.stderr.count("exchange through the memory of the host, as with "
                             "--exchange-on-host: NCCL says: invalid usage") == 1
    # Ranks that share no GPU are to exchange as they were planned to.
    done = double.start(code=6, FAKE_NCCL_REFUSES=refused)
    assert "NCCL says: invalid usage" in done.stderr


def test_a_rank_that_dies_ends_what_hosts_exchange_by_name(double):
    # Kernels are launched once before the first step, and all in each.
    done = double.start("--exchange-on-host", code=137, FAKE_CUDA_DIES="1:300")
    assert re.search(r"rank 0, step \d: (all_reduce|reduce_scatter|all_gather) over \w+, exchange \d+ "
                     r"of the step: \d+ bytes: .*rank 1", done.stderr), done.stderr


def test_a_plan_for_gpus_is_built_and_trains_as_planned(tmp_path):
    """From `plan` to ranks, with the strategy and the options of `plan`."""
    program = PlannedGpuProgram(tmp_path, "gpt2-tiny", 2, "--fix", "dp=2,zero=3", "--lr", "0.01")
    built, planned = json.loads((tmp_path / "gpu/plan.json").read_text()), program.planned
    for decided in ("model", "cluster", "profile", "options", "strategy"):
        assert built[decided] == planned[decided]
    shardsmith("check", tmp_path / "gpu")
    done = json.loads(program.start("--json", "--quiet").stdout)
    reference = train(tmp_path / "cpu", 2, STEPS)
    np.testing.assert_allclose(done["losses"], reference["losses"], rtol=1e-4)
    assert done["communication_bytes_per_step"] == reference["communication_bytes_per_step"]


def test_training_goes_on_from_a_checkpoint(double, tmp_path):
    whole = double.losses()
    folder = tmp_path / "checkpoints"
    double.start("--quiet", "--checkpoint-dir", folder, steps=1)
    resumed = double.losses("--checkpoint-dir", folder, "--resume")
    assert resumed == whole[1:]


def test_checkpoints_are_those_of_processors(double, tmp_path):
    folder = tmp_path / "checkpoints"
    double.start("--quiet", "--checkpoint-dir", folder, steps=1)
    resumed = train(double.folder / "cpu", 2, STEPS, "--checkpoint-dir", folder, "--resume")
    np.testing.assert_allclose(resumed["losses"], double.losses()[1:], rtol=1e-4)


@pytest.mark.parametrize(("libraries", "advice"), [
    (0, "this program needs a GPU of NVIDIA and its driver, for CUDA 12.0 or later"),
    (1, "install cuBLAS 13 or 12"),
    (2, "programs of several ranks need NCCL 2.18 or later"),
])
def test_a_missing_library_is_named_in_one_line(double, libraries, advice):
    done = double.start(code=6, libraries=LIBRARIES[:libraries])
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith("shardsmith: rank 0, step 0: ")
    assert LIBRARIES[libraries] in done.stderr and f"; {advice}" in done.stderr


def test_another_architecture(single):
    done = single.start(code=6, FAKE_CUDA_CAPABILITY="7.5")
    assert ("Fake GPU is of architecture sm_75, but the program has kernels for sm_80 (PTX); "
            "compile it with --target cuda:CHIP") in done.stderr
    # PTX is compiled for newer ones.
    assert len(single.losses("--tf32", FAKE_CUDA_CAPABILITY="9.0")) == STEPS


def test_too_little_memory_is_refused_with_all_needs(single):
    done = single.start(code=6, FAKE_CUDA_MEMORY=30_000_000)
    assert done.stderr.count("\n") == 1
    for need in ("32.0 MiB workspace of products", "MiB gradients and activations",
                 "MiB optimizer state", "MiB parameters", "are free on Fake GPU"):
        assert need in done.stderr, done.stderr


def test_ranks_without_a_gpu_of_their_own(double):
    done = double.start(code=6, FAKE_CUDA_DEVICES=1)
    assert "rank 1 of this machine has no GPU of its own: there are 1" in done.stderr
    done = double.start("--share-gpus", "--quiet", FAKE_CUDA_DEVICES=1)
    assert "this is for tests" in done.stderr
    assert "the driver has no GPU" in double.start(code=6, FAKE_CUDA_DEVICES=0).stderr


def test_versions_of_nccl_differ(double):
    done = double.start(code=6, FAKE_NCCL_VERSION="22809,22705")
    assert "rank 0 has NCCL 2.28.9, but rank 1 has 2.27.5" in done.stderr
    assert "install 2.18.0 or later" in double.start(code=6, FAKE_NCCL_VERSION="21703").stderr


def test_a_rank_that_never_arrives_is_named(double):
    done = subprocess.run(
        [double.folder / "gpu/program", "--timeout", "0.5"], capture_output=True, text=True,
        env={**double.environment(), "RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0",
             "LOCAL_WORLD_SIZE": "2", "SHARDSMITH_JOB": f"alone-{os.getpid()}"})
    assert done.returncode == 6 and "rank" in done.stderr and " 1" in done.stderr, done.stderr


@pytest.mark.parametrize(("fault", "says"), [
    # A step has some 50 exchanges; that of the second one, and of the third, is a graph.
    ("error:1:10", "rank 1, step 0: NCCL says: remote process exited"),
    ("error:1:60", "rank 1, step 1: NCCL says: remote process exited"),
    ("die:1:60", "died in step 1"),
    ("stop:1:60", "no exchange has ended for 4 s; the GPU waits for "),
    ("stop:1:130", "no exchange has ended for 4 s; the GPU waits for "),
])
def test_a_failing_peer_ends_all_with_the_exchange_by_name(double, tmp_path, fault, says):
    log = tmp_path / "log"
    log.mkdir()
    done = double.start("--timeout", 4, code=137 if "die" in fault else 6, FAKE_NCCL_FAULT=fault,
                        FAKE_CUDA_LOG=log)
    assert says in done.stderr
    if "error" in fault:
        # The call that fails names its exchange; what fails on the GPU has begun before.
        kind = "(all_reduce|reduce_scatter|all_gather) over "
        assert re.search(rf"\(from nccl\w+ for {kind}|\(from the work on the GPU\).*has not ended is {kind}",
                         done.stderr), done.stderr
    lines = done.stderr.splitlines()
    ended = [int(line.split()[0]) for line in lines if "  ended    " in line]
    waiting = [line for line in lines if "  not yet  " in line]
    assert ended and waiting, done.stderr
    # Where one rank takes no part none is through.
    assert max(ended) < int(fault.split(":")[-1]), done.stderr
    assert re.search(r" (all_reduce|reduce_scatter|all_gather) over \w+, exchange \d+ of the step: "
                     r"\d+ bytes$", waiting[0]), waiting
    # What still waits on the GPU is ended.
    counts = [json.loads(path.read_text()) for path in log.glob("*.json")]
    assert counts and all(each["aborts"] > 0 for each in counts)


def test_profiles_have_what_streams_do(double, tmp_path):
    """Of every action of the last steps, on every rank: in the step that it belongs to, and
    one after another in its stream."""
    file = tmp_path / "profile.json"
    double.start("--profile", file, "--quiet", steps=3)
    events = json.loads(file.read_text())["traceEvents"]
    threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
               if event["name"] == "thread_name"}
    steps = {(event["pid"], event["args"]["step"]): event for event in events
             if event.get("cat") == "step"}
    assert sorted(steps) == [(rank, step) for rank in (0, 1) for step in (1, 2)]
    work = [event for event in events if event.get("cat") == "device"]
    for (rank, number), step in steps.items():
        own = [event for event in work if (event["pid"], event["args"]["step"]) == (rank, number)]
        for stream in ("compute", "collectives"):
            done = [event for event in own if threads[rank, event["tid"]] == stream]
            assert len(done) > 30
            ends = [step["ts"]] + [event["ts"] + event["dur"] for event in done]
            assert all(event["ts"] >= end - 2 for event, end in zip(done, ends))
            assert ends[-1] <= step["ts"] + step["dur"] + 2
        names = {event["name"] for event in own}
        assert any(name.startswith("product of ") for name in names)
        assert any(name.startswith("kernel_") for name in names)
        assert any(re.match(r"reduce_scatter over zero_shard, exchange \d+ of the step", name)
                   for name in names)


@pytest.mark.parametrize(("ranks", "fix", "order"), [
    (2, "pp=2,micro-batch=8,schedule=zb-h1", None),
    (2, "dp=2,micro-batch=6", "0F0,0B0,0F1,0B1"),
])
def test_schedules_are_played_on_the_times_of_gpus(tmp_path, ranks, fix, order):
    program = GpuProgram(tmp_path, "gpt2-tiny", ranks, fix)
    file = tmp_path / "profile.json"
    program.start("--profile", file, "--quiet", steps=4)
    events = json.loads(file.read_text())["traceEvents"]
    passes = [event for event in events if event.get("cat") == "compute"]
    work = [event for event in events if event.get("cat") == "device"]
    assert {event["args"]["step"] for event in passes} == {1, 2, 3}
    for rank in range(ranks):
        own = [event for event in passes if (event["pid"], event["args"]["step"]) == (rank, 2)]
        ends = 0
        for each in own:
            assert each["ts"] >= ends - 0.01
            ends = each["ts"] + each["dur"]
            inside = [event for event in work if event["pid"] == rank and each["ts"] <= event["ts"]
                      and event["ts"] + event["dur"] <= ends + 2]
            assert len(inside) > 1, each
    waits = [event for event in events if event.get("cat") == "exchange"]
    assert all(event["args"]["only_waits"] for event in waits) and bool(waits) == ("pp" in fix)
    played = json.loads(shardsmith("simulate", program.folder / "gpu", "--measured", file,
                                   "--json")[0])
    measured = played["schedule"]["measured"]
    assert measured["steps"] == 3 and measured["step_ns"] > 0
    table = shardsmith("simulate", program.folder / "gpu", "--measured", file, "--csv", "-")[0]
    assert order is None or order in table
    if order is None:
        other = GpuProgram(tmp_path / "other", "gpt2-tiny", ranks, fix.replace("zb-h1", "gpipe"))
        _, said = shardsmith("simulate", other.folder / "gpu", "--measured", file, code=3)
        assert "the plan's schedule has" in said


def test_copies_of_every_step_go_through_page_locked_memory(single, tmp_path):
    counts = []
    for steps in (1, 3):
        single.start("--quiet", steps=steps, FAKE_CUDA_LOG=tmp_path)
        counts.append(json.loads((tmp_path / "0.json").read_text()))
    once, often = counts
    # Two tensors of a batch, and a loss.
    assert once["locked copies"] == 3 and often["locked copies"] == 9
    assert often["pageable copies"] == once["pageable copies"] > 0


def test_steps_are_the_same_without_graphs(double, tmp_path):
    assert double.losses("--no-graphs", FAKE_CUDA_LOG=tmp_path) == double.losses()
    counts = json.loads((tmp_path / "0.json").read_text())
    assert "graph launches" not in counts and counts["exchanges"] > 100


def test_options_of_gpus_are_those_of_their_programs_alone(single):
    for folder, has in (("gpu", True), ("cpu", False)):
        program = single.folder / folder / "program"
        done = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
        for option in ("--share-gpus", "--exchange-on-host", "--tf32", "--no-graphs"):
            assert (option in done.stdout) == has


def test_verify_runs_the_program_on_gpus(double):
    done = subprocess.run([tool("shardsmith"), "verify", double.folder / "gpu", "--samples", "2"],
                          capture_output=True, text=True, env=double.environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "executable   largest difference" in done.stdout and "0 mismatches" in done.stdout
    done = subprocess.run([tool("shardsmith"), "verify", double.folder / "gpu", "--samples", "2"],
                          capture_output=True, text=True, env=double.environment(libraries=[]))
    assert done.returncode == 6 and "libcuda.so.1: " in done.stderr


def test_a_program_carries_what_lies_beside_it(single):
    gpu = single.folder / "gpu"
    program = (gpu / "program").read_bytes()
    for name in ("device-program.json", "kernels.sm_80.ptx"):
        assert (gpu / name).read_bytes() in program
    done = subprocess.run(["ldd", gpu / "program"], capture_output=True, text=True, check=True)
    for name in ("cuda", "cublas", "nccl", "LLVM", "MLIR", "dnnl", "fmt"):
        assert name not in done.stdout


def test_code_of_chips_is_made_where_ptxas_is(single):
    ptxas = "/usr/local/cuda/bin/ptxas"
    if not os.path.exists(ptxas):
        pytest.skip("there is no ptxas")
    gpu = single.folder / "code"
    shardsmith("compile", single.folder / "cpu", "--target", "cuda:sm_90a", "-o", gpu)
    code = (gpu / "kernels.sm_90a.cubin").read_bytes()
    assert code.startswith(b"\x7fELF") and code in (gpu / "program").read_bytes()


def test_the_runtime_is_declared_as_nvidia_declares_it(tmp_path):
    """Types, sizes and numbers of our declarations, where NVIDIA's headers are."""
    headers = "/usr/local/cuda/include"
    if not all(os.path.exists(f"{headers}/{name}") for name in ("cuda.h", "cublasLt.h", "nccl.h")):
        pytest.skip("there are no headers of CUDA, cuBLASLt and NCCL")
    done = subprocess.run(
        ["clang++-22", "-std=c++20", "-fsyntax-only", f"-I{headers}", f"-I{ROOT}/include",
         f"-I{ROOT}/lib", ROOT / "test/python/cuda_declarations.cpp"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_script_for_machines_with_gpus(double, tmp_path):
    """build.py and run.py of test/gpu, on the GPU that is none."""
    folder = tmp_path / "programs"
    subprocess.run([sys.executable, ROOT / "test/gpu/build.py", "-o", folder, "--chips", "sm_80",
                    "--case", "gpt2-data", "--no-cubin", "--keep-work"], check=True,
                   env={**os.environ, "SHARDSMITH_BUILD": str(tool("shardsmith").parents[1])})
    environment = double.environment(
        FAKE_CUDA_FUNCTIONS=folder / "work/gpt2-data/ir/07-device-functions.mlir")

    def run_script(code, **variables):
        done = subprocess.run([sys.executable, folder / "run.py", "--json", tmp_path / "rows.json"],
                              capture_output=True, text=True, env={**environment, **variables})
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout, json.loads((tmp_path / "rows.json").read_text())["rows"]

    table, rows = run_script(0)
    assert "1 of 1 cases hold" in table and rows[0]["device"] == "Fake GPU"
    assert rows[0]["worst_of_allowed"] <= 1 and rows[0]["loss_difference"] <= 1e-4
    assert "exchanges" not in rows[0]
    table, _ = run_script(6, FAKE_CUDA_DEVICES="0")
    assert "skipped: " in table and "the driver has no GPU" in table
    table, rows = run_script(0, FAKE_NCCL_REFUSES="all")
    assert "; exchanged by the host, as NCCL refuses to" in table and rows[0]["exchanges"] == "the host"
    cases = json.loads((folder / "cases.json").read_text())
    timed = {**cases["cases"][0], "kind": "speed", "steps": 2}
    (folder / "cases.json").write_text(json.dumps({"cases": [timed]}))
    table, rows = run_script(0)
    assert re.search(r"median step [\d.]+ ms, .* tokens/s \(measured\)", table)
    assert rows[0]["profile"]["ms_of_step"] and rows[0]["profile"]["rest_ms_of_step"] >= 0
    cases["cases"][0]["losses"][1] *= 1.01
    (folder / "cases.json").write_text(json.dumps(cases))
    table, _ = run_script(7)
    assert "FAILS  losses differ by 0.0099, 0.0001 is allowed" in table


SANITIZER = """#!/bin/sh
echo "========= COMPUTE-SANITIZER"
while [ "${1#--}" != "$1" ]; do shift 2; done
"$@" || exit $?
[ -z "$SANITIZER_FINDS" ] || { echo "========= Invalid __global__ read of size 4 bytes"; exit 86; }
echo "========= ERROR SUMMARY: 0 errors"
"""


def test_the_script_runs_under_a_sanitizer(single, tmp_path):
    """One that stands in for NVIDIA's."""
    folder, stand_in = tmp_path / "programs", tmp_path / "bin/compute-sanitizer"
    subprocess.run([sys.executable, ROOT / "test/gpu/build.py", "-o", folder, "--chips", "sm_80",
                    "--case", "gpt2-f32", "--no-cubin", "--keep-work"], check=True,
                   env={**os.environ, "SHARDSMITH_BUILD": str(tool("shardsmith").parents[1])})
    environment = single.environment(
        FAKE_CUDA_FUNCTIONS=folder / "work/gpt2-f32/ir/07-device-functions.mlir")

    def run_script(code, path, **variables):
        done = subprocess.run(
            [sys.executable, folder / "run.py", "--sanitizer", "memcheck"], capture_output=True,
            text=True, env={**environment, "PATH": f"{path}:{os.environ['PATH']}", **variables})
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    assert "compute-sanitizer is not on PATH" in run_script(7, tmp_path)
    stand_in.parent.mkdir()
    stand_in.write_text(SANITIZER)
    stand_in.chmod(0o755)
    assert "1 of 1 cases hold" in run_script(0, stand_in.parent)
    found = run_script(7, stand_in.parent, SANITIZER_FINDS="1")
    assert "FAILS  memcheck: " in found and "Invalid __global__ read of size 4 bytes" in found


def test_steps_are_set_beside_those_of_pytorch(tmp_path):
    ours = [{"name": "llama-1b-f8", "kind": "speed", "step_ms": 50.0,
             "predicted": {"step_nanoseconds": 45_000_000}, "profile": {"longest_rest_us": 4.5}},
            {"name": "gpt2-f32", "kind": "correctness"}]
    theirs = {"name": "llama-1b", "batch": 8, "sequence": 1000, "parameters": 10**9,
              "median_step_ms": 100.0, "matmul_tflops": 1920.0}
    (tmp_path / "rows.json").write_text(json.dumps({"rows": ours}))
    (tmp_path / "torch.jsonl").write_text(json.dumps(theirs) + "\n")
    done = subprocess.run([sys.executable, ROOT / "bench/gpu/compare.py", tmp_path / "rows.json",
                           tmp_path / "torch.jsonl"], capture_output=True, text=True, check=True)
    # 6 · 10⁹ · 8,000 operations in 50 ms are 960 · 10¹² in a second.
    assert done.stdout.splitlines()[2:] == [
        "| llama-1b-f8 | 50.00 ms | 100.00 ms | 0.50 | 50% | 0.90 | 4.5 µs |"]
