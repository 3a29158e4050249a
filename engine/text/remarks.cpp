#include "engine/text/remarks.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/model_file.h"
#include "engine/text/chat_template.h"
#include "engine/text/readers/gguf_fields.h"
#include "engine/text/readers/marker_tokens.h"
#include "engine/text/rules/pre_tokenizer.h"
#include "engine/text/template_check.h"
#include "engine/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fireside {
namespace {

constexpr const char *kGuessed = " (tokenizer.ggml.pre): the oldest one is used, and the model may "
                                 "understand less than it could.";
constexpr const char *kOtherFormat =
    ": a common format is used instead, which the model may not know.";

void remarkOnSplitting(const ModelFile &file, std::vector<std::string> &remarks)
{
    const Gguf *gguf = file.gguf();
    if (!gguf || gguf->findString("tokenizer.ggml.model") != "gpt2")
        return; // other models have no rules that a file must name
    const std::string_view rule = gguf->findString("tokenizer.ggml.pre").value_or("");
    if (rule.empty())
        remarks.push_back(std::string("The file does not name the rule for cutting text into "
                                      "words") +
                          kGuessed);
    else if (!isKnownPreTokenizer(rule))
        remarks.push_back("The rule " + fireside::quoted(rule) +
                          " for cutting text into words is not known" + kGuessed);
}

/// Whether one of the words of a name is one that makers give to models for chatting.
bool saysChat(std::string_view name)
{
    static constexpr std::array<std::string_view, 5> words{"chat", "instruct", "instruction", "it",
                                                           "conversational"};
    std::string word;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const auto c = static_cast<unsigned char>(i < name.size() ? name[i] : ' ');
        if (std::isalnum(c)) {
            word += static_cast<char>(std::tolower(c));
            continue;
        }
        if (std::find(words.begin(), words.end(), word) != words.end())
            return true;
        word.clear();
    }
    return false;
}

/// Base models need no template.
bool isMadeForChat(const ModelFile &file)
{
    if (saysChat(file.path().stem().string()))
        return true;
    const Gguf *gguf = file.gguf();
    if (!gguf)
        return false;
    if (gguf->findString("tokenizer.chat_template")) // it is empty
        return true;
    for (const char *key : {"general.name", "general.finetune"})
        if (saysChat(gguf->findString(key).value_or("")))
            return true;
    const GgufArray *tags = gguf->findArray("general.tags");
    return tags && std::any_of(tags->strings.begin(), tags->strings.end(), saysChat);
}

/// Names of control tokens as families write them: <|im_start|>, <｜User｜>, <turn|>,
/// <start_of_turn>. Other words in angle brackets are often meant as text.
bool isMarkerName(std::string_view name)
{
    constexpr std::string_view wideBar = "\xEF\xBD\x9C"; // ｜
    for (const std::string_view bar : {std::string_view("|"), wideBar})
        if (name.size() > bar.size() && (name.starts_with(bar) || name.ends_with(bar)))
            return true;
    return name.find("_of_") != std::string_view::npos;
}

std::vector<std::string> markersIn(std::string_view text)
{
    constexpr std::size_t longest = 64;
    std::vector<std::string> markers;
    for (std::size_t at = text.find('<'); at != std::string_view::npos;
         at = text.find('<', at + 1)) {
        const std::size_t end = text.find_first_of("<> \n", at + 1);
        if (end == std::string_view::npos || text[end] != '>' || end - at >= longest)
            continue;
        const std::string marker(text.substr(at, end + 1 - at));
        if (isMarkerName(text.substr(at + 1, end - at - 1)) &&
            std::find(markers.begin(), markers.end(), marker) == markers.end())
            markers.push_back(marker);
    }
    return markers;
}

std::string listOf(const std::vector<std::string> &markers)
{
    constexpr std::size_t named = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(named, markers.size()); ++i)
        text += (i == 0 ? "" : i + 1 == markers.size() ? " and " : ", ") + printable(markers[i]);
    return markers.size() > named
               ? text + " and " + std::to_string(markers.size() - named) + " more"
               : text;
}

