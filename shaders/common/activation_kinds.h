// The nonlinear functions by number, in the order of Activation in engine/backend/ops/activation.h.
#ifndef FIRESIDE_ACTIVATION_KINDS_H
#define FIRESIDE_ACTIVATION_KINDS_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kActivationSiLU = 0;
SHARED_CONSTANT kActivationGeluErf = 1;
SHARED_CONSTANT kActivationGeluTanh = 2;
SHARED_CONSTANT kActivationReluSquared = 3;
SHARED_CONSTANT kActivationClampedSwiGlu = 4; // gated only
SHARED_CONSTANT kActivationNone = 5;          // x itself: an epilogue without a function

#endif
