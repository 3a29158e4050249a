#include "engine/constrain/schema/decimal.h"
#include "engine/constrain/schema_reader.h"
#include "engine/core/error.h"
#include "tests/constrain/readings.h"
#include "tests/constrain/schema_judge.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

using namespace fireside;
using namespace fireside::constrain;
using test::SchemaJudge;
using Json = nlohmann::ordered_json;

namespace {

/// One line for each schema: the schema, instances that are valid, instances that are not, as a
/// validator of draft 2020-12 says (schema_pairs.mjs makes and checks them).
std::vector<Json> pairs()
{
    const char *other = std::getenv("FIRESIDE_SCHEMA_PAIRS");
    std::ifstream file(other ? other : FIRESIDE_SOURCE_DIR "/tests/constrain/schema_pairs.jsonl");
    std::vector<Json> all;
    for (std::string line; std::getline(file, line);)
        all.push_back(Json::parse(line));
    return all;
}

std::string errorOf(const std::string &schema)
{
    try {
        Automaton(readJsonSchema(schema));
    } catch (const Error &error) {
        return error.what();
    }
    return {};
}

bool accepts(const Automaton &automaton, const std::string &text)
{
    Machine machine(automaton);
    return machine.hasEnded(machine.read(machine.start(), text));
}

TEST(SchemaPairs, WhatIsValidIsNeverBlockedAndWhatIsNotIsNeverAccepted)
{
    std::size_t instances = 0, refused = 0, wrong = 0;
    std::map<std::string, int> reasons;
    for (const Json &pair : pairs()) {
        SCOPED_TRACE(pair["schema"].dump().substr(0, 400));
        std::optional<Automaton> automaton;
        try {
            automaton.emplace(readJsonSchema(pair["schema"].dump()));
        } catch (const Error &error) {
            const std::string why = error.what();
            if (why.find("no text can fulfil") != std::string::npos) {
                EXPECT_TRUE(pair["valid"].empty()) << why << pair["valid"].dump();
                instances += pair["invalid"].size();
                continue;
            }
            refused += pair["valid"].size() + pair["invalid"].size();
            ++reasons[why];
            EXPECT_NE(std::getenv("FIRESIDE_SCHEMA_PAIRS"), nullptr) << why;
            continue;
        }
        for (const bool valid : {true, false})
            for (const Json &instance : pair[valid ? "valid" : "invalid"]) {
                ++instances;
                for (const std::string &text :
                     {instance.dump(), instance.dump(2), instance.dump(4)}) {
                    const bool right = accepts(*automaton, text) == valid;
                    wrong += !right;
                    EXPECT_TRUE(right) << (valid ? "blocked: " : "accepted: ") << text;
                    if (!right)
                        break;
                }
            }
    }
    std::printf("%zu instances of schemas, %zu wrong; %zu of schemas that were refused\n",
                instances, wrong, refused);
    for (const auto &[why, count] : reasons)
        std::printf("  refused (%d): %s\n", count, why.c_str());
    if (std::getenv("FIRESIDE_SCHEMA_PAIRS") == nullptr) {
        EXPECT_GE(instances, 1000u);
    }
}

TEST(SchemaPairs, TheJudgeOfTheseTestsAgrees)
{
    if (std::getenv("FIRESIDE_SCHEMA_PAIRS"))
        return; // other schemas than the judge knows
    for (const Json &pair : pairs()) {
        if (pair["schema"].dump().find("\"format\"") != std::string::npos)
            continue;
        const SchemaJudge judge(pair["schema"]);
        for (const bool valid : {true, false})
            for (const Json &instance : pair[valid ? "valid" : "invalid"])
                EXPECT_EQ(judge.isValid(instance), valid)
                    << pair["schema"].dump() << instance.dump();
    }
}

/// What a reply becomes when tokens are drawn blindly from what is allowed; short ones and the end
/// are preferred after a while, so that it ends. Empty: it did not, or the vocabulary cannot
/// write it.
std::string drawn(const std::shared_ptr<const TokenGrammar> &grammar, const Tokenizer &tokenizer,
                  std::mt19937 &random)
{
    const VocabularyTrie &vocabulary = grammar->vocabulary();
    Constraint constraint(grammar);
    std::string text;
    for (int step = 0; step < 600; ++step) {
        if (constraint.isFinished() || (constraint.isComplete() && step > 20))
            return text;
        for (const TokenId id : constraint.forced(tokenizer)) {
            EXPECT_TRUE(constraint.allows(id));
            constraint.accept(id);
            text += vocabulary.bytes(id);
        }
        if (constraint.isFinished())
            return text;
        const auto mask = constraint.allowed();
        std::vector<TokenId> allowed, closing;
        for (TokenId id = 0; id < static_cast<TokenId>(vocabulary.size()); ++id)
            if (hasBit(mask, id) && !hasBit(vocabulary.ends(), id)) {
                allowed.push_back(id);
                const std::string_view bytes = vocabulary.bytes(id);
                if (bytes.size() == 1 &&
                    std::string_view("\"]}\\").find(bytes[0]) != std::string_view::npos)
                    closing.push_back(id);
            }
        if (allowed.empty())
            return constraint.isComplete() ? text : "";
        const auto &from = !closing.empty() && random() % 100 < static_cast<unsigned>(20 + step)
                               ? closing
                               : allowed;
        const TokenId id = from[random() % from.size()];
        constraint.accept(id);
        text += vocabulary.bytes(id);
    }
    return {}; // at random some patterns are never met
}

TEST(SchemaWalks, WhateverIsDrawnIsValid)
{
    const char *const out = std::getenv("FIRESIDE_SCHEMA_WALKS"); // to show them to other judges
    std::ofstream file(out ? out : "/dev/null");
    int drawings = 0;
    for (const char *name :
         {"gpt2", "llama2-spm", "llama3", "qwen2", "tekken", "gemma", "o200k", "bert-cased"}) {
        SCOPED_TRACE(name);
        const auto tokenizer =
            Tokenizer::open(FIRESIDE_TEST_DATA "/golden/tokenizers/" + std::string(name));
        const auto vocabulary = std::make_shared<const VocabularyTrie>(*tokenizer);
        std::mt19937 random(17);
        for (const Json &pair : pairs()) {
            std::shared_ptr<const TokenGrammar> grammar;
            try {
                grammar = std::make_shared<const TokenGrammar>(
                    readJsonSchema(pair["schema"].dump()), vocabulary);
            } catch (const Error &) {
                continue;
            }
            const SchemaJudge judge(pair["schema"]);
            for (int i = 0; i < 2; ++i) {
                const std::string text = drawn(grammar, *tokenizer, random);
                if (text.empty())
                    continue;
                ++drawings;
                file << Json::array({pair["schema"], text})
                            .dump(-1, ' ', false, Json::error_handler_t::replace)
                     << '\n';
                const Json value = Json::parse(text, nullptr, false);
                ASSERT_FALSE(value.is_discarded()) << pair["schema"].dump() << '\n' << text;
                EXPECT_TRUE(judge.isValid(value)) << pair["schema"].dump() << '\n' << text;
            }
        }
    }
    std::printf("%d replies were drawn\n", drawings);
    EXPECT_GE(drawings, 500);
}

TEST(SchemaNumbers, BoundsHoldDigitByDigit)
{
    std::mt19937 random(4);
    const auto number = [&] {
        std::string text = random() % 2 ? "-" : "";
        text += std::to_string(random() % (random() % 2 ? 12 : 1200));
        for (auto digits = random() % 3; digits > 0; --digits)
            text +=
                (text.find('.') == std::string::npos ? "." : "") + std::to_string(random() % 10);
        return text;
    };
    for (int round = 0; round < 150; ++round) {
        NumberBounds bounds{.whole = random() % 3 == 0};
        std::string low = number(), high = number();
        if (random() % 4)
            bounds.low = {*Decimal::parse(low), random() % 2 == 0};
        if (random() % 4)
            bounds.high = {*Decimal::parse(high), random() % 2 == 0};
        const CharDfa dfa = numbersWithin(bounds, {});
        for (int i = 0; i < 200; ++i) {
            const std::string text = i == 0 ? low : i == 1 ? high : number();
            const double value = std::stod(text);
            const bool fraction = text.find('.') != std::string::npos;
            if (value == 0 && text[0] == '-')
                continue;
            const bool right = (!bounds.low || value > std::stod(low) ||
                                (value == std::stod(low) && !bounds.low->strict)) &&
                               (!bounds.high || value < std::stod(high) ||
                                (value == std::stod(high) && !bounds.high->strict)) &&
                               !(bounds.whole && fraction);
            ASSERT_EQ(dfa.accepts(text), right) << text << " between " << low << " and " << high;
        }
    }
}

TEST(SchemaErrors, NamePlaceAndReason)
{
    const auto has = [](const std::string &schema, const std::string &text) {
        EXPECT_NE(errorOf(schema).find(text), std::string::npos)
            << schema << ": " << errorOf(schema);
    };
    has(R"({"properties":{"a/b":{"uniqueItems":true}}})", "#/properties/a~1b: 'uniqueItems'");
    has(R"({"items":{"not":{}}})", "#/items: 'not' cannot be constrained to");
    has(R"({"if":{},"then":{}})", "'if'");
    has(R"({"contains":{}})", "'contains'");
    has(R"({"$ref":"https://example.com/x"})", "outside of the schema");
    has(R"({"$ref":"#/$defs/none"})", "there is no '#/$defs/none'");
    has(R"({"$dynamicRef":"#x"})", "'$dynamicRef'");
    has(R"({"type":"text"})", "unknown 'type' \"text\"");
    has(R"j({"pattern":"(?=a)"})j", "#: regular expression '(?=a)', byte 0: look-around");
    has(R"({"format":"iri"})", "the format 'iri'");
    has(R"({"multipleOf":0.5})", "'multipleOf' 0.5");
    has(R"({"minLength":-1})", "'minLength'");
    has(R"({"oneOf":[{"minimum":1},{"maximum":5}]})", "alternatives 0 and 1 may hold together");
    has(R"({"minProperties":2})", "'minProperties'");
    has(R"({"items":[{}]})", "'prefixItems'");
    has(R"({"exclusiveMinimum":true})", "since draft 6");
    has(R"({"type":)", "no valid JSON");
    has("[1]", "a schema is an object");
    has(R"({"type":"string","enum":[1]})", "no text can fulfil");
    has(R"({"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}})",
        "no text can fulfil");
    has("{\"a\":" + std::string(2000, '[') + std::string(2000, ']') + "}", "nested too deep");
    has(R"({"pattern":"[ab]*a[ab]{24}"})", "more than");
    std::string all = R"({"allOf":[)";
    for (int i = 0; i < 12; ++i)
        all += R"({"anyOf":[{"minimum":1},{"minimum":2},{"maximum":9},{"maximum":8}]},)";
    all.back() = ']';
    has(all + "}", "combinations");
}

TEST(SchemaOptionsTest, OrderSpacesAndLeniency)
{
    const char *schema =
        R"({"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"integer"}},
                             "required":["b","a"],"additionalProperties":false})";
    EXPECT_TRUE(test::reads(readJsonSchema(schema), R"({"a":1, "b":2})"));
    EXPECT_FALSE(test::reads(readJsonSchema(schema, {.anyOrder = false}), R"({"a":1, "b":2})"));
    EXPECT_TRUE(test::reads(readJsonSchema(schema, {.anyOrder = false}), R"({"b":1, "a":2})"));
    EXPECT_FALSE(test::reads(readJsonSchema(schema, {.compact = true}), R"({"b":1, "a":2})"));
    EXPECT_TRUE(test::reads(readJsonSchema(schema, {.compact = true}), R"({"b":1,"a":2})"));
    const Grammar lenient = readJsonSchema(
        R"({"uniqueItems":true,"oneOf":[{"minimum":1},{"maximum":5}]})", {.lenient = true});
    EXPECT_EQ(lenient.notes.size(), 2u);
    EXPECT_TRUE(test::reads(lenient, "[1,1]"));
    EXPECT_TRUE(test::reads(anyJsonObject(), R"({"a":[{"b":null}]})"));
    EXPECT_FALSE(test::reads(anyJsonObject(), "[]"));
}

