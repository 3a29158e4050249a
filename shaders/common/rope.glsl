// Angles of rotary position embedding: position · frequency, exact at any position. A frequency is
// kept as the part of a full turn per position, a 0.64 fixed-point number (x: high word), so that
// whole turns fall off in the product by themselves.
#ifndef FIRESIDE_ROPE_GLSL
#define FIRESIDE_ROPE_GLSL

/// Cosine and sine of the angle, each within 2e-7.
vec2 cosSin(uint position, uvec2 turnsPerPosition)
{
    uint high, low;
    umulExtended(position, turnsPerPosition.y, high, low);
    const uint phase = position * turnsPerPosition.x + high; // 2³² is a full turn
    const uint quadrant = (phase + 0x20000000u) >> 30;
    const float x = float(int(phase - (quadrant << 30))) * 1.4629180792671596e-9; // |x| ≤ π/4
    const float y = x * x;
    // Taylor: the first missing terms are below 2e-9.
    const float s =
        x + x * y *
                (-1.0 / 6.0 + y * (1.0 / 120.0 + y * (-1.0 / 5040.0 + y * (1.0 / 362880.0))));
    const float c = 1.0 + y * (-0.5 + y * (1.0 / 24.0 +
                                           y * (-1.0 / 720.0 + y * (1.0 / 40320.0 -
                                                                    y * (1.0 / 3628800.0)))));
    return quadrant == 0   ? vec2(c, s)
           : quadrant == 1 ? vec2(-s, c)
           : quadrant == 2 ? vec2(-c, -s)
                           : vec2(s, -c);
}

#endif
