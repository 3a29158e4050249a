#include "app/help/help_pages.h"

#include <QFile>

/// Outside of namespaces, as the macro wants it.
static void initHelpPages()
{
    Q_INIT_RESOURCE(help);
}

namespace fireside {

QString helpPage(const QString &name, const QString &language)
{
    initHelpPages();
    for (const QString &page : {name + QLatin1Char('.') + language, name}) {
        QFile file(QStringLiteral(":/help/%1.md").arg(page));
        if (file.open(QIODevice::ReadOnly))
            return QString::fromUtf8(file.readAll());
    }
    return {};
}

} // namespace fireside
