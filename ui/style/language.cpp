#include "ui/style/language.h"

#include <QApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include <array>
#include <memory>
#include <utility>

namespace fireside {
namespace {

const QString kFolder = QStringLiteral(":/translations");
const QString kEnglish = QStringLiteral("en");

// Qt's own words for buttons, where its catalogues are not installed.
[[maybe_unused]] constexpr std::array kButtons{
    QT_TRANSLATE_NOOP("QPlatformTheme", "OK"),     QT_TRANSLATE_NOOP("QPlatformTheme", "Cancel"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "Close"),  QT_TRANSLATE_NOOP("QPlatformTheme", "Save"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "&Yes"),   QT_TRANSLATE_NOOP("QPlatformTheme", "&No"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "Discard")};

struct Installed
{
    QString name = kEnglish; // what the sources are written in
    std::unique_ptr<QTranslator> ours, qt;
};

Installed &installed()
{
    static Installed state;
    return state;
}

const QLocale &systemLocale()
{
    static const QLocale locale = QLocale::system();
    return locale;
}

/// The desktop's own ways of writing numbers, as long as its language is spoken.
QLocale localeOf(const QString &language)
{
    const bool same = QLocale(language).language() == systemLocale().language();
    return same ? systemLocale() : QLocale(language);
}

std::unique_ptr<QTranslator> catalogue(const QString &file, const QString &folder)
{
    auto translator = std::make_unique<QTranslator>();
    if (!translator->load(file, folder))
        return nullptr;
    QCoreApplication::installTranslator(translator.get());
    return translator;
}

} // namespace
} // namespace fireside

/// A library's resources are there once somebody asks for them, outside of any namespace.
static void bringCatalogues()
{
#ifdef FIRESIDE_TRANSLATIONS
    Q_INIT_RESOURCE(translations);
#endif
}

namespace fireside {

QStringList Language::translations()
{
    bringCatalogues();
    QStringList names;
    for (const QString &file : QDir(kFolder).entryList({QStringLiteral("fireside_*.qm")}))
        names += file.section(QLatin1Char('_'), 1).section(QLatin1Char('.'), 0, 0);
    return names;
}

QString Language::current()
{
    return installed().name;
}

QString Language::chosen(const AppearanceSettings &settings)
{
    const QStringList there = translations();
    const QString asked = QString::fromStdString(settings.language);
    if (asked != QLatin1String("system"))
        return there.contains(asked) ? asked : kEnglish;
    for (const QString &wished : systemLocale().uiLanguages()) {
        const QString language = QLocale(wished).name().section(QLatin1Char('_'), 0, 0);
        if (language == kEnglish || there.contains(language))
            return language;
    }
    return kEnglish;
}

bool Language::apply(const AppearanceSettings &settings)
{
    Installed &now = installed();
    const QString wanted = chosen(settings);
    QLocale::setDefault(localeOf(wanted));
    if (wanted == std::exchange(now.name, wanted))
        return false;
    now.ours.reset();
    now.qt.reset();
    if (wanted != kEnglish) {
        now.qt = catalogue(QStringLiteral("qtbase_") + wanted,
                           QLibraryInfo::path(QLibraryInfo::TranslationsPath));
        now.ours = catalogue(QStringLiteral("fireside_") + wanted, kFolder);
    }
    QGuiApplication::setLayoutDirection(QLocale(wanted).textDirection());
    return true;
}

} // namespace fireside
