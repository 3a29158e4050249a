#include "ui/models/model_list_model.h"

#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"

#include <QFileInfo>
#include <QSet>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace fireside {

namespace {

bool isAt(const ModelEntry &entry, const QString &path)
{
    return entry.path == path ||
           std::any_of(entry.copies.cbegin(), entry.copies.cend(),
                       [&](const ModelCopy &copy) { return copy.path == path; });
}

QString knownOrDash(const QString &text)
{
    return text.isEmpty() ? QStringLiteral("–") : text;
}

} // namespace

QString fitSentence(const ModelEntry &entry)
{
    if (!entry.problem.isEmpty())
        return ModelListModel::tr("Cannot be used: %1").arg(engineText(entry.problem));
    if (!entry.elsewhere.isEmpty())
        return ModelListModel::tr("Runs on %1").arg(entry.elsewhere);
    QString verdict;
    switch (entry.fit) {
    case ModelEntry::Fits:
        verdict = ModelListModel::tr("Fits");
        break;
    case ModelEntry::TooBig:
        verdict = ModelListModel::tr("Too big");
        break;
    case ModelEntry::Unknown:
        verdict = ModelListModel::tr("Unknown");
        break;
    }
    return entry.fitText.isEmpty()
               ? verdict
               : QStringLiteral("%1 – %2").arg(verdict, engineText(entry.fitText));
}

QString fitVerdict(const ModelEntry &entry)
{
    if (!entry.problem.isEmpty())
        return ModelListModel::tr("Cannot be used");
    if (!entry.elsewhere.isEmpty())
        return ModelListModel::tr("On %1").arg(QUrl(entry.elsewhere).authority());
    const QString needed = bytesText(entry.neededBytes);
    switch (entry.fit) {
    case ModelEntry::Fits:
        return entry.neededBytes <= 0 ? ModelListModel::tr("Fits")
               : entry.onCpu          ? ModelListModel::tr("Fits: %1 on the CPU").arg(needed)
                                      : ModelListModel::tr("Fits: %1 on the GPU").arg(needed);
    case ModelEntry::TooBig:
        return entry.neededBytes <= 0 ? ModelListModel::tr("Too big")
                                      : ModelListModel::tr("Too big: needs %1").arg(needed);
    case ModelEntry::Unknown:
        break;
    }
    return ModelListModel::tr("Unknown");
}

int ModelListModel::rowOf(const QString &path) const
{
    if (const auto row = m_rows.constFind(path); row != m_rows.cend())
        return *row;
    for (int row = 0; row < m_entries.size() && !path.isEmpty(); ++row) {
        if (isAt(m_entries.at(row), path))
            return row;
    }
    return -1;
}

bool ModelListModel::isLoaded(const ModelEntry &entry) const
{
    return !m_loaded.isEmpty() && isAt(entry, m_loaded);
}

int ModelListModel::unusableCount() const
{
    return static_cast<int>(
        std::count_if(m_entries.cbegin(), m_entries.cend(),
                      [](const ModelEntry &entry) { return !entry.problem.isEmpty(); }));
}

void ModelListModel::addOrUpdate(const QList<ModelEntry> &entries)
{
    QList<ModelEntry> added;
    const int first = static_cast<int>(m_entries.size());
    for (const ModelEntry &entry : entries) {
        const int row = m_rows.value(entry.path, -1);
        if (row < 0) {
            m_rows.insert(entry.path, first + static_cast<int>(added.size()));
            added.append(entry);
        } else if (row < first && m_entries.at(row) != entry) {
            m_entries[row] = entry;
            emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
        }
    }
    if (added.isEmpty())
        return countNames();
    // At once: the list is sorted and laid out for each insertion.
    beginInsertRows({}, first, first + static_cast<int>(added.size()) - 1);
    m_entries += added;
    endInsertRows();
    countNames();
}

void ModelListModel::setEntries(const QList<ModelEntry> &entries, bool removeMissing)
{
    if (removeMissing) {
        QSet<QString> present;
        for (const ModelEntry &entry : entries)
            present.insert(entry.path);
        for (int row = static_cast<int>(m_entries.size()) - 1; row >= 0; --row) {
            if (present.contains(m_entries.at(row).path))
                continue;
            beginRemoveRows({}, row, row);
            m_rows.remove(m_entries.at(row).path);
            m_entries.removeAt(row);
            for (int below = row; below < m_entries.size(); ++below)
                m_rows[m_entries.at(below).path] = below;
            endRemoveRows();
        }
    }
    addOrUpdate(entries);
}

void ModelListModel::setLoadedPath(const QString &path)
{
    if (path == m_loaded)
        return;
    m_loaded = path;
    if (!m_entries.isEmpty())
        emit dataChanged(index(0, 0),
                         index(static_cast<int>(m_entries.size()) - 1, ColumnCount - 1));
}

int ModelListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int ModelListModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(ColumnCount);
}

/// Several files may hold the same name: these are told apart by their own.
QString ModelListModel::fileOf(const ModelEntry &entry) const
{
    const bool one = m_named.value(entry.name) < 2 || entry.source == QLatin1String("Ollama");
    const QString file = QFileInfo(entry.path).fileName();
    return one || !entry.elsewhere.isEmpty() || file == entry.name ? QString() : file;
}

