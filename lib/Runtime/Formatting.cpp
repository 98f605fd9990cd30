// SPDX-License-Identifier: Apache-2.0
//
// What fmt's shared library would hold. Programs link the runtime's archive on
// the user's machine, which need not have fmt, and compiling all of it into
// every file of the runtime takes most of the compiler's time.

#include <fmt/format-inl.h>

// Its templates that others only declare.
template fmt::detail::thousands_sep_result<char>
    fmt::detail::thousands_sep_impl<char>(locale_ref);
template char fmt::detail::decimal_point_impl<char>(locale_ref);
