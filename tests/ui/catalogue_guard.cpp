#include "tests/ui/catalogue_guard.h"

#include <algorithm>
#include <mutex>
#include <string_view>

namespace fireside::test {
namespace {

std::mutex noting; // texts are made on several threads

bool isQts(std::string_view context)
{
    return context.starts_with('Q') || context == "CloseButton" ||
           context == "MAC_APPLICATION_MENU";
}

} // namespace

CatalogueGuard::CatalogueGuard(const QStringList &languages)
{
    for (const QString &language : languages) {
        auto *catalogue = new QTranslator(this);
        if (catalogue->load(QStringLiteral(":/translations/fireside_%1.qm").arg(language)))
            m_catalogues.insert(language, catalogue);
        else
            m_missing.insert(language + QStringLiteral(": the catalogue itself"));
    }
}

QString CatalogueGuard::translate(const char *context, const char *text, const char *comment,
                                  int number) const
{
    if (context && *context && text && *text && !isQts(context)) {
        for (auto it = m_catalogues.cbegin(); it != m_catalogues.cend(); ++it) {
            if (!it.value()->translate(context, text, comment, number).isNull())
                continue;
            const std::lock_guard lock(noting);
            m_missing.insert(it.key() + QStringLiteral(": ") + QLatin1String(context) +
                             QStringLiteral(": ") + QString::fromUtf8(text));
        }
    }
    return {}; // the tests read English
}

QStringList CatalogueGuard::missing() const
{
    const std::lock_guard lock(noting);
    QStringList all(m_missing.cbegin(), m_missing.cend());
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace fireside::test
