#include "app/settings/app_settings.h"

#include "app/settings/preset_store.h"
#include "app/settings/prompt_store.h"
#include "app/settings/setting_values.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <optional>

namespace fireside {
namespace {

constexpr int kSettingsVersion = 1;
const QString kVersionKey = QStringLiteral("version");
const QString kLoadGroup = QStringLiteral("load");
const QString kSamplingGroup = QStringLiteral("sampling");
const QString kPresetGroup = QStringLiteral("samplingPreset");
const QString kSamplingPreset = QStringLiteral("samplingChoice/preset");
const QString kSamplingLayered = QStringLiteral("samplingChoice/layered");
constexpr int kHashLetters = 24;

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
        if (file->status() == QSettings::NoError || retry.isActive() || path.isEmpty())
            return;
        retry.start();
        emit q.problemChanged(q.problem());
    }

    /// A QSettings keeps its first error; a second one of the same file has the same changes.
    void storeAgain()
    {
        if (!retry.isActive())
            return;
        QSettings again(path, QSettings::IniFormat);
        again.sync();
        if (again.status() != QSettings::NoError || !QFileInfo::exists(path))
            return;
        file.emplace(path, QSettings::IniFormat); // while the other holds the changes
        retry.stop();
        emit q.problemChanged({});
    }

    template <typename Group>
    Group read(const QString &name) const
    {
        Group group;
        for (const SettingOf<Group> &setting : Group::table()) {
            const auto value = fromVariant(file->value(pathOf(name, setting)), setting.read(group));
            if (value && isAccepted(setting, *value))
                setting.write(group, *value);
        }
        return accepted(group);
    }

    /// Those that are stored and accepted.
    SettingValues readValues(const QString &group) const
    {
        const SamplingSettings defaults;
        SettingValues values;
        for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
            const auto value =
                fromVariant(file->value(pathOf(group, setting)), setting.read(defaults));
            if (value.has_value() && isAccepted(setting, *value))
                values[setting.key] = *value;
        }
        return values;
    }

    void writeValues(const QString &group, const SettingValues &values)
    {
        for (const auto &[key, value] : values)
            file->setValue(group + QLatin1Char('/') + QString::fromStdString(key),
                           toVariant(value));
    }

    /// With its placement, which lies in a group of its own within.
    LoadSettings readLoad(const QString &name) const
    {
        auto load = read<LoadSettings>(name);
        load.placement = read<PlacementSettings>(placementIn(name));
        return load;
    }

    void writeLoad(const QString &name, const LoadSettings &wanted)
    {
        writeAll(name, wanted);
        writeAll(placementIn(name), wanted.placement);
    }

    static LoadSettings acceptedLoad(const LoadSettings &wanted)
    {
        LoadSettings load = accepted(wanted);
        load.placement = accepted(wanted.placement);
        return load;
    }

    static QString placementIn(const QString &name) { return name + QStringLiteral("/placement"); }

    /// False when nothing changed.
    template <typename Group>
    bool write(const QString &name, const Group &wanted)
    {
        const Group group = accepted(wanted);
        if (group == read<Group>(name))
            return false;
        writeAll(name, group);
        return true;
    }

    /// Values that are the defaults' too.
    template <typename Group>
    void writeAll(const QString &name, const Group &wanted)
    {
        const Group group = accepted(wanted);
        for (const SettingOf<Group> &setting : Group::table())
            store(pathOf(name, setting), toVariant(setting.read(group)));
    }

    static QString pathOf(const QString &group, const Setting &setting)
    {
        return group + QLatin1Char('/') + QLatin1String(setting.key);
    }

    /// Paths hold characters that names of groups cannot.
    static QString groupOf(const QString &model)
    {
        const QByteArray hash =
            QCryptographicHash::hash(model.toUtf8(), QCryptographicHash::Sha256);
        return QStringLiteral("models/") + QString::fromLatin1(hash.toHex().left(kHashLetters));
    }

    void forget(const QString &group)
    {
        if (!has(group))
            return;
        file->remove(group);
        file->sync();
    }

    bool has(const QString &group) const
    {
        file->beginGroup(group);
        const bool any = !file->childKeys().isEmpty();
        file->endGroup();
        return any;
    }

    bool flag(const QString &key, bool fallback) const
    {
        const QString word = file->value(key).toString();
        if (word == QLatin1String("true"))
            return true;
        return word == QLatin1String("false") ? false : fallback;
    }

    AppSettings &q;
    QString path, problem; // of opening it
    QTimer retry;          // runs while changes are only in memory
    mutable std::optional<QSettings> file;
    std::unique_ptr<PresetStore> presets;
    std::unique_ptr<PromptStore> prompts;
};

AppSettings::AppSettings(QObject *parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(*this))
{
    constexpr int kRetryMs = 5000;
    m_d->retry.setInterval(kRetryMs);
    connect(&m_d->retry, &QTimer::timeout, this, [this] { m_d->storeAgain(); });
}

AppSettings::~AppSettings() = default;

QString AppSettings::problem() const
{
    return m_d->retry.isActive()
               ? tr("Settings cannot be stored: %1 cannot be written.").arg(m_d->path)
               : m_d->problem;
}

QStringList AppSettings::unsaved()
{
    m_d->storeAgain();
    QStringList names;
    if (m_d->retry.isActive())
        names += tr("Settings");
    if (m_d->presets && !m_d->presets->storeAgain())
        names += tr("Presets");
    if (m_d->prompts && !m_d->prompts->storeAgain())
        names += tr("Prompts");
    return names;
}

