// What masks cost: for vocabularies of usual sizes, the time to prepare a schema, to make masks
// that were never needed before, and for each token of a reply. usage: mask_bench VOCABULARY (a
// GGUF or tokenizer.json)
#include "engine/constrain/constraint.h"
#include "engine/constrain/schema_reader.h"
#include "tests/constrain/listed_tokenizer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <set>

using namespace fireside;
using namespace fireside::constrain;

namespace {

double microseconds(std::chrono::steady_clock::time_point since)
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - since)
        .count();
}

/// The tokens of a real vocabulary, and pairs of them until there are enough. Made to be of the
/// size and the mixture that large vocabularies have, which are not at hand.
std::vector<std::string> largeVocabulary(std::size_t size, const char *path)
{
    const auto real = Tokenizer::open(path);
    std::vector<std::string> tokens;
    std::set<std::string> known;
    const auto add = [&](const std::string &bytes) {
        if (tokens.size() + 1 < size && !bytes.empty() && known.insert(bytes).second)
            tokens.push_back(bytes);
    };
    for (std::size_t i = 0; i < real->size(); ++i)
        if (const auto id = static_cast<TokenId>(i); !real->isMarker(id))
            add(real->bytes(id));
    const std::size_t count = tokens.size();
    std::mt19937 random(1);
    while (tokens.size() + 1 < size) {
        const std::string &first = tokens[random() % count], &second = tokens[random() % count];
        if (first.size() + second.size() < 14)
            add(first + second);
    }
    return tokens;
}

struct Case
{
    const char *name, *schema;
};
constexpr Case kCases[]{
    {"call of a tool",
     R"({"type":"object","properties":{"location":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"]},
        "days":{"type":"integer","minimum":1,"maximum":14}},"required":["location","unit"],"additionalProperties":false})"},
    {"list of records",
     R"({"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string","maxLength":60},
        "mail":{"type":"string","format":"email"},"tags":{"type":"array","items":{"type":"string"}},"born":{"type":"string","format":"date"},
        "score":{"type":["number","null"]}},"required":["id","name","mail","tags","born","score"]}})"},
    {"short text", R"({"type":"string","maxLength":60})"},
    {"text's bounds",
     R"({"type":"object","properties":{"a":{"type":"string","minLength":10,"maxLength":200}},
        "required":["a"],"additionalProperties":false})"},
    {"pattern", R"({"type":"string","pattern":"^[A-Z][a-z]{2,20}( [A-Z][a-z]{1,20}){0,3}$"})"},
    {"tree",
     R"({"$defs":{"n":{"type":"object","properties":{"label":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/n"}}},
        "required":["label","children"],"additionalProperties":false}},"$ref":"#/$defs/n"})"},
    {"any object", R"({"type":"object"})"}};

void measure(const Case &it, const std::shared_ptr<const VocabularyTrie> &vocabulary)
{
    const auto started = std::chrono::steady_clock::now();
    const auto grammar =
        std::make_shared<const TokenGrammar>(readJsonSchema(it.schema), vocabulary);
    const double prepared = microseconds(started);
    std::mt19937 random(5);
    for (const bool again : {false, true}) {
        std::vector<double> times;
        for (int reply = 0; reply < 40; ++reply) {
            Constraint constraint(grammar);
            for (int step = 0; step < 150 && !constraint.isFinished(); ++step) {
                const auto begun = std::chrono::steady_clock::now();
                const auto mask = constraint.allowed();
                times.push_back(microseconds(begun));
                TokenId id = -1;
                for (int tries = 0;
                     id < 0 || (tries < 40 && vocabulary->bytes(id).size() > 2 + random() % 5);
                     ++tries) {
                    const auto at = static_cast<TokenId>(random() % vocabulary->size());
                    for (TokenId next = at; next < at + static_cast<TokenId>(vocabulary->size());
                         ++next)
                        if (const auto one = next % static_cast<TokenId>(vocabulary->size());
                            hasBit(mask, one) && !hasBit(vocabulary->ends(), one)) {
                            id = one;
                            break;
                        }
                }
                const auto drawn = std::chrono::steady_clock::now();
                constraint.accept(id);
                times.back() += microseconds(drawn);
            }
        }
        std::sort(times.begin(), times.end());
        double sum = 0;
        for (const double time : times)
            sum += time;
        const auto share = [&](double part) {
            return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
        };
        std::printf("%-16s %s  prepared %6.1f ms  mask: mean %6.1f  median %6.1f  99%% %7.1f  "
                    "largest %8.1f us\n",
                    it.name, again ? "again  " : "at first", prepared / 1000,
                    sum / static_cast<double>(times.size()), share(0.5), share(0.99), times.back());
    }
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 2) {
        std::fputs("usage: mask_bench VOCABULARY\n", stderr);
        return 2;
    }
    for (const std::size_t size : {std::size_t{128'256}, std::size_t{262'144}}) {
        const test::ListedTokenizer tokenizer(largeVocabulary(size, arguments[1]));
        const auto begun = std::chrono::steady_clock::now();
        const auto vocabulary = std::make_shared<const VocabularyTrie>(tokenizer);
        std::printf("%zu tokens, prepared in %.1f ms, %zu nodes\n", size,
                    microseconds(begun) / 1000, vocabulary->nodes().size());
        for (const Case &it : kCases)
            measure(it, vocabulary);
    }
}
