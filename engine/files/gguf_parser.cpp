#include "engine/files/gguf_parser.h"

#include "engine/core/error.h"
#include "engine/files/gguf_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace fireside {
namespace {

struct ValueType
{
    const char *name;
    std::uint32_t bytes; // least size in a file
};
constexpr std::array<ValueType, gguf_type::kCount> kValueTypes{{
    {"u8", 1},
    {"i8", 1},
    {"u16", 2},
    {"i16", 2},
    {"u32", 4},
    {"i32", 4},
    {"f32", 4},
    {"bool", 1},
    {"string", 8},
    {"array", 12},
    {"u64", 8},
    {"i64", 8},
    {"f64", 8},
}};

// Far above real files (about 40 keys, 60,000 tensors, vocabularies of 300,000), and low enough to
// keep the tables of a hostile file below half a gigabyte.
constexpr std::uint64_t kMaxKeys = 1 << 14;
constexpr std::uint64_t kMaxTensors = 1 << 20;
constexpr std::uint64_t kMaxArrayElements = 1 << 24;
constexpr std::uint64_t kMaxKeyBytes = 65535; // the format's own limits
constexpr std::uint64_t kMaxTensorNameBytes = 64;
constexpr std::uint64_t kMaxAlignment = 1 << 20;
constexpr std::uint64_t kDefaultAlignment = 32;

// Smallest possible rows: key length, one character, type, one byte; name length, one character,
// rank, one dimension, type, offset.
constexpr std::uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

struct OtherFormat
{
    std::string_view start;
    const char *what;
};
constexpr std::array kOtherFormats{
    OtherFormat{"FUGG",
                "a big-endian GGUF file; convert it to little-endian (gguf_convert_endian of "
                "gguf-py) or download the little-endian version"},
    OtherFormat{"lmgg", "an old GGML file from before GGUF; convert it or download a GGUF version"},
    OtherFormat{"fmgg", "an old GGMF file from before GGUF; convert it or download a GGUF version"},
    OtherFormat{"tjgg", "an old GGJT file from before GGUF; convert it or download a GGUF version"},
    OtherFormat{"version https://git-lfs",
                "a Git LFS pointer; the model itself was not downloaded"},
    OtherFormat{"<!", "a web page, probably a failed download"},
    OtherFormat{"<html", "a web page, probably a failed download"},
    OtherFormat{"PK\x03\x04", "a ZIP or PyTorch archive, not a GGUF model"},
};

std::string number(std::uint64_t value)
{
    return std::to_string(value);
}

} // namespace

std::string ggufTypeName(std::uint32_t type)
{
    return type < gguf_type::kCount ? kValueTypes[type].name : "type " + number(type);
}

GgufParser::GgufParser(Gguf &gguf)
    : m_gguf(gguf)
    , m_reader(gguf.file().bytes(), gguf.path())
{}

void GgufParser::parse()
{
    readIdentity();
    const auto tensorCount = m_reader.read<std::uint64_t>("tensor count");
    const auto keyCount = m_reader.read<std::uint64_t>("metadata count");
    if (keyCount > std::min(kMaxKeys, m_reader.remaining() / kLeastKeyBytes))
        m_reader.fail("the metadata count at offset 16 is " + number(keyCount) +
                      ", impossible in a file of " + number(m_gguf.file().bytes().size()) +
                      " bytes");
    if (tensorCount > std::min(kMaxTensors, m_reader.remaining() / kLeastTensorBytes))
        m_reader.fail("the tensor count at offset 8 is " + number(tensorCount) +
                      ", impossible in a file of " + number(m_gguf.file().bytes().size()) +
                      " bytes");
    readMetadata(keyCount);
    readTensors(tensorCount);
    placeTensors();
    checkCover();
}

