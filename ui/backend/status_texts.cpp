#include "ui/backend/status_texts.h"

#include "app/models/model_library.h"
#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"

#include <QCoreApplication>

namespace fireside {

namespace {

class PanelText
{
    Q_DECLARE_TR_FUNCTIONS(fireside::StatusPanel)
};

QString modelName(const ModelStatus &model)
{
    if (model.builtIn)
        return PanelText::tr("%1 – starter (built in)").arg(model.name);
    return model.quantisation.isEmpty()
               ? model.name
               : QStringLiteral("%1 · %2").arg(model.name, model.quantisation);
}

void describeNoModel(const StatusInputs &in, StatusTexts &out)
{
    out.model = PanelText::tr("No model");
    const QString name = ModelLibrary::displayName(in.failure.path);
    if (in.failure.cancelled) {
        out.reason = PanelText::tr("Loading %1 was cancelled. Choose a model to start.").arg(name);
    } else if (!in.failure.message.isEmpty()) {
        out.reason =
            PanelText::tr("Could not load %1: %2").arg(name, engineText(in.failure.message));
        out.tone = StatusTexts::Tone::Error;
    } else {
        out.reason = PanelText::tr("No model is loaded. Choose one to start.");
    }
}

void describeModel(const StatusInputs &in, StatusTexts &out)
{
    const ModelStatus &model = in.model;
    out.model = modelName(model);
    out.reason = model.reason.isEmpty() ? model.device : engineText(model.reason);
    out.placement = engineText(model.placement);
    out.remarks = model.remarks.join(QLatin1Char(' '));
    out.tone = StatusTexts::Tone::Good;
    if (in.state == EngineState::Stopping) {
        out.reason = PanelText::tr("Stopping…");
        out.tone = StatusTexts::Tone::Busy;
    } else if (in.state == EngineState::Replying) {
        out.tone = StatusTexts::Tone::Busy;
    } else if (!in.replyFailure.isEmpty()) {
        out.reason = PanelText::tr("The last reply failed: %1").arg(engineText(in.replyFailure));
        out.tone = StatusTexts::Tone::Error;
    }
}

void describeMemory(const StatusInputs &in, StatusTexts &out)
{
    const QString planned = bytesText(in.model.plannedBytes);
    const qint64 actual = residentNow(in);
    out.memory = actual < 0 ? PanelText::tr("%1 predicted").arg(planned)
                            : PanelText::tr("%1 of %2 predicted").arg(bytesText(actual), planned);
    out.memoryHelp =
        PanelText::tr("Predicted before loading: %1 (weights %2, context memory %3, the rest for "
                      "calculations). The program's own memory is not part of it.")
            .arg(planned, bytesText(in.model.weightBytes), bytesText(in.model.kvBytes));
    if (actual >= 0)
        out.memoryHelp +=
            QLatin1Char('\n') + PanelText::tr("In use now: %1.").arg(bytesText(actual));
}

void describeContext(const StatusInputs &in, StatusTexts &out)
{
    const int total =
        in.hasStats && in.stats.contextTotal > 0 ? in.stats.contextTotal : in.model.context;
    const int used = usedContext(in);
    if (in.model.isElsewhere() && (used == 0 || total == 0)) {
        out.context = used > 0    ? PanelText::tr("%1 tokens").arg(countText(used))
                      : total > 0 ? PanelText::tr("room for %1").arg(countText(total))
                                  : PanelText::tr("counted by the server");
        out.contextHelp = PanelText::tr("The server counts the tokens of this chat and tells them "
                                        "with each reply.");
        return;
    }
    out.context = PanelText::tr("%1 of %2").arg(countText(used), countText(total));
    out.contextHelp =
        PanelText::tr("Tokens of this chat the model has read, of the %1 it has room for.")
            .arg(countText(total));
    if (in.model.contextTrained > total)
        out.contextHelp +=
            QLatin1Char('\n') +
            PanelText::tr("The model was trained for %1; the settings can give it more.")
                .arg(countText(in.model.contextTrained));
    if (in.model.asked.context > total && in.model.contextTrained <= total)
        out.contextHelp += QLatin1Char('\n') +
                           PanelText::tr("%1 were asked for; the model was trained for no more.")
                               .arg(countText(in.model.asked.context));
    if (in.trimmed) {
        out.context += PanelText::tr(" · oldest left out");
        out.contextHelp += QLatin1Char('\n') +
                           PanelText::tr("The chat is longer than that: its oldest messages are "
                                         "kept, but the model no longer sees them.");
    } else if (total > 0 && used >= total) {
        out.context += PanelText::tr(" · full");
    } else if (total > 0 && used * 10LL >= total * 9LL) {
        out.context += PanelText::tr(" · nearly full");
    }
}

void describeRates(const StatusInputs &in, StatusTexts &out)
{
    const bool reading = in.state == EngineState::Replying && in.promptDone < in.promptTotal;
    const bool hardlyRead = in.stats.readTokens() < kFewPromptTokens;
    if (reading)
        out.promptRate = PanelText::tr("reading %1 of %2")
                             .arg(countText(in.promptDone), countText(in.promptTotal));
    else if (in.hasStats && in.stats.reusedTokens > 0 && hardlyRead)
        out.promptRate =
            PanelText::tr("%1 of %2 reused")
                .arg(countText(in.stats.reusedTokens), countText(in.stats.promptTokens));
    else
        out.promptRate = rateText(in.hasStats ? in.stats.promptRate() : 0);
    out.answerRate = rateText(in.hasStats && !reading ? in.stats.generateRate() : 0);
}

} // namespace

int usedContext(const StatusInputs &in)
{
    return in.hasStats && in.stats.contextUsed > 0 ? in.stats.contextUsed : in.chatTokens;
}

qint64 residentNow(const StatusInputs &in)
{
    // A model that rests has none, whatever its last reply took.
    return in.hasStats && in.model.residentBytes >= 0 ? in.stats.residentBytes
                                                      : in.model.residentBytes;
}

StatusTexts statusTexts(const StatusInputs &in)
{
    StatusTexts out;
    if (in.state == EngineState::Starting) {
        out.model = PanelText::tr("No model yet");
        out.reason = PanelText::tr("Looking at this computer's processors…");
        out.tone = StatusTexts::Tone::Busy;
        return out;
    }
    if (in.state == EngineState::Loading) {
        out.model = ModelLibrary::displayName(in.loadingPath);
        out.reason = PanelText::tr("Loading %1…").arg(ModelLibrary::displayName(in.loadingPath));
        out.tone = StatusTexts::Tone::Busy;
        return out;
    }
    if (!in.hasModel) {
        describeNoModel(in, out);
        if (in.state == EngineState::Stopping) {
            out.reason = PanelText::tr("Stopping…");
            out.tone = StatusTexts::Tone::Busy;
        }
        return out;
    }
    describeModel(in, out);
    if (!in.model.isElsewhere())
        describeMemory(in, out);
    describeContext(in, out);
    describeRates(in, out);
    return out;
}

} // namespace fireside
