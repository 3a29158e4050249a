#include "app/tools/mcp/server_config.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QUrl>

#include <algorithm>

namespace fireside {
namespace {

struct ConfigTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::McpServerConfig)
};

constexpr std::size_t kMostMembers = 1000; // arguments, variables or headers

/// Texts and, as some write them, numbers and truth values.
QString plainText(const ToolJson &value)
{
    if (value.is_string())
        return QString::fromStdString(value.get_ref<const std::string &>());
    if (value.is_number() || value.is_boolean())
        return QString::fromUtf8(bytesOf(value));
    return {};
}

QList<QPair<QString, QString>> pairsIn(const ToolJson &entry, const char *name, QString &problem)
{
    QList<QPair<QString, QString>> pairs;
    const ToolJson *const values = memberOf(entry, name);
    if (!values || values->is_null())
        return pairs;
    if (!values->is_object() || values->size() > kMostMembers) {
        problem =
            ConfigTexts::tr("“%1” is not an object of names and texts").arg(QLatin1String(name));
        return pairs;
    }
    for (const auto &[key, value] : values->items())
        pairs.append({QString::fromStdString(key), plainText(value)});
    return pairs;
}

void write(ToolJson &entry, const char *name, const QList<QPair<QString, QString>> &pairs)
{
    if (pairs.isEmpty()) {
        entry.erase(name);
        return;
    }
    ToolJson values = ToolJson::object();
    for (const auto &[key, value] : pairs)
        values[key.toStdString()] = value.toStdString();
    entry[name] = std::move(values);
}

void write(ToolJson &entry, const char *name, const QString &text)
{
    if (text.isEmpty())
        entry.erase(name);
    else
        entry[name] = text.toStdString();
}

/// "oauth", or "auth" with names in capitals, as programs write it.
McpAuthConfig readAuth(const ToolJson &entry, QString &problem)
{
    McpAuthConfig read;
    const ToolJson *json = memberOf(entry, "oauth");
    if (!json)
        json = memberOf(entry, "auth");
    if (!json || !json->is_object())
        return read;
    const auto text = [&](const char *name, const char *other) {
        const QString value = textIn(*json, name);
        return value.isEmpty() ? textIn(*json, other) : value;
    };
    read.clientId = text("clientId", "CLIENT_ID");
    read.clientSecret = text("clientSecret", "CLIENT_SECRET");
    read.privateKeyFile = textIn(*json, "privateKeyFile");
    read.machine = textIn(*json, "grantType") == QLatin1String("client_credentials");
    if (const ToolJson *const scopes = memberOf(*json, "scopes"); scopes && scopes->is_array())
        for (std::size_t i = 0; i < std::min(scopes->size(), kMostMembers); ++i)
            read.scopes += plainText((*scopes)[i]);
    else
        read.scopes = textIn(*json, "scopes").split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const ToolJson *const port = memberOf(*json, "callbackPort");
    if (port && port->is_number_integer() && *port >= 0 && *port <= 65535)
        read.callbackPort = port->get<int>();
    else if (port && !port->is_null())
        problem = ConfigTexts::tr("“callbackPort” is no port");
    return read;
}

void write(ToolJson &entry, const McpAuthConfig &auth)
{
    const ToolJson *const before = memberOf(entry, "oauth");
    if (!before && auth == McpAuthConfig())
        return;
    ToolJson json = before && before->is_object() ? *before : ToolJson::object();
    write(json, "clientId", auth.clientId);
    write(json, "clientSecret", auth.clientSecret);
    write(json, "privateKeyFile", auth.privateKeyFile);
    write(json, "grantType", auth.machine ? QStringLiteral("client_credentials") : QString());
    if (auth.scopes.isEmpty())
        json.erase("scopes");
    else
        json["scopes"] = ToolJson::array();
    for (const QString &scope : auth.scopes)
        json["scopes"].push_back(scope.toStdString());
    if (auth.callbackPort == 0)
        json.erase("callbackPort");
    else
        json["callbackPort"] = auth.callbackPort;
    entry.erase("auth");
    if (json.empty())
        entry.erase("oauth");
    else
        entry["oauth"] = std::move(json);
}

