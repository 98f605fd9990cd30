# SPDX-License-Identifier: Apache-2.0
"""Files that start a plan's ranks. `make test-launchers` runs Slurm, Ray and
Spark; here are mpirun, and what nodes get to do."""

import os
import re
import shutil
import subprocess

import pytest
from tools import ROOT, run_tool, tool

yaml = pytest.importorskip("yaml")

LAUNCHERS = {
    "torchrun": "node.sh", "slurm": "launch.sbatch", "kubernetes": "launch.yaml",
    "ray": "launch-ray.py", "spark": "launch-spark.py", "mpirun": "launch-mpirun.sh",
}  # fmt: skip
TWO_NODES = ROOT / "test/Commands/Inputs/launch/two-machines.json"


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """Plans for sixteen GPUs, and the program of two ranks in an odd folder."""
    folder = tmp_path_factory.mktemp("plans")
    common = ["gpt2-124m", "--cluster", "16xh100", "--seq", 256, "--global-batch", 64]
    run_tool("shardsmith", "plan", *common, "--fix", "tp=1,fsdp=2", "-o", folder / "gpus")
    model = ROOT / "test/models/gpt2-tiny.mlir"
    run_tool("shardsmith", "compile", model, "--cluster", "cpu:2", "-o", folder / "it's $HOME")
    run_tool("shardsmith", "compile", model, "--cluster", TWO_NODES, "-o", folder / "machines")
    return folder


def emit(plan, launcher, output, *options):
    run_tool("shardsmith", "emit", plan, "--launch", launcher, "-o", output, *options)
    return {path.name: path.read_text() for path in output.iterdir()}


def refused(*arguments):
    done = subprocess.run([tool("shardsmith"), "emit", *arguments], text=True, capture_output=True)
    return done.returncode, done.stderr


def check_syntax(name, text):
    if name.endswith((".sh", ".sbatch")):
        subprocess.run(["sh", "-n"], input=text, text=True, check=True)
    elif name.endswith(".py"):
        compile(text, name, "exec")
    elif name.endswith(".yaml"):
        assert yaml.safe_load(text)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_all_targets(plans, tmp_path, launcher):
    for target in ("pytorch", "accelerate", "jax"):
        files = emit(plans / "gpus", launcher, tmp_path / target, "--to", target, "--adapt")
        assert {"node.sh", LAUNCHERS[launcher]} <= files.keys()
        for name, text in files.items():
            check_syntax(name, text)
            assert not re.search("@[A-Z]+@", text), name
    if launcher == "slurm":
        for line in ("--nodes=2", "--ntasks-per-node=1", "--gpus-per-node=8", "--requeue"):
            assert f"#SBATCH {line}\n" in files["launch.sbatch"]
    if launcher in ("ray", "spark"):
        assert "NODES, LOCAL = 2, 8" in files[LAUNCHERS[launcher]] or "NODES = 2" in files[LAUNCHERS[launcher]]


def test_manifest_has_a_pod_for_each_node(plans, tmp_path):
    files = emit(plans / "gpus", "kubernetes", tmp_path / "out", "--to", "pytorch", "--adapt")
    manifest = yaml.safe_load(files["launch.yaml"])
    assert (manifest["apiVersion"], manifest["kind"]) == ("jobset.x-k8s.io/v1alpha2", "JobSet")
    (job,) = manifest["spec"]["replicatedJobs"]
    spec = job["template"]["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 2, 2)
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert container["resources"] == {"limits": {"nvidia.com/gpu": 8}}
    variables = {each["name"]: each.get("value") for each in container["env"]}
    # As JobSet names the first pod: set, job, copy, index; and the set's own domain.
    name = manifest["metadata"]["name"]
    assert variables["MASTER_ADDR"] == f"{name}-{job['name']}-0-0.{name}"
    mounted = {each["name"] for each in container["volumeMounts"]}
    assert mounted == {each["name"] for each in pod["volumes"]}


def test_node_starts_its_ranks(plans, tmp_path):
    """Runs node.sh with a torchrun that tells what it was called with."""
    emit(plans / "gpus", "torchrun", tmp_path / "out", "--to", "pytorch", "--adapt")
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "torchrun"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    fake.chmod(0o755)
    variables = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "NODE_RANK": "1", "MASTER_ADDR": "first"}
    done = subprocess.run(
        ["sh", tmp_path / "out/node.sh", "TRAIN.py", "two words"],
        env=variables, text=True, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "--nnodes", "2", "--nproc-per-node", "8", "--node-rank", "1", "--master-addr", "first",
        "--master-port", "29500", "TRAIN.py", "two words",
    ]  # fmt: skip


def test_program_of_one_node_goes_on_from_its_checkpoint(plans, tmp_path):
    emit(plans / "it's $HOME", "mpirun", tmp_path / "out")
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")
    variables = {
        **os.environ, "CHECKPOINTS": str(tmp_path / "check points"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }  # fmt: skip

    def steps(count):
        done = subprocess.run(
            ["sh", tmp_path / "out/launch-mpirun.sh", "--steps", str(count)],
            env=variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return re.findall(r"^step +(\d+)", done.stdout, re.M)

    assert steps(1) == ["0"]
    assert steps(3) == ["1", "2"]


def test_program_of_several_nodes_is_started_by_mpi(plans, tmp_path):
    files = emit(plans / "machines", "slurm", tmp_path / "slurm")
    assert files.keys() == {"launch.sbatch"}
    assert "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n" in files["launch.sbatch"]
    assert f"srun --distribution=block:block --kill-on-bad-exit=1 '{plans}/machines/program'" in files["launch.sbatch"]
    files = emit(plans / "machines", "mpirun", tmp_path / "mpirun")
    assert "mpirun -np 2 " in files["launch-mpirun.sh"] and "ppr:1:node" in files["launch-mpirun.sh"]
    for name, text in files.items():
        check_syntax(name, text)
    code, said = refused(plans / "machines", "--launch", "ray", "-o", tmp_path / "ray")
    assert code == 5 and "that ray starts a program on 2 nodes, whose ranks exchange over MPI" in said
    assert "nearest: --launch slurm or --launch mpirun" in said and not (tmp_path / "ray").exists()


def test_what_cannot_be_started(plans, tmp_path):
    output = tmp_path / "out"
    code, said = refused(plans / "gpus", "--launch", "slrum", "--to", "pytorch", "-o", output)
    assert code == 2 and "--launch slrum: no such launcher; did you mean slurm? expected one of" in said
    code, said = refused(plans / "gpus", "-o", output)
    assert code == 2 and "give a runtime with --to, or --launch alone" in said
    code, said = refused(plans / "gpus", "--launch", "slurm", "-o", output)
    assert code == 3 and "program: no such file; 'shardsmith compile" in said
    code, said = refused(plans / "gpus", "--launch", "slurm", "--adapt", "-o", output)
    assert code == 2 and "--adapt and --json are for --to" in said
    run_tool("shardsmith", "plan", "gpt2-124m", "--cluster", "16xh100", "--seq", 256,
             "--global-batch", 60, "--fix", "devices=12,tp=1,pp=1,zero=0", "-o", tmp_path / "twelve")  # fmt: skip
    code, said = refused(tmp_path / "twelve", "--launch", "ray", "--to", "pytorch", "--adapt", "-o", output)
    assert code == 5 and "it cannot say 12 ranks on nodes of 8; nearest: devices=8" in said
    code, said = refused(tmp_path / "twelve", "--launch", "slurm", "--to", "horovod", "-o", output)
    assert code == 5 and "Horovod, which starts its ranks itself" in said
    assert not output.exists()
