#include "app/settings/app_settings.h"

#include "app/chat/sampling_json.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

constexpr int kSettingsVersion = 1;
const QString kVersionKey = QStringLiteral("version");

QString settingsPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/fireside/fireside.ini");
}

// Only what the ini format can hold: a binary or foreign file parses to rubbish without an error.
bool readable(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return true; // not damage: reported as a problem of access
    constexpr qint64 kSane = 4 << 20;
    if (file.size() > kSane)
        return false;
    const QByteArray content = file.readAll();
    return !content.contains('\0') &&
           QString::fromUtf8(content).count(QChar::ReplacementCharacter) == 0;
}

} // namespace

class AppSettings::Private
{
public:
    explicit Private(AppSettings &owner)
        : q(owner)
        , path(settingsPath())
    {
        QDir().mkpath(QFileInfo(path).absolutePath());
        open();
    }

    void open()
    {
        if (QFile::exists(path) && !readable(path))
            setAside(tr("The settings file was damaged"));
        file.emplace(path, QSettings::IniFormat);
        if (file->status() == QSettings::FormatError) {
            setAside(tr("The settings file was damaged"));
        } else if (QFileInfo(path).size() > 0) {
            bool isNumber = false;
            const int version = file->value(kVersionKey).toInt(&isNumber);
            if (!isNumber || version < 1)
                setAside(tr("The settings file was damaged"));
            else if (version > kSettingsVersion)
                setAside(tr("The settings file belongs to a newer version of the program"));
        }
        if (!file)
            file.emplace(path, QSettings::IniFormat);
        if (!QFileInfo(path).exists() || file->isWritable())
            return;
        problem = tr("Settings cannot be stored: %1 cannot be written.").arg(path);
    }

    void setAside(const QString &why)
    {
        file.reset();
        const QString stem =
            path + QStringLiteral(".bak-") +
            QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
        QString aside = stem;
        for (int i = 2; QFile::exists(aside); ++i)
            aside = QStringLiteral("%1-%2").arg(stem).arg(i);
        if (QFile::rename(path, aside)) {
            problem = tr("%1. Defaults are used, the old file was kept as %2.").arg(why, aside);
            return;
        }
        problem =
            tr("%1 and cannot be renamed. Defaults are used and changes are not stored.").arg(why);
        path.clear();
        file.emplace(QString(), QSettings::IniFormat);
    }

    void store(const QString &key, const QVariant &value)
    {
        if (file->value(key) == value)
            return;
        file->setValue(kVersionKey, kSettingsVersion);
        file->setValue(key, value);
        file->sync(); // QSettings writes to a new file and renames it
        if (file->status() != QSettings::NoError && problem.isEmpty()) {
            problem = tr("Settings cannot be stored: %1 cannot be written.").arg(path);
            emit q.problemChanged(problem);
        }
    }

    int integer(const QString &key, int fallback, int low, int high) const
    {
        bool ok = false;
        const int value = file->value(key).toInt(&ok);
        return ok && value >= low && value <= high ? value : fallback;
    }

    double number(const QString &key, double fallback, double low, double high) const
    {
        bool ok = false;
        const double value = file->value(key).toDouble(&ok);
        return ok && value >= low && value <= high ? value : fallback;
    }

    bool flag(const QString &key, bool fallback) const
    {
        const QString word = file->value(key).toString();
        if (word == QLatin1String("true"))
            return true;
        return word == QLatin1String("false") ? false : fallback;
    }

    QString oneOf(const QString &key, const QStringList &words, const QString &fallback) const
    {
        const QString word = file->value(key).toString();
        return words.contains(word) ? word : fallback;
    }

    AppSettings &q;
    QString path, problem;
    std::optional<QSettings> file;
};

AppSettings::AppSettings(QObject *parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(*this))
{}

AppSettings::~AppSettings() = default;

QString AppSettings::problem() const
{
    return m_d->problem;
}

LoadSettings AppSettings::load() const
{
    LoadSettings settings;
    settings.backend =
        m_d->oneOf(QStringLiteral("load/backend"),
                   {QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("vulkan")},
                   settings.backend);
    settings.context = m_d->integer(QStringLiteral("load/context"), settings.context, 0, 16 << 20);
    settings.threads = m_d->integer(QStringLiteral("load/threads"), settings.threads, 0, 1024);
    settings.kvType = m_d->oneOf(
        QStringLiteral("load/kvType"),
        {QStringLiteral("f32"), QStringLiteral("f16"), QStringLiteral("q8_0")}, settings.kvType);
    return settings;
}

void AppSettings::setLoad(const LoadSettings &settings)
{
    if (settings == load())
        return;
    m_d->store(QStringLiteral("load/backend"), settings.backend);
    m_d->store(QStringLiteral("load/context"), settings.context);
    m_d->store(QStringLiteral("load/threads"), settings.threads);
    m_d->store(QStringLiteral("load/kvType"), settings.kvType);
    emit loadChanged();
}

