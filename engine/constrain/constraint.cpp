#include "engine/constrain/constraint.h"

#include "engine/core/error.h"
#include "engine/text/unicode.h"

#include <algorithm>

namespace fireside::constrain {
namespace {

constexpr std::size_t kMostKept = 64;       // masks
constexpr std::size_t kMostConfigs = 4'096; // of the machine
constexpr std::size_t kMostForced = 4'096;  // bytes at once
constexpr std::size_t kContext = 6;         // tokens before forced ones

} // namespace

TokenGrammar::TokenGrammar(const Grammar &grammar, std::shared_ptr<const VocabularyTrie> vocabulary)
    : m_vocabulary(std::move(vocabulary))
    , m_notes(grammar.notes)
    , m_automaton(grammar)
    , m_masks(m_automaton, *m_vocabulary)
{
    m_masks.prepare();
}

Constraint::Constraint(std::shared_ptr<const TokenGrammar> grammar)
    : m_grammar(std::move(grammar))
    , m_machine(m_grammar->automaton())
    , m_at(m_machine.start())
{}

std::span<const std::uint64_t> Constraint::allowed()
{
    if (const auto known = m_kept.find(m_at); known != m_kept.end())
        return known->second;
    if (m_kept.size() >= kMostKept)
        m_kept.clear();
    TokenBits bits = assemble();
    ++m_made;
    return m_kept.emplace(m_at, std::move(bits)).first->second;
}

TokenBits Constraint::assemble()
{
    using Kind = Automaton::Call::Kind;
    const VocabularyTrie &vocabulary = m_grammar->vocabulary();
    TokenBits bits(vocabulary.words());
    const auto add = [&](const TokenBits &more) {
        for (std::size_t i = 0; i < bits.size(); ++i)
            bits[i] |= more[i];
    };
    if (isComplete())
        add(vocabulary.ends());
    const std::vector<Machine::Thread> threads(m_machine.threads(m_at).begin(),
                                               m_machine.threads(m_at).end());
    for (std::size_t i = 0; i < threads.size();) {
        const Machine::FrameId id = threads[i].frame;
        std::vector<NodeId> nodes;
        bool ended = false;
        for (; i < threads.size() && threads[i].frame == id; ++i)
            if (threads[i].node != Machine::kEnded)
                nodes.push_back(threads[i].node);
            else
                ended = true;
        if (nodes.empty() && ended)
            continue;
        const Machine::Frame frame = m_machine.frameOf(id);
        const LocalMask &mask = m_grammar->masks().of(nodes, frame, m_machine);
        std::uint32_t fewest = 0, most = kUnlimited; // repetitions besides those that are complete
        if (frame.call != Machine::kReturn) {
            const Automaton::Call &call = m_machine.automaton().call(frame.call);
            if (call.kind == Kind::Repeat) {
                fewest = call.min - std::min(call.min, frame.count);
                most = call.max == kUnlimited ? kUnlimited : call.max - frame.count;
            }
        }
        const auto level =
            std::find_if(mask.levels.rbegin(), mask.levels.rend(),
                         [&](const LocalMask::Level &it) { return it.repetitions <= most; });
        if (level != mask.levels.rend())
            add(level->tokens);
        if (!mask.rests.empty() && id != Machine::kBottom)
            addRests(mask, m_machine.enter({{frame.target, frame.parent}}), fewest, most, bits);
    }
    return bits;
}

/// Sets the tokens whose rests can be read after the body.
void Constraint::addRests(const LocalMask &mask, ConfigId after, std::uint32_t fewest,
                          std::uint32_t most, TokenBits &bits)
{
    std::vector<ConfigId> path(mask.longestRest + 1);
    path[0] = after;
    for (std::size_t at = 0; at < mask.rests.size();) {
        const LocalMask::Rest &rest = mask.rests[at];
        const ConfigId config = m_machine.step(path[rest.depth - 1u], rest.byte);
        if (config == Machine::kDead) {
            at = rest.end;
            continue;
        }
        path[rest.depth] = config;
        for (std::size_t i = rest.first; i < rest.first + rest.count; ++i)
            if (const LocalMask::Ending &ending = mask.endings[i];
                ending.repetitions >= fewest && ending.repetitions <= most)
                setBit(bits, ending.token);
        ++at;
    }
}

bool Constraint::allows(TokenId id)
{
    const VocabularyTrie &vocabulary = m_grammar->vocabulary();
    if (id < 0 || static_cast<std::size_t>(id) >= vocabulary.size())
        return false;
    if (hasBit(vocabulary.ends(), id))
        return isComplete();
    if (const auto known = m_kept.find(m_at); known != m_kept.end())
        return hasBit(known->second, id);
    const std::string_view bytes = vocabulary.bytes(id);
    return !bytes.empty() && m_machine.read(m_at, bytes) != Machine::kDead;
}

void Constraint::accept(TokenId id)
{
    const VocabularyTrie &vocabulary = m_grammar->vocabulary();
    if (!allows(id))
        throw Error(ErrorKind::Internal, "a token that the constraint forbids");
    if (m_machine.size() > kMostConfigs) {
        m_at = m_machine.forgetAllBut(m_at);
        m_kept.clear();
    }
    if (hasBit(vocabulary.ends(), id))
        return;
    m_at = m_machine.read(m_at, vocabulary.bytes(id));
    if (m_recent.size() == kContext)
        m_recent.erase(m_recent.begin());
    m_recent.push_back(id);
}

std::string Constraint::forcedBytes()
{
    std::string bytes;
    ConfigId at = m_at;
    for (int byte = m_machine.onlyByte(at); byte >= 0 && bytes.size() < kMostForced;
         byte = m_machine.onlyByte(at)) {
        at = m_machine.step(at, static_cast<std::uint8_t>(byte));
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

/// As the tokenizer writes them after the last tokens; where it would write those in another way,
/// the longest ones one after the other. Fewer than all bytes where no token begins with the next.
std::vector<TokenId> Constraint::tokensOf(const std::string &bytes,
                                          const Tokenizer &tokenizer) const
{
    const VocabularyTrie &vocabulary = m_grammar->vocabulary();
    for (std::size_t from = 0; from <= m_recent.size(); ++from) {
        std::string text;
        for (std::size_t i = from; i < m_recent.size(); ++i)
            text += vocabulary.bytes(m_recent[i]);
        text += bytes;
        if (!isValidUtf8(text))
            continue;
        const std::vector<TokenId> all = tokenizer.encode(MarkedText::fromUser(text), false);
        const std::size_t before = m_recent.size() - from;
        if (all.size() < before ||
            !std::equal(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before),
                        m_recent.begin() + static_cast<std::ptrdiff_t>(from)))
            continue;
        std::vector<TokenId> ids(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
        std::string joined;
        for (const TokenId id : ids)
            joined += static_cast<std::size_t>(id) < vocabulary.size() ? vocabulary.bytes(id) : "";
        if (joined == bytes)
            return ids;
    }
    std::vector<TokenId> ids;
    std::string_view left = bytes;
    for (TokenId id = vocabulary.longest(left); id >= 0; id = vocabulary.longest(left)) {
        ids.push_back(id);
        left.remove_prefix(vocabulary.bytes(id).size());
    }
    return ids;
}

/// Whether another allowed token begins with this one.
bool Constraint::mayBeLonger(TokenId id, ConfigId before)
{
    const VocabularyTrie &vocabulary = m_grammar->vocabulary();
    const VocabularyTrie::Node *const found = vocabulary.find(vocabulary.bytes(id));
    if (found == nullptr)
        return false;
    const auto nodes = vocabulary.nodes();
    std::vector<ConfigId> path{m_machine.read(before, vocabulary.bytes(id))};
    for (auto at = static_cast<std::size_t>(found - nodes.data()) + 1; at < found->end;) {
        const VocabularyTrie::Node &node = nodes[at];
        const std::size_t depth = node.depth - found->depth;
        const ConfigId config = m_machine.step(path[depth - 1], node.byte);
        if (config == Machine::kDead) {
            at = node.end;
            continue;
        }
        if (node.tokens > 0)
            return true;
        path.resize(depth + 1);
        path[depth] = config;
        ++at;
    }
    return false;
}

std::vector<TokenId> Constraint::forced(const Tokenizer &tokenizer)
{
    const std::string bytes = forcedBytes();
    if (bytes.empty())
        return {};
    std::vector<TokenId> ids = tokensOf(bytes, tokenizer);
    std::vector<ConfigId> before{m_at};
    for (const TokenId id : ids)
        before.push_back(m_machine.read(before.back(), m_grammar->vocabulary().bytes(id)));
    while (!ids.empty() && mayBeLonger(ids.back(), before[ids.size() - 1]))
        ids.pop_back();
    return ids;
}

} // namespace fireside::constrain
