#include "app/chat/long_lines.h"

#include <QCoreApplication>

#include <algorithm>

namespace fireside {
namespace {

struct LongLineTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::LongLines)
};

// In Latin letters. Measured: one of them takes 0.5 µs for each key, an emoji 120 µs.
constexpr qsizetype kMaxLineCost = 40'000, kEmojiHalfCost = 20, kOtherCost = 4;
constexpr int kMaxFilesOfLines = 3; // with more the whole text is one file

qsizetype costOf(QChar c)
{
    constexpr char16_t kLatinEnd = 0x250;
    if (c.isSurrogate())
        return kEmojiHalfCost;
    return c.unicode() < kLatinEnd ? 1 : kOtherCost;
}

/// How many characters of the line fit; all of them where it is not long.
qsizetype affordable(QStringView line)
{
    qsizetype cost = 0;
    for (qsizetype i = 0; i < line.size(); ++i) {
        cost += costOf(line[i]);
        if (cost > kMaxLineCost)
            return i;
    }
    return line.size();
}

QString freeFileName(const QStringList &taken)
{
    QString name = LongLineTexts::tr("Pasted text") + QStringLiteral(".txt");
    for (int i = 2; taken.contains(name); ++i)
        name = LongLineTexts::tr("Pasted text %1").arg(i) + QStringLiteral(".txt");
    return name;
}

} // namespace

bool isLongLine(QStringView line)
{
    return line.size() * kEmojiHalfCost > kMaxLineCost && affordable(line) < line.size();
}

bool hasLongLine(QStringView text)
{
    for (const QStringView line : text.split(u'\n')) {
        if (isLongLine(line))
            return true;
    }
    return false;
}

ComposedText withLongLinesAsFiles(const QString &text, QStringList taken)
{
    QStringList lines = text.split(u'\n');
    const auto tooLong = std::count_if(lines.cbegin(), lines.cend(),
                                       [](const QString &line) { return isLongLine(line); });
    if (tooLong == 0)
        return {text, {}};
    const bool rest = std::any_of(lines.cbegin(), lines.cend(), [](const QString &line) {
        return !isLongLine(line) && !line.trimmed().isEmpty();
    });
    if (tooLong > kMaxFilesOfLines || !rest)
        return {{}, {textAttachment(freeFileName(taken), text)}};
    ComposedText result;
    for (QString &line : lines) {
        if (!isLongLine(line))
            continue;
        const QString name = freeFileName(taken);
        taken.append(name);
        result.files.append(textAttachment(name, line));
        line = QStringLiteral("[%1]").arg(name);
    }
    result.words = lines.join(u'\n');
    return result;
}

QString withLongLinesBroken(const QString &text)
{
    QStringList lines;
    for (const QString &line : text.split(u'\n')) {
        QStringView rest = line;
        while (isLongLine(rest)) {
            qsizetype end = affordable(rest);
            const qsizetype blank = rest.lastIndexOf(u' ', end - 1);
            if (blank > end / 2)
                end = blank + 1;
            else if (rest[end - 1].isHighSurrogate())
                --end;
            lines.append(rest.left(end).toString());
            rest = rest.mid(end);
        }
        lines.append(rest.toString());
    }
    return lines.join(u'\n');
}

} // namespace fireside
