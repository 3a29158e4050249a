#pragma once
#include "app/runtime/engine_types.h"

#include <QString>

namespace fireside {

/// What the engine's signals said last.
struct StatusInputs
{
    EngineState state = EngineState::Starting;
    bool hasModel = false;
    ModelStatus model;                   // when hasModel
    QString loadingPath;                 // while loading
    LoadFailure failure;                 // of the last load; its message is empty: it did not fail
    QString replyFailure;                // of the last reply, empty when it did not fail
    int promptDone = 0, promptTotal = 0; // tokens read so far, while a prompt is being read
    bool hasStats = false;
    ReplyStats stats;     // of the running or last reply of the open chat
    int chatTokens = 0;   // of that chat with its last reply, where nothing was computed since
    bool trimmed = false; // the oldest messages of the open chat are no longer seen
};

/// The status panel's words: a pure function of the inputs, so that every state can be tested.
struct StatusTexts
{
    enum class Tone { Quiet, Good, Busy, Warning, Error };
    QString model;     // the button that opens the picker
    QString reason;    // one sentence: where the model runs and why, or what is wrong
    QString placement; // "all 8 layers on the CPU"
    QString remarks;   // doubts about the model's files
    QString memory, memoryHelp;
    QString context, contextHelp;
    QString promptRate, answerRate;
    Tone tone = Tone::Quiet;
};

int usedContext(const StatusInputs &in);    // tokens
qint64 residentNow(const StatusInputs &in); // bytes the model has allocated; -1: none, or unknown
StatusTexts statusTexts(const StatusInputs &in);

} // namespace fireside
