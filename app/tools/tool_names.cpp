#include "app/tools/tool_names.h"

#include "app/tools/visible_text.h"

#include <QCoreApplication>
#include <QHash>
#include <QSet>

namespace fireside {
namespace {

constexpr qsizetype kLongestModelName = 64;

QString harmless(const QString &text)
{
    QString name;
    for (const QChar c : text) {
        const bool allowed = (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') ||
                             (c >= u'0' && c <= u'9') || c == u'_' || c == u'-';
        name += allowed ? c : QChar(u'_');
    }
    return name;
}

} // namespace

QStringList namesForModels(const QList<Tool> &tools)
{
    QHash<QString, int> count;
    for (const Tool &tool : tools)
        ++count[harmless(tool.name).left(kLongestModelName)];
    QStringList names;
    QSet<QString> taken;
    for (const Tool &tool : tools) {
        QString name = harmless(tool.name).left(kLongestModelName);
        if (count.value(name) > 1)
            name = (harmless(tool.server).left(20) + QStringLiteral("__") + name)
                       .left(kLongestModelName);
        const QString stem = name.left(kLongestModelName - 4);
        for (int i = 2; taken.contains(name); ++i)
            name = QStringLiteral("%1_%2").arg(stem).arg(i);
        taken.insert(name);
        names += name;
    }
    return names;
}

ToolResult capped(ToolResult result, qsizetype most)
{
    const qsizetype whole = result.text.size();
    qsizetype end = 0;
    result.text = visible(result.text, most, end);
    if (end == whole)
        return result;
    result.whole = whole;
    result.text += QCoreApplication::translate("fireside::ToolResult",
                                               "\n[Cut here: these are %1 of %2 characters.]")
                       .arg(end)
                       .arg(result.whole);
    return result;
}

} // namespace fireside