void GgufParser::readIdentity()
{
    const auto bytes = m_gguf.file().bytes();
    if (bytes.empty())
        m_reader.fail("not a GGUF model: the file is empty (offset 0)");
    const std::string_view start(reinterpret_cast<const char *>(bytes.data()),
                                 std::min<std::size_t>(bytes.size(), 64));
    for (const OtherFormat &other : kOtherFormats)
        if (start.starts_with(other.start))
            m_reader.fail(std::string("not a GGUF model (offset 0): this is ") + other.what);
    const auto magic = m_reader.take(4, "magic bytes");
    if (start.substr(0, magic.size()) != "GGUF")
        m_reader.fail("not a GGUF model: it starts with " + quoted(start.substr(0, 4)) +
                      " at offset 0 instead of 'GGUF'");

    const auto version = m_reader.read<std::uint32_t>("version");
    if (version == 2 || version == 3) {
        m_gguf.m_version = version;
        return;
    }
    const std::string where = m_gguf.path().string() + ": ";
    // A small number in the high byte: versions written the other way round.
    if ((version & 0x00ff'ffff) == 0 && version != 0)
        throwUnsupported(
            where + "big-endian GGUF files are not supported (version bytes at offset 4); convert "
                    "it to little-endian (gguf_convert_endian of gguf-py) or download the "
                    "little-endian version");
    throwUnsupported(where + "GGUF version " + number(version) +
                     " at offset 4 is not supported; versions 2 and 3 are");
}

void GgufParser::readMetadata(std::uint64_t count)
{
    m_gguf.m_metadata.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t start = m_reader.offset();
        const std::string_view key = m_reader.readString(kMaxKeyBytes, "name of key " + number(i));
        if (key.empty())
            m_reader.fail("key " + number(i) + " at offset " + number(start) + " has no name");
        if (!m_gguf.m_keyIndex.emplace(key, m_gguf.m_metadata.size()).second)
            m_reader.fail("duplicate key " + quoted(key) + " at offset " + number(start));
        const auto type = m_reader.read<std::uint32_t>("type of key " + quoted(key));
        const std::size_t value = m_reader.offset();
        m_gguf.m_metadata.emplace_back(key, readValue(type, key));
        m_gguf.m_rawMetadata.push_back(
            {type, m_gguf.file().bytes().subspan(value, m_reader.offset() - value)});
    }
}

GgufValue GgufParser::readValue(std::uint32_t type, std::string_view key)
{
    const std::string what = "value of key " + quoted(key);
    switch (type) {
    case gguf_type::kU8:
        return std::uint64_t{m_reader.read<std::uint8_t>(what)};
    case gguf_type::kU16:
        return std::uint64_t{m_reader.read<std::uint16_t>(what)};
    case gguf_type::kU32:
        return std::uint64_t{m_reader.read<std::uint32_t>(what)};
    case gguf_type::kU64:
        return m_reader.read<std::uint64_t>(what);
    case gguf_type::kI8:
        return std::int64_t{m_reader.read<std::int8_t>(what)};
    case gguf_type::kI16:
        return std::int64_t{m_reader.read<std::int16_t>(what)};
    case gguf_type::kI32:
        return std::int64_t{m_reader.read<std::int32_t>(what)};
    case gguf_type::kI64:
        return m_reader.read<std::int64_t>(what);
    case gguf_type::kF32:
        return double{m_reader.read<float>(what)};
    case gguf_type::kF64:
        return m_reader.read<double>(what);
    case gguf_type::kBool:
        return readBool(key, what);
    case gguf_type::kString:
        return m_reader.readString(m_reader.remaining(), what);
    case gguf_type::kArray:
        return readArray(key);
    default:
        m_reader.fail("key " + quoted(key) + " before offset " + number(m_reader.offset()) +
                      " has the unknown value type " + number(type));
    }
}

bool GgufParser::readBool(std::string_view key, std::string_view what)
{
    const auto value = m_reader.read<std::uint8_t>(what);
    if (value > 1)
        m_reader.fail("key " + quoted(key) + " at offset " + number(m_reader.offset() - 1) +
                      " is a bool with the value " + number(value));
    return value == 1;
}

std::size_t GgufParser::readArraySize(std::string_view key, std::uint32_t elementType)
{
    const std::size_t offset = m_reader.offset();
    const auto count = m_reader.read<std::uint64_t>("array of key " + quoted(key));
    if (elementType == gguf_type::kArray)
        m_reader.fail("key " + quoted(key) + " is a nested array, which is not supported");
    if (elementType >= gguf_type::kCount)
        m_reader.fail("key " + quoted(key) + " is an array of the unknown value type " +
                      number(elementType));
    if (count > m_reader.remaining() / kValueTypes[elementType].bytes)
        m_reader.fail("key " + quoted(key) + " claims an array of " + number(count) + " " +
                      kValueTypes[elementType].name + " at offset " + number(offset) +
                      ", but only " + number(m_reader.remaining()) + " bytes follow");
    if (count > kMaxArrayElements - m_arrayElements)
        m_reader.fail("key " + quoted(key) + " holds an array of " + number(count) +
                      " elements; a file may hold " + number(kMaxArrayElements) + " in all");
    m_arrayElements += count;
    return static_cast<std::size_t>(count);
}

GgufArray GgufParser::readArray(std::string_view key)
{
    const std::string what = "array of key " + quoted(key);
    GgufArray array;
    array.elementType = m_reader.read<std::uint32_t>(what);
    const std::size_t size = readArraySize(key, array.elementType);
    const auto fill = [&](auto &values, auto readOne) {
        values.reserve(size);
        for (std::size_t i = 0; i < size; ++i)
            values.push_back(readOne());
    };
    switch (array.elementType) {
    case gguf_type::kU8:
        fill(array.unsignedValues, [&] { return m_reader.read<std::uint8_t>(what); });
        break;
    case gguf_type::kU16:
        fill(array.unsignedValues, [&] { return m_reader.read<std::uint16_t>(what); });
        break;
    case gguf_type::kU32:
        fill(array.unsignedValues, [&] { return m_reader.read<std::uint32_t>(what); });
        break;
    case gguf_type::kU64:
        fill(array.unsignedValues, [&] { return m_reader.read<std::uint64_t>(what); });
        break;
    case gguf_type::kBool:
        fill(array.unsignedValues, [&] { return readBool(key, what) ? 1U : 0U; });
        break;
    case gguf_type::kI8:
        fill(array.signedValues, [&] { return m_reader.read<std::int8_t>(what); });
        break;
    case gguf_type::kI16:
        fill(array.signedValues, [&] { return m_reader.read<std::int16_t>(what); });
        break;
    case gguf_type::kI32:
        fill(array.signedValues, [&] { return m_reader.read<std::int32_t>(what); });
        break;
    case gguf_type::kI64:
        fill(array.signedValues, [&] { return m_reader.read<std::int64_t>(what); });
        break;
    case gguf_type::kF32:
        fill(array.floatValues, [&] { return double{m_reader.read<float>(what)}; });
        break;
    case gguf_type::kF64:
        fill(array.floatValues, [&] { return m_reader.read<double>(what); });
        break;
    default:
        array.strings = m_reader.readStrings(size, what);
        break;
    }
    return array;
}

void GgufParser::readTensors(std::uint64_t count)
{
    m_gguf.m_tensors.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t start = m_reader.offset();
        GgufTensor tensor = readTensor();
        if (!m_gguf.m_tensorIndex.emplace(tensor.name, m_gguf.m_tensors.size()).second)
            m_reader.fail("duplicate tensor " + quoted(tensor.name) + " at offset " +
                          number(start));
        m_gguf.m_tensors.push_back(tensor);
    }
}

