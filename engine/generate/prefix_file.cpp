#include "engine/generate/prefix_file.h"

#include "engine/core/checksum.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/byte_reader.h"
#include "engine/files/new_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fireside {
namespace {

constexpr std::uint64_t kMagic = 0x5450454b45524946u; // "FIREKEPT"
constexpr std::size_t kFixedBytes = 72;
constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 28, kMostKey = 1 << 16, kMostStates = 64;

/// Numbers one behind the other.
class Bytes
{
public:
    template <typename T>
    void add(T value)
    {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    }
    void add(std::span<const std::byte> bytes)
    {
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    }
    std::span<const std::byte> all() const { return m_bytes; }

private:
    std::vector<std::byte> m_bytes;
};

/// The fixed part: what follows and how long it is.
struct Fixed
{
    std::uint64_t magic = kMagic;
    std::uint32_t version = kPrefixFileVersion, keyBytes = 0;
    std::uint64_t id = 0, parent = 0, from = 0, tokens = 0, states = 0, rowBytes = 0,
                  stateBytes = 0;

    std::uint64_t headerBytes() const
    {
        return kFixedBytes + keyBytes + tokens * sizeof(TokenId) +
               (states + 1) * sizeof(std::uint64_t);
    }
    std::uint64_t fileBytes() const
    {
        return headerBytes() + rowBytes + states * stateBytes + sizeof(std::uint64_t);
    }
};
static_assert(sizeof(Fixed) == kFixedBytes);

/// A file read from front to back.
class Input
{
public:
    explicit Input(const std::filesystem::path &path)
        : m_path(path)
        , m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        struct stat status = {};
        if (m_file < 0 || ::fstat(m_file, &status) != 0)
            fail(errno);
        m_size = static_cast<std::uint64_t>(status.st_size);
    }
    ~Input()
    {
        if (m_file >= 0)
            ::close(m_file);
    }
    Input(const Input &) = delete;
    Input &operator=(const Input &) = delete;

    std::uint64_t size() const { return m_size; }
    void read(std::span<std::byte> to)
    {
        while (!to.empty()) {
            const ssize_t done = ::read(m_file, to.data(), to.size());
            if (done < 0 && errno == EINTR)
                continue;
            if (done < 0)
                fail(errno);
            if (done == 0)
                damaged("is shorter than it says");
            to = to.subspan(static_cast<std::size_t>(done));
        }
    }
    [[noreturn]] void damaged(const char *what) const
    {
        throwBadInput(printable(m_path.string()) + ' ' + what);
    }

private:
    [[noreturn]] void fail(int error) const
    {
        throw Error(ErrorKind::Io,
                    printable(m_path.string()) + ": " +
                        std::strerror(error)); // NOLINT: the text is copied at once
    }
    const std::filesystem::path &m_path;
    int m_file = -1;
    std::uint64_t m_size = 0;
};

Fixed readFixed(Input &input)
{
    Fixed fixed;
    if (input.size() < kFixedBytes)
        input.damaged("is too short");
    input.read(std::as_writable_bytes(std::span(&fixed, 1)));
    if (fixed.magic != kMagic)
        input.damaged("holds no kept tokens");
    if (fixed.version != kPrefixFileVersion)
        throwUnsupported("kept tokens of another version of the program");
    const bool sane = fixed.keyBytes <= kMostKey && fixed.tokens > 0 &&
                      fixed.tokens <= kMostTokens && fixed.from <= kMostTokens &&
                      fixed.states <= kMostStates && fixed.rowBytes <= input.size() &&
                      fixed.stateBytes <= input.size();
    if (!sane || fixed.fileBytes() != input.size())
        input.damaged("has another length than it says");
    return fixed;
}

