// The values of IQ4_NL and IQ4_XS.
#include "shaders/quant/table.glsl"
const int kDecoderTable[16] = int[](-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69,
                                    89, 113);
