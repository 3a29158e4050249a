#include "ui/chat/reply_details.h"

#include "app/chat/chat_texts.h"
#include "app/runtime/engine_service.h"
#include "app/runtime/engine_text.h"
#include "app/settings/setting_values.h"
#include "ui/backend/number_text.h"
#include "ui/style/direction.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QJsonArray>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

namespace fireside {
namespace {

/// Settings that are not as they usually are, and those that always matter.
QString samplingText(const SamplingSettings &sampling, const QStringList &unsent)
{
    const SamplingSettings usual;
    QStringList words;
    for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table()) {
        const std::string_view key = setting.key;
        const bool always = key == "temperature" || key == "topK" || key == "topP" || key == "minP";
        const SettingValue value = setting.read(sampling);
        if (unsent.contains(QLatin1String(setting.key)) || key == "systemPrompt" || key == "seed" ||
            key == "whenFull" || (!always && value == setting.read(usual)))
            continue;
        const QVariant shown = toVariant(value);
        words += translated(setting.label).remove(QLatin1Char('&')) + QStringLiteral(" ") +
                 (shown.typeId() == QMetaType::QStringList
                      ? shown.toStringList().join(QStringLiteral(", "))
                      : shown.toString());
    }
    return words.join(QStringLiteral(" · "));
}

/// What a server was not sent. Records of older versions hold the names themselves.
QString unsentText(const QStringList &unsent)
{
    QStringList names;
    for (const QString &key : unsent) {
        QString name = key;
        for (const SettingOf<SamplingSettings> &setting : SamplingSettings::table())
            if (key == QLatin1String(setting.key))
                name = translated(setting.label).remove(QLatin1Char('&'));
        names += name;
    }
    return names.join(QStringLiteral(", "));
}

QString movesText(const QJsonArray &moves)
{
    QStringList lines;
    for (const QJsonValue &move : moves)
        lines += ReplyDetailsDialog::tr("after %1 letters to %2: %3")
                     .arg(countText(move[QLatin1String("text")].toInteger()),
                          move[QLatin1String("device")].toString(),
                          move[QLatin1String("reason")].toString());
    return lines.join(QLatin1Char('\n'));
}

} // namespace

QList<QPair<QString, QString>> replyDetails(const Message &reply)
{
    const QJsonObject &record = reply.record;
    QList<QPair<QString, QString>> rows;
    const auto text = [&](const char *key) { return record[QLatin1String(key)].toString(); };
    const auto count = [&](const char *key) { return record[QLatin1String(key)].toInteger(); };
    const auto add = [&](const QString &name, const QString &value) {
        if (!value.isEmpty())
            rows.append({name, value});
    };
    const auto took = [](const QString &what, double seconds) {
        return seconds > 0 ? ReplyDetailsDialog::tr("%1 in %2 s")
                                 .arg(what, QLocale().toString(seconds, 'f', 2))
                           : what;
    };
    add(ReplyDetailsDialog::tr("Model"), text("model"));
    add(ReplyDetailsDialog::tr("Model reported by the server"), text("servedModel"));
    if (text("backend") != QLatin1String("server"))
        add(ReplyDetailsDialog::tr("File"), text("path"));
    add(ReplyDetailsDialog::tr("File's fingerprint"), text("fingerprint"));
    add(ReplyDetailsDialog::tr("Quantisation"),
        text("quantisation") + (text("quantisedTo").isEmpty()
                                    ? QString()
                                    : QStringLiteral(" → ") + text("quantisedTo")));
    add(ReplyDetailsDialog::tr("Device"), text("device"));
    add(ReplyDetailsDialog::tr("Backend"), text("backend"));
    add(ReplyDetailsDialog::tr("Driver"), text("driver"));
    add(ReplyDetailsDialog::tr("Placement"), engineText(text("placement")));
    add(ReplyDetailsDialog::tr("In place of a server"), text("insteadOf"));
    QStringList unsent;
    for (const QJsonValue &setting : record[QLatin1String("left")].toArray())
        unsent += setting.toString();
    add(ReplyDetailsDialog::tr("Not sent to the server"), unsentText(unsent));
    add(ReplyDetailsDialog::tr("Moved"), movesText(record[QLatin1String("moves")].toArray()));
    add(ReplyDetailsDialog::tr("Context"),
        text("backend") == QLatin1String("server")
            ? (count("context") > 0
                   ? ReplyDetailsDialog::tr("%1 tokens").arg(countText(count("context")))
                   : QString())
        : record.contains(QLatin1String("context"))
            ? ReplyDetailsDialog::tr("%1 tokens, %2")
                  .arg(countText(count("context")), text("kvType").toUpper())
            : QString());
    if (const qint64 prompt = count("promptTokens"); prompt > 0)
        add(ReplyDetailsDialog::tr("Prompt"),
            ReplyDetailsDialog::tr("reused %1 of %2 tokens, computed %3")
                .arg(countText(count("reusedTokens")), countText(prompt),
                     took(countText(prompt - count("reusedTokens")),
                          record[QLatin1String("promptSeconds")].toDouble())));
    if (const qint64 written = count("generatedTokens"); written > 0)
        add(ReplyDetailsDialog::tr("Reply"),
            took(ReplyDetailsDialog::tr("%1 tokens").arg(countText(written)),
                 record[QLatin1String("generateSeconds")].toDouble()));
    add(ReplyDetailsDialog::tr("Ended by"), text("finish"));
    if (count("thoughtTokens") > 0)
        add(ReplyDetailsDialog::tr("Thoughts"),
            ReplyDetailsDialog::tr("ended after %1 tokens").arg(countText(count("thoughtTokens"))));
    if (record.contains(QLatin1String("seed")))
        add(ReplyDetailsDialog::tr("Seed"), QString::number(count("seed")));
    if (const QJsonObject sampling = record[QLatin1String("sampling")].toObject();
        !sampling.isEmpty()) {
        const auto settings = groupFromJson<SamplingSettings>(sampling);
        add(ReplyDetailsDialog::tr("Settings"), samplingText(settings, unsent));
        add(ReplyDetailsDialog::tr("System prompt"), QString::fromStdString(settings.systemPrompt));
    }
    if (record.contains(QLatin1String("continued")))
        add(ReplyDetailsDialog::tr("Continued"),
            record[QLatin1String("continued")][QLatin1String("device")].toString());
    add(ReplyDetailsDialog::tr("Program"), text("version"));
    add(ReplyDetailsDialog::tr("Written"), QLocale().toString(reply.created, QLocale::LongFormat));
    return rows;
}

