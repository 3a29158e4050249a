#include "app/help/help_pages.h"

#include <QDir>
#include <QFile>

/// Outside of namespaces, as the macro wants it.
static void initHelpPages()
{
    Q_INIT_RESOURCE(help);
}

namespace fireside {

QString helpPage(const QString &name)
{
    initHelpPages();
    QFile file(QStringLiteral(":/help/%1.md").arg(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace fireside
