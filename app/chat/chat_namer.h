#pragma once
#include "app/runtime/aside_answer.h"
#include "app/settings/sampling_layers.h"

#include <QList>
#include <QObject>
#include <QSet>
#include <QTimer>

namespace fireside {

class ConversationStore;
class EngineService;

/// The title in a model's answer to the request for one: without quotation marks, markup and line
/// breaks, 48 characters at most. Empty: there is none in it, like in an answer of several
/// sentences' length.
QString titleInAnswer(const QString &answer);

/// Names chats: the loaded model is asked for a title when nothing else runs, behind the messages
/// of the chat, whose computed tokens so stay of use. Every other request ends that; it is then
/// asked for again. Titles that the user wrote are replaced only when the user asks for it.
class ChatNamer : public QObject
{
    Q_OBJECT
public:
    /// Smaller models answer with anything but a title.
    static constexpr qint64 kLeastParameters = 500'000'000;

    ChatNamer(ConversationStore &store, EngineService &engine, QObject *parent = nullptr);

    /// What counts where a chat says nothing.
    void setBase(const SamplingLayers &base) { m_base = base; }
    void setOn(bool on); // else chats are named on request only
    void setLeastParameters(qint64 parameters) { m_leastParameters = parameters; }
    qint64 asking() const { return m_job; } // a number for each question, 0: none is asked
    /// After a reply: where the title is still the beginning of the first message.
    void consider(qint64 conversation);
    /// Whatever its title is; failed() tells when it stays.
    void nameAgain(qint64 conversation);

signals:
    void named(qint64 conversation, const QString &title); // stored already
    void failed(const QString &problem);                   // of nameAgain()

private:
    struct Wish
    {
        qint64 conversation = 0;
        bool byUser = false;
        QString title; // that is replaced
    };
    void next();
    bool isToBeNamed(Wish &wish) const;
    void ask(const Wish &wish);
    void take(const AsideAnswer &answer);
    void giveUp(const Wish &wish, const QString &problem);

    ConversationStore &m_store;
    EngineService &m_engine;
    SamplingLayers m_base;
    bool m_on = true;
    qint64 m_leastParameters = kLeastParameters;
    QList<Wish> m_waiting;
    Wish m_asked;
    qint64 m_job = 0;         // of m_asked; 0: none
    QSet<qint64> m_unnamable; // by the loaded model
    QTimer m_pause;           // after an interruption
};

} // namespace fireside