GgufTensor GgufParser::readTensor()
{
    const std::size_t start = m_reader.offset();
    const std::string row = number(m_gguf.m_tensors.size());
    GgufTensor tensor;
    tensor.name = m_reader.readString(kMaxTensorNameBytes, "name of tensor " + row);
    if (tensor.name.empty())
        m_reader.fail("tensor " + row + " at offset " + number(start) + " has no name");
    const std::string what = "entry of tensor " + quoted(tensor.name);
    const auto rank = m_reader.read<std::uint32_t>(what);
    if (rank < 1 || rank > 4)
        m_reader.fail("tensor " + quoted(tensor.name) + " at offset " + number(start) + " has " +
                      number(rank) + " dimensions; 1 to 4 are allowed");
    tensor.rank = static_cast<int>(rank);
    std::uint64_t elements = 1;
    for (std::size_t d = 0; d < rank; ++d) {
        tensor.dims[d] = m_reader.read<std::uint64_t>(what);
        constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (tensor.dims[d] == 0 || tensor.dims[d] > kMax / elements)
            m_reader.fail("tensor " + quoted(tensor.name) + " at offset " + number(start) +
                          ": dimension " + number(d) + " is " + number(tensor.dims[d]) +
                          ", which makes its size " + (tensor.dims[d] == 0 ? "zero" : "overflow"));
        elements *= tensor.dims[d];
    }
    tensor.ggmlType = m_reader.read<std::uint32_t>(what);
    tensor.dtype = dtypeFromGgml(tensor.ggmlType);
    tensor.fileOffset = m_reader.read<std::uint64_t>(what); // relative until placeTensors()
    return tensor;
}

std::uint64_t GgufParser::alignment() const
{
    const GgufValue *const value = m_gguf.find("general.alignment");
    if (value == nullptr)
        return kDefaultAlignment;
    // The format says u32; any integer type with a fitting value is read.
    const std::uint64_t alignment = *m_gguf.findUnsigned("general.alignment");
    // The format asks for a multiple of 8.
    if (!std::has_single_bit(alignment) || alignment < 8 || alignment > kMaxAlignment)
        m_reader.fail("key 'general.alignment' is " + number(alignment) +
                      "; a power of two from 8 to " + number(kMaxAlignment) + " is allowed");
    return alignment;
}

