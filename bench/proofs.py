# SPDX-License-Identifier: Apache-2.0
"""Which built-in models are planned with proof, on how many devices, and how
long that takes.

    python bench/proofs.py [--devices N …] [--cluster KIND] [--sequences N] [--time-limit S] [MODEL …]

Prints a Markdown table with seconds of the processor (one thread). A gap stands
behind them where the fastest plan is not proved; without one none is faster on
the cost model. (Plans that are simpler and as fast within 0.5 % are named before
it.) "too large" is a proof, too: that no plan fits.
With several kinds (`--cluster h100+a100`) each has an equal part of the devices,
in nodes of eight of its built-in cluster, and one link per device to the others.
The exit code is 1 if some plan was not proved.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from built_tool import add_tool_option, newest_tool

STOPPED, TOO_LARGE = 124, 4
SEQUENCES_PER_DEVICE = 2
FEWEST_SEQUENCES = 256


def built_in_models(tool):
    run = subprocess.run([tool, "inspect", "no such model"], capture_output=True, text=True)
    found = re.search(r"built-in models are (.*)", run.stderr)
    return found.group(1).strip().split(", ")


def cluster_of(tool, kinds, devices, folder):
    """A built-in cluster, or the file of one with several kinds of device."""
    if len(kinds) == 1:
        return f"{devices}x{kinds[0]}"
    count, rest = divmod(devices, len(kinds))
    if rest or count < 1 or (count > 8 and count % 8):
        sys.exit(f"{devices} devices are not {len(kinds)} equal parts in nodes of eight")
    cluster = {"version": 1, "name": f"{devices}x{'+'.join(kinds)}", "device_types": {}, "link_types": {}}
    groups = cluster["groups"] = []
    for kind in kinds:
        # Two nodes, so that it has a network.
        text = subprocess.run(
            [tool, "inspect", f"16x{kind}", "--json"], capture_output=True, text=True, check=True
        ).stdout
        own = json.loads(text)
        cluster["device_types"] |= own["device_types"]
        for name, link in own["link_types"].items():
            cluster["link_types"][f"{kind} {name}"] = link
        (group,) = own["groups"]
        group["name"] = kind
        node = group["node"]
        node["count"] = max(1, count // 8)
        for part in node["devices"][0], node["nics"]:
            part["count"] = min(count, 8)
        for part in group["network"], node["fabric"], node["nics"]:
            part["link"] = f"{kind} {part['link']}"
        group["network"].pop("rails", None)
        groups.append(group)
    cluster["interconnects"] = [
        {"between": [f"{a}[0]", f"{b}[0]"], "link": f"{b} network", "parallel": count}
        for i, b in enumerate(kinds)
        for a in kinds[:i]
    ]
    path = folder / f"{devices}.json"
    path.write_text(json.dumps(cluster))
    return path


def batch_of(devices, per_device):
    """Sequences of a step."""
    if per_device is None:
        return max(FEWEST_SEQUENCES, SEQUENCES_PER_DEVICE * devices)
    return max(1, round(per_device * devices))


def prove(tool, model, cluster, batch, limit, folder):
    """Seconds, and what became of the proof: a gap, "too large", or "no plan"
    before the search ended at its limit."""
    plan = folder / "plan.json"
    plan.unlink(missing_ok=True)
    command = [tool, "plan", model, "--cluster", cluster, "--threads", 1]
    command += ["--global-batch", batch, "--time-limit", limit, "-o", folder]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if run.returncode == TOO_LARGE:
        return seconds, "too large"
    if run.returncode not in (0, STOPPED):
        sys.exit(f"{' '.join(map(str, command))} failed:\n{run.stderr}")
    if not plan.exists():
        return seconds, "no plan"
    document = json.loads(plan.read_text())
    ranked = [document, *document.get("alternatives", [])]
    fastest = min(each["prediction"]["step_ns"] for each in ranked)
    return seconds, max(fastest / document["search"]["bound"] - 1, 0)


def text_of(seconds, proof):
    if isinstance(proof, str):
        return f"{seconds:.1f}, {proof}"
    return f"{seconds:.1f}, gap {proof:.2%}" if proof > 0 else f"{seconds:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help="built-in names; default: all")
    parser.add_argument("--devices", type=int, nargs="+", default=[8, 64, 512, 4096])
    parser.add_argument("--cluster", default="h100", help="kind of device, or several: h100+a100")
    parser.add_argument(
        "--sequences",
        type=float,
        metavar="N",
        help=f"per device; default: {SEQUENCES_PER_DEVICE}, and at least {FEWEST_SEQUENCES} in all",
    )
    parser.add_argument("--time-limit", type=float, default=600, help="seconds for each plan")
    add_tool_option(parser)
    arguments = parser.parse_args()
    tool = arguments.tool or newest_tool()

    missed = False
    heads = [f"{devices:,} {arguments.cluster.upper()}" for devices in arguments.devices]
    print(f"| model | {' | '.join(heads)} |")
    print(f"|---{'|---' * len(heads)}|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = arguments.cluster.split("+")
        clusters = {devices: cluster_of(tool, kinds, devices, folder) for devices in arguments.devices}
        for model in arguments.models or built_in_models(tool):
            cells = []
            for devices in arguments.devices:
                batch = batch_of(devices, arguments.sequences)
                seconds, proof = prove(tool, model, clusters[devices], batch, arguments.time_limit, folder)
                missed |= proof not in ("too large", 0)
                cells.append(text_of(seconds, proof))
            print(f"| {model} | {' | '.join(cells)} |", flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
