#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fireside::test {

/// Writes safetensors files for tests: good ones through tensor(), broken ones with raw header
/// text.
class SafetensorsBuilder
{
public:
    /// Empty `bytes`: `size` zeros.
    SafetensorsBuilder &tensor(const std::string &name, const std::string &type,
                               const std::vector<std::uint64_t> &shape,
                               std::span<const std::byte> bytes);
    SafetensorsBuilder &zeros(const std::string &name, const std::string &type,
                              const std::vector<std::uint64_t> &shape, std::size_t size);
    /// One more member of the header's object, as it is.
    SafetensorsBuilder &raw(const std::string &member);

    std::vector<std::byte> build() const;
    void write(const std::filesystem::path &path) const;
    /// Any header text before any data.
    static std::vector<std::byte> file(const std::string &header, std::size_t dataBytes);

private:
    std::string m_members;
    std::vector<std::byte> m_data;
};

void writeText(const std::filesystem::path &path, const std::string &text);

} // namespace fireside::test
