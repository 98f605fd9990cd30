// SPDX-License-Identifier: Apache-2.0
//
// A shared library that is looked for when it is first needed.

#ifndef SHARDSMITH_RUNTIME_DEVICE_OPENEDLIBRARY_H
#define SHARDSMITH_RUNTIME_DEVICE_OPENEDLIBRARY_H

#include <dlfcn.h>
#include <fmt/format.h>
#include <initializer_list>
#include <string>

namespace shardsmith::runtime::device {

/// A library that stays loaded: the driver does not like to be unloaded.
class OpenedLibrary {
public:
  /// Opens the first of the names that there is. Without any, the problem is
  /// that of the first one.
  OpenedLibrary(std::initializer_list<const char *> names) {
    for (const char *each : names) {
      name = each;
      handle = dlopen(each, RTLD_NOW | RTLD_LOCAL);
      if (handle) {
        failure.clear();
        return;
      }
      if (failure.empty())
        failure = dlerror();
    }
  }

  /// Null if there is no such function, and a problem then.
  template <typename Signature> Signature *find(const char *function) {
    void *found = handle ? dlsym(handle, function) : nullptr;
    if (!found && failure.empty())
      failure = fmt::format("{} has no function {}", name, function);
    return reinterpret_cast<Signature *>(found);
  }

  /// What was missing first, the library or a function; empty if nothing was.
  const std::string &problem() const { return failure; }

private:
  const char *name = nullptr;
  void *handle = nullptr;
  std::string failure;
};

} // namespace shardsmith::runtime::device

#endif // SHARDSMITH_RUNTIME_DEVICE_OPENEDLIBRARY_H
