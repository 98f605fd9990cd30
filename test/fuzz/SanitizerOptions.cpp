// SPDX-License-Identifier: Apache-2.0
//
// LLVM is not built with sanitizers, and its headers mark memory pools that
// its libraries then use without the marks.

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_leaks=0";
}

extern "C" const char *__ubsan_default_options() {
  return "print_stacktrace=1:halt_on_error=1";
}
