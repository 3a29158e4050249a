// The nonlinear functions by number, in the order of Activation in engine/backend/ops/activation.h.
#ifndef FIRESIDE_ACTIVATION_KINDS_H
#define FIRESIDE_ACTIVATION_KINDS_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kActivationSiLU = 0;
SHARED_CONSTANT kActivationGeluErf = 1;
SHARED_CONSTANT kActivationGeluTanh = 2;
SHARED_CONSTANT kActivationReluSquared = 3;
SHARED_CONSTANT kActivationClampedSwiGlu = 4; // gated only
SHARED_CONSTANT kActivationRelu = 5;
SHARED_CONSTANT kActivationSigmoid = 6;
SHARED_CONSTANT kActivationTanh = 7;
SHARED_CONSTANT kActivationQuickGelu = 8;
SHARED_CONSTANT kActivationXIelu = 9; // of elementwise.comp only
SHARED_CONSTANT kActivationNone = 10; // x itself: an epilogue without a function

#endif
