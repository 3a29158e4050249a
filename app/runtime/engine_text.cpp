#include "app/runtime/engine_text.h"

#include <QCoreApplication>
#include <QHash>
#include <QLocale>
#include <QRegularExpression>

#include <array>
#include <vector>

namespace fireside {
namespace {

constexpr int kMostDepth = 6; // of sentences in sentences
constexpr qsizetype kMostKept = 256;

/// In this order: what holds more fixed words comes first.
constexpr std::array kTemplates = {
    // Where a model runs, and why.
    QT_TRANSLATE_NOOP("EngineText", "Running on the CPU as chosen; choose Automatic to let "
                                    "Fireside decide (%1)"),
    QT_TRANSLATE_NOOP("EngineText", "Running on the CPU because %1 (%2)"),
    QT_TRANSLATE_NOOP("EngineText", "Running on %1 through Vulkan as chosen (%2); choose Automatic "
                                    "to let Fireside decide"),
    QT_TRANSLATE_NOOP("EngineText", "Running on %1 through Vulkan (%2); %3"),
    QT_TRANSLATE_NOOP("EngineText", "Running as asked, %1"),
    QT_TRANSLATE_NOOP("EngineText", "Running %1 because %2; %3"),
    QT_TRANSLATE_NOOP("EngineText", "choose CPU in the backend settings or --backend cpu to force "
                                    "the CPU"),
    QT_TRANSLATE_NOOP("EngineText", "choose Vulkan in the backend settings or --backend vulkan to "
                                    "force it"),
    QT_TRANSLATE_NOOP("EngineText", "a software device, slower than the CPU; %1"),
    QT_TRANSLATE_NOOP("EngineText", "it is the faster one here; %1"),
    QT_TRANSLATE_NOOP("EngineText", "it is the faster one here"),
    QT_TRANSLATE_NOOP("EngineText", "no Vulkan device was looked for"),
    QT_TRANSLATE_NOOP("EngineText", "no Vulkan device was found"),
    QT_TRANSLATE_NOOP("EngineText", "this build has no Vulkan"),
    QT_TRANSLATE_NOOP("EngineText", "the model does not fit on the CPU: it %1; choose a smaller "
                                    "model or a shorter context"),
    QT_TRANSLATE_NOOP("EngineText", "Vulkan was chosen but cannot be used: %1"),
    QT_TRANSLATE_NOOP("EngineText", "what was asked for cannot be met: %1; for the CPU: %2"),
    // Ways to run it.
    QT_TRANSLATE_NOOP("EngineText", "%1: taken; %2"),
    QT_TRANSLATE_NOOP("EngineText", "%1: taken"),
    QT_TRANSLATE_NOOP("EngineText", "%1; not asked for"),
    QT_TRANSLATE_NOOP("EngineText", "%1, fewer than the %2 of %3"),
    QT_TRANSLATE_NOOP("EngineText", "%1; %2 comes first"),
    QT_TRANSLATE_NOOP("EngineText", "%1 is not among the devices to use"),
    QT_TRANSLATE_NOOP("EngineText", "%1 is a software device, slower than Fireside's own CPU "
                                    "kernels"),
    QT_TRANSLATE_NOOP("EngineText", "%1 of %2 layers on graphics processors were asked for"),
    QT_TRANSLATE_NOOP("EngineText", "only %1 of the %2 layers that were asked for have room on "
                                    "graphics processors"),
    QT_TRANSLATE_NOOP("EngineText", "only %1 of %2 layers have room on graphics processors"),
    QT_TRANSLATE_NOOP("EngineText", "%1 layers would run on the CPU, which was not asked for"),
    QT_TRANSLATE_NOOP("EngineText", "the CPU's part %1"),
    // Memory and speed.
    QT_TRANSLATE_NOOP("EngineText", "needs %1 for a context of %2 tokens, only %3 of RAM is free"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1, the computer has only %2 of RAM"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1, the computer has %2 of RAM"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1, only %2 of memory on %3 is free"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1, %2 of memory on %3 is free"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1, only %2 of RAM is free"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1, %2 of RAM is free"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1, how much RAM is free is unknown"),
    QT_TRANSLATE_NOOP("EngineText", "needs %1 of the device's %2"),
    QT_TRANSLATE_NOOP("EngineText", "about %1 tokens a second expected, %2"),
    QT_TRANSLATE_NOOP("EngineText", "%1 tokens a second measured, %2"),
    QT_TRANSLATE_NOOP("EngineText", "about %1 tokens a second expected on %2"),
    QT_TRANSLATE_NOOP("EngineText", "%1 tokens a second measured on %2"),
    QT_TRANSLATE_NOOP("EngineText", "about %1 tokens a second expected"),
    QT_TRANSLATE_NOOP("EngineText", "%1 tokens a second measured"),
    QT_TRANSLATE_NOOP("EngineText", "the model %1"),
    QT_TRANSLATE_NOOP("EngineText", "all %1 layers on %2, weights quantised to %3 while loading"),
    QT_TRANSLATE_NOOP("EngineText", "all %1 layers on %2"),
    QT_TRANSLATE_NOOP("EngineText", "the CPU"),
    // Errors.
    QT_TRANSLATE_NOOP("EngineText", "cannot open %1: No such file or directory"),
    QT_TRANSLATE_NOOP("EngineText", "cannot open %1: Permission denied"),
    QT_TRANSLATE_NOOP("EngineText", "cannot open %1: it is a folder, not a file"),
    QT_TRANSLATE_NOOP("EngineText", "cannot open %1: it is not a regular file"),
    QT_TRANSLATE_NOOP("EngineText", "cannot map %1: %2 of address space are not available (see "
                                    "ulimit -v)"),
    QT_TRANSLATE_NOOP("EngineText", "the model file changed on disk: %1"),
    QT_TRANSLATE_NOOP("EngineText", "not enough memory: an allocation failed, %1 of %2 are free"),
    QT_TRANSLATE_NOOP("EngineText", "not enough memory: an allocation failed"),
    QT_TRANSLATE_NOOP("EngineText",
                      "the message is too long: with what must precede it it takes %1 tokens, and "
                      "of the context of %2 tokens %3 are available (%4 are kept for the answer)"),
    QT_TRANSLATE_NOOP("EngineText",
                      "the chat has grown too long for the context: it takes %1 tokens, and of the "
                      "context of %2 tokens %3 are available (%4 are kept for the answer)"),
    QT_TRANSLATE_NOOP("EngineText", "not supported: architecture %1 (this version runs: %2)"),
    QT_TRANSLATE_NOOP("EngineText", "tensor %1: weight type %2 is not supported"),
    QT_TRANSLATE_NOOP("EngineText", "tensor %1 at offset %2 needs %3 bytes, but the file ends %4 "
                                    "bytes later; it is probably cut short"),
    QT_TRANSLATE_NOOP("EngineText",
                      "the file ends inside the %1 at offset %2: %3 bytes needed, %4 left"),
    QT_TRANSLATE_NOOP("EngineText", "no model is loaded"),
    // Two of them.
    QT_TRANSLATE_NOOP("EngineText", "%1; %2"),
};

struct Pattern
{
    const char *text;
    QRegularExpression expression;
    QList<int> order; // of the placeholders in the text
};

Pattern patternOf(const char *text)
{
    static const QRegularExpression place(QStringLiteral("%([1-9])"));
    const QString words = QString::fromUtf8(text);
    QString pattern = QStringLiteral("^");
    QList<int> order;
    qsizetype at = 0;
    for (auto found = place.globalMatch(words); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        pattern += QRegularExpression::escape(words.mid(at, match.capturedStart() - at));
        at = match.capturedEnd();
        // Names of devices have parentheses, too: what a sentence ends with is the last one.
        const bool beforeTheLast = QStringView(words).mid(at).startsWith(QLatin1String(" (%"));
        pattern += beforeTheLast ? QStringLiteral("(.+)") : QStringLiteral("(.+?)");
        order.append(match.captured(1).toInt());
    }
    pattern += QRegularExpression::escape(words.mid(at)) + QLatin1Char('$');
    return {text, QRegularExpression(pattern), order};
}

const std::vector<Pattern> &patterns()
{
    static const std::vector<Pattern> all = [] {
        std::vector<Pattern> made;
        for (const char *text : kTemplates)
            made.push_back(patternOf(text));
        return made;
    }();
    return all;
}

QString said(const QString &english, int depth)
{
    if (depth > kMostDepth || english.size() < 4)
        return english;
    for (const Pattern &pattern : patterns()) {
        const QRegularExpressionMatch match = pattern.expression.match(english);
        if (!match.hasMatch())
            continue;
        QString text = QCoreApplication::translate("EngineText", pattern.text);
        // All at once: a part may hold a per cent sign itself.
        QString whole;
        for (qsizetype i = 0; i < text.size(); ++i) {
            const int number =
                text[i] == QLatin1Char('%') && i + 1 < text.size() ? text[i + 1].digitValue() : -1;
            const qsizetype place = number > 0 ? pattern.order.indexOf(number) : -1;
            if (place < 0) {
                whole += text[i];
                continue;
            }
            whole += said(match.captured(static_cast<int>(place) + 1), depth + 1);
            ++i;
        }
        return whole;
    }
    return english;
}

} // namespace

QString engineText(const QString &english)
{
    static QHash<QString, QString> known;
    static QString language;
    // An installed catalogue has a word for this.
    const QString now = QCoreApplication::translate("EngineText", "no model is loaded");
    if (now != language || known.size() > kMostKept) {
        known.clear();
        language = now;
    }
    const auto found = known.constFind(english);
    return found != known.constEnd() ? *found : *known.insert(english, said(english, 0));
}

} // namespace fireside
