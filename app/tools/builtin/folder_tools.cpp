#include "app/tools/builtin/folder_tools.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace fireside {
namespace {

struct FolderTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::FolderTools)
};

ToolResult wrong(const QString &text)
{
    return {ToolResult::ToolError, text};
}

class Descriptor
{
public:
    explicit Descriptor(int number)
        : m_number(number)
    {}
    ~Descriptor()
    {
        if (m_number >= 0)
            ::close(m_number);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int number() const { return m_number; }

private:
    int m_number;
};

/// What the kernel calls the file that is open, wherever its name pointed a moment ago.
QString placeOfDescriptor(int number)
{
    const QByteArray link = "/proc/self/fd/" + QByteArray::number(number);
    std::array<char, 4096> target{};
    const ssize_t length = ::readlink(link.constData(), target.data(), target.size());
    return length > 0 && static_cast<std::size_t>(length) < target.size()
               ? QFile::decodeName(QByteArray(target.data(), static_cast<qsizetype>(length)))
               : QString();
}

/// Without the characters at both ends that a cut has torn apart.
QByteArray wholeCharacters(QByteArray bytes, bool tornBefore, bool tornBehind)
{
    const auto goesOn = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    qsizetype start = 0;
    while (tornBefore && start < std::min<qsizetype>(3, bytes.size()) && goesOn(bytes[start]))
        ++start;
    bytes.remove(0, start);
    qsizetype tail = 0;
    while (tornBehind && tail < std::min<qsizetype>(3, bytes.size()) &&
           goesOn(bytes[bytes.size() - 1 - tail]))
        ++tail;
    if (tornBehind && tail < bytes.size() &&
        static_cast<unsigned char>(bytes[bytes.size() - 1 - tail]) >= 0xC0)
        bytes.chop(tail + 1);
    return bytes;
}

} // namespace

struct FolderTools::Content
{
    QByteArray bytes;
    qint64 size = 0; // of the file
    QString problem{};
};

FolderTools::FolderTools(const QString &root)
    : m_root(root.isEmpty() ? QString() : QFileInfo(root).canonicalFilePath())
{}

bool FolderTools::isInside(const QString &place) const
{
    const QString below = m_root.endsWith(QLatin1Char('/')) ? m_root : m_root + QLatin1Char('/');
    return place == m_root || place.startsWith(below);
}

QString FolderTools::nameOf(const QString &place) const
{
    return QDir(m_root).relativeFilePath(place);
}

QString FolderTools::placeOf(const QString &path, QString &problem) const
{
    if (m_root.isEmpty()) {
        problem = FolderTexts::tr("the chosen folder is not there");
        return {};
    }
    const QString name = path.trimmed();
    if (name.contains(QChar(0))) {
        problem = FolderTexts::tr("there is no such file");
        return {};
    }
    // Also as it is called from outside, which models like to write.
    const QString asked = name.startsWith(QLatin1Char('/')) && !isInside(QDir::cleanPath(name))
                              ? m_root + name
                          : name.startsWith(QLatin1Char('/')) ? name
                                                              : m_root + QLatin1Char('/') + name;
    const QString place = QFileInfo(asked).canonicalFilePath();
    if (place.isEmpty())
        problem = FolderTexts::tr("there is no “%1”").arg(name.left(200));
    else if (!isInside(place))
        problem = FolderTexts::tr("“%1” is outside of the chosen folder").arg(name.left(200));
    return problem.isEmpty() ? place : QString();
}

