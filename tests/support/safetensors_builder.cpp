#include "tests/support/safetensors_builder.h"

#include "tests/support/gguf_builder.h"

namespace fireside::test {
namespace {

std::vector<std::byte> withHeader(std::string header, std::span<const std::byte> data)
{
    header.resize((header.size() + 7) / 8 * 8, ' '); // the data begins aligned
    ByteWriter out;
    out.string(header).bytes(data);
    return out.data();
}

} // namespace

SafetensorsBuilder &SafetensorsBuilder::tensor(const std::string &name, const std::string &type,
                                               const std::vector<std::uint64_t> &shape,
                                               std::span<const std::byte> bytes)
{
    std::string dims;
    for (const std::uint64_t n : shape)
        dims += (dims.empty() ? "" : ",") + std::to_string(n);
    const std::size_t begin = m_data.size();
    m_data.insert(m_data.end(), bytes.begin(), bytes.end());
    return raw('"' + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + dims +
               "],\"data_offsets\":[" + std::to_string(begin) + ',' +
               std::to_string(m_data.size()) + "]}");
}

SafetensorsBuilder &SafetensorsBuilder::zeros(const std::string &name, const std::string &type,
                                              const std::vector<std::uint64_t> &shape,
                                              std::size_t size)
{
    return tensor(name, type, shape, std::vector<std::byte>(size));
}

SafetensorsBuilder &SafetensorsBuilder::raw(const std::string &member)
{
    m_members += (m_members.empty() ? "" : ",") + member;
    return *this;
}

std::vector<std::byte> SafetensorsBuilder::build() const
{
    return withHeader('{' + m_members + '}', m_data);
}

void SafetensorsBuilder::write(const std::filesystem::path &path) const
{
    writeFile(path, build());
}

std::vector<std::byte> SafetensorsBuilder::file(const std::string &header, std::size_t dataBytes)
{
    return withHeader(header, std::vector<std::byte>(dataBytes));
}

void writeText(const std::filesystem::path &path, const std::string &text)
{
    writeFile(path, std::as_bytes(std::span(text)));
}

} // namespace fireside::test
