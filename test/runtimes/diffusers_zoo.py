# SPDX-License-Identifier: Apache-2.0
"""Small models of `diffusers`, by class and configuration, each with the batch and
the loss that it is trained with."""

from dataclasses import dataclass, field

import diffusers
import torch
import torch.nn.functional as F

SAMPLES = 4
# Angles are steps times frequencies: with more steps the roundings of frequencies
# in float32 would be seen.
STEPS = 100
LIMITS = {"timestep": STEPS, "class_labels": 10}

# A latent image, and a text of five words that says what it shows.
IMAGE, TEXT, WIDTH = (4, 8, 8), (5, 12), 12


def floats(*shape):
    return torch.zeros(SAMPLES, *shape)


@dataclass
class Case:
    """A model that takes `inputs` by name and answers with what it takes for the
    noise in a sample, a tensor of the shape `noise`."""

    kind: type
    config: dict
    inputs: dict
    noise: tuple
    has_steps: bool = True
    # Steps are given as shares of a thousand.
    has_shares: bool = False
    # Zeros that it takes beside the batch, the same for all samples.
    fixed: dict = field(default_factory=dict)

    def make(self):
        return self.kind(**self.config)

    @property
    def batch(self):
        batch = {name: floats(*shape) for name, shape in self.inputs.items()}
        if self.has_steps:
            batch["timestep"] = torch.zeros(SAMPLES, dtype=torch.long)
        if "num_embeds_ada_norm" in self.config:
            batch["class_labels"] = torch.zeros(SAMPLES, dtype=torch.long)
        return batch | {"noise": floats(*self.noise)}

    @property
    def limits(self):
        return {name: limit for name, limit in LIMITS.items() if name in self.batch}

    def loss(self, model, batch):
        given = {name: value for name, value in batch.items() if name != "noise"}
        if self.has_shares:
            given["timestep"] = given["timestep"] / 1000
        like = batch["noise"]
        fixed = {name: torch.zeros(shape, dtype=like.dtype, device=like.device)
                 for name, shape in self.fixed.items()}  # fmt: skip
        (predicted,) = model(**given, **fixed, return_dict=False)
        return F.mse_loss(predicted, like)


TRANSFORMER = dict(num_attention_heads=2, attention_head_dim=8, num_layers=2)
IMAGES = dict(sample_size=8, in_channels=4, out_channels=4)
UNET = IMAGES | dict(block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4)

ZOO = {
    "autoencoder-kl": Case(
        diffusers.AutoencoderKL,
        dict(
            block_out_channels=(8, 16), down_block_types=("DownEncoderBlock2D",) * 2,
            up_block_types=("UpDecoderBlock2D",) * 2, norm_num_groups=4, sample_size=16,
        ),
        dict(sample=(3, 16, 16)), noise=(3, 16, 16), has_steps=False,
    ),
    "cogvideox": Case(
        diffusers.CogVideoXTransformer3DModel,
        dict(
            num_attention_heads=2, attention_head_dim=16, in_channels=4, out_channels=4,
            time_embed_dim=4, text_embed_dim=WIDTH, num_layers=1, sample_width=8,
            sample_height=8, sample_frames=5, max_text_seq_length=5,
        ),
        dict(hidden_states=(2, *IMAGE), encoder_hidden_states=TEXT), noise=(2, *IMAGE),
    ),
    "dit": Case(
        diffusers.DiTTransformer2DModel,
        TRANSFORMER | IMAGES | dict(
            norm_num_groups=4, patch_size=2, num_embeds_ada_norm=LIMITS["class_labels"]
        ),
        dict(hidden_states=IMAGE), noise=IMAGE,
    ),
    "flux": Case(
        diffusers.FluxTransformer2DModel,
        dict(
            in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
            num_attention_heads=2, joint_attention_dim=WIDTH, pooled_projection_dim=10,
            axes_dims_rope=(4, 4, 8),
        ),
        dict(hidden_states=(16, 4), encoder_hidden_states=TEXT, pooled_projections=(10,)),
        noise=(16, 4), has_shares=True, fixed=dict(img_ids=(16, 3), txt_ids=(5, 3)),
    ),
    "pixart": Case(
        diffusers.PixArtTransformer2DModel,
        TRANSFORMER | IMAGES | dict(
            cross_attention_dim=16, caption_channels=WIDTH, use_additional_conditions=False
        ),
        dict(hidden_states=IMAGE, encoder_hidden_states=TEXT), noise=IMAGE,
    ),
    "sana": Case(
        diffusers.SanaTransformer2DModel,
        TRANSFORMER | IMAGES | dict(
            num_layers=1, patch_size=1, num_cross_attention_heads=2, cross_attention_head_dim=8,
            cross_attention_dim=16, caption_channels=WIDTH,
        ),
        dict(hidden_states=IMAGE, encoder_hidden_states=TEXT), noise=IMAGE,
    ),
    "sd3": Case(
        diffusers.SD3Transformer2DModel,
        TRANSFORMER | IMAGES | dict(
            joint_attention_dim=WIDTH, caption_projection_dim=16, pooled_projection_dim=10,
            pos_embed_max_size=8,
        ),
        dict(hidden_states=IMAGE, encoder_hidden_states=TEXT, pooled_projections=(10,)),
        noise=IMAGE,
    ),
    "unet-2d": Case(
        diffusers.UNet2DModel,
        UNET | dict(
            attention_head_dim=4, down_block_types=("DownBlock2D", "AttnDownBlock2D"),
            up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        ),
        dict(sample=IMAGE), noise=IMAGE,
    ),
    "unet-2d-condition": Case(
        diffusers.UNet2DConditionModel,
        UNET | dict(
            attention_head_dim=2, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=WIDTH,
        ),
        dict(sample=IMAGE, encoder_hidden_states=TEXT), noise=IMAGE,
    ),
    "unet-3d-condition": Case(
        diffusers.UNet3DConditionModel,
        UNET | dict(
            attention_head_dim=4, down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
            up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"), cross_attention_dim=WIDTH,
        ),
        dict(sample=(4, 2, 8, 8), encoder_hidden_states=TEXT), noise=(4, 2, 8, 8),
    ),
    "wan": Case(
        diffusers.WanTransformer3DModel,
        TRANSFORMER | dict(
            attention_head_dim=12, in_channels=4, out_channels=4, text_dim=WIDTH, freq_dim=32,
            ffn_dim=32, cross_attn_norm=True, rope_max_seq_len=32,
        ),
        dict(hidden_states=(4, 2, 8, 8), encoder_hidden_states=TEXT), noise=(4, 2, 8, 8),
    ),
}  # fmt: skip
