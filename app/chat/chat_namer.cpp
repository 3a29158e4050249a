#include "app/chat/chat_namer.h"

#include "app/chat/call_messages.h"
#include "app/chat/chat_texts.h"
#include "app/chat/conversation_store.h"
#include "app/runtime/engine_service.h"

#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

constexpr int kTitleTokens = 40;
constexpr qsizetype kLongestAnswer = 80; // characters; a longer one is no title
constexpr int kPauseMs = 1500;

const char *const kTitleRequest =
    "Name this conversation: write a title for it, in its language, of two to six words that say "
    "what it is about. Write nothing but the title, without quotation marks or formatting.";

/// Opening marks in even places, what closes them in odd ones.
const QString kQuotes = QStringLiteral("\"\"''``**__“”„“‘’«»»«「」『』《》()[]");

QString withoutQuotes(QString line)
{
    for (bool again = true; again && line.size() > 2;) {
        again = false;
        for (qsizetype i = 0; i < kQuotes.size(); i += 2) {
            if (line.startsWith(kQuotes[i]) && line.endsWith(kQuotes[i + 1]) && line.size() > 2) {
                line = line.mid(1, line.size() - 2).trimmed();
                again = true;
            }
        }
    }
    return line;
}

bool hasReply(const QList<Message> &path)
{
    return std::any_of(path.begin(), path.end(), [](const Message &message) {
        return message.role == QLatin1String("assistant") && !message.text.isEmpty() &&
               message.state != Message::State::Streaming;
    });
}

QList<ToolOffer> toolsOfLastReply(const QList<Message> &path)
{
    const auto reply = std::find_if(path.crbegin(), path.crend(), [](const Message &message) {
        return message.role == QLatin1String("assistant");
    });
    return reply == path.crend() ? QList<ToolOffer>()
                                 : toolOffersFrom(reply->record[kOfferedToolsKey].toArray());
}

} // namespace

QString titleInAnswer(const QString &answer)
{
    static const QRegularExpression marks(QStringLiteral("^(?:[#>*•–-]+\\s+|\\d{1,2}[.)]\\s+)+")),
        label(QStringLiteral(
                  "^[*_]*(?:title|titel|titre|título|titolo|标题|タイトル)\\s*[:：][*_]*\\s*"),
              QRegularExpression::CaseInsensitiveOption),
        unseen(QStringLiteral("[\\p{Cc}\\p{Cf}\\p{Co}]")),
        fence(QStringLiteral("^\\s*(?:```[^`]*|~~~[^~]*)$")),
        letters(QStringLiteral("[\\p{L}\\p{N}]"));
    QString line;
    for (const QString &candidate : answer.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        line = candidate.simplified().remove(fence).remove(unseen).remove(marks);
        line = withoutQuotes(withoutQuotes(line).remove(label));
        if (line.contains(letters))
            break;
    }
    if (!line.contains(letters) || line.size() > kLongestAnswer)
        return {};
    if (line.endsWith(QLatin1Char('.')) || line.endsWith(QChar(0x3002)))
        line.chop(1);
    return titleFrom(line);
}

ChatNamer::ChatNamer(ConversationStore &store, EngineService &engine, QObject *parent)
    : QObject(parent)
    , m_store(store)
    , m_engine(engine)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &ChatNamer::next);
    connect(&m_engine, &EngineService::loaded, this, [this] { m_unnamable.clear(); });
    connect(&m_engine, &EngineService::stateChanged, this, [this](EngineState state) {
        if (state == EngineState::Ready && !m_waiting.isEmpty())
            m_pause.start();
    });
    connect(&m_engine, &EngineService::asideAnswered, this,
            [this](qint64 job, const AsideAnswer &answer) {
                if (job == m_job && m_job != 0)
                    take(answer);
            });
}

void ChatNamer::setOn(bool on)
{
    m_on = on;
    if (!on)
        m_waiting.removeIf([](const Wish &wish) { return !wish.byUser; });
}

