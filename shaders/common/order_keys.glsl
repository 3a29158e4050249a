// Values as unsigned integers of the same order: larger values have larger keys, NaN has 0, and the
// two zeros are equal. Integers, because a compiler may assume that there is no NaN.
#ifndef FIRESIDE_ORDER_KEYS_GLSL
#define FIRESIDE_ORDER_KEYS_GLSL
uint orderKey(float x)
{
    const uint bits = floatBitsToUint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0;
    if ((bits & 0x7fffffffu) == 0)
        return 0x80000000u;
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
/// NaN and the infinities have one key of their own, above those of all numbers.
const uint kNotFiniteKey = 0xffffffffu;
uint finiteKey(float x)
{
    return (floatBitsToUint(x) & 0x7f800000u) == 0x7f800000u ? kNotFiniteKey : orderKey(x);
}
float valueOfKey(uint key)
{
    return uintBitsToFloat((key & 0x80000000u) != 0 ? key & 0x7fffffffu : ~key);
}

#endif
