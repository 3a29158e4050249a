#include "tests/support/scripted_model.h"

#include "tests/support/gguf_builder.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>

namespace fireside::test {
namespace {

// A token's embedding is an axis of its own, attention and everything else add nothing, and the
// row of the token that follows points along that axis.
constexpr std::size_t kHidden = 128, kFeedForward = 32, kScriptHeads = 4;

/// A character of GPT-2's alphabet for each byte, in UTF-8.
std::string asByteLevel(const std::string &bytes)
{
    std::string text;
    const auto put = [&text](unsigned code) {
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else {
            text += static_cast<char>(0xC0 | (code >> 6));
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
    };
    for (const char c : bytes) {
        const unsigned byte = static_cast<unsigned char>(c);
        const auto isShown = [](unsigned b) {
            return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
        };
        unsigned hidden = 0;
        for (unsigned b = 0; b < byte; ++b)
            hidden += !isShown(b);
        put(isShown(byte) ? byte : 256 + hidden);
    }
    return text;
}

std::vector<std::byte> bytesOf(const std::vector<float> &values)
{
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

constexpr const char *kScriptTemplate =
    "{%- set ns = namespace(n=0) -%}"
    "{%- if tools -%}<|im_start|>tools\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}"
    "<|im_end|>\n{% endif -%}"
    "{%- for m in messages -%}"
    "{%- if m.role == 'user' %}{% set ns.n = 0 %}{% elif m.role == 'tool' %}"
    "{% set ns.n = ns.n + 1 %}{% endif -%}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{%- for c in m.tool_calls -%}<tool_call>\n{\"name\": {{ c.function.name | tojson }}, "
    "\"arguments\": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}<|im_end|>\n"
    "{%- endfor -%}"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n"
    "<|s{{ ns.n if ns.n < LAST else LAST }}|>{% endif %}";

std::string templateOf(std::size_t replies)
{
    std::string text = kScriptTemplate;
    for (std::size_t at; (at = text.find("LAST")) != std::string::npos;)
        text.replace(at, 4, std::to_string(replies - 1));
    return text;
}

/// Tokens, and which one follows which.
class Script
{
public:
    Script()
    {
        for (unsigned byte = 0; byte < 256; ++byte)
            add(asByteLevel(std::string(1, static_cast<char>(byte))), 1);
        add("th", 1);
        m_end = mark("<|im_end|>");
        mark("<|im_start|>");
    }
    static std::size_t byte(char c) { return static_cast<unsigned char>(c); }
    std::size_t end() const { return m_end; }
    std::size_t mark(const std::string &text) { return add(text, 3); }
    std::size_t piece(const std::string &text) { return add(asByteLevel(text), 1); }
    void follow(std::size_t token, std::size_t next) { m_next[token] = next; }
    /// Returns the last one.
    std::size_t say(std::size_t after, const std::vector<std::string> &pieces)
    {
        for (const std::string &text : pieces) {
            const std::size_t token = piece(text);
            follow(after, token);
            after = token;
        }
        return after;
    }
    void write(const std::filesystem::path &path, const std::string &chatTemplate,
               std::uint32_t context) const;

private:
    std::size_t add(std::string text, std::int32_t type)
    {
        if (std::find(m_texts.begin(), m_texts.end(), text) != m_texts.end())
            throw std::runtime_error("the script has a piece twice: " + text);
        m_texts.push_back(std::move(text));
        m_types.push_back(type);
        return m_texts.size() - 1;
    }

    std::vector<std::string> m_texts;
    std::vector<std::int32_t> m_types;
    std::map<std::size_t, std::size_t> m_next; // of tokens on an axis
    std::size_t m_end = 0;
};

void Script::write(const std::filesystem::path &path, const std::string &chatTemplate,
                   std::uint32_t context) const
{
    if (m_next.size() > kHidden)
        throw std::runtime_error("the script is too long");
    const std::size_t words = m_texts.size();
    std::vector<float> embeddings(words * kHidden), output(words * kHidden);
    std::size_t axis = 0;
    for (const auto &[token, follower] : m_next) {
        embeddings[token * kHidden + axis] = 1;
        output[follower * kHidden + axis] = 4; // times the root of the width
        ++axis;
    }
    GgufBuilder file;
    file.string("general.architecture", "llama")
        .string("general.name", "Scripted")
        .u32("llama.context_length", context)
        .u32("llama.embedding_length", kHidden)
        .u32("llama.block_count", 1)
        .u32("llama.feed_forward_length", kFeedForward)
        .u32("llama.attention.head_count", kScriptHeads)
        .u32("llama.attention.head_count_kv", kScriptHeads)
        .f32("llama.attention.layer_norm_rms_epsilon", 1e-5f)
        .f32("llama.rope.freq_base", 10000)
        .u32("llama.vocab_size", static_cast<std::uint32_t>(words))
        .string("tokenizer.ggml.model", "gpt2")
        .string("tokenizer.ggml.pre", "llama-bpe")
        .strings("tokenizer.ggml.tokens", m_texts)
        .i32Array("tokenizer.ggml.token_type", m_types)
        .strings("tokenizer.ggml.merges", std::vector<std::string>{"t h"})
        .u32("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(m_end))
        .string("tokenizer.chat_template", chatTemplate);
    const std::vector<float> ones(kHidden, 1.0f);
    const auto matrix = [&](const char *name, std::size_t in, std::size_t out) {
        file.tensor(name, DType::F32, {in, out});
    };
    file.tensor("token_embd.weight", DType::F32, {kHidden, words}, bytesOf(embeddings));
    file.tensor("output_norm.weight", DType::F32, {kHidden}, bytesOf(ones));
    file.tensor("output.weight", DType::F32, {kHidden, words}, bytesOf(output));
    file.tensor("blk.0.attn_norm.weight", DType::F32, {kHidden}, bytesOf(ones));
    file.tensor("blk.0.ffn_norm.weight", DType::F32, {kHidden}, bytesOf(ones));
    for (const char *name : {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight",
                             "blk.0.attn_output.weight"})
        matrix(name, kHidden, kHidden);
    matrix("blk.0.ffn_gate.weight", kHidden, kFeedForward);
    matrix("blk.0.ffn_up.weight", kHidden, kFeedForward);
    matrix("blk.0.ffn_down.weight", kFeedForward, kHidden);
    file.write(path);
}

} // namespace

std::string scriptedCall(const std::string &name, const std::string &arguments)
{
    return "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": " + arguments +
           "}\n</tool_call>";
}

void writeScriptedModel(const std::filesystem::path &path,
                        const std::vector<std::vector<std::string>> &replies)
{
    Script script;
    for (std::size_t n = 0; n < replies.size(); ++n) {
        const std::size_t begin = script.mark("<|s" + std::to_string(n) + "|>");
        script.follow(script.say(begin, replies[n]), script.end());
    }
    script.write(path, templateOf(replies.size()), 8192);
}

void writeEndlessThinker(const std::filesystem::path &path, const std::vector<std::string> &answer)
{
    constexpr std::uint32_t kContext = 1 << 20;
    Script script;
    const std::size_t think = script.say(script.mark("<|s0|>"), {"<think>"});
    const std::size_t first = script.piece("hm, ");
    script.follow(think, first);
    script.follow(script.say(first, {"so, "}), first); // and so on
    // What ends thoughts ends with a line break.
    script.follow(script.say(Script::byte('\n'), answer), script.end());
    script.write(path, templateOf(1) + "{#</think>#}", kContext);
}

} // namespace fireside::test