QString AppSettings::writeCopies(const QString &folder)
{
    const QString copied = folder + QStringLiteral("/fireside.ini");
    QSettings copy(copied, QSettings::IniFormat);
    for (const QString &key : m_d->file->allKeys())
        copy.setValue(key, m_d->file->value(key));
    copy.sync();
    if (copy.status() != QSettings::NoError)
        return tr("%1 cannot be written.").arg(copied);
    if (!presets().exportTo(folder + QStringLiteral("/presets.json")))
        return presets().problem();
    if (!prompts().exportTo(folder + QStringLiteral("/prompts.json")))
        return prompts().problem();
    return {};
}

LoadSettings AppSettings::load() const
{
    return m_d->readLoad(kLoadGroup);
}

void AppSettings::setLoad(const LoadSettings &settings)
{
    if (Private::acceptedLoad(settings) == load())
        return;
    m_d->writeLoad(kLoadGroup, settings);
    emit loadChanged();
}

LoadSettings AppSettings::loadOf(const QString &model) const
{
    const QString group = Private::groupOf(model);
    return m_d->has(group) ? m_d->readLoad(group) : load();
}

void AppSettings::setLoadOf(const QString &model, const LoadSettings &settings)
{
    const QString group = Private::groupOf(model);
    if (settings == load())
        m_d->forget(group);
    else
        m_d->writeLoad(group, settings);
}

SamplingSettings AppSettings::sampling() const
{
    return with({}, samplingChoice().values());
}

SamplingChoice AppSettings::samplingChoice() const
{
    SamplingChoice choice;
    choice.own = m_d->readValues(kSamplingGroup);
    if (!m_d->file->value(kSamplingLayered).toBool()) // every setting was stored once
        return SamplingChoice(with({}, choice.own));
    choice.preset = m_d->file->value(kSamplingPreset).toString().toStdString();
    if (!choice.preset.empty())
        choice.presetValues = m_d->readValues(kPresetGroup);
    return choice;
}

void AppSettings::setSampling(const SamplingChoice &choice)
{
    if (choice == samplingChoice())
        return;
    m_d->file->remove(kSamplingGroup);
    m_d->file->remove(kPresetGroup);
    m_d->writeValues(kSamplingGroup, choice.own);
    m_d->writeValues(kPresetGroup, choice.presetValues);
    m_d->file->setValue(kSamplingPreset, QString::fromStdString(choice.preset));
    m_d->store(kSamplingLayered, true);
    emit samplingChanged();
}

PresetStore &AppSettings::presets()
{
    if (!m_d->presets)
        m_d->presets = std::make_unique<PresetStore>();
    return *m_d->presets;
}

PromptStore &AppSettings::prompts()
{
    if (!m_d->prompts)
        m_d->prompts = std::make_unique<PromptStore>();
    return *m_d->prompts;
}

ChatSettings AppSettings::chat() const
{
    return m_d->read<ChatSettings>(QStringLiteral("chat"));
}

void AppSettings::setChat(const ChatSettings &settings)
{
    if (m_d->write(QStringLiteral("chat"), settings))
        emit chatChanged();
}

CacheSettings AppSettings::cache() const
{
    return m_d->read<CacheSettings>(QStringLiteral("cache"));
}

void AppSettings::setCache(const CacheSettings &settings)
{
    if (m_d->write(QStringLiteral("cache"), settings))
        emit cacheChanged();
}

ServerSettings AppSettings::server() const
{
    return m_d->read<ServerSettings>(QStringLiteral("server"));
}

void AppSettings::setServer(const ServerSettings &settings)
{
    if (m_d->write(QStringLiteral("server"), settings))
        emit serverChanged();
}

AppearanceSettings AppSettings::appearance() const
{
    return m_d->read<AppearanceSettings>(QStringLiteral("appearance"));
}

void AppSettings::setAppearance(const AppearanceSettings &settings)
{
    if (m_d->write(QStringLiteral("appearance"), settings))
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

qint64 AppSettings::lastConversation() const
{
    return m_d->file->value(QStringLiteral("lastConversation")).toLongLong();
}

void AppSettings::setLastConversation(qint64 id)
{
    if (id != lastConversation())
        m_d->store(QStringLiteral("lastConversation"), id);
}

QList<OtherWindow> AppSettings::otherWindows() const
{
    constexpr qsizetype kMost = 16; // of a file that anybody can write
    QList<OtherWindow> windows;
    for (const QString &one :
         m_d->file->value(QStringLiteral("window/others")).toStringList().mid(0, kMost)) {
        const QStringList parts = one.split(QLatin1Char(' '));
        windows.append({std::max<qint64>(0, parts[0].toLongLong()),
                        QByteArray::fromBase64(parts.value(1).toLatin1())});
    }
    return windows;
}

void AppSettings::setOtherWindows(const QList<OtherWindow> &windows)
{
    QStringList stored;
    for (const OtherWindow &one : windows)
        stored.append(QStringLiteral("%1 %2").arg(QString::number(one.conversation),
                                                  QString::fromLatin1(one.geometry.toBase64())));
    m_d->store(QStringLiteral("window/others"), stored);
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

QStringList AppSettings::closedFolders() const
{
    return m_d->file->value(QStringLiteral("window/closedFolders")).toStringList();
}

void AppSettings::setClosedFolders(const QStringList &folders)
{
    m_d->store(QStringLiteral("window/closedFolders"), folders);
}

bool AppSettings::listShown() const
{
    return m_d->flag(QStringLiteral("window/list"), true);
}

void AppSettings::setListShown(bool shown)
{
    m_d->store(QStringLiteral("window/list"), shown);
}

} // namespace fireside
