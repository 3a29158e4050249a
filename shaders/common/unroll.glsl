#ifndef FIRESIDE_UNROLL_GLSL
#define FIRESIDE_UNROLL_GLSL

// Software devices compile unrolled loops for longer than it takes to run them.
#ifdef SMALL_CODE
#define UNROLL [[dont_unroll]]
#else
#define UNROLL [[unroll]]
#endif

#endif
