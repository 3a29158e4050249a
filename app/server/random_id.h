#pragma once
#include <random>
#include <string>

namespace fireside::server {

/// A name that nothing else has: the prefix, and letters and digits.
inline std::string randomId(std::string prefix, int length = 24)
{
    constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    std::random_device device;
    for (int i = 0; i < length; ++i)
        prefix += kDigits[device() % 36];
    return prefix;
}

/// Of a call: in the form that all models' templates take, Mistral's too.
inline std::string newCallId()
{
    return randomId({}, 9);
}

} // namespace fireside::server
