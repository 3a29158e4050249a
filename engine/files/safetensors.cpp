#include "engine/files/safetensors.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/byte_reader.h"
#include "engine/files/safetensors_header.h"

#include <algorithm>
#include <array>
#include <new>

namespace fireside {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000; // the format's own limit

struct TypeName
{
    std::string_view name;
    unsigned bits;
    std::optional<DType> dtype;
};
constexpr std::array kTypes{
    TypeName{"F32", 32, DType::F32},          TypeName{"F16", 16, DType::F16},
    TypeName{"BF16", 16, DType::BF16},        TypeName{"F64", 64, std::nullopt},
    TypeName{"I64", 64, std::nullopt},        TypeName{"I32", 32, std::nullopt},
    TypeName{"I16", 16, std::nullopt},        TypeName{"I8", 8, std::nullopt},
    TypeName{"U64", 64, std::nullopt},        TypeName{"U32", 32, std::nullopt},
    TypeName{"U16", 16, std::nullopt},        TypeName{"U8", 8, std::nullopt},
    TypeName{"BOOL", 8, std::nullopt},        TypeName{"F8_E4M3", 8, std::nullopt},
    TypeName{"F8_E5M2", 8, std::nullopt},     TypeName{"F8_E8M0", 8, std::nullopt},
    TypeName{"F6_E2M3", 6, std::nullopt},     TypeName{"F6_E3M2", 6, std::nullopt},
    TypeName{"F4", 4, std::nullopt},          TypeName{"C64", 64, std::nullopt},
    TypeName{"F8_E4M3FNUZ", 8, std::nullopt}, TypeName{"F8_E5M2FNUZ", 8, std::nullopt},
};

const TypeName *findType(std::string_view name)
{
    const auto it = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const TypeName &t) { return t.name == name; });
    return it == kTypes.end() ? nullptr : &*it;
}

/// Bytes of a tensor; nullopt when they overflow or do not come out whole.
std::optional<std::uint64_t> bytesOf(const std::vector<std::uint64_t> &shape, unsigned bits)
{
    std::uint64_t count = 1, total = 0;
    for (const std::uint64_t n : shape)
        if (__builtin_mul_overflow(count, n, &count))
            return std::nullopt;
    if (__builtin_mul_overflow(count, std::uint64_t{bits}, &total) || total % 8 != 0)
        return std::nullopt;
    return total / 8;
}

} // namespace

std::string shapeText(const std::vector<std::uint64_t> &shape)
{
    std::string text = "[";
    for (const std::uint64_t n : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    return text + ']';
}

Safetensors Safetensors::open(const std::filesystem::path &path)
{
    Safetensors opened{MappedFile(path)};
    try {
        readUnchanged(opened.m_file, [&] {
            opened.parse();
            return true;
        });
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Memory,
                    printable(path.string()) + ": not enough memory for its header");
    }
    return opened;
}

void Safetensors::parse()
{
    const std::span<const std::byte> bytes = m_file.bytes();
    ByteReader reader(bytes, path());
    const auto length = reader.read<std::uint64_t>("the header's length");
    if (length > kMaxHeader)
        throwBadInput(path().string() + ": a header of " + std::to_string(length) +
                      " bytes, at most " + std::to_string(kMaxHeader) + " are allowed");
    const std::span<const std::byte> header = reader.take(length, "header");
    m_dataOffset = reader.offset();

    std::vector<SafetensorsEntry> entries = readSafetensorsHeader(
        path(), {reinterpret_cast<const char *>(header.data()), header.size()});
    std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    m_tensors.reserve(entries.size());
    for (SafetensorsEntry &entry : entries) {
        SafetensorsTensor tensor{.name = std::move(entry.name),
                                 .type = std::move(entry.type),
                                 .dtype = std::nullopt,
                                 .shape = std::move(entry.shape),
                                 .fileOffset = 0,
                                 .bytes = {}};
        locate(tensor, entry.begin, entry.end);
        m_tensors.push_back(std::move(tensor));
        const SafetensorsTensor &kept = m_tensors.back();
        if (!m_index.emplace(kept.name, m_tensors.size() - 1).second)
            throwBadInput(path().string() + ": two tensors are named " +
                          fireside::quoted(kept.name));
    }
    checkCover();
}

void Safetensors::locate(SafetensorsTensor &tensor, std::uint64_t begin, std::uint64_t end) const
{
    const std::string where = path().string() + ": tensor " + fireside::quoted(tensor.name);
    const std::uint64_t room = m_file.bytes().size() - m_dataOffset;
    if (begin > end || end > room)
        throwBadInput(where + " lies at " + std::to_string(begin) + " to " + std::to_string(end) +
                      " of " + std::to_string(room) + " bytes of data");
    const TypeName *const type = findType(tensor.type);
    // A type of a later version may be any size; a model that needs it is refused by its name.
    if (type != nullptr) {
        const auto needed = bytesOf(tensor.shape, type->bits);
        if (!needed || *needed != end - begin)
            throwBadInput(where + ": " + tensor.type + ' ' + shapeText(tensor.shape) + " needs " +
                          (needed ? std::to_string(*needed) : "an impossible number of") +
                          " bytes but has " + std::to_string(end - begin));
        tensor.dtype = type->dtype;
    }
    tensor.fileOffset = m_dataOffset + begin;
    if (tensor.dtype && end != begin && tensor.fileOffset % info(*tensor.dtype).blockBytes != 0)
        throwBadInput(where + ": " + tensor.type + " numbers at the odd offset " +
                      std::to_string(tensor.fileOffset));
    tensor.bytes = m_file.bytes().subspan(static_cast<std::size_t>(tensor.fileOffset),
                                          static_cast<std::size_t>(end - begin));
}

/// The tensors, sorted by offset, fill the data from end to end.
void Safetensors::checkCover() const
{
    std::uint64_t at = m_dataOffset;
    for (const SafetensorsTensor &t : m_tensors) {
        if (t.fileOffset != at)
            throwBadInput(
                path().string() + ": tensor " + fireside::quoted(t.name) +
                (t.fileOffset < at ? " overlaps the one before it" : " leaves a hole before it") +
                ": it begins at " + std::to_string(t.fileOffset) + ", expected " +
                std::to_string(at));
        at += t.bytes.size();
    }
    if (at != m_file.bytes().size())
        throwBadInput(path().string() + ": " + std::to_string(m_file.bytes().size() - at) +
                      " bytes behind the last tensor");
}

const SafetensorsTensor *Safetensors::findTensor(std::string_view name) const
{
    const auto entry = m_index.find(name);
    return entry == m_index.end() ? nullptr : &m_tensors[entry->second];
}

} // namespace fireside