QString replayText(const ReplayResult &result)
{
    switch (result.kind) {
    case ReplayResult::Same:
        return ReplyDetailsDialog::tr("The same: every word as it was.");
    case ReplayResult::Failed:
        return asSentence(result.problem);
    case ReplayResult::Different:
        break;
    }
    const QString where = ReplyDetailsDialog::tr("It differs from letter %1 on: “%2”, it was “%3”.")
                              .arg(countText(result.at + 1), result.now, result.then);
    const QString why = result.reasons.isEmpty()
                            ? ReplyDetailsDialog::tr("Nothing that is recorded differs.")
                            : ReplyDetailsDialog::tr("What is not as it was: %1.")
                                  .arg(result.reasons.join(QStringLiteral("; ")));
    return where + QLatin1Char('\n') + why;
}

ReplyDetailsDialog::ReplyDetailsDialog(EngineService &engine, const QList<Message> &path,
                                       QWidget *parent)
    : QDialog(parent)
    , m_engine(engine)
    , m_path(path)
    , m_replay(engine)
{
    setWindowTitle(tr("How this reply was made"));
    setSizeGripEnabled(true);
    const auto rows = replyDetails(m_path.last());
    auto *content = new QWidget;
    auto *form = new QFormLayout(content);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    form->setHorizontalSpacing(16);
    for (const auto &[name, value] : rows) {
        auto *label = new QLabel(value);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        standAtStart(*label);
        label->setAccessibleName(name + QStringLiteral(": ") + value);
        auto *title = new QLabel(name);
        title->setProperty("role", "muted");
        form->addRow(title, label);
    }
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(windowTitle());
    scroll->setWidget(content);

    m_result = new QLabel;
    m_result->setObjectName(QStringLiteral("replayResult"));
    m_result->setTextFormat(Qt::PlainText);
    m_result->setWordWrap(true);
    m_result->setText(replayRefusal(m_path.last()));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_button = buttons->addButton(tr("&Replay exactly"), QDialogButtonBox::ActionRole);
    m_button->setObjectName(QStringLiteral("replay"));
    m_button->setToolTip(tr("Computes the reply once more with the same seed and settings, and "
                            "compares the words"));
    QPushButton *const copy = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
    copy->setObjectName(QStringLiteral("copyDetails"));
    connect(copy, &QPushButton::clicked, this, [rows] {
        QStringList lines;
        for (const auto &[name, value] : rows)
            lines += name + QStringLiteral(": ") + value;
        QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_button, &QPushButton::clicked, this, [this] {
        m_result->setText(tr("Computing…"));
        m_replay.start(m_path);
        updateButton();
    });
    connect(&m_replay, &ReplyReplay::progressed, this, [this](int tokens, int of) {
        m_result->setText(tr("Computing… %1 of %2 tokens").arg(countText(tokens), countText(of)));
    });
    connect(&m_replay, &ReplyReplay::finished, this, [this](const ReplayResult &result) {
        m_result->setText(replayText(result));
        updateButton();
    });
    connect(&m_engine, &EngineService::stateChanged, this, &ReplyDetailsDialog::updateButton);
    updateButton();

    auto *layout = new QVBoxLayout(this);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_result);
    layout->addWidget(buttons);
    resize(QSize(620, 560).boundedTo(screen()->availableSize() * 0.9));
}

void ReplyDetailsDialog::updateButton()
{
    m_button->setEnabled(!m_replay.running() && m_engine.state() == EngineState::Ready &&
                         replayRefusal(m_path.last()).isEmpty());
}

} // namespace fireside
