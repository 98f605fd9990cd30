# SPDX-License-Identifier: Apache-2.0
"""Small models of `transformers`, by class and configuration, without dropout
(its random bits are other ones than PyTorch's)."""

import torch
import transformers as hf

VOCABULARY = 100
CLASSES = 10

COMMON = dict(
    vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=64, bos_token_id=1, eos_token_id=2, pad_token_id=0,
)  # fmt: skip
NO_DROPOUT = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
ENCODER = COMMON | NO_DROPOUT
GROUPED = COMMON | dict(num_key_value_heads=2)
EXPERTS = dict(num_experts_per_tok=2, moe_intermediate_size=32)
ENDS = dict(bos_token_id=1, eos_token_id=2, pad_token_id=0)

LANGUAGE = {
    "bart": (
        hf.BartForConditionalGeneration,
        hf.BartConfig(
            vocab_size=VOCABULARY, d_model=32, encoder_layers=2, decoder_layers=2,
            encoder_ffn_dim=64, decoder_ffn_dim=64, encoder_attention_heads=4,
            decoder_attention_heads=4, dropout=0.0, attention_dropout=0.0,
            max_position_embeddings=64, forced_eos_token_id=None, **ENDS,
        ),
    ),
    "bert": (hf.BertForMaskedLM, hf.BertConfig(**ENCODER)),
    "deberta-v2": (hf.DebertaV2ForMaskedLM, hf.DebertaV2Config(**ENCODER)),
    "deepseek-v3": (
        hf.DeepseekV3ForCausalLM,
        hf.DeepseekV3Config(
            **COMMON, **EXPERTS, num_key_value_heads=4, n_routed_experts=4, n_group=1,
            topk_group=1, q_lora_rank=16, kv_lora_rank=8, qk_rope_head_dim=8,
            v_head_dim=8, qk_nope_head_dim=8, first_k_dense_replace=1,
        ),
    ),
    "falcon": (
        hf.FalconForCausalLM,
        hf.FalconConfig(
            vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
            hidden_dropout=0.0, attention_dropout=0.0, **ENDS,
        ),
    ),
    "gemma2": (hf.Gemma2ForCausalLM, hf.Gemma2Config(**GROUPED, head_dim=8)),
    "gpt-neox": (hf.GPTNeoXForCausalLM, hf.GPTNeoXConfig(**COMMON)),
    "gpt2": (
        hf.GPT2LMHeadModel,
        hf.GPT2Config(
            vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, resid_pdrop=0.0,
            embd_pdrop=0.0, attn_pdrop=0.0, **ENDS,
        ),
    ),
    "llama": (hf.LlamaForCausalLM, hf.LlamaConfig(**GROUPED)),
    "mamba": (
        hf.MambaForCausalLM,
        hf.MambaConfig(
            vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, state_size=4, **ENDS
        ),
    ),
    "mistral": (hf.MistralForCausalLM, hf.MistralConfig(**GROUPED)),
    "mixtral": (hf.MixtralForCausalLM, hf.MixtralConfig(**GROUPED, num_local_experts=4)),
    "opt": (
        hf.OPTForCausalLM,
        hf.OPTConfig(
            vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
            ffn_dim=64, word_embed_proj_dim=32, dropout=0.0, **ENDS,
        ),
    ),
    "phi3": (hf.Phi3ForCausalLM, hf.Phi3Config(**GROUPED)),
    "qwen2": (hf.Qwen2ForCausalLM, hf.Qwen2Config(**GROUPED)),
    "qwen3": (hf.Qwen3ForCausalLM, hf.Qwen3Config(**GROUPED, head_dim=8)),
    "qwen3-moe": (
        hf.Qwen3MoeForCausalLM,
        hf.Qwen3MoeConfig(**GROUPED, **EXPERTS, head_dim=8, num_experts=4),
    ),
    "roberta": (hf.RobertaForMaskedLM, hf.RobertaConfig(**ENCODER)),
    "t5": (
        hf.T5ForConditionalGeneration,
        hf.T5Config(
            vocab_size=VOCABULARY, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
            dropout_rate=0.0, decoder_start_token_id=0, eos_token_id=2, pad_token_id=0,
        ),
    ),
}  # fmt: skip

IMAGES = {
    "convnext": (
        hf.ConvNextForImageClassification,
        hf.ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, num_labels=CLASSES),
    ),
    "resnet": (
        hf.ResNetForImageClassification,
        hf.ResNetConfig(embedding_size=8, hidden_sizes=[16, 32], depths=[1, 1], num_labels=CLASSES),
    ),
    "swin": (
        hf.SwinForImageClassification,
        hf.SwinConfig(
            image_size=32, patch_size=2, embed_dim=16, depths=[2, 2], num_heads=[2, 4],
            window_size=4, num_labels=CLASSES, drop_path_rate=0.0, **NO_DROPOUT,
        ),
    ),
    "vit": (
        hf.ViTForImageClassification,
        hf.ViTConfig(
            hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
            image_size=32, patch_size=8, num_labels=CLASSES, **NO_DROPOUT,
        ),
    ),
}  # fmt: skip

ALL = LANGUAGE | IMAGES


def example(name):
    """(batch, limits) that a model of this name is trained with."""
    if name in LANGUAGE:
        batch = {
            key: torch.zeros(4, 16, dtype=torch.long) for key in ("input_ids", "labels")
        }
        return batch, {"input_ids": VOCABULARY, "labels": VOCABULARY}
    labels = torch.zeros(4, dtype=torch.long)
    return {"pixel_values": torch.zeros(4, 3, 32, 32), "labels": labels}, {"labels": CLASSES}
