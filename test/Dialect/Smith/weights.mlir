// RUN: shardsmith-opt %s | shardsmith-opt | FileCheck %s

// CHECK: smith.weights = {copies = {lm_head.weight = "wte.weight"}, ignored = ["h.*.attn.bias"], older = {gamma = "weight"}, prefix = "model.", stacked = ["experts.#.w"]}
module attributes {smith.weights = {prefix = "model.", ignored = ["h.*.attn.bias"], copies = {lm_head.weight = "wte.weight"}, older = {gamma = "weight"}, stacked = ["experts.#.w"]}} {
}
