#include "tests/support/golden_recipe.h"

#include "engine/tensor/half.h"
#include "tests/support/safetensors_builder.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace fireside::test {
namespace {

std::uint64_t splitMix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

struct TensorRecipe
{
    std::string name, type, seed;
    std::vector<std::uint64_t> shape; // empty: a scalar
    std::int64_t centre = 0, spread = 0;

    explicit TensorRecipe(const std::string &line)
    {
        std::istringstream in(line);
        std::string dims;
        if (!(in >> name >> type >> dims >> centre >> spread) ||
            (type != "F32" && type != "F16" && type != "BF16"))
            throw std::runtime_error("no tensor's recipe: " + line);
        if (!(in >> seed))
            seed = name;
        if (dims == "scalar")
            return;
        std::istringstream parts(dims);
        for (std::string dim; std::getline(parts, dim, 'x');)
            shape.push_back(std::stoull(dim));
    }

    std::size_t count() const
    {
        std::size_t product = 1;
        for (const std::uint64_t dim : shape)
            product *= dim;
        return product;
    }

    float weight(std::uint64_t start, std::size_t i) const
    {
        const auto high =
            static_cast<std::int64_t>(splitMix(start + i * 0x9E3779B97F4A7C15u) >> 48);
        const std::int64_t scaled = centre * 32768 + spread * (high - 32768);
        return static_cast<float>(std::ldexp(static_cast<double>(scaled), -45));
    }

    std::vector<std::byte> bytes() const
    {
        const std::uint64_t start = fnv1a(std::as_bytes(std::span(seed)));
        const std::size_t each = type == "F32" ? 4 : 2;
        std::vector<std::byte> out(count() * each);
        for (std::size_t i = 0; i < count(); ++i) {
            const float value = weight(start, i);
            if (each == 4) {
                std::memcpy(&out[i * 4], &value, 4);
            } else {
                const std::uint16_t bits = type == "F16" ? floatToHalf(value) : floatToBf16(value);
                std::memcpy(&out[i * 2], &bits, 2);
            }
        }
        return out;
    }
};

} // namespace

std::uint64_t fnv1a(std::span<const std::byte> bytes)
{
    std::uint64_t value = 0xCBF29CE484222325u;
    for (const std::byte byte : bytes)
        value = (value ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3u;
    return value;
}

void makeGoldenWeights(const std::filesystem::path &folder)
{
    const std::filesystem::path target = folder / "model.safetensors";
    if (std::filesystem::exists(target))
        return;
    SafetensorsBuilder builder;
    builder.raw("\"__metadata__\":{\"format\":\"pt\"}");
    std::ifstream in(folder / "tensors.txt");
    for (std::string line; std::getline(in, line);) {
        const TensorRecipe recipe(line);
        builder.tensor(recipe.name, recipe.type, recipe.shape, recipe.bytes());
    }
    const std::filesystem::path own = folder / ("model.safetensors." + std::to_string(::getpid()));
    builder.write(own);
    std::filesystem::rename(own, target);
}

} // namespace fireside::test
