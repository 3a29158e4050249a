#include "engine/files/gguf.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/gguf_parser.h"

#include <new>

namespace fireside {
namespace {

template <typename... Ts>
struct Overloaded : Ts...
{
    using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string describe(const GgufValue &value)
{
    return std::visit(
        Overloaded{[](std::uint64_t v) { return "the integer " + std::to_string(v); },
                   [](std::int64_t v) { return "the integer " + std::to_string(v); },
                   [](double v) { return "the number " + std::to_string(v); },
                   [](bool v) { return std::string(v ? "the bool true" : "the bool false"); },
                   [](std::string_view v) { return "the string " + quoted(v); },
                   [](const GgufArray &v) {
                       return "an array of " + std::to_string(v.size()) + " " +
                              ggufTypeName(v.elementType);
                   }},
        value);
}

[[noreturn]] void throwWrongType(const std::filesystem::path &path, std::string_view key,
                                 const GgufValue &value, const char *expected)
{
    throwBadInput(path.string() + ": key " + quoted(key) + " is " + describe(value) +
                  ", expected " + expected);
}

[[noreturn]] void throwMissing(const std::filesystem::path &path, std::string_view key)
{
    throwBadInput(path.string() + ": lacks the key " + quoted(key));
}

} // namespace

std::size_t GgufArray::size() const
{
    return unsignedValues.size() + signedValues.size() + floatValues.size() + strings.size();
}

Gguf Gguf::open(const std::filesystem::path &path)
{
    Gguf gguf{MappedFile(path)};
    try {
        readUnchanged(gguf.m_file, [&] {
            GgufParser(gguf).parse();
            return true;
        });
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Memory,
                    printable(path.string()) + ": not enough memory for the tables of " +
                        formatBytes(gguf.file().bytes().size()) + " of model file");
    }
    return gguf;
}

const GgufValue *Gguf::find(std::string_view key) const
{
    const auto entry = m_keyIndex.find(key);
    return entry == m_keyIndex.end() ? nullptr : &m_metadata[entry->second].second;
}

std::optional<std::uint64_t> Gguf::findUnsigned(std::string_view key) const
{
    const GgufValue *const value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (const auto *const u = std::get_if<std::uint64_t>(value))
        return *u;
    if (const auto *const i = std::get_if<std::int64_t>(value); i != nullptr && *i >= 0)
        return static_cast<std::uint64_t>(*i);
    throwWrongType(path(), key, *value, "an integer of at least 0");
}

std::optional<double> Gguf::findFloat(std::string_view key) const
{
    const GgufValue *const value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (const auto *const d = std::get_if<double>(value))
        return *d;
    if (const auto *const u = std::get_if<std::uint64_t>(value))
        return static_cast<double>(*u);
    if (const auto *const i = std::get_if<std::int64_t>(value))
        return static_cast<double>(*i);
    throwWrongType(path(), key, *value, "a number");
}

std::optional<bool> Gguf::findBool(std::string_view key) const
{
    const GgufValue *const value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (const auto *const b = std::get_if<bool>(value))
        return *b;
    throwWrongType(path(), key, *value, "a bool");
}

std::optional<std::string_view> Gguf::findString(std::string_view key) const
{
    const GgufValue *const value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (const auto *const s = std::get_if<std::string_view>(value))
        return *s;
    throwWrongType(path(), key, *value, "a string");
}

const GgufArray *Gguf::findArray(std::string_view key) const
{
    const GgufValue *const value = find(key);
    if (value == nullptr)
        return nullptr;
    if (const auto *const a = std::get_if<GgufArray>(value))
        return a;
    throwWrongType(path(), key, *value, "an array");
}

std::uint64_t Gguf::requireUnsigned(std::string_view key) const
{
    const auto value = findUnsigned(key);
    if (!value)
        throwMissing(path(), key);
    return *value;
}

std::string_view Gguf::requireString(std::string_view key) const
{
    const auto value = findString(key);
    if (!value)
        throwMissing(path(), key);
    return *value;
}

void Gguf::append(Gguf part)
{
    for (const GgufTensor &tensor : part.m_tensors) {
        if (!m_tensorIndex.emplace(tensor.name, m_tensors.size()).second)
            throwBadInput(part.path().string() + ": holds the tensor " + quoted(tensor.name) +
                          ", which another part of the model has: it is another model's");
        m_tensors.push_back(tensor);
    }
    m_others.push_back(std::move(part));
}

std::vector<const MappedFile *> Gguf::files() const
{
    std::vector<const MappedFile *> files{&m_file};
    for (const Gguf &other : m_others)
        files.push_back(&other.m_file);
    return files;
}

const GgufTensor *Gguf::findTensor(std::string_view name) const
{
    const auto entry = m_tensorIndex.find(name);
    return entry == m_tensorIndex.end() ? nullptr : &m_tensors[entry->second];
}

} // namespace fireside