/// Ids that a file names though its vocabulary does not have them, of tokens that are not needed.
void remarkOnIds(const ModelFile &file, std::vector<std::string> &remarks)
{
    const Gguf *gguf = file.gguf();
    const GgufArray *tokens = gguf ? gguf->findArray("tokenizer.ggml.tokens") : nullptr;
    if (!tokens)
        return;
    const GgufFields fields(*gguf);
    for (const auto &[name, value] : gguf->metadata()) {
        const std::string key(name);
        if (!key.starts_with("tokenizer.ggml.") ||
            (!key.ends_with("_token_id") && !key.ends_with("_token_ids")))
            continue;
        const std::vector<std::string> ids = fields.idsOutside(key, tokens->size());
        if (!ids.empty() || fields.saysNone(key))
            remarks.push_back("The file's " + printable(key) + " is " +
                              (ids.empty() ? "-1" : ids.front()) + ", which is none of its " +
                              std::to_string(tokens->size()) + " tokens: it is ignored.");
    }
}

void remarkOnTemplate(const ModelFile &file, std::vector<std::string> &remarks)
{
    const auto source = file.chatTemplate();
    if (!source) {
        if (isMadeForChat(file))
            remarks.push_back(std::string("The model is made for chatting, but its files hold no "
                                          "chat template") +
                              kOtherFormat);
        return;
    }
    std::optional<ChatTemplate> chatTemplate;
    try {
        chatTemplate.emplace(*source);
    } catch (const Error &error) {
        remarks.push_back("The chat template cannot be used (" + reasonOf(error) + ")" +
                          kOtherFormat);
        return;
    }
    for (std::string &doubt : templateDoubts(*chatTemplate))
        remarks.push_back(std::move(doubt));
    const std::vector<std::string> cut = withoutToken(file, markersIn(shortChat(*chatTemplate)));
    if (cut.empty())
        return;
    const bool one = cut.size() == 1;
    remarks.push_back("The chat template writes " + listOf(cut) + ", which " +
                      (one ? "is no token" : "are no tokens") +
                      " of the vocabulary: " + (one ? "it is" : "they are") +
                      " cut into pieces, which only a model that was trained so understands.");
}

} // namespace

std::vector<std::string> textRemarks(const ModelFile &file)
{
    std::vector<std::string> remarks;
    for (const auto remark : {remarkOnSplitting, remarkOnIds, remarkOnTemplate}) {
        try {
            remark(file, remarks);
        } catch (const Error &) {
            continue; // a broken part is an error where it is used
        }
    }
    return remarks;
}

void requireRows(const Tokenizer &tokenizer, const std::filesystem::path &file, std::size_t rows)
{
    if (tokenizer.size() > rows)
        throwBadInput(file.string() + ": the vocabulary has " + std::to_string(tokenizer.size()) +
                      " entries, the embedding " + std::to_string(rows));
}

std::optional<std::string> textProblemOf(const ModelFile &file, std::size_t rows)
{
    try {
        requireRows(*Tokenizer::fromModel(file), file.path(), rows);
    } catch (const Error &error) {
        std::string text = reasonOf(error);
        const std::string path = file.path().string();
        if (text.starts_with(path))
            text.erase(0, text.find_first_not_of(": ", path.size()));
        return text;
    }
    return std::nullopt;
}

std::optional<std::string> endTokenRemark(const Tokenizer &tokenizer)
{
    const std::vector<TokenId> ids = tokenizer.encode(MarkedText::fromUser("a"), true);
    if (!ids.empty() && tokenizer.isControl(ids.back()))
        return std::nullopt;
    return "The model's tokenizer adds no end token (add_eos_token), whose row its vectors are "
           "made "
           "of: the row of the text's last token is used.";
}

std::optional<std::string> endTokenRemark(const ModelFile &file)
{
    try {
        return endTokenRemark(*Tokenizer::fromModel(file));
    } catch (const Error &) { // ids can be given without a tokenizer
        return std::nullopt;
    }
}

} // namespace fireside
