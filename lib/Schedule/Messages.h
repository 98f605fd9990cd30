// SPDX-License-Identifier: Apache-2.0
//
// Sends and receives, and the values that they carry.
//
//     stage 2  F5 ─ SEND_F 5 ──▶ RECV_F 5 ─ F5  stage 3      Activation of 2
//     stage 2  B5 ─ RECV_B 5 ◀── SEND_B 5 ─ B5  stage 3   InputGradient of 3

#ifndef SHARDSMITH_LIB_SCHEDULE_MESSAGES_H
#define SHARDSMITH_LIB_SCHEDULE_MESSAGES_H

#include "Dependencies.h"

namespace shardsmith::schedule {

inline bool isSend(ActionKind kind) {
  return kind == ActionKind::SendForward || kind == ActionKind::SendBackward;
}

/// The value that a send or receive carries.
inline Value carriedBy(const Action &action) {
  switch (action.kind) {
  case ActionKind::SendForward:
    return {Product::Activation, action.stage, action.microBatch};
  case ActionKind::ReceiveForward:
    return {Product::Activation, action.stage - 1, action.microBatch};
  case ActionKind::SendBackward:
    return {Product::InputGradient, action.stage, action.microBatch};
  default:
    return {Product::InputGradient, action.stage + 1, action.microBatch};
  }
}

/// The send of an activation or input gradient.
inline Action sendOf(const Value &value) {
  return {value.product == Product::Activation ? ActionKind::SendForward
                                               : ActionKind::SendBackward,
          value.stage, value.microBatch};
}

/// The receive that takes what `sendOf(value)` sends.
inline Action receiveOf(const Value &value) {
  if (value.product == Product::Activation)
    return {ActionKind::ReceiveForward, value.stage + 1, value.microBatch};
  return {ActionKind::ReceiveBackward, value.stage - 1, value.microBatch};
}

/// The stage at the other end of a send or receive.
inline int64_t peerStage(const Action &action) {
  bool behind = action.kind == ActionKind::SendForward ||
                action.kind == ActionKind::ReceiveBackward;
  return behind ? action.stage + 1 : action.stage - 1;
}

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_MESSAGES_H
