#include "engine/chat_prompt.h"

#include "engine/text/chat_ml.h"

namespace fireside {

ChatPrompt encodedPrompt(const Tokenizer &tokenizer, const ReplyFormat &format,
                         const MarkedText &text)
{
    ChatPrompt prompt{tokenizer.encode(text, false), format.opensIn(text.text)};
    std::vector<TokenId> &ids = prompt.tokens;
    const std::vector<TokenId> empty = tokenizer.encode({}, true);
    const auto bos = tokenizer.bos();
    if (bos && !empty.empty() && empty.front() == *bos && (ids.empty() || ids.front() != *bos))
        ids.insert(ids.begin(), *bos);
    return prompt;
}

ToolPrompt toolPrompt(const LoadedModel &model, const ToolChat &chat)
{
    static const ChatTemplate chatMl(kChatMl);
    const Tokenizer &words = model.tokenizer();
    const ChatTemplate *const own = model.chatTemplate();
    const ToolText written =
        writeToolChat(own ? *own : chatMl, model.replyFormat(), model.thinkingSwitches(), chat,
                      words.bosText(), words.eosText());
    return {encodedPrompt(words, written.format, written.text), written.format};
}

} // namespace fireside
