# SPDX-License-Identifier: Apache-2.0
"""Reads an emitted file with the runtime's own parser, and prints what the
runtime derives from it:

    read_by_runtime.py RUNTIME FILE RANKS LAYERS
"""

import importlib.machinery
import json
import logging
import os
import shlex
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

# Of the model that the file is for.
LAYERS = int(sys.argv[4])

# Libraries for GPUs that Megatron-Bridge imports and no parser uses.
_FOR_GPUS = {"transformer_engine", "causal_conv1d", "fla", "mamba_ssm", "nvidia_resiliency_ext"}


class _Absent:
    """Imports names of `_FOR_GPUS` as modules of which anything can be taken."""

    def find_spec(self, name, *_):
        if name.split(".")[0] in _FOR_GPUS:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__spec__, module.__path__, module.__version__ = spec, [], "2.12.0"
        return module

    def exec_module(self, module):
        pass


def options_of(script):
    """The words behind `-m MODULE` or the program, of the script's last command."""
    text = script.read_text().replace("\\\n", " ").replace("$folder", str(script.parent))
    return shlex.split(text[text.index("exec ") :], comments=True)


def torchtitan(path, ranks):
    from torchtitan.config import ConfigManager
    from torchtitan.distributed.parallel_dims import ParallelDims

    words = options_of(path)
    words = [each for each in words[words.index("torchtitan.train") + 1 :] if each != "$@"]
    config = ConfigManager().parse_args(["--module", "llama3", "--config", "llama3_8b", *words])
    parallelism, training = config.parallelism, config.training
    dims = ParallelDims.from_config(parallelism, ranks)
    stages = parallelism.module_fqns_per_model_part or []
    found = {
        "tensor": dims.tp,
        "context": dims.cp,
        "data": dims.dp_replicate * dims.dp_shard,
        "pipeline": dims.pp,
        "expert": dims.ep,
        "layers": [sum(m.startswith("layers.") for m in each) for each in stages],
        "batch": training.global_batch_size,
        "sequence": training.seq_len,
        "recompute": type(config.activation_checkpoint).__qualname__.split(".")[0]
        if config.activation_checkpoint
        else None,
        "keeps": parallelism.fsdp_reshard_after_forward,
    }
    if table := parallelism.pipeline_parallel_schedule_csv:
        found["order"] = torch_schedule(
            table, dims.pp, len(stages) // dims.pp,
            training.local_batch_size // parallelism.pipeline_parallel_microbatch_size,
        )  # fmt: skip
    return found


def torch_schedule(table, pipeline, per_rank, micro_batches):
    """PyTorch's runtime of schedules reads the table of rank 0, adds its
    messages, and plays all ranks: how many actions each has then."""
    import torch
    from torch import distributed
    from torch.distributed.pipelining import PipelineStage
    from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime

    distributed.init_process_group("fake", rank=0, world_size=pipeline)
    stages = [
        PipelineStage(torch.nn.Identity(), at * pipeline, per_rank * pipeline, torch.device("cpu"))
        for at in range(per_rank)
    ]
    schedule = _PipelineScheduleRuntime(stages, micro_batches, loss_fn=lambda out, _: out)
    schedule._load_csv(table)
    return [len(actions) for _, actions in sorted(schedule.pipeline_order_with_comms.items())]


def megatron(path, ranks):
    """Megatron-Core has no parser of Megatron-LM's flags: its configuration is
    made of the flags that are its fields, and its ranks and its layout are
    derived from that."""
    import torch
    from megatron.core.parallel_state import RankGenerator
    from megatron.core.transformer import TransformerConfig

    words, flags = options_of(path), {}
    for at, word in enumerate(words):
        if word.startswith("--"):
            value = words[at + 1] if at + 1 < len(words) else "--"
            flags[word[2:].replace("-", "_")] = None if value.startswith("--") else value
    fields = TransformerConfig.__dataclass_fields__
    given = {}
    for name, value in flags.items():
        if name in fields:
            given[name] = True if value is None else int(value) if value.isdigit() else value
    # What Megatron-LM has from the model's own flags.
    given |= {"num_layers": LAYERS, "hidden_size": 512, "num_attention_heads": 64}
    given |= {"num_query_groups": 8, "pipeline_dtype": torch.bfloat16}
    config = TransformerConfig(**given)
    shards = config.tensor_model_parallel_size * config.context_parallel_size
    shards *= config.pipeline_model_parallel_size
    order = "tp-cp-ep-pp-dp" if "use_tp_pp_dp_mapping" in flags else "tp-cp-ep-dp-pp"
    groups = RankGenerator(
        config.tensor_model_parallel_size, 1, ranks // shards,
        config.pipeline_model_parallel_size, config.context_parallel_size, order,
    )  # fmt: skip
    return {
        "tensor": config.tensor_model_parallel_size,
        "context": config.context_parallel_size,
        "pipeline": config.pipeline_model_parallel_size,
        "expert": config.expert_model_parallel_size,
        "data": len(groups.get_ranks("dp")[0]),
        "neighbours": groups.get_ranks("tp")[0],
        "stage of rank 0": groups.get_ranks("pp")[0],
        "layers": layers_of(config),
        "batch": int(flags["global_batch_size"]),
        "sequence": int(flags["seq_length"]),
    }


