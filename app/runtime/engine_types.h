#pragma once
#include "app/runtime/placement_status.h"
#include "app/settings/load_settings.h"
#include "app/settings/sampling_layers.h"
#include "engine/generate/reply_rates.h"

#include <QDateTime>
#include <QList>
#include <QMetaType>
#include <QPair>
#include <QString>
#include <QStringList>

// Plain values that travel between the engine's thread and the window. No engine types: the user
// interface depends on these alone.
namespace fireside {

/// One of the checks of a device.
struct CheckStatus
{
    enum Outcome { Passed, Failed, NotReached };
    QString name, detail, rawError, advice;
    Outcome outcome = NotReached;
};

struct DeviceStatus
{
    QString id;   // "cpu", "vulkan:0"
    QString kind; // "cpu" or "vulkan"
    QString name;
    QString reason; // one sentence
    bool available = false;
    bool software = false;                    // a CPU that poses as a GPU
    bool unifiedMemory = false;               // shares the system's RAM
    qint64 memoryTotal = -1, memoryFree = -1; // bytes, -1: unknown
    QList<CheckStatus> checks;
    QList<QPair<QString, QString>> properties;
};

/// What a model can be told about thinking.
struct ThinkingOffer
{
    bool onOff = false, effort = false; // its template knows a word for it
    bool budget = false;                // it thinks where the program can end it
    bool operator==(const ThinkingOffer &) const = default;
};

/// The loaded model, and where and why it runs.
struct ModelStatus
{
    QString path, name, architecture, quantisation;
    QString quantisedTo; // what the weights became while loading, "Q4_K_M"; empty: nothing
    QString license, description;
    qint64 fileBytes = 0;
    qint64 parameters = 0;
    int context = 0;                                       // tokens of this session
    int contextTrained = 0;                                // what the model was trained for
    QString backend;                                       // "cpu", "vulkan", "server"
    QString device;                                        // "AMD EPYC 9755"
    QString reason;                                        // "CPU, because …" in one sentence
    QString placement;                                     // "28 of 32 layers on …, 4 on the CPU"
    qint64 weightBytes = 0, kvBytes = 0, plannedBytes = 0; // predicted
    qint64 residentBytes = -1;                             // of the same, allocated now
    QList<DeviceUseStatus> devices;       // both, on each device that holds a part of it
    QList<PlacementOptionStatus> options; // every way to run it, the chosen one too
    double loadSeconds = 0;
    bool builtIn = false;     // the starter model
    bool hasTemplate = false; // else a plain built-in format is used, and said so
    ThinkingOffer thinking;
    QStringList remarks; // doubts about its files, a sentence each
    QString insteadOf;   // why it answers although another was chosen, a sentence; empty: it was
    QString fingerprint; // identifies the file's content in stored replies
    SettingValues recommended; // for its replies, by whoever made it
    LoadSettings asked;        // what it was loaded with; differs from the settings until a reload
    /// A server computes; memory, devices and placement say nothing then.
    bool isElsewhere() const { return backend == QLatin1String("server"); }
};

/// A load that did not come to its end.
struct LoadFailure
{
    QString path, message; // message empty: there was none
    bool cancelled = false;
    LoadSettings asked = {};
    QDateTime at = {};
};

/// Numbers of one reply, live and final.
struct ReplyStats
{
    static constexpr double kLiveSeconds = 0.3; // a rate shown earlier would jump

