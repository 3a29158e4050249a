#include "engine/files/gguf_split.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace fireside {
namespace {

constexpr const char *kNumber = "split.no"; // from 0 on
constexpr const char *kCount = "split.count";
constexpr const char *kTensors = "split.tensors.count";
constexpr std::size_t kDigits = 5;
constexpr std::string_view kOf = "-of-", kEnding = ".gguf";

std::string nameOfPart(const std::string &stem, std::uint64_t number, std::uint64_t count)
{
    char text[64];
    std::snprintf(text, sizeof text, "-%05llu-of-%05llu", static_cast<unsigned long long>(number),
                  static_cast<unsigned long long>(count));
    return stem + text + std::string(kEnding);
}

std::optional<std::uint64_t> digitsAt(std::string_view text, std::size_t at)
{
    std::uint64_t value = 0;
    const char *const begin = text.data() + at, *const end = begin + kDigits;
    const auto [stop, error] = std::from_chars(begin, end, value);
    return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::string partOf(std::uint64_t number, std::uint64_t count)
{
    return "part " + std::to_string(number) + " of " + std::to_string(count);
}

/// The part's place, as it says itself, must be the one it has by its name.
void checkPart(const Gguf &part, const SplitName &name)
{
    const std::string path = part.path().string();
    const std::uint64_t count = part.findUnsigned(kCount).value_or(1);
    const std::uint64_t number = part.findUnsigned(kNumber).value_or(0);
    if (count < 2)
        throwBadInput(path + ": is named as " + partOf(name.number, name.count) +
                      " of a model, but is none");
    if (number != name.number - 1 || count != name.count)
        throwBadInput(path + ": is named as " + partOf(name.number, name.count) +
                      " of a model, but says that it is " + partOf(number + 1, count) +
                      ": files were renamed or mixed up");
}

/// What parts of one model agree in, as far as they say it.
void checkSameModel(const Gguf &first, const Gguf &part)
{
    for (const char *key : {"general.architecture", "general.name"}) {
        const auto ours = first.findString(key), theirs = part.findString(key);
        if (ours && theirs && *ours != *theirs)
            throwBadInput(part.path().string() + ": belongs to another model than " +
                          first.path().filename().string() + ": its key " + fireside::quoted(key) +
                          " is " + fireside::quoted(*theirs) + ", not " + fireside::quoted(*ours));
    }
    const auto total = first.findUnsigned(kTensors), other = part.findUnsigned(kTensors);
    if (total && other && *total != *other)
        throwBadInput(part.path().string() + ": belongs to another model than " +
                      first.path().filename().string() + ": one of " + std::to_string(*other) +
                      " tensors, not " + std::to_string(*total));
}

Gguf openPart(const std::filesystem::path &folder, const SplitName &of, std::uint64_t number)
{
    const std::filesystem::path path = folder / nameOfPart(of.stem, number, of.count);
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        throwBadInput(path.string() + ": " + partOf(number, of.count) + " of the model is missing");
    Gguf part = Gguf::open(path);
    checkPart(part, {of.stem, number, of.count});
    return part;
}

} // namespace

std::optional<SplitName> splitNameOf(const std::filesystem::path &file)
{
    const std::string name = file.filename().string();
    const std::size_t tail = 1 + kDigits + kOf.size() + kDigits + kEnding.size();
    if (name.size() <= tail)
        return std::nullopt;
    const std::size_t at = name.size() - tail;
    const std::string_view view(name);
    std::string ending(view.substr(name.size() - kEnding.size()));
    for (char &c : ending)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto number = digitsAt(view, at + 1);
    const auto count = digitsAt(view, at + 1 + kDigits + kOf.size());
    if (view[at] != '-' || view.substr(at + 1 + kDigits, kOf.size()) != kOf || ending != kEnding ||
        !number || !count || *number < 1 || *number > *count)
        return std::nullopt;
    return SplitName{name.substr(0, at), *number, *count};
}

Gguf openGgufParts(const std::filesystem::path &path)
{
    Gguf opened = Gguf::open(path);
    const std::uint64_t count = opened.findUnsigned(kCount).value_or(1);
    if (count < 2)
        return opened;
    const auto name = splitNameOf(path);
    if (!name)
        throwBadInput(path.string() + ": is " +
                      partOf(opened.findUnsigned(kNumber).value_or(0) + 1, count) +
                      " of a model, but was renamed: the other parts are found by names that end "
                      "in -00001-of-" +
                      nameOfPart("", count, count).substr(1 + kDigits + kOf.size()));
    checkPart(opened, *name);
    const std::filesystem::path folder = path.parent_path();
    Gguf whole = name->number == 1 ? std::move(opened) : openPart(folder, *name, 1);
    for (std::uint64_t number = 2; number <= count; ++number) {
        Gguf part = number == name->number ? std::move(opened) : openPart(folder, *name, number);
        checkSameModel(whole, part);
        whole.append(std::move(part));
    }
    if (const auto tensors = whole.findUnsigned(kTensors);
        tensors && *tensors != whole.tensors().size())
        throwBadInput(whole.path().string() + ": the model has " + std::to_string(*tensors) +
                      " tensors, its " + std::to_string(count) + " parts hold " +
                      std::to_string(whole.tensors().size()));
    return whole;
}

} // namespace fireside