def layers_of(config):
    """Decoder layers of each stage, in the order of the model."""
    from megatron.core.parallel_state import set_virtual_pipeline_model_parallel_world_size
    from megatron.core.transformer.enums import LayerType
    from megatron.core.transformer.pipeline_parallel_layer_layout import (
        PipelineParallelLayerLayout,
    )

    layout = config.pipeline_model_parallel_layout
    if not layout:
        return []
    if isinstance(layout, str):
        layout = PipelineParallelLayerLayout(layout, config.pipeline_model_parallel_size)
    chunks = layout.virtual_pipeline_model_parallel_size
    set_virtual_pipeline_model_parallel_world_size(chunks)
    return [
        layout.get_num_layers_to_build(LayerType.decoder, vp_stage=chunk, pp_rank=rank)
        for chunk in range(chunks)
        for rank in range(config.pipeline_model_parallel_size)
    ]


def megatron_bridge(path, ranks):
    sys.meta_path.insert(0, _Absent())
    from megatron.bridge.models import GPTModelProvider
    from megatron.bridge.training import config as parts
    from megatron.bridge.training.utils.omegaconf_utils import process_config_with_overrides

    config = parts.ConfigContainer(
        train=parts.TrainingConfig(train_iters=1, micro_batch_size=1, global_batch_size=1),
        model=GPTModelProvider(num_layers=LAYERS, hidden_size=512, num_attention_heads=64),
        optimizer=parts.OptimizerConfig(),
        scheduler=parts.SchedulerConfig(),
        dataset=MagicMock(),
        logger=parts.LoggerConfig(),
        tokenizer=parts.TokenizerConfig(),
        checkpoint=parts.CheckpointConfig(),
    )
    process_config_with_overrides(config, config_filepath=str(path))
    model = config.model
    return {
        "tensor": model.tensor_model_parallel_size,
        "context": model.context_parallel_size,
        "pipeline": model.pipeline_model_parallel_size,
        "expert": model.expert_model_parallel_size,
        "data": config.get_data_parallel_size(ranks),
        "layers": layers_of(model),
        "batch": config.train.global_batch_size,
        "micro_batch": config.train.micro_batch_size,
        "sequence": model.seq_length,
        "distributed optimizer": config.ddp.use_distributed_optimizer,
    }


def nanotron(path, ranks):
    # The package imports its own logging in a circle, whatever is imported first.
    stand_in = types.ModuleType("nanotron.logging")
    stand_in.get_logger = logging.getLogger
    stand_in.__getattr__ = lambda _: MagicMock()
    sys.modules["nanotron.logging"] = stand_in
    import nanotron

    nanotron.logging = stand_in
    import yaml
    from dacite import Config as Rules
    from dacite import from_dict
    from nanotron.config import Config, ParallelismArgs, TokensArgs
    from nanotron.config.utils_config import cast_str_to_pipeline_engine
    from nanotron.parallel.pipeline_parallel.engine import PipelineEngine
    from nanotron.parallel.tensor_parallel.nn import TensorParallelLinearMode

    sections = yaml.safe_load(path.read_text())
    # As its get_config_from_dict has them.
    rules = Rules(
        cast=[Path],
        strict=True,
        type_hooks={
            PipelineEngine: cast_str_to_pipeline_engine,
            TensorParallelLinearMode: lambda name: TensorParallelLinearMode[name.upper()],
        },
    )
    parallelism = from_dict(ParallelismArgs, sections["parallelism"], rules)
    tokens = from_dict(TokensArgs, {"train_steps": 1} | sections["tokens"], rules)
    config = Config.create_empty()
    config.parallelism, config.tokens = parallelism, tokens
    assert parallelism.dp * parallelism.pp * parallelism.tp == ranks
    return {
        "tensor": parallelism.tp,
        "data": parallelism.dp,
        "pipeline": parallelism.pp,
        "expert": parallelism.expert_parallel_size,
        "context": 1,
        "batch": config.global_batch_size,
        "sequence": tokens.sequence_length,
        "micro_batch": tokens.micro_batch_size,
        "zero": sections["optimizer"]["zero_stage"],
        "mode": parallelism.tp_mode.name,
    }


def accelerate(path, ranks):
    from accelerate import FullyShardedDataParallelPlugin
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.parallelism_config import ParallelismConfig
    from accelerate.utils import prepare_multi_gpu_env

    words = ["--config_file", str(path), "TRAIN.py"]
    arguments, *_ = _validate_launch_command(launch_command_parser().parse_args(words))
    assert arguments.num_processes == ranks
    os.environ.update(prepare_multi_gpu_env(arguments))
    sizes, plugin = ParallelismConfig(), FullyShardedDataParallelPlugin()
    assert sizes.total_size == ranks and plugin.fsdp_version == 2
    return {
        "tensor": sizes.tp_size,
        "context": sizes.cp_size,
        "data": sizes.dp_replicate_size * sizes.dp_shard_size,
        "pipeline": 1,
        "expert": 1,
        "zero": 3 if plugin.reshard_after_forward else 2,
        "recompute": "full" if plugin.activation_checkpointing else "none",
    }


if __name__ == "__main__":
    runtime, file, count = sys.argv[1:4]
    print(json.dumps(globals()[runtime](Path(file), int(count))), flush=True)
    os._exit(0)