TEST(SchemaStrings, TextsAreJson)
{
    const Grammar any = readJsonSchema(R"({"type":"string"})");
    EXPECT_TRUE(test::reads(any, R"("\u00e9\ud83d\ude00\"\\\/é😀")"));
    for (const char *text :
         {R"("\ud83d")", R"("\ude00")", R"("\x")", "\"\n\"", "\"\xC3\"", R"("\u00g0")"})
        EXPECT_FALSE(test::reads(any, text)) << text;
    const Grammar two = readJsonSchema(R"({"type":"string","minLength":2,"maxLength":2})");
    EXPECT_TRUE(test::reads(two, R"("é\ud83d\ude00")"));
    EXPECT_FALSE(test::reads(two, R"("é")"));
    // A listed name is not taken for another one when it is written in another way.
    const Grammar named = readJsonSchema(R"({"properties":{"a/":{"type":"integer"}}})");
    EXPECT_FALSE(test::reads(named, R"({"a\/":"x"})"));
    EXPECT_TRUE(test::reads(named, R"({"a/b":"x"})"));
}

/// Cases of the JSON-Schema-Test-Suite (draft2020-12: anchor, ref) that went wrong once.
TEST(Schema, ReferencesStayWithinTheResourceThatTheyAreIn)
{
    const std::string twoAnchors = R"({"$id":"https://example.com/a/base.json","$ref":"#n",
        "$defs":{"big":{"$anchor":"n","maximum":10},
                 "small":{"$id":"https://example.com/a/","$anchor":"n","maximum":2}}})";
    EXPECT_TRUE(test::reads(readJsonSchema(twoAnchors), "5"));
    EXPECT_FALSE(test::reads(readJsonSchema(twoAnchors), "50"));
    const std::string inner = R"({"$id":"https://example.com/outer","properties":{"a":{
        "$id":"https://example.com/inner","$ref":"#/$defs/x","$defs":{"x":{"type":"integer"}}}},
        "$defs":{"x":{"type":"string"}}})";
    EXPECT_TRUE(test::reads(readJsonSchema(inner), R"({"a": 1})"));
    EXPECT_FALSE(test::reads(readJsonSchema(inner), R"({"a": "1"})"));
    EXPECT_NE(errorOf(R"({"$ref":"#n","$defs":{"x":{"$id":"y","$anchor":"n"}}})").find("'#n'"),
              std::string::npos);
}

/// Labels that are reserved or encode other characters ("xn--") would need IDNA to be checked.
TEST(Schema, HostNamesHaveNoEncodedLabels)
{
    const Grammar host = readJsonSchema(R"({"type":"string","format":"hostname"})");
    for (const std::string name : {"a", "www.example.com", "ab", "a-b", "a--b", "x1-y--z"})
        EXPECT_TRUE(test::reads(host, '"' + name + '"')) << name;
    for (const std::string name :
         {"xn--X", "XN--aa---o47jg78q", "a.xn--l-fda", "ab--c", "-a", "a-"})
        EXPECT_FALSE(test::reads(host, '"' + name + '"')) << name;
    const std::string longest(63, 'a');
    EXPECT_TRUE(test::reads(host, '"' + longest + '"'));
    EXPECT_FALSE(test::reads(host, "\"a" + longest + '"'));
}

} // namespace