    int promptTokens = 0, reusedTokens = 0, generatedTokens = 0;
    double promptSeconds = 0, generateSeconds = 0;
    int contextUsed = 0, contextTotal = 0;
    qint64 seed = 0;
    int thoughtTokens = 0; // when their end was put in; 0: it was not
    QString finish;        // "end", "stop string", "length", "context full", "stopped"
    qint64 residentBytes = -1;
    QStringList unsent;  // keys of settings that are on and that a server was not sent
    QString servedModel; // what a server calls the model that answered; empty: it does not say
    QList<int> tokens;   // of a reply that has ended: their ids, without the end's
    int readTokens() const { return promptTokens - reusedTokens; }
    /// 0 when too few tokens were read to tell.
    double promptRate() const { return readingRate(readTokens(), promptSeconds); }
    /// 0 when too few tokens were written, or too little time has gone by, to tell.
    double generateRate() const
    {
        const bool early = finish.isEmpty() && generateSeconds < kLiveSeconds;
        return early ? 0 : writingRate(generatedTokens, generateSeconds);
    }
};

/// A run of a reply's text: what the model said, what it thought, or a tool that it calls, whose
/// text are the arguments. Between parts stand marks that tell them apart without this.
struct MessagePart
{
    enum Kind { Text, Reasoning, Call };
    Kind kind = Text;
    qsizetype start = 0, length = 0; // UTF-16 units of the message's text
    QString name = {}, id = {};      // of a Call
    QString arguments = {};          // of a Call, as received; empty: as the text shows them
    bool operator==(const MessagePart &) const = default;
};

struct TurnCall
{
    QString name, arguments, id; // arguments: a JSON object
};

struct TurnMessage
{
    QString role; // system, user, assistant, tool
    QString text;
    QString reasoning = {};     // of assistants
    QList<TurnCall> calls = {}; // of assistants; of tools the one that `text` answers
};

/// A tool that the model may call.
struct ToolOffer
{
    QString name, description;
    QString parameters; // a JSON schema of an object
    bool operator==(const ToolOffer &) const = default;
};

/// The tokens that the beginning of an answer was written with.
struct BegunTokens
{
    QList<int> ids;
    bool whole = false; // all of the reply so far, thoughts included; else of the answer alone
    bool operator==(const BegunTokens &) const = default;
};

/// One request for a reply.
struct ReplyJob
{
    qint64 id = 0; // chosen by the caller, echoed in every signal
    QList<TurnMessage> messages;
    QString begun = {}; // of an answer that goes on from here; empty: a new one
    int reuse = -1;     // tokens of the prompt that are taken over at most; −1: all that can be
    SamplingSettings sampling;
    QList<ToolOffer> tools = {};
    bool mayCall = true; // else the tools are only what earlier calls are of
    bool dropOldest =
        true; // when the chat is too long: leave out the oldest turns (and say so), or fail
    BegunTokens begunTokens = {}; // of `begun`; none: it is tokenised
    QString followed = {};        // for findChoices(): what the answer has after `begun`
};

/// A chat that does not fit into the context.
struct ContextShortage
{
    int tokens = 0, room = 0; // that it has, and that it may have
    /// Index into the job's messages: from there on half of the room is enough. −1: leaving out
    /// does not help, because the last message alone is too long.
    int keepFrom = 0;
};

/// What might stand at a place of a reply.
struct TokenChoice
{
    int token = -1;
    QString text;
    double probability = 0; // of all tokens, before any setting changes it
    bool whole = true;      // false: a part of a character only
};

/// Where choices stand in place of a token: behind these tokens of the reply.
struct ChoicePlace
{
    QString begun; // the answer so far
    BegunTokens tokens;
};

enum class EngineState { Starting, NoModel, Loading, Ready, Replying, Stopping };

} // namespace fireside

Q_DECLARE_METATYPE(fireside::DeviceStatus)
Q_DECLARE_METATYPE(fireside::LoadSettings)
Q_DECLARE_METATYPE(fireside::SamplingSettings)
Q_DECLARE_METATYPE(fireside::ModelStatus)
Q_DECLARE_METATYPE(fireside::ReplyStats)
Q_DECLARE_METATYPE(fireside::MessagePart)
Q_DECLARE_METATYPE(fireside::ReplyJob)
Q_DECLARE_METATYPE(fireside::ContextShortage)
Q_DECLARE_METATYPE(fireside::TokenChoice)
Q_DECLARE_METATYPE(fireside::ChoicePlace)
Q_DECLARE_METATYPE(fireside::EngineState)
