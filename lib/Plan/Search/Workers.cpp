// SPDX-License-Identifier: Apache-2.0

#include "Workers.h"

namespace shardsmith::search {

Workers::Workers(unsigned threads) {
  for (unsigned helper = 1; helper < threads; ++helper)
    helpers.emplace_back([this] { help(); });
}

Workers::~Workers() {
  isOver = true;
  ++round;
  round.notify_all();
}

void Workers::help() {
  for (unsigned last = 0;;) {
    round.wait(last);
    last = round;
    if (isOver)
      return;
    take();
    if (--busy == 0)
      busy.notify_one();
  }
}

void Workers::take() {
  for (size_t i = next++; i < count; i = next++)
    (*work)(i);
}

void Workers::share(size_t items, const std::function<void(size_t)> &each) {
  work = &each;
  count = items;
  next = 0;
  bool isShared = items > 1 && !helpers.empty();
  if (isShared) {
    busy = unsigned(helpers.size());
    ++round;
    round.notify_all();
  }
  take();
  if (isShared)
    for (unsigned left = busy; left > 0; left = busy)
      busy.wait(left);
}

} // namespace shardsmith::search
