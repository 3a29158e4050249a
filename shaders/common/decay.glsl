#ifndef FIRESIDE_DECAY_GLSL
#define FIRESIDE_DECAY_GLSL

/// eˣ for the weights of a softmax, x ≤ 0; what is below 1e-35 is zero, where some drivers' exp
/// returns anything at all.
float decay(float x)
{
    return x < -80.0 ? 0.0 : exp(x);
}

#endif