bool isVariable(const QString &name)
{
    static const QRegularExpression form(QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*$"));
    return form.match(name).hasMatch();
}

bool isHeader(const QPair<QString, QString> &header)
{
    static const QRegularExpression name(QStringLiteral("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"));
    static const QRegularExpression broken(QStringLiteral("[\\r\\n\\x00]"));
    return name.match(header.first).hasMatch() && !header.second.contains(broken);
}

QString problemOf(const McpServerConfig &config)
{
    if (config.command.isEmpty() == config.url.isEmpty())
        return ConfigTexts::tr("it needs either a “command” or a “url”");
    if (config.isRemote()) {
        const QUrl url(config.url, QUrl::StrictMode);
        const bool http =
            url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https");
        // An address may hold variables, which are filled in later.
        if (!config.url.contains(QLatin1String("${")) &&
            (!url.isValid() || !http || url.host().isEmpty()))
            return ConfigTexts::tr("“%1” is no http or https address").arg(config.url.left(200));
        for (const auto &header : config.headers)
            if (!isHeader(header))
                return ConfigTexts::tr("“%1” is no header").arg(header.first.left(100));
    }
    for (const auto &variable : config.environment)
        if (!isVariable(variable.first))
            return ConfigTexts::tr("“%1” is no name of a variable").arg(variable.first.left(100));
    return {};
}

} // namespace

McpServerConfig readServerConfig(const QString &name, const ToolJson &entry)
{
    McpServerConfig config{.name = name};
    if (!entry.is_object()) {
        config.problem = ConfigTexts::tr("its entry is not an object");
        return config;
    }
    config.command = textIn(entry, "command");
    config.folder = textIn(entry, "cwd");
    for (const char *key : {"url", "serverUrl", "httpUrl"}) // as several programs call it
        if (config.url.isEmpty())
            config.url = textIn(entry, key);
    config.oldStream = textIn(entry, "type") == QLatin1String("sse");
    const ToolJson *const disabled = memberOf(entry, "disabled");
    const ToolJson *const enabled = memberOf(entry, "enabled");
    config.enabled = !(disabled && disabled->is_boolean() && disabled->get<bool>()) &&
                     !(enabled && enabled->is_boolean() && !enabled->get<bool>());
    if (const ToolJson *const list = memberOf(entry, "args"); list && !list->is_null()) {
        if (!list->is_array() || list->size() > kMostMembers)
            config.problem = ConfigTexts::tr("“args” is not a list of texts");
        else
            for (const ToolJson &one : *list)
                config.arguments += plainText(one);
    }
    config.environment = pairsIn(entry, "env", config.problem);
    config.headers = pairsIn(entry, "headers", config.problem);
    config.auth = readAuth(entry, config.problem);
    if (config.problem.isEmpty())
        config.problem = problemOf(config);
    return config;
}

ToolJson writtenServerConfig(const McpServerConfig &config, ToolJson entry)
{
    if (!entry.is_object())
        entry = ToolJson::object();
    for (const char *other : {"serverUrl", "httpUrl", "enabled"})
        entry.erase(other);
    write(entry, "command", config.command);
    if (config.arguments.isEmpty())
        entry.erase("args");
    else
        entry["args"] = ToolJson::array();
    for (const QString &argument : config.arguments)
        entry["args"].push_back(argument.toStdString());
    write(entry, "cwd", config.folder);
    write(entry, "env", config.environment);
    write(entry, "url", config.url);
    write(entry, "headers", config.headers);
    write(entry, config.auth);
    if (!config.isRemote())
        entry.erase("type");
    else if (config.oldStream)
        entry["type"] = "sse";
    else if (textIn(entry, "type") == QLatin1String("sse") ||
             textIn(entry, "type") == QLatin1String("stdio"))
        entry.erase("type");
    if (config.enabled)
        entry.erase("disabled");
    else
        entry["disabled"] = true;
    return entry;
}

