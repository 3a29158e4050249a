#include "ui/transcript/markdown_reader.h"

#include <QHash>
#include <QRegularExpression>
#include <QTextDocumentFragment>

namespace fireside {

QString decodeEntity(const QString &entity)
{
    // Chats are also written to pages on other threads. Bounded by what Qt knows.
    thread_local QHash<QString, QString> cache;
    if (const auto known = cache.constFind(entity); known != cache.constEnd())
        return *known;
    // md4c hands over nothing but "&name;" and "&#number;", so there is no markup in here.
    QString text = QTextDocumentFragment::fromHtml(entity).toPlainText();
    if (entity == QLatin1String("&nbsp;"))
        text = QString(QChar::Nbsp);
    if (cache.size() < 1000)
        cache.insert(entity, text);
    return text;
}

QString attributeText(const MD_ATTRIBUTE &attribute)
{
    QString result;
    if (!attribute.text)
        return result;
    for (int i = 0; attribute.substr_offsets[i] < attribute.size; ++i) {
        const MD_OFFSET from = attribute.substr_offsets[i], to = attribute.substr_offsets[i + 1];
        const QString piece = QString::fromUtf8(attribute.text + from, qsizetype(to - from));
        result += attribute.substr_types[i] == MD_TEXT_ENTITY ? decodeEntity(piece) : piece;
    }
    return result;
}

/// A line that looks like one but holds more, as "[Note]: this matters", is a paragraph. Whether
/// md4c takes an address is asked of md4c.
bool isLinkDefinition(QStringView line)
{
    static const QRegularExpression kShape(
        QStringLiteral("^ {0,3}\\[(?!\\^)[^\\[\\]]+\\]:[ \\t]*\\S+([ \\t]+[\"'(].*)?[ \\t]*$"));
    if (!kShape.match(line.toString()).hasMatch())
        return false;
    struct Shown
    {
        bool any = false;
        int enterBlock(MD_BLOCKTYPE type, void *)
        {
            any = any || type != MD_BLOCK_DOC;
            return 0;
        }
        void leaveBlock(MD_BLOCKTYPE, void *) {}
        void enterSpan(MD_SPANTYPE, void *) {}
        void leaveSpan(MD_SPANTYPE) {}
        void addText(MD_TEXTTYPE, const QString &) {}
    } shown;
    return readMarkdown(line.toUtf8(), shown) && !shown.any;
}

QString withFootnotesAsText(const QString &markdown)
{
    if (!markdown.contains(QLatin1String("[^")))
        return markdown;
    static const QRegularExpression kDefinition(
        QStringLiteral("^((?:[ \\t]|>|[-*+] )*)(\\[\\^[^\\[\\]\\n]+\\]:)"),
        QRegularExpression::MultilineOption);
    static const QRegularExpression kFence(QStringLiteral("^[ \\t>]*(`{3,}|~{3,})"));
    QString result, fence;
    for (qsizetype at = 0; at < markdown.size();) {
        qsizetype end = markdown.indexOf(QLatin1Char('\n'), at);
        end = end < 0 ? markdown.size() : end + 1;
        QString line = markdown.mid(at, end - at);
        const QString mark = kFence.match(line).captured(1);
        if (fence.isEmpty() && mark.isEmpty())
            line.replace(kDefinition, QStringLiteral("\\1\\\\2"));
        else if (fence.isEmpty())
            fence = mark;
        else if (mark.startsWith(fence))
            fence.clear();
        result += line;
        at = end;
    }
    return result;
}

QString tableCode(QString code)
{
    return code.replace(QLatin1String("\\|"), QLatin1String("|"));
}

} // namespace fireside
