#include "app/settings/prompt_store.h"

#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

namespace fireside {
namespace {

constexpr int kPromptNameLetters = 80, kPromptLetters = 200'000, kMostPrompts = 5000;
const QString kPromptFormat = QStringLiteral("fireside-prompts");

const QRegularExpression &promptPlace()
{
    static const QRegularExpression place(QStringLiteral("\\{\\{\\s*([^{}\\n]{1,60}?)\\s*\\}\\}"));
    return place;
}

bool samePromptName(const QString &a, const QString &b)
{
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

} // namespace

QStringList promptVariables(const QString &text)
{
    QStringList names;
    for (auto match = promptPlace().globalMatch(text); match.hasNext();) {
        const QString name = match.next().captured(1);
        if (!names.contains(name))
            names.append(name);
    }
    return names;
}

QString filledPrompt(const QString &text, const QMap<QString, QString> &values)
{
    QString filled;
    qsizetype end = 0; // what is put in is not looked at again
    for (auto match = promptPlace().globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch place = match.next();
        filled += text.mid(end, place.capturedStart() - end);
        filled += values.value(place.captured(1), place.captured());
        end = place.capturedEnd();
    }
    return filled + text.mid(end);
}

PromptStore::PromptStore(QObject *parent)
    : QObject(parent)
    , m_file(QStringLiteral("prompts.json"), kPromptFormat)
{
    m_problem = m_file.problem();
    take(m_file.entries());
}

QList<Prompt> PromptStore::matching(const QString &words) const
{
    const QStringList wanted = words.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto rank = [&](const Prompt &prompt) {
        const auto allIn = [&](const QString &text) {
            return std::all_of(wanted.begin(), wanted.end(), [&](const QString &word) {
                return text.contains(word, Qt::CaseInsensitive);
            });
        };
        if (prompt.name.startsWith(words.trimmed(), Qt::CaseInsensitive))
            return 0;
        return allIn(prompt.name) ? 1 : allIn(prompt.name + QLatin1Char(' ') + prompt.text) ? 2 : 3;
    };
    QList<Prompt> found;
    for (int wantedRank = 0; wantedRank < 3; ++wantedRank)
        std::copy_if(m_prompts.begin(), m_prompts.end(), std::back_inserter(found),
                     [&](const Prompt &prompt) { return rank(prompt) == wantedRank; });
    return found;
}

QString PromptStore::save(const QString &before, const Prompt &prompt)
{
    m_prompts.removeIf([&](const Prompt &p) { return samePromptName(p.name, before); });
    Prompt kept = prompt;
    kept.name = freeName(prompt.name.simplified().left(kPromptNameLetters));
    m_prompts.append(kept);
    store();
    return kept.name;
}

void PromptStore::remove(const QString &name)
{
    m_prompts.removeIf([&](const Prompt &p) { return samePromptName(p.name, name); });
    store();
}

int PromptStore::importFrom(const QString &path)
{
    const auto entries = CollectionFile::read(path, kPromptFormat, &m_problem);
    if (!entries)
        return -1;
    m_problem.clear();
    const qsizetype before = m_prompts.size();
    take(*entries);
    store();
    return static_cast<int>(m_prompts.size() - before);
}

bool PromptStore::exportTo(const QString &path)
{
    m_problem = CollectionFile::write(path, kPromptFormat, toEntries());
    return m_problem.isEmpty();
}

void PromptStore::take(const QJsonArray &entries)
{
    for (const QJsonValue &entry : entries) {
        const QJsonObject json = entry.toObject();
        Prompt prompt{json[QLatin1String("name")].toString().simplified().left(kPromptNameLetters),
                      json[QLatin1String("text")].toString().left(kPromptLetters),
                      json[QLatin1String("system")].toBool()};
        if (prompt.text.isEmpty() || m_prompts.size() >= kMostPrompts || m_prompts.contains(prompt))
            continue;
        prompt.name = freeName(prompt.name);
        m_prompts.append(prompt);
    }
}

void PromptStore::store()
{
    std::sort(m_prompts.begin(), m_prompts.end(), [](const Prompt &a, const Prompt &b) {
        return a.name.toLower().localeAwareCompare(b.name.toLower()) < 0;
    });
    m_file.store(toEntries());
    m_problem = m_file.problem();
    emit changed();
}

bool PromptStore::storeAgain()
{
    if (!m_file.problem().isEmpty() && m_problem == m_file.problem() && m_file.storeAgain())
        m_problem = m_file.problem();
    return m_file.storeAgain();
}

QString PromptStore::freeName(const QString &name) const
{
    const QString wanted = name.isEmpty() ? tr("Prompt") : name;
    QString free = wanted;
    const auto taken = [&] {
        return std::any_of(m_prompts.begin(), m_prompts.end(),
                           [&](const Prompt &p) { return samePromptName(p.name, free); });
    };
    for (int i = 2; taken(); ++i)
        free = QStringLiteral("%1 (%2)").arg(wanted).arg(i);
    return free;
}

QJsonArray PromptStore::toEntries() const
{
    QJsonArray entries;
    for (const Prompt &prompt : m_prompts)
        entries.append(QJsonObject{{QStringLiteral("name"), prompt.name},
                                   {QStringLiteral("text"), prompt.text},
                                   {QStringLiteral("system"), prompt.system}});
    return entries;
}

} // namespace fireside
