// What the desktop program reads: messages as Markdown, stored chats, other programs' libraries.
#include "app/chat/conversation_store.h"
#include "app/models/library_file.h"
#include "app/models/model_source.h"
#include "app/settings/setting_values.h"
#include "tests/fuzz/target.h"
#include "ui/math/formula_finder.h"
#include "ui/math/formula_layout.h"
#include "ui/style/theme.h"
#include "ui/transcript/section_document.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>

#include <cmath>

namespace fireside::fuzz {
namespace {

/// A program without a display whose home is an empty folder.
class Desktop
{
public:
    static Desktop &get()
    {
        static Desktop desktop;
        return desktop;
    }
    QString home(const char *path) const { return m_home.path() + QLatin1String(path); }
    void write(const char *path, QByteArrayView content) const
    {
        const QString name = home(path);
        QDir().mkpath(QFileInfo(name).absolutePath());
        QFile file(name);
        check(file.open(QIODevice::WriteOnly) &&
              file.write(content.data(), content.size()) == content.size());
    }

private:
    Desktop()
    {
        const QByteArray home = m_home.path().toUtf8();
        qputenv("HOME", home);
        for (const char *name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
                                 "HF_HUB_CACHE", "HF_HOME", "OLLAMA_MODELS"})
            qunsetenv(name);
        qputenv("QT_QPA_PLATFORM", "offscreen");
        QCoreApplication::setApplicationName(QStringLiteral("fireside"));
        static int argc = 1;
        static char name[] = "fuzz";
        static char *argv[] = {name, nullptr};
        if (QCoreApplication::instance() == nullptr)
            new QApplication(argc, argv); // lives as long as the process
        Theme::apply(AppearanceSettings{.theme = "light"});
    }
    QTemporaryDir m_home;
};

QByteArrayView view(std::string_view text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

void markdown(Bytes input)
{
    Desktop::get();
    const QString text = QString::fromUtf8(view(textOf(input)));
    for (const TextStyle style : {TextStyle::Reply, TextStyle::Verbatim}) {
        const SplitMessage split = splitMessage(text, style);
        qsizetype done = 0;
        for (const Section &section : split.sections) {
            check(section.start >= done && section.length >= 0);
            done = section.start + section.length;
            check(done <= text.size());
            const RenderedSection rendered = renderSection(section, text, split.references);
            check(rendered.height() >= 0);
            documentText(*rendered.document, 0, rendered.document->characterCount() - 1);
        }
    }
}

/// Without delimiters: any tree that is understood can be set, in every font, within its room.
void formula(Bytes input)
{
    Desktop::get();
    const QString text = QString::fromUtf8(view(textOf(input)));
    findFormulas(text);
    const std::optional<FormulaNode> tree = parseFormula(text);
    if (!tree)
        return;
    const FormulaLook look{.em = 16, .display = true, .words = Theme::font(1.0)};
    const MathBox box = layOutFormula(*tree, look);
    check(box.width >= 0 && std::isfinite(box.width) && std::isfinite(box.height()));
}

void readChats(ConversationStore &store)
{
    for (const ConversationSummary &summary : store.list()) {
        const auto row = store.conversation(summary.id);
        if (!row)
            continue;
        const QList<Message> path = store.path(row->currentLeaf);
        for (const Message &message : path)
            store.sibling(message.id, 1);
        store.newestLeafBelow(path.isEmpty() ? 0 : path.first().id);
    }
    store.list(QStringLiteral("word \"other"));
}

/// Settings and records as JSON; and, behind "SQLite", a database file.
void chats(Bytes input)
{
    const std::string_view text = textOf(input);
    if (!text.starts_with("SQLite")) {
        const QByteArray bytes(text.data(), static_cast<qsizetype>(text.size()));
        const QJsonObject json = QJsonDocument::fromJson(bytes).object();
        const SamplingSettings once = groupFromJson<SamplingSettings>(json, {});
        const SamplingSettings again = groupFromJson<SamplingSettings>(toJson(once), {});
        check(toJson(once) == toJson(again));
        return;
    }
    const Desktop &desktop = Desktop::get();
    const QString folder = desktop.home("/chats");
    QDir(folder).removeRecursively();
    desktop.write("/chats/fireside.db", view(text));
    ConversationStore store(folder);
    readChats(store);
    const qint64 id = store.addConversation(QStringLiteral("New"), {});
    check(store.conversation(id).has_value());
}

class Sink final : public ModelSink
{
public:
    /// A file may name a folder with everything in it; some of that is enough.
    bool cancelled() const override { return ++m_asked > 2000; }
    void visiting(const QString &) override {}
    void found(const FoundModel &model) override { check(!model.path.isEmpty()); }
    void problem(const QString &, const QString &) override {}

private:
    mutable int m_asked = 0;
};

/// The first line says which program's file the rest is.
void library(Bytes input)
{
    const Desktop &desktop = Desktop::get();
    const std::string_view text = textOf(input);
    const std::size_t line = std::min(text.find('\n'), text.size());
    const QByteArrayView content = view(text.substr(std::min(line + 1, text.size())));
    const std::string_view kind = text.substr(0, line);
    Sink sink;
    if (kind == "ollama") {
        desktop.write("/.ollama/models/manifests/registry.ollama.ai/library/model/latest", content);
        QDir().mkpath(desktop.home("/.ollama/models/blobs"));
        scanOllama(sink);
    } else if (kind == "lmstudio") {
        desktop.write("/.lmstudio/settings.json", content);
        scanLmStudio(sink);
    } else if (kind == "jan") {
        desktop.write("/.local/share/Jan/data/models/x/model.yml", content);
        scanJan(sink);
    } else if (kind == "library") {
        desktop.write("/.config/fireside/library.json", content);
        const LibraryFile file;
        check(!file.folders().contains(QString()));
        const QStringList aside = QDir(desktop.home("/.config/fireside")).entryList(QDir::Files);
        for (const QString &name : aside)
            QFile::remove(desktop.home("/.config/fireside/") + name);
    }
}

} // namespace

std::vector<Target> targets()
{
    return {{"markdown", markdown}, {"formula", formula}, {"chats", chats}, {"library", library}};
}

} // namespace fireside::fuzz
