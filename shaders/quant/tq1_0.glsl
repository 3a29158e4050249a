// On the device digits to the base 3 are two bits each.
#include "shaders/quant/tq2_0.glsl"
