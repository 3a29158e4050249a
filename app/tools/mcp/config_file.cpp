#include "app/tools/mcp/config_file.h"

#include "app/files/write_file.h"

#include <QCoreApplication>
#include <QFile>
#include <QStandardPaths>

#include <algorithm>
#include <utility>

namespace fireside {
namespace {

struct FileTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::McpConfigFile)
};

constexpr qint64 kLargestConfig = 4 << 20;
constexpr std::size_t kMostServers = 100;
constexpr auto kForOwner = QFile::ReadOwner | QFile::WriteOwner;

/// Of brackets, as if there were no texts.
bool nestedDeeply(const QByteArray &content)
{
    int depth = 0, deepest = 0;
    for (const char c : content) {
        depth += (c == '[' || c == '{') ? 1 : (c == ']' || c == '}') ? -1 : 0;
        deepest = std::max(deepest, depth);
    }
    return deepest > kDeepestValue;
}

/// As JSON, or as JSON with comments.
std::optional<ToolJson> readConfig(const QByteArray &content, bool *commented)
{
    if (auto json = parsedJson(content))
        return json;
    if (nestedDeeply(content))
        return std::nullopt;
    ToolJson json = ToolJson::parse(content.cbegin(), content.cend(), nullptr, false, true);
    if (json.is_discarded())
        return std::nullopt;
    *commented = true;
    return json;
}

const char *keyOfServers(const ToolJson &json)
{
    return memberOf(json, "servers") && !memberOf(json, "mcpServers") ? "servers" : "mcpServers";
}

} // namespace

QString McpConfigFile::defaultPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QStringLiteral("/fireside/mcp.json");
}

McpConfigFile::McpConfigFile(const QString &path)
    : m_path(path)
{
    read();
}

bool McpConfigFile::read()
{
    const QList<McpServerConfig> before = std::exchange(m_servers, {});
    const QString problemBefore = std::exchange(m_problem, {});
    m_content.clear();
    QFile file(m_path);
    if (file.exists() && !file.open(QIODevice::ReadOnly)) {
        m_problem = FileTexts::tr("%1 cannot be read: %2").arg(m_path, file.errorString());
    } else if (file.isOpen()) {
        m_content = file.read(kLargestConfig + 1);
        bool commented = false;
        const auto json = m_content.size() > kLargestConfig ? std::nullopt
                          : m_content.trimmed().isEmpty()   ? ToolJson::object()
                                                            : readConfig(m_content, &commented);
        const ToolJson *const servers = json ? memberOf(*json, keyOfServers(*json)) : nullptr;
        if (!json || !json->is_object() || (servers && !servers->is_object()) ||
            (servers && servers->size() > kMostServers))
            m_problem = FileTexts::tr("%1 is not as it should be: an object with “mcpServers”, "
                                      "which names at most %2 servers")
                            .arg(m_path)
                            .arg(kMostServers);
        else if (servers)
            for (const auto &[name, entry] : servers->items())
                m_servers.append(readServerConfig(QString::fromStdString(name), entry));
    }
    return m_servers != before || m_problem != problemBefore;
}

QString McpConfigFile::change(const std::function<void(ToolJson &servers)> &edit)
{
    read(); // another program may have changed it
    if (!m_problem.isEmpty())
        return m_problem;
    bool commented = false;
    ToolJson json = m_content.trimmed().isEmpty()
                        ? ToolJson::object()
                        : readConfig(m_content, &commented).value_or(ToolJson::object());
    ToolJson &servers = json[keyOfServers(json)];
    if (!servers.is_object())
        servers = ToolJson::object();
    edit(servers);
    if (commented) { // which are lost otherwise
        const QString kept = m_path + QStringLiteral(".with-comments");
        QFile::remove(kept);
        QFile::copy(m_path, kept);
        QFile::setPermissions(kept, kForOwner);
    }
    const QString problem = writeFile(m_path, bytesOf(json, 2) + '\n', Readers::OwnerAlone);
    if (!problem.isEmpty())
        return FileTexts::tr("%1 cannot be written: %2").arg(m_path, problem);
    read();
    return {};
}

QString McpConfigFile::put(const McpServerConfig &server, const QString &formerName)
{
    for (const McpServerConfig &other : std::as_const(m_servers))
        if (other.name == server.name && other.name != formerName)
            return FileTexts::tr("there is a server called “%1” already").arg(server.name);
    return change([&](ToolJson &servers) {
        const std::string name = server.name.toStdString();
        ToolJson all = ToolJson::object(); // in the same order
        for (auto &[key, entry] : servers.items()) {
            if (key == formerName.toStdString())
                all[name] = writtenServerConfig(server, entry);
            else
                all[key] = entry;
        }
        if (!all.contains(name))
            all[name] = writtenServerConfig(server, ToolJson::object());
        servers = std::move(all);
    });
}

QString McpConfigFile::remove(const QString &name)
{
    return change([&](ToolJson &servers) { servers.erase(name.toStdString()); });
}

} // namespace fireside
