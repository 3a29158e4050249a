// What takes an id's place where the row holds NaN or an infinity: kNotFinite of
// engine/backend/not_finite.h.
#ifndef FIRESIDE_NOT_FINITE_H
#define FIRESIDE_NOT_FINITE_H
#include "shaders/common/shared_types.h"

SHARED_CONSTANT kNotFiniteId = 0xfffffffeu;

#endif