void ModelListModel::countNames()
{
    QHash<QString, int> named;
    for (const ModelEntry &entry : std::as_const(m_entries))
        ++named[entry.name];
    if (named == m_named)
        return;
    m_named = named;
    if (!m_entries.isEmpty())
        emit dataChanged(index(0, Name), index(static_cast<int>(m_entries.size()) - 1, Name));
}

QString ModelListModel::text(const ModelEntry &entry, int column) const
{
    switch (column) {
    case Name: {
        const QString file = fileOf(entry), mark = QStringLiteral(" · ");
        const QString name = !isLoaded(entry)            ? entry.name
                             : entry.elsewhere.isEmpty() ? tr("%1 (loaded)").arg(entry.name)
                                                         : tr("%1 (in use)").arg(entry.name);
        return file.isEmpty() ? name : name + mark + file;
    }
    case Fit:
        return fitVerdict(entry);
    case Size:
        return entry.elsewhere.isEmpty() ? bytesText(entry.fileBytes) : QStringLiteral("–");
    case Quantisation:
        return entry.quantisationHint.isEmpty()
                   ? knownOrDash(entry.quantisation)
                   : QStringLiteral("%1 · %2").arg(entry.quantisation,
                                                   engineText(entry.quantisationHint));
    case Parameters:
        if (entry.parameters <= 0)
            return QStringLiteral("–");
        if (entry.activeParameters > 0 && entry.activeParameters < entry.parameters)
            return tr("%1, %2 active")
                .arg(parametersText(entry.parameters), parametersText(entry.activeParameters));
        return parametersText(entry.parameters);
    case Context:
        return entry.contextTrained > 0 ? countText(entry.contextTrained) : QStringLiteral("–");
    case Architecture:
        return knownOrDash(entry.architecture);
    case Source:
        return engineText(entry.source);
    case License:
        return knownOrDash(entry.license);
    default:
        return {};
    }
}

QVariant ModelListModel::sortKey(const ModelEntry &entry, int column) const
{
    switch (column) {
    case Fit: // what can be used first
        return !entry.problem.isEmpty()           ? 3
               : !entry.elsewhere.isEmpty()       ? 0
               : entry.fit == ModelEntry::TooBig  ? 2
               : entry.fit == ModelEntry::Unknown ? 1
                                                  : 0;
    case Size:
        return entry.fileBytes;
    case Parameters:
        return entry.parameters;
    case Context:
        return entry.contextTrained;
    default:
        return text(entry, column).toCaseFolded();
    }
}

QIcon fitIcon(const ModelEntry &entry)
{
    if (!entry.problem.isEmpty())
        return icon(IconName::Error, IconTint::Muted);
    if (!entry.elsewhere.isEmpty())
        return icon(IconName::Next, IconTint::Accent);
    switch (entry.fit) {
    case ModelEntry::Fits:
        return icon(IconName::Success, IconTint::Success);
    case ModelEntry::TooBig:
        return icon(IconName::Warning, IconTint::Warning);
    case ModelEntry::Unknown:
        break;
    }
    return icon(IconName::Info, IconTint::Muted);
}

QVariant ModelListModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_entries.size())
        return {};
    const ModelEntry &entry = m_entries.at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(entry, index.column());
    case Qt::DecorationRole:
        return index.column() == Fit ? QVariant(fitIcon(entry)) : QVariant();
    case Qt::ToolTipRole:
        return index.column() == Name  ? entry.path
               : index.column() == Fit ? fitSentence(entry)
                                       : text(entry, index.column());
    case ElsewhereRole:
        return !entry.elsewhere.isEmpty();
    case UsableRole:
        return entry.problem.isEmpty();
    case Qt::ForegroundRole:
        return entry.problem.isEmpty() ? QVariant() : QVariant(Theme::current().muted);
    case Qt::FontRole:
        return isLoaded(entry) ? QVariant(Theme::font(1.0, true)) : QVariant();
    case Qt::TextAlignmentRole:
        if (index.column() == Size || index.column() == Parameters || index.column() == Context)
            return int(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(
            headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString(),
            text(entry, index.column()));
    case SortRole:
        return sortKey(entry, index.column());
    case FilterRole: {
        QStringList words{entry.name, entry.architecture, entry.quantisation, entry.source,
                          entry.path};
        for (const ModelCopy &copy : entry.copies)
            words += {copy.source, copy.name, copy.path};
        return words.join(QLatin1Char('\n'));
    }
    case PathRole:
        return entry.path;
    default:
        return {};
    }
}

QVariant ModelListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole &&
        (section == Size || section == Parameters || section == Context))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Model");
    case Fit:
        return tr("Will it fit?");
    case Size:
        return tr("Size");
    case Quantisation:
        return tr("Quantisation");
    case Parameters:
        return tr("Parameters");
    case Context:
        return tr("Context");
    case Architecture:
        return tr("Architecture");
    case Source:
        return tr("Found in");
    case License:
        return tr("Licence");
    default:
        return {};
    }
}

} // namespace fireside
