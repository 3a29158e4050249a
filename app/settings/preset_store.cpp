#include "app/settings/preset_store.h"

#include "app/settings/sampling_json.h"

#include <algorithm>

namespace fireside {
namespace {

constexpr int kPresetNameLetters = 80;
constexpr int kMostPresets = 1000;
const QString kPresetFormat = QStringLiteral("fireside-presets");

bool samePresetName(const QString &a, const QString &b)
{
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

} // namespace

PresetStore::PresetStore(QObject *parent)
    : QObject(parent)
    , m_file(QStringLiteral("presets.json"), kPresetFormat)
{
    m_builtIn = {
        {tr("Precise"),
         {{"temperature", 0.2}, {"topK", std::int64_t{20}}, {"topP", 0.9}, {"minP", 0.1}},
         true},
        {tr("Balanced"),
         {{"temperature", 0.7}, {"topK", std::int64_t{40}}, {"topP", 0.95}, {"minP", 0.05}},
         true},
        {tr("Creative"),
         {{"temperature", 1.2}, {"topK", std::int64_t{200}}, {"topP", 1.0}, {"minP", 0.05}},
         true}};
    m_problem = m_file.problem();
    take(m_file.entries());
}

QList<Preset> PresetStore::presets() const
{
    return m_builtIn + m_own;
}

const Preset *PresetStore::find(const QString &name) const
{
    for (const QList<Preset> *list : {&m_builtIn, &m_own})
        for (const Preset &preset : *list)
            if (samePresetName(preset.name, name))
                return &preset;
    return nullptr;
}

QString PresetStore::refusalOf(const QString &name) const
{
    const QString trimmed = name.trimmed();
    if (trimmed.isEmpty())
        return tr("A preset needs a name.");
    if (trimmed.size() > kPresetNameLetters)
        return tr("The name has %1 letters, at most %2 are kept.")
            .arg(trimmed.size())
            .arg(kPresetNameLetters);
    const Preset *same = find(trimmed);
    return same && same->builtIn ? tr("“%1” comes with the program.").arg(same->name) : QString();
}

void PresetStore::save(const QString &name, const SettingValues &values)
{
    if (!refusalOf(name).isEmpty())
        return;
    m_own.removeIf([&](const Preset &p) { return samePresetName(p.name, name.trimmed()); });
    m_own.append({name.trimmed(), values, false});
    store();
}

void PresetStore::rename(const QString &from, const QString &to)
{
    const Preset *const taken = find(to.trimmed());
    if (!refusalOf(to).isEmpty() || (taken && !samePresetName(from, to.trimmed())))
        return;
    for (Preset &preset : m_own)
        if (samePresetName(preset.name, from))
            preset.name = to.trimmed();
    store();
}

void PresetStore::remove(const QString &name)
{
    m_own.removeIf([&](const Preset &p) { return samePresetName(p.name, name); });
    store();
}

int PresetStore::importFrom(const QString &path)
{
    const auto entries = CollectionFile::read(path, kPresetFormat, &m_problem);
    if (!entries)
        return -1;
    m_problem.clear();
    const qsizetype before = m_own.size();
    take(*entries);
    store();
    return static_cast<int>(m_own.size() - before);
}

bool PresetStore::exportTo(const QString &path)
{
    m_problem = CollectionFile::write(path, kPresetFormat, toEntries());
    return m_problem.isEmpty();
}

void PresetStore::take(const QJsonArray &entries)
{
    for (const QJsonValue &entry : entries) {
        const QJsonObject json = entry.toObject();
        const QString name =
            json[QLatin1String("name")].toString().simplified().left(kPresetNameLetters);
        const SettingValues values = settingValuesFrom(json[QLatin1String("values")].toObject());
        if (name.isEmpty() || values.empty() || m_own.size() >= kMostPresets)
            continue;
        m_own.append({freeName(name), values, false});
    }
}

void PresetStore::store()
{
    std::sort(m_own.begin(), m_own.end(), [](const Preset &a, const Preset &b) {
        return a.name.toLower().localeAwareCompare(b.name.toLower()) < 0;
    });
    m_file.store(toEntries());
    m_problem = m_file.problem();
    emit changed();
}

bool PresetStore::storeAgain()
{
    if (!m_file.problem().isEmpty() && m_problem == m_file.problem() && m_file.storeAgain())
        m_problem = m_file.problem();
    return m_file.storeAgain();
}

QString PresetStore::freeName(const QString &name) const
{
    QString free = name;
    for (int i = 2; find(free); ++i)
        free = QStringLiteral("%1 (%2)").arg(name).arg(i);
    return free;
}

QJsonArray PresetStore::toEntries() const
{
    QJsonArray entries;
    for (const Preset &preset : m_own)
        entries.append(QJsonObject{{QStringLiteral("name"), preset.name},
                                   {QStringLiteral("values"), toJson(preset.values)}});
    return entries;
}

} // namespace fireside