void ChatNamer::consider(qint64 conversation)
{
    const auto same = [conversation](const Wish &wish) {
        return wish.conversation == conversation;
    };
    if (!m_on || m_unnamable.contains(conversation) || (m_job != 0 && same(m_asked)))
        return;
    if (std::none_of(m_waiting.begin(), m_waiting.end(), same))
        m_waiting.append({conversation, false, {}});
    next();
}

void ChatNamer::nameAgain(qint64 conversation)
{
    m_waiting.removeIf([&](const Wish &wish) { return wish.conversation == conversation; });
    m_waiting.prepend({conversation, true, {}});
    next();
}

void ChatNamer::next()
{
    while (m_job == 0 && !m_waiting.isEmpty() && m_engine.state() == EngineState::Ready) {
        Wish wish = m_waiting.takeFirst();
        // What servers run is not known, and seldom smaller than that.
        if (!m_engine.model().isElsewhere() && m_engine.model().parameters < m_leastParameters)
            giveUp(wish, tr("The loaded model is too small to name chats: it takes half a billion "
                            "parameters."));
        else if (isToBeNamed(wish))
            ask(wish);
    }
}

/// Notes the title that it has now.
bool ChatNamer::isToBeNamed(Wish &wish) const
{
    const std::optional<ConversationRow> row = m_store.conversation(wish.conversation);
    if (!row)
        return false;
    const QList<Message> path = m_store.path(row->currentLeaf);
    wish.title = row->title;
    const bool untouched = !row->named && !path.isEmpty() && row->title == titleFrom(path[0].text);
    return hasReply(path) && (wish.byUser || untouched);
}

void ChatNamer::ask(const Wish &wish)
{
    const ConversationRow row = m_store.conversation(wish.conversation).value();
    ReplyJob job;
    // Thoughts may precede a title only where they cannot be left out.
    job.sampling.thinking = "off";
    job.sampling.reasoningEffort = "low";
    job.sampling.thinkingBudget = 1;
    job.sampling.temperature = 0;
    job.sampling.seed = 0;
    job.sampling.maxTokens = kTitleTokens;
    job.dropOldest = false;
    SamplingLayers layers = m_base; // what comes before the question is as it was for the replies
    addChoice(layers, row.sampling, true);
    const QList<Message> path = m_store.path(row.currentLeaf);
    job.tools = toolsOfLastReply(path);
    job.mayCall = false;
    job.messages =
        turnsOf(path, QString::fromStdString(resolved(layers).systemPrompt), !job.tools.isEmpty())
            .messages;
    job.messages.append({QStringLiteral("user"), QString::fromLatin1(kTitleRequest)});
    m_asked = wish;
    static qint64 jobs = 0; // of all namers
    m_job = job.id = ++jobs;
    m_engine.askAside(job);
}

void ChatNamer::take(const AsideAnswer &answer)
{
    m_job = 0;
    const Wish wish = std::exchange(m_asked, {});
    if (answer.kind == AsideAnswer::Interrupted) {
        if (m_on || wish.byUser)
            m_waiting.prepend(wish);
        m_pause.start();
        return;
    }
    const std::optional<ConversationRow> row = m_store.conversation(wish.conversation);
    const QString title =
        answer.kind == AsideAnswer::Whole ? titleInAnswer(answer.text) : QString();
    if (title.isEmpty()) {
        giveUp(wish, answer.kind == AsideAnswer::Failed
                         ? tr("The chat was not named: %1").arg(answer.problem)
                         : tr("The model's answer was no title; the chat keeps its own."));
    } else if (row && row->title == wish.title && (wish.byUser || (m_on && !row->named))) {
        m_store.setTitle(wish.conversation, title, false);
        emit named(wish.conversation, title);
    }
    next();
}

void ChatNamer::giveUp(const Wish &wish, const QString &problem)
{
    m_unnamable.insert(wish.conversation);
    if (wish.byUser)
        emit failed(problem);
}

} // namespace fireside