FolderTools::Content FolderTools::contentOf(const QString &place, qint64 offset, qint64 most) const
{
    // A pipe must not make anybody wait for its other end.
    const Descriptor file(::open(QFile::encodeName(place).constData(),
                                 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
    if (file.number() < 0)
        return {{}, 0, FolderTexts::tr("“%1” cannot be read").arg(nameOf(place).left(200))};
    struct stat about
    {};
    if (::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode) ||
        !isInside(placeOfDescriptor(file.number())))
        return {{}, 0, FolderTexts::tr("“%1” is no ordinary file").arg(nameOf(place).left(200))};
    Content content{QByteArray(static_cast<qsizetype>(most), Qt::Uninitialized), about.st_size};
    qint64 length = 0;
    while (length < most) {
        const ssize_t got = ::pread(file.number(), content.bytes.data() + length,
                                    static_cast<std::size_t>(most - length), offset + length);
        if (got <= 0)
            break;
        length += got;
    }
    content.bytes.truncate(static_cast<qsizetype>(length));
    return content;
}

ToolResult FolderTools::list(const QString &path) const
{
    QString problem;
    const QString place = placeOf(path, problem);
    if (!problem.isEmpty())
        return wrong(problem);
    if (!QFileInfo(place).isDir())
        return wrong(FolderTexts::tr("“%1” is no folder").arg(path.left(200)));
    const QFileInfoList entries = QDir(place).entryInfoList(
        QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::DirsFirst | QDir::Name);
    QStringList lines;
    for (const QFileInfo &entry : entries.mid(0, kFolderEntries)) {
        const QString target = entry.canonicalFilePath();
        if (!isInside(target))
            lines += FolderTexts::tr("%1 (leads out of the folder)").arg(entry.fileName());
        else if (entry.isDir())
            lines += entry.fileName() + QLatin1Char('/');
        else
            lines += FolderTexts::tr("%1 (%2 bytes)").arg(entry.fileName()).arg(entry.size());
    }
    if (entries.size() > kFolderEntries)
        lines += FolderTexts::tr("… and %1 more").arg(entries.size() - kFolderEntries);
    return {ToolResult::Done,
            lines.isEmpty() ? FolderTexts::tr("The folder is empty.") : lines.join(u'\n')};
}

ToolResult FolderTools::read(const QString &path, qint64 offset) const
{
    QString problem;
    const QString place = placeOf(path, problem);
    if (!problem.isEmpty())
        return wrong(problem);
    if (QFileInfo(place).isDir())
        return wrong(FolderTexts::tr("“%1” is a folder; it can be listed").arg(path.left(200)));
    const qint64 from = std::max<qint64>(0, offset);
    const Content content = contentOf(place, from, kFolderRead);
    if (!content.problem.isEmpty())
        return wrong(content.problem);
    if (content.bytes.contains('\0'))
        return wrong(
            FolderTexts::tr("“%1” is no text (%2 bytes)").arg(path.left(200)).arg(content.size));
    if (from > 0 && from >= content.size)
        return wrong(FolderTexts::tr("the file has only %1 bytes").arg(content.size));
    const qint64 end = from + content.bytes.size();
    const bool more = end < content.size;
    QString text = QString::fromUtf8(wholeCharacters(content.bytes, from > 0, more));
    if (more)
        text += FolderTexts::tr("\n[Bytes %1 to %2 of %3; read on with offset %2.]")
                    .arg(from)
                    .arg(end)
                    .arg(content.size);
    return {ToolResult::Done, text};
}

ToolResult FolderTools::search(const QString &text, const QString &path, const QString &names,
                               const std::stop_token &stop) const
{
    QString problem;
    const QString start = placeOf(path, problem);
    if (problem.isEmpty() && text.trimmed().isEmpty())
        problem = FolderTexts::tr("it is not said what to search for");
    if (!problem.isEmpty())
        return wrong(problem);
    const QRegularExpression pattern = QRegularExpression::fromWildcard(
        names.trimmed().isEmpty() ? QStringLiteral("*") : names.trimmed().left(200),
        Qt::CaseInsensitive);
    QStringList hits;
    int files = 0;
    bool all = true;
    QList<QPair<QString, int>> open{{start, 0}}; // a stack, not recursion
    while (!open.isEmpty() && hits.size() < kFolderHits && !stop.stop_requested()) {
        const auto [place, depth] = open.takeLast();
        if (const QFileInfo about(place); about.isDir()) {
            // Links are not followed here: they may lead in circles.
            const QFileInfoList entries = QDir(place).entryInfoList(
                QDir::AllEntries | QDir::NoDotAndDotDot | QDir::NoSymLinks,
                QDir::Name | QDir::Reversed);
            if (depth < kFolderDepth)
                for (const QFileInfo &entry : entries)
                    open.append({entry.absoluteFilePath(), depth + 1});
            else
                all = false;
            continue;
        }
        if (!pattern.match(QFileInfo(place).fileName()).hasMatch())
            continue;
        if (++files > kFolderFiles) {
            all = false;
            break;
        }
        const Content content = contentOf(place, 0, kFolderSearched + 1);
        if (!content.problem.isEmpty() || content.bytes.size() > kFolderSearched ||
            content.bytes.contains('\0')) {
            all = all && content.bytes.size() <= kFolderSearched;
            continue;
        }
        const QStringList lines = QString::fromUtf8(content.bytes).split(QLatin1Char('\n'));
        for (qsizetype i = 0; i < lines.size() && hits.size() < kFolderHits; ++i)
            if (lines[i].contains(text, Qt::CaseInsensitive))
                hits += QStringLiteral("%1:%2: %3")
                            .arg(nameOf(place))
                            .arg(i + 1)
                            .arg(lines[i].simplified().left(300));
    }
    if (stop.stop_requested())
        return {ToolResult::Stopped, FolderTexts::tr("Stopped")};
    if (hits.size() >= kFolderHits)
        hits += FolderTexts::tr("[The first %1 places; there may be more.]").arg(kFolderHits);
    else if (!all)
        hits += FolderTexts::tr("[Some files or folders were too large or too many to be "
                                "searched.]");
    return {ToolResult::Done,
            hits.isEmpty() ? FolderTexts::tr("Nothing was found.") : hits.join(QLatin1Char('\n'))};
}

} // namespace fireside
