#version 460
// Compiles only where glslang knows packed integer dot products.
#extension GL_EXT_integer_dot_product : require
layout(local_size_x = 1) in;
shared int sum;
void main()
{
    sum = dotPacked4x8AccSatEXT(1, 2, 3);
}
