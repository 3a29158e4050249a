#include "engine/core/error.h"
#include "engine/files/gguf.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temp_dir.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>

// Files from outside are hostile: every file here is broken somewhere and must end in an Error that
// names it, or, where the change happened to be harmless, load.
namespace fireside {
namespace {

using test::ByteWriter;
using test::GgufBuilder;
using test::TempDir;

GgufBuilder small()
{
    const std::vector<std::string> words{"one", "two", "three"};
    const std::vector<float> scores{0.5F, 1.5F};
    GgufBuilder builder;
    builder.string("general.architecture", "llama").u32("general.alignment", 32);
    builder.u32("llama.block_count", 1).f32("llama.eps", 1e-5F).boolean("tokenizer.add_bos", true);
    builder.strings("tokenizer.tokens", words).f32Array("tokenizer.scores", scores);
    builder.tensor("a.weight", DType::Q4_0, {64, 2}).tensor("b.weight", DType::F16, {8, 3, 2});
    return builder;
}

/// The error that opening these bytes gives; empty when they load.
std::string openBytes(const TempDir &dir, std::span<const std::byte> bytes)
{
    const auto path = dir / "broken.gguf";
    test::writeFile(path, bytes);
    try {
        const Gguf gguf = Gguf::open(path);
        // What loads must be readable: touch every byte that the tables promise.
        unsigned sum = 0;
        for (const GgufTensor &tensor : gguf.tensors())
            for (const std::byte byte : tensor.bytes)
                sum += static_cast<unsigned>(byte);
        for (const auto &[key, value] : gguf.metadata())
            sum += static_cast<unsigned>(key.front());
        volatile unsigned keep = sum;
        (void)keep;
        return {};
    } catch (const Error &error) {
        const std::string text = error.what();
        EXPECT_EQ(text.rfind(path.string() + ": ", 0), 0U) << text;
        EXPECT_LT(text.size(), path.string().size() + 400) << text;
        return text;
    }
}

/// 0 under the address sanitizer, which sets freed blocks aside instead of using them again.
std::int64_t peakKilobytes()
{
#if defined(FIRESIDE_ADDRESS_SANITIZER)
    return 0;
#else
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
#endif
}

TEST(BrokenGguf, TheUnbrokenFileLoads)
{
    const TempDir dir;
    EXPECT_EQ(openBytes(dir, small().build()), "");
}

TEST(BrokenGguf, CutAtEveryByte)
{
    const TempDir dir;
    const auto bytes = small().build();
    ASSERT_GT(bytes.size(), 300U);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string error = openBytes(dir, std::span(bytes).first(size));
        EXPECT_FALSE(error.empty()) << "cut to " << size << " of " << bytes.size();
        if (size < small().headerSize()) {
            EXPECT_NE(error.find("offset"), std::string::npos) << error;
        }
    }
}

TEST(BrokenGguf, EveryBitOfTheHeaderFlipped)
{
    const TempDir dir;
    const std::int64_t before = peakKilobytes();
    const auto good = small().build();
    int rejected = 0, loaded = 0;
    for (std::size_t byte = 0; byte < small().headerSize(); ++byte) {
        for (int bit = 0; bit < 8; ++bit) {
            auto bytes = good;
            bytes[byte] ^= static_cast<std::byte>(1 << bit);
            (openBytes(dir, bytes).empty() ? loaded : rejected) += 1;
        }
    }
    EXPECT_GT(rejected, 1000);
    EXPECT_GT(loaded, 100); // letters of names and values
    EXPECT_LT(peakKilobytes() - before, 64 * 1024);
}

TEST(BrokenGguf, EveryWordOfTheHeaderReplacedByExtremes)
{
    const TempDir dir;
    const std::int64_t before = peakKilobytes();
    const auto good = small().build();
    for (std::size_t byte = 4; byte + 8 <= small().headerSize(); ++byte) {
        for (const std::uint64_t extreme :
             {~0ULL, 1ULL << 63, (1ULL << 63) - 1, 1ULL << 32, 0ULL}) {
            auto bytes = good;
            std::memcpy(bytes.data() + byte, &extreme, sizeof extreme);
            openBytes(dir, bytes);
        }
    }
    EXPECT_LT(peakKilobytes() - before, 64 * 1024);
}

TEST(BrokenGguf, RandomDamage)
{
    const TempDir dir;
    std::mt19937 random(7);
    const auto good = small().build();
    for (int round = 0; round < 2000; ++round) {
        auto bytes = good;
        for (int change = 0; change < 4; ++change)
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        if (round % 3 == 0)
            bytes.resize(random() % (bytes.size() + 1));
        openBytes(dir, bytes);
    }
}

struct Case
{
    const char *name;
    std::function<GgufBuilder()> build;
    std::vector<std::string> mentions; // each must occur in the error
};

ByteWriter arrayHead(std::uint32_t type, std::uint64_t count)
{
    return ByteWriter().put(type).put(count);
}

GgufBuilder tensorOf(std::vector<std::uint64_t> dims, std::uint32_t type = 0,
                     std::uint64_t offset = GgufBuilder::kAutoOffset)
{
    return GgufBuilder().rawTensor("w", std::move(dims), type, 4096, offset);
}

GgufBuilder withValue(std::uint32_t type, const ByteWriter &bytes)
{
    return GgufBuilder().value("some.key", type, bytes).u32("after", 1);
}

GgufBuilder withAlignment(std::uint32_t alignment)
{
    return GgufBuilder().alignment(alignment).tensor("w", DType::F32, {32});
}

std::vector<Case> cases()
{
    constexpr std::uint64_t minusOne = ~0ULL, high = 1ULL << 63;
    std::vector<Case> list{
        // Row 1: identity
        {"WrongMagic", [] { return small().magic("GGUX"); }, {"'GGUX'", "offset 0"}},
        {"BigEndianMagic", [] { return small().magic("FUGG"); }, {"big-endian"}},
        {"OldGgml", [] { return small().magic("lmgg"); }, {"old GGML"}},
        {"WebPage", [] { return small().magic("<!DO"); }, {"web page"}},
        {"BigEndianVersion",
         [] { return small().version(0x03000000); },
         {"big-endian", "offset 4"}},
        {"Version0", [] { return small().version(0); }, {"version 0"}},
        {"Version1", [] { return small().version(1); }, {"version 1 "}},
        {"FutureVersion", [] { return small().version(4); }, {"version 4 ", "offset 4"}},
        {"HugeVersion", [] { return small().version(0xffffffff); }, {"version 4294967295"}},
        // Row 2: counts and lengths
        {"TensorCountMinusOne",
         [=] { return small().tensorCount(minusOne); },
         {"tensor count", "18446744073709551615"}},
        {"TensorCount2To63",
         [=] { return small().tensorCount(high); },
         {"tensor count", "offset 8"}},
        {"TensorCountOneMore", [] { return small().tensorCount(3); }, {}},
        {"KeyCountMinusOne",
         [=] { return small().keyCount(minusOne); },
         {"metadata count", "offset 16"}},
        {"KeyCount2To63", [=] { return small().keyCount(high); }, {"metadata count"}},
        {"KeyCountOneMore", [] { return small().keyCount(8); }, {}},
        {"KeyCountOneLess", [] { return small().keyCount(6); }, {}},
        {"StringLengthMinusOne",
         [=] { return withValue(GgufBuilder::String, ByteWriter().put(minusOne)); },
         {"'some.key'", "18446744073709551615"}},
        {"StringLength2To63",
         [=] { return withValue(GgufBuilder::String, ByteWriter().put(high)); },
         {"'some.key'"}},
        {"StringPastTheEnd",
         [] { return withValue(GgufBuilder::String, ByteWriter().put(std::uint64_t{5000})); },
         {"'some.key'", "5000"}},
        {"DimensionsWrap",
         [] {
             return tensorOf({1ULL << 32, 1ULL << 32});
         },
         {"'w'", "overflow"}},
        {"DimensionsWrapToSmall",
         [] {
             return tensorOf({(1ULL << 62) + 1, 4});
         },
         {"'w'", "overflow"}},
        {"DimensionMinusOne",
         [=] { return tensorOf({minusOne}); },
         {"'w'", "18446744073709551615"}},
        {"DimensionZero",
         [] {
             return tensorOf({32, 0});
         },
         {"'w'", "zero"}},
        {"BytesWrap", [] { return tensorOf({1ULL << 62}); }, {"'w'", "cut short"}},
        // Row 3: data and alignment
        {"DataBeyondTheFile", [] { return tensorOf({1025}); }, {"'w'", "1025", "4096"}},
        {"OffsetBeyondTheFile", [] { return tensorOf({8}, 0, 1 << 20); }, {"'w'", "1048576"}},
        {"OffsetMinusOne",
         [=] { return tensorOf({8}, 0, minusOne - 31); },
         {"'w'", "18446744073709551584"}},
        {"OffsetMisaligned", [] { return tensorOf({8}, 0, 16); }, {"'w'", "misaligned", "16"}},
        {"Overlap",
         [] { return tensorOf({16}).rawTensor("v", {16}, 0, 64, 32); },
         {"'w'", "'v'", "overlap"}},
        {"SamePlace",
         [] { return tensorOf({16}).rawTensor("v", {16}, 77, 64, 0); },
         {"'w'", "'v'", "overlap"}},
        {"BlockDivisibility", [] { return tensorOf({48}, 2); }, {"'w'", "48", "Q4_0", "32"}},
        {"Rank0", [] { return tensorOf({}); }, {"'w'", "0 dimensions"}},
        {"Rank5",
         [] {
             return tensorOf({1, 1, 1, 1, 1});
         },
         {"'w'", "5 dimensions"}},
        {"TensorNameTooLong",
         [] { return GgufBuilder().tensor(std::string(65, 'n'), DType::F32, {8}); },
         {"tensor 0", "65", "64"}},
        {"TensorWithoutName",
         [] { return GgufBuilder().tensor("", DType::F32, {8}); },
         {"tensor 0", "no name"}},
        {"AlignmentNegative",
         [] { return GgufBuilder().i32("general.alignment", -32); },
         {"general.alignment"}},
        // Row 4: keys and values
        {"DuplicateKey",
         [] { return GgufBuilder().u32("twice", 1).u32("twice", 2); },
         {"duplicate key 'twice'"}},
        {"DuplicateTensor",
         [] { return tensorOf({8}).rawTensor("w", {8}, 0, 32); },
         {"duplicate tensor 'w'"}},
        {"KeyWithoutName", [] { return GgufBuilder().u32("", 1); }, {"key 0", "no name"}},
        {"KeyTooLong",
         [] { return GgufBuilder().u32(std::string(65536, 'k'), 1); },
         {"65536", "65535"}},
        {"UnknownValueType",
         [] { return withValue(13, ByteWriter().put(1)); },
         {"'some.key'", "13"}},
        {"NegativeValueType",
         [] { return withValue(0xffffffff, ByteWriter()); },
         {"'some.key'", "4294967295"}},
        {"BoolOfTwo",
         [] { return withValue(GgufBuilder::Bool, ByteWriter().put('\2')); },
         {"'some.key'", "bool"}},
        {"BoolArrayOfTwo",
         [] { return withValue(GgufBuilder::Array, arrayHead(GgufBuilder::Bool, 1).put('\2')); },
         {"'some.key'", "bool"}},
        {"NestedArray",
         [] { return withValue(GgufBuilder::Array, arrayHead(GgufBuilder::Array, 1)); },
         {"'some.key'", "nested"}},
        {"UnknownElementType",
         [] { return withValue(GgufBuilder::Array, arrayHead(99, 1)); },
         {"'some.key'", "99"}},
        {"ArrayCountMinusOne",
         [=] { return withValue(GgufBuilder::Array, arrayHead(GgufBuilder::U8, minusOne)); },
         {"'some.key'", "18446744073709551615"}},
        {"ArrayBytesWrap",
         [] { return withValue(GgufBuilder::Array, arrayHead(GgufBuilder::U64, 1ULL << 61)); },
         {"'some.key'", "u64"}},
        {"ArrayOfHugeStrings",
         [=] { return withValue(GgufBuilder::Array, arrayHead(GgufBuilder::String, 1).put(high)); },
         {"'some.key'"}},
        {"ControlCharactersInNames",
         [] { return GgufBuilder().u32("a\n\x1b[31m", 1).u32("a\n\x1b[31m", 1); },
         {"a\\n\\x1b[31m"}},
    };
    for (const std::uint32_t bad : {0U, 1U, 4U, 13U, 24U, 33U, 1U << 21, 1U << 31, 0xffffffffU})
        list.push_back({"Alignment",
                        [bad] { return withAlignment(bad); },
                        {"general.alignment", std::to_string(bad)}});
    return list;
}

TEST(BrokenGguf, NamedCases)
{
    const TempDir dir;
    for (const Case &broken : cases()) {
        SCOPED_TRACE(broken.name);
        const std::string error = openBytes(dir, broken.build().build());
        EXPECT_FALSE(error.empty());
        for (const std::string &mention : broken.mentions)
            EXPECT_NE(error.find(mention), std::string::npos)
                << "no " << mention << " in: " << error;
        EXPECT_EQ(error.find('\n'), std::string::npos);
        EXPECT_EQ(error.find('\x1b'), std::string::npos);
    }
}

TEST(BrokenGguf, KindsTellUnsupportedFromBroken)
{
    const TempDir dir;
    const auto kindOf = [&](const GgufBuilder &builder) {
        builder.write(dir / "k.gguf");
        try {
            Gguf::open(dir / "k.gguf");
        } catch (const Error &error) {
            return error.kind();
        }
        return ErrorKind::Internal;
    };
    EXPECT_EQ(kindOf(small().version(4)), ErrorKind::Unsupported);
    EXPECT_EQ(kindOf(small().version(0x03000000)), ErrorKind::Unsupported);
    EXPECT_EQ(kindOf(small().magic("ABCD")), ErrorKind::BadInput);
    EXPECT_EQ(kindOf(small().keyCount(~0ULL)), ErrorKind::BadInput);
}

// A sparse file makes huge arrays cheap to claim: the tables must stay bounded all the same.
TEST(BrokenGguf, HugeArraysInHugeFilesStayBounded)
{
    const TempDir dir;
    const std::int64_t before = peakKilobytes();
    for (const std::uint64_t count : {1ULL << 25, 1ULL << 30, (1ULL << 24) + 1}) {
        GgufBuilder()
            .value("a", GgufBuilder::Array, arrayHead(GgufBuilder::U8, count))
            .write(dir / "huge.gguf");
        std::filesystem::resize_file(dir / "huge.gguf", 8ULL << 30);
        try {
            Gguf::open(dir / "huge.gguf");
            ADD_FAILURE() << count << " elements were read";
        } catch (const Error &error) {
            EXPECT_NE(std::string(error.what()).find("16777216"), std::string::npos)
                << error.what();
        }
    }
    EXPECT_LT(peakKilobytes() - before, 64 * 1024);
}

} // namespace
} // namespace fireside
