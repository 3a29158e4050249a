#include "engine/text/readers/gguf_fields.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cmath>

namespace fireside {
std::string GgufFields::where(const std::string &key) const
{
    return m_gguf.path().string() + ": " + key + ": ";
}

const std::vector<std::string_view> &GgufFields::requireStrings(const char *key) const
{
    const GgufArray *array = m_gguf.findArray(key);
    if (!array)
        throwBadInput(m_gguf.path().string() + " lacks the key '" + key + "'");
    if (array->strings.size() != array->size())
        throwBadInput(where(key) + "is no array of strings");
    return array->strings;
}

std::vector<double> GgufFields::numbersOf(const char *key, std::size_t tokens) const
{
    const GgufArray *array = m_gguf.findArray(key);
    if (!array)
        return {};
    if (array->size() != tokens)
        throwBadInput(where(key) + "has " + std::to_string(array->size()) + " entries for " +
                      std::to_string(tokens) + " tokens");
    if (!array->strings.empty())
        throwBadInput(where(key) + "is no array of numbers");
    std::vector<double> numbers(array->floatValues);
    numbers.insert(numbers.end(), array->signedValues.begin(), array->signedValues.end());
    numbers.insert(numbers.end(), array->unsignedValues.begin(), array->unsignedValues.end());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (std::isnan(numbers[i]))
            throwBadInput(where(key) + "entry " + std::to_string(i) + " is no number");
    return numbers;
}

std::vector<double> GgufFields::requireNumbers(const char *key, std::size_t tokens) const
{
    if (!m_gguf.findArray(key))
        throwBadInput(m_gguf.path().string() + " lacks the key '" + key + "'");
    return numbersOf(key, tokens);
}

std::string GgufFields::bytesOf(const char *key) const
{
    const GgufArray *array = m_gguf.findArray(key);
    if (!array)
        return {};
    std::string bytes;
    bytes.reserve(array->size());
    for (const std::uint64_t value : array->unsignedValues)
        bytes.push_back(static_cast<char>(value));
    for (const std::int64_t value : array->signedValues)
        bytes.push_back(static_cast<char>(value));
    constexpr std::uint32_t i8 = 1; // the types are u8 and this one
    if (bytes.size() != array->size() || array->elementType > i8)
        throwBadInput(where(key) + "is no array of bytes");
    return bytes;
}

std::vector<GgufFields::FileId> GgufFields::fileIds(const std::string &key) const
{
    const GgufValue *const value = m_gguf.find(key);
    if (value == nullptr)
        return {};
    const auto fileId = [](std::int64_t id) {
        return FileId{id < 0, id < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(id)
                                     : static_cast<std::uint64_t>(id)};
    };
    if (const auto *const id = std::get_if<std::int64_t>(value))
        return {fileId(*id)};
    const auto *const array = std::get_if<GgufArray>(value);
    if (array == nullptr)
        return {{false, *m_gguf.findUnsigned(key)}};
    if (!array->strings.empty() || !array->floatValues.empty())
        throwBadInput(where(key) + "is no array of ids");
    std::vector<FileId> ids;
    for (const std::uint64_t id : array->unsignedValues)
        ids.push_back({false, id});
    for (const std::int64_t id : array->signedValues)
        ids.push_back(fileId(id));
    return ids;
}

std::vector<TokenId> GgufFields::idsUnder(const std::string &key, std::size_t tokens) const
{
    std::vector<TokenId> ids;
    for (const FileId &id : fileIds(key)) {
        if (!id.isWithin(tokens))
            throwBadInput(where(key) + id.text() + " is outside the vocabulary of " +
                          std::to_string(tokens) + " tokens");
        ids.push_back(static_cast<TokenId>(id.id));
    }
    return ids;
}

std::vector<TokenId> GgufFields::idsWithin(const std::string &key, std::size_t tokens) const
{
    std::vector<TokenId> ids;
    for (const FileId &id : fileIds(key))
        if (id.isWithin(tokens))
            ids.push_back(static_cast<TokenId>(id.id));
    return ids;
}

std::vector<std::string> GgufFields::idsOutside(const std::string &key, std::size_t tokens) const
{
    std::vector<std::string> ids;
    for (const FileId &id : fileIds(key))
        if (!id.isWithin(tokens) && !id.isNone())
            ids.push_back(id.text());
    return ids;
}

bool GgufFields::saysNone(const std::string &key) const
{
    const std::vector<FileId> ids = fileIds(key);
    return std::any_of(ids.begin(), ids.end(), [](const FileId &id) { return id.isNone(); });
}

} // namespace fireside
