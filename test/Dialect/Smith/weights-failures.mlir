// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{'smith.weights' must be {prefix = "…", ignored = ["…"], copies = {… = "…"}, older = {… = "…"}, stacked = ["…"]}, got "model."}}
module attributes {smith.weights = "model."} {
}

// -----

// expected-error@+1 {{'smith.weights' must be}}
module attributes {smith.weights = {prefix = "", ignored = [], copies = {}}} {
}

// -----

// expected-error@+1 {{'smith.weights' must be}}
module attributes {smith.weights = {prefix = "", ignored = [], copies = {}, older = {}, stacked = [], colour = ""}} {
}

// -----

// expected-error@+1 {{'smith.weights' must be}}
module attributes {smith.weights = {prefix = 1 : i64, ignored = [], copies = {}, older = {}, stacked = []}} {
}

// -----

// expected-error@+1 {{'smith.weights' must be}}
module attributes {smith.weights = {prefix = "", ignored = [1 : i64], copies = {}, older = {}, stacked = []}} {
}

// -----

// expected-error@+1 {{'smith.weights' must be}}
module attributes {smith.weights = {prefix = "", ignored = [], copies = {a = 1 : i64}, older = {}, stacked = []}} {
}

// -----

// expected-error@+1 {{'smith.weights' must be}}
module attributes {smith.weights = {prefix = "", ignored = [], copies = {}, older = {}, stacked = "a"}} {
}