SamplingSettings AppSettings::sampling() const
{
    SamplingSettings s;
    s.temperature = m_d->number(QStringLiteral("sampling/temperature"), s.temperature, 0, 5);
    s.topK = m_d->integer(QStringLiteral("sampling/topK"), s.topK, 0, 1'000'000);
    s.topP = m_d->number(QStringLiteral("sampling/topP"), s.topP, 0.01, 1);
    s.minP = m_d->number(QStringLiteral("sampling/minP"), s.minP, 0, 1);
    s.repeatPenalty =
        m_d->number(QStringLiteral("sampling/repeatPenalty"), s.repeatPenalty, 0.5, 3);
    s.maxTokens = m_d->integer(QStringLiteral("sampling/maxTokens"), s.maxTokens, 0, 10'000'000);
    bool ok = false;
    const qint64 seed = m_d->file->value(QStringLiteral("sampling/seed")).toLongLong(&ok);
    s.seed = ok && seed >= -1 ? seed : s.seed;
    s.stopStrings = m_d->file->value(QStringLiteral("sampling/stopStrings")).toStringList();
    s.systemPrompt = m_d->file->value(QStringLiteral("sampling/systemPrompt")).toString();
    return clamped(s);
}

void AppSettings::setSampling(const SamplingSettings &settings)
{
    const SamplingSettings s = clamped(settings);
    if (s == sampling())
        return;
    m_d->store(QStringLiteral("sampling/temperature"), s.temperature);
    m_d->store(QStringLiteral("sampling/topK"), s.topK);
    m_d->store(QStringLiteral("sampling/topP"), s.topP);
    m_d->store(QStringLiteral("sampling/minP"), s.minP);
    m_d->store(QStringLiteral("sampling/repeatPenalty"), s.repeatPenalty);
    m_d->store(QStringLiteral("sampling/maxTokens"), s.maxTokens);
    m_d->store(QStringLiteral("sampling/seed"), s.seed);
    m_d->store(QStringLiteral("sampling/stopStrings"), s.stopStrings);
    m_d->store(QStringLiteral("sampling/systemPrompt"), s.systemPrompt);
    emit samplingChanged();
}

AppSettings::Theme AppSettings::theme() const
{
    const QString word =
        m_d->oneOf(QStringLiteral("appearance/theme"),
                   {QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")},
                   QStringLiteral("system"));
    if (word == QLatin1String("light"))
        return Theme::Light;
    return word == QLatin1String("dark") ? Theme::Dark : Theme::System;
}

void AppSettings::setTheme(Theme theme)
{
    if (theme == this->theme())
        return;
    const QStringList words{QStringLiteral("system"), QStringLiteral("light"),
                            QStringLiteral("dark")};
    m_d->store(QStringLiteral("appearance/theme"), words[static_cast<int>(theme)]);
    emit appearanceChanged();
}

int AppSettings::fontSize() const
{
    return m_d->integer(QStringLiteral("appearance/fontSize"), 0, 6, 72);
}

void AppSettings::setFontSize(int points)
{
    if (points == fontSize())
        return;
    m_d->store(QStringLiteral("appearance/fontSize"), points == 0 ? 0 : std::clamp(points, 6, 72));
    emit appearanceChanged();
}

QString AppSettings::lastModel() const
{
    return m_d->file->value(QStringLiteral("lastModel")).toString();
}

void AppSettings::setLastModel(const QString &path)
{
    m_d->store(QStringLiteral("lastModel"), path);
}

QByteArray AppSettings::windowGeometry() const
{
    return m_d->file->value(QStringLiteral("window/geometry")).toByteArray();
}

void AppSettings::setWindowGeometry(const QByteArray &geometry)
{
    m_d->store(QStringLiteral("window/geometry"), geometry);
}

QByteArray AppSettings::splitterState() const
{
    return m_d->file->value(QStringLiteral("window/splitter")).toByteArray();
}

void AppSettings::setSplitterState(const QByteArray &state)
{
    m_d->store(QStringLiteral("window/splitter"), state);
}

bool AppSettings::listShown() const
{
    return m_d->flag(QStringLiteral("window/list"), true);
}

void AppSettings::setListShown(bool shown)
{
    m_d->store(QStringLiteral("window/list"), shown);
}

bool AppSettings::welcomeSeen() const
{
    return m_d->flag(QStringLiteral("welcomeSeen"), false);
}

void AppSettings::setWelcomeSeen(bool seen)
{
    m_d->store(QStringLiteral("welcomeSeen"), seen);
}

bool AppSettings::dropOldest() const
{
    return m_d->flag(QStringLiteral("chat/dropOldest"), true);
}

void AppSettings::setDropOldest(bool drop)
{
    if (drop == dropOldest())
        return;
    m_d->store(QStringLiteral("chat/dropOldest"), drop);
    emit dropOldestChanged();
}

} // namespace fireside