PrefixNode readHeader(Input &input, const std::filesystem::path &path)
{
    const Fixed fixed = readFixed(input);
    std::vector<std::byte> rest(static_cast<std::size_t>(fixed.headerBytes() - kFixedBytes));
    input.read(rest);
    Checksum sum;
    sum.add(std::as_bytes(std::span(&fixed, 1)));
    sum.add(std::span(rest).first(rest.size() - sizeof(std::uint64_t)));
    ByteReader reader(rest, path);
    PrefixNode node{.id = fixed.id, .parent = fixed.parent};
    node.from = static_cast<std::size_t>(fixed.from);
    node.rowBytes = fixed.rowBytes;
    node.stateBytes = fixed.stateBytes;
    const auto key = reader.take(fixed.keyBytes, "the key");
    node.key.assign(reinterpret_cast<const char *>(key.data()), key.size());
    node.tokens.resize(static_cast<std::size_t>(fixed.tokens));
    const auto tokens = reader.take(fixed.tokens * sizeof(TokenId), "the tokens");
    std::memcpy(node.tokens.data(), tokens.data(), tokens.size());
    for (std::uint64_t i = 0; i < fixed.states; ++i)
        node.states.push_back(static_cast<std::size_t>(reader.read<std::uint64_t>("a state")));
    if (reader.read<std::uint64_t>("the sum") != sum.value())
        input.damaged("is damaged in its header");
    const auto outside = [&](std::size_t at) { return at <= node.from || at > node.end(); };
    if (node.id != prefixId(node.key, node.parent, node.from, node.tokens) ||
        !std::is_sorted(node.states.begin(), node.states.end()) ||
        std::any_of(node.states.begin(), node.states.end(), outside))
        input.damaged("contradicts itself");
    node.onDisk = true;
    return node;
}

} // namespace

std::filesystem::path prefixFilePath(const std::filesystem::path &folder, std::uint64_t id)
{
    std::array<char, 24> name{};
    std::snprintf(name.data(), name.size(), "%016llx", static_cast<unsigned long long>(id));
    return folder / (name.data() + std::string(kPrefixFileEnding));
}

void writePrefixFile(const std::filesystem::path &folder, const PrefixNode &node,
                     const KeptTokens &kept, std::uint64_t leave, const std::stop_token &stop)
{
    constexpr std::size_t kPiece = std::size_t{8} << 20; // between looks at `stop`
    Bytes header;
    const Fixed fixed{.keyBytes = static_cast<std::uint32_t>(node.key.size()),
                      .id = node.id,
                      .parent = node.parent,
                      .from = node.from,
                      .tokens = node.tokens.size(),
                      .states = node.states.size(),
                      .rowBytes = node.rowBytes,
                      .stateBytes = node.stateBytes};
    header.add(std::as_bytes(std::span(&fixed, 1)));
    header.add(std::as_bytes(std::span(node.key)));
    header.add(std::as_bytes(std::span(node.tokens)));
    for (const std::size_t at : node.states)
        header.add(static_cast<std::uint64_t>(at));
    header.add(checksumOf(header.all()));

    NewFile file(prefixFilePath(folder, node.id), NewFile::Existing::Replace,
                 NewFile::Access::OwnerOnly);
    file.requireRoom(fixed.fileBytes() + leave);
    file.write(header.all());
    Checksum sum;
    const auto write = [&](std::span<const std::byte> bytes) {
        sum.add(bytes);
        for (; !bytes.empty(); bytes = bytes.subspan(std::min(kPiece, bytes.size()))) {
            if (stop.stop_requested())
                throwCancelled();
            file.write(bytes.first(std::min(kPiece, bytes.size())));
        }
    };
    write(kept.rows);
    for (const KeptTokens::State &state : kept.states)
        write(state.bytes);
    const std::uint64_t value = sum.value();
    file.write(std::as_bytes(std::span(&value, 1)));
    file.keep();
}

PrefixNode readPrefixHeader(const std::filesystem::path &path)
{
    Input input(path);
    return readHeader(input, path);
}

KeptTokens readPrefixFile(const std::filesystem::path &path, const PrefixNode &node)
{
    Input input(path);
    const PrefixNode found = readHeader(input, path);
    if (found.id != node.id || found.key != node.key || found.tokens != node.tokens ||
        found.from != node.from || found.states != node.states || found.rowBytes != node.rowBytes ||
        found.stateBytes != node.stateBytes)
        input.damaged("is of other tokens");
    KeptTokens kept{.from = found.from, .tokens = found.tokens};
    Checksum sum;
    kept.rows.resize(static_cast<std::size_t>(found.rowBytes));
    input.read(kept.rows);
    sum.add(kept.rows);
    for (const std::size_t at : found.states) {
        KeptTokens::State state{at, {}};
        state.bytes.resize(static_cast<std::size_t>(found.stateBytes));
        input.read(state.bytes);
        sum.add(state.bytes);
        kept.states.push_back(std::move(state));
    }
    std::uint64_t value = 0;
    input.read(std::as_writable_bytes(std::span(&value, 1)));
    if (value != sum.value())
        input.damaged("is damaged");
    return kept;
}

} // namespace fireside
