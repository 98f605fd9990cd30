// RUN: shardsmith-opt %s --emit-ptx=chip=sm_75 --split-input-file --verify-diagnostics

// expected-error @below {{there is no chip 'sm_75'; known: sm_80, sm_90a, sm_100a, sm_120}}
module {
}