McpServerConfig expanded(McpServerConfig config, const QProcessEnvironment &variables)
{
    static const QRegularExpression reference(
        QStringLiteral("\\$\\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\}"));
    const auto expand = [&](QString &text) {
        QString result;
        qsizetype at = 0;
        for (auto it = reference.globalMatch(text); it.hasNext();) {
            const QRegularExpressionMatch match = it.next();
            const QString name = match.captured(1);
            result += QStringView(text).mid(at, match.capturedStart() - at);
            at = match.capturedEnd();
            if (variables.contains(name))
                result += variables.value(name);
            else if (match.hasCaptured(2))
                result += match.captured(2);
            else if (config.problem.isEmpty())
                config.problem = ConfigTexts::tr("the variable %1 is not set").arg(name);
        }
        text = result + text.mid(at);
    };
    expand(config.command);
    expand(config.folder);
    expand(config.url);
    expand(config.auth.clientId);
    expand(config.auth.clientSecret);
    expand(config.auth.privateKeyFile);
    for (QString &argument : config.arguments)
        expand(argument);
    for (auto &variable : config.environment)
        expand(variable.second);
    for (auto &header : config.headers)
        expand(header.second);
    if (config.problem.isEmpty())
        config.problem = problemOf(config);
    return config;
}

QProcessEnvironment serverEnvironment(const McpServerConfig &config,
                                      const QProcessEnvironment &variables)
{
    static const QStringList kept{QStringLiteral("PATH"),
                                  QStringLiteral("HOME"),
                                  QStringLiteral("USER"),
                                  QStringLiteral("LOGNAME"),
                                  QStringLiteral("SHELL"),
                                  QStringLiteral("TERM"),
                                  QStringLiteral("LANG"),
                                  QStringLiteral("LANGUAGE"),
                                  QStringLiteral("TZ"),
                                  QStringLiteral("TMPDIR"),
                                  QStringLiteral("XDG_CACHE_HOME"),
                                  QStringLiteral("XDG_CONFIG_HOME"),
                                  QStringLiteral("XDG_DATA_HOME")};
    QProcessEnvironment given;
    for (const QString &name : variables.keys())
        if (kept.contains(name) || name.startsWith(QLatin1String("LC_")))
            given.insert(name, variables.value(name));
    for (const auto &[name, value] : config.environment)
        given.insert(name, value);
    return given;
}

QStringList splitCommandLine(const QString &line)
{
    QStringList words;
    QString word;
    bool inWord = false;
    QChar quote;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (c == u'\\' && quote != u'\'' && i + 1 < line.size()) {
            word += line[++i];
            inWord = true;
        } else if (!quote.isNull()) {
            if (c == quote)
                quote = QChar();
            else
                word += c;
        } else if (c == u'"' || c == u'\'') {
            quote = c;
            inWord = true;
        } else if (!c.isSpace()) {
            word += c;
            inWord = true;
        } else if (inWord) {
            words += word;
            word.clear();
            inWord = false;
        }
    }
    if (inWord)
        words += word;
    return words;
}

QString joinedCommandLine(const QStringList &words)
{
    static const QRegularExpression harmless(QStringLiteral("^[^\\s\"'\\\\]+$"));
    QStringList quoted;
    for (QString word : words) {
        if (!harmless.match(word).hasMatch()) {
            word.replace(QLatin1Char('\\'), QLatin1String("\\\\"));
            word.replace(QLatin1Char('"'), QLatin1String("\\\""));
            word = QLatin1Char('"') + word + QLatin1Char('"');
        }
        quoted += word;
    }
    return quoted.join(QLatin1Char(' '));
}

} // namespace fireside
