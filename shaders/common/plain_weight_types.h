// Types of weights that are not quantised.
#ifndef FIRESIDE_PLAIN_WEIGHT_TYPES_H
#define FIRESIDE_PLAIN_WEIGHT_TYPES_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kWeightFloats = 0;
SHARED_CONSTANT kWeightHalves = 1;
SHARED_CONSTANT kWeightBrainFloats = 2; // BF16

#endif