void GgufParser::placeTensors()
{
    const std::uint64_t align = m_gguf.m_alignment = alignment();
    const std::uint64_t fileSize = m_gguf.file().bytes().size();
    m_headerEnd = m_reader.offset();
    const std::uint64_t dataStart = (m_headerEnd + align - 1) / align * align; // small: no wrap
    m_gguf.m_dataOffset = dataStart;
    for (GgufTensor &tensor : m_gguf.m_tensors) {
        const std::uint64_t offset = tensor.fileOffset;
        const std::string name = "tensor " + quoted(tensor.name);
        if (offset % align != 0)
            m_reader.fail(name + " is misaligned: its data offset " + number(offset) +
                          " is not a multiple of " + number(align));
        if (dataStart > fileSize || offset > fileSize - dataStart)
            m_reader.fail(
                name + " starts at data offset " + number(offset) + ", but the file has " +
                number(fileSize > dataStart ? fileSize - dataStart : 0) + " bytes of data");
        tensor.fileOffset = dataStart + offset;
        if (!tensor.dtype)
            continue; // its size is unknown; nobody computes with it
        const DTypeInfo &type = info(*tensor.dtype);
        if (tensor.dims[0] % type.blockElements != 0)
            m_reader.fail(name + " has rows of " + number(tensor.dims[0]) + " elements; " +
                          type.name + " needs a multiple of " + number(type.blockElements));
        const std::uint64_t elements = tensor.dims[0] * tensor.dims[1] * tensor.dims[2] *
                                       tensor.dims[3]; // checked by readTensor()
        const std::uint64_t left = fileSize - tensor.fileOffset;
        const std::uint64_t blocks = elements / type.blockElements;
        if (blocks > left / type.blockBytes)
            m_reader.fail(name + " at offset " + number(tensor.fileOffset) + " needs " +
                          number(blocks) + " × " + number(type.blockBytes) +
                          " bytes, but the file ends " + number(left) +
                          " bytes later; it is probably cut short");
        tensor.bytes =
            m_gguf.file().bytes().subspan(static_cast<std::size_t>(tensor.fileOffset),
                                          static_cast<std::size_t>(blocks * type.blockBytes));
    }
}

/// Tensors lie one behind the other with nothing but padding between them: data that begin
/// elsewhere than the alignment says would be read shifted.
void GgufParser::checkCover() const
{
    std::vector<const GgufTensor *> order;
    order.reserve(m_gguf.m_tensors.size());
    for (const GgufTensor &tensor : m_gguf.m_tensors)
        order.push_back(&tensor);
    std::sort(order.begin(), order.end(), [](const GgufTensor *a, const GgufTensor *b) {
        return a->fileOffset < b->fileOffset;
    });
    const std::uint64_t align = alignment();
    const auto nameOf = [](const GgufTensor *tensor, const char *border) {
        return tensor ? "tensor " + quoted(tensor->name) : std::string(border);
    };
    const GgufTensor *last = nullptr;        // the one before
    std::uint64_t end = m_gguf.m_dataOffset; // … and where its data end
    const auto checkHole = [&](std::uint64_t next, const GgufTensor *tensor) {
        const bool known = !last || last->dtype; // the size of data of other types is not
        if (known && next > end && next - end >= align)
            m_reader.fail(number(next - end) + " unused bytes lie between " +
                          nameOf(last, "the header") + " and " +
                          nameOf(tensor, "the end of the file") + " at offset " + number(end) +
                          "; padding to the alignment of " + number(align) +
                          " leaves fewer: the file is damaged or 'general.alignment' is wrong");
    };
    for (const GgufTensor *const tensor : order) {
        if (tensor->fileOffset < end)
            m_reader.fail("the data of " + nameOf(last, "") + " and " + nameOf(tensor, "") +
                          " overlap at offset " + number(tensor->fileOffset));
        checkHole(tensor->fileOffset, tensor);
        // Data of a type we do not know takes at least one byte.
        end = tensor->fileOffset + std::max<std::uint64_t>(tensor->bytes.size(), 1);
        last = tensor;
    }
    if (last && dataMayBeShifted(end))
        checkHole(m_gguf.file().bytes().size(), nullptr);
}

/// Bytes behind the last tensor are harmless, unless there are just as many as the data would lie
/// further back with a larger alignment, and padding stands where they would then begin.
bool GgufParser::dataMayBeShifted(std::uint64_t end) const
{
    const auto bytes = m_gguf.file().bytes();
    const std::uint64_t start = m_gguf.m_dataOffset, behind = bytes.size() - end;
    for (std::uint64_t align = 2 * m_gguf.m_alignment; align <= kMaxAlignment; align *= 2) {
        const std::uint64_t shift = (m_headerEnd + align - 1) / align * align - start;
        if (shift == 0 || behind < shift || behind - shift >= align)
            continue;
        const auto padding =
            bytes.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(shift));
        if (std::all_of(padding.begin(), padding.end(),
                        [](std::byte b) { return b == std::byte{0}; }))
            return true;
    }
    return false;
}

} // namespace fireside
