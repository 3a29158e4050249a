#include "ui/models/model_details_pane.h"

#include "app/runtime/engine_text.h"
#include "ui/backend/number_text.h"
#include "ui/models/model_list_model.h"
#include "ui/style/direction.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace fireside {

namespace {

constexpr int kFitIconSize = 18;

QLabel *textLabel(QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText); // names come from files
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    standAtStart(*label);
    return label;
}

// Long paths and digests break anywhere, so that they do not widen the pane.
QString breakable(const QString &text)
{
    constexpr int kUnbroken = 16;
    QString out;
    int run = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        out += c;
        run = c.isLetterOrNumber() ? run + 1 : 0;
        if (c.isSpace() || c.isHighSurrogate() ||
            (i + 1 < text.size() && (text[i + 1].isMark() || text[i + 1].isLowSurrogate())))
            continue;
        static const QString kOpening = QStringLiteral("'\"“‘„«([{");
        if ((run == 0 && !kOpening.contains(c)) || run >= kUnbroken) {
            out += QChar(0x200B); // zero-width space
            run = 0;
        }
    }
    return out;
}

} // namespace

ModelDetailsPane::ModelDetailsPane(QWidget *parent)
    : QScrollArea(parent)
{
    setObjectName(QStringLiteral("modelDetails"));
    setAccessibleName(tr("Details of the chosen model"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    m_content = new QWidget(this);
    auto *layout = new QVBoxLayout(m_content);
    layout->setContentsMargins(12, 4, 8, 8);
    m_name = textLabel(m_content);
    m_name->setFont(Theme::font(1.15, true));
    layout->addWidget(m_name);

    auto *fitRow = new QHBoxLayout;
    m_fitIcon = new QLabel(m_content);
    m_fit = textLabel(m_content);
    m_fit->setObjectName(QStringLiteral("detailsFit"));
    fitRow->addWidget(m_fitIcon, 0, Qt::AlignTop);
    fitRow->addWidget(m_fit, 1);
    layout->addLayout(fitRow);

    m_remarkRow = new QWidget(m_content);
    auto *remarkRow = new QHBoxLayout(m_remarkRow);
    remarkRow->setContentsMargins(0, 0, 0, 0);
    m_remarkIcon = new QLabel(m_remarkRow);
    m_remarks = textLabel(m_remarkRow);
    m_remarks->setObjectName(QStringLiteral("detailsRemarks"));
    remarkRow->addWidget(m_remarkIcon, 0, Qt::AlignTop);
    remarkRow->addWidget(m_remarks, 1);
    layout->addWidget(m_remarkRow);

    // No QFormLayout: of rows that are hidden and hold wrapped texts, Qt 6.4 writes heights beyond
    // the end of its list.
    m_rows = new QGridLayout;
    m_rows->setContentsMargins(0, 8, 0, 0);
    m_rows->setVerticalSpacing(4);
    m_rows->setColumnStretch(1, 1);
    layout->addLayout(m_rows);
    m_size = addRow(tr("Size"));
    m_parameters = addRow(tr("Parameters"));
    m_quantisation = addRow(tr("Quantisation"));
    m_architecture = addRow(tr("Architecture"));
    m_context = addRow(tr("Context"));
    m_license = addRow(tr("Licence"));
    m_source = addRow(tr("Found in"));
    m_path = addRow(tr("File"));
    m_path->setTextInteractionFlags(
        Qt::NoTextInteraction); // holds invisible breaks: the list copies the true path
    layout->addStretch(1);
    setWidget(m_content);
    showEntry(nullptr);
}

QLabel *ModelDetailsPane::addRow(const QString &name)
{
    auto *label = new QLabel(name, m_content);
    label->setForegroundRole(QPalette::PlaceholderText);
    auto *text = textLabel(m_content);
    const int row = m_rows->rowCount();
    m_rows->addWidget(label, row, 0, Qt::AlignTop);
    m_rows->addWidget(text, row, 1);
    return text;
}

void ModelDetailsPane::showEntry(const ModelEntry *entry)
{
    m_content->setVisible(entry != nullptr);
    if (!entry)
        return;
    m_name->setText(breakable(entry->name));
    m_fitText = breakable(fitSentence(*entry));
    m_fit->setText(m_fitText);
    const bool usable = entry->problem.isEmpty();
    const bool elsewhere = !entry->elsewhere.isEmpty();
    const bool fits = usable && (elsewhere || entry->fit == ModelEntry::Fits);
    const QIcon sign = fits     ? icon(IconName::Success, IconTint::Success)
                       : usable ? icon(IconName::Warning, IconTint::Warning)
                                : icon(IconName::Error, IconTint::Error);
    m_fitIcon->setPixmap(sign.pixmap(QSize(kFitIconSize, kFitIconSize), devicePixelRatioF()));

    m_remarkRow->setVisible(!entry->remarks.isEmpty());
    m_remarks->setText(entry->remarks.join(QLatin1Char('\n')));
    m_remarkIcon->setPixmap(icon(IconName::Warning, IconTint::Warning)
                                .pixmap(QSize(kFitIconSize, kFitIconSize), devicePixelRatioF()));

    const auto known = [](const QString &text) { return text.isEmpty() ? tr("unknown") : text; };
    m_size->setText(bytesText(entry->fileBytes));
    m_parameters->setText(parametersText(entry->parameters));
    m_quantisation->setText(entry->quantisationHint.isEmpty()
                                ? known(entry->quantisation)
                                : QStringLiteral("%1: %2").arg(
                                      entry->quantisation, engineText(entry->quantisationHint)));
    m_architecture->setText(known(entry->architecture));
    m_context->setText(elsewhere && entry->contextTrained > 0
                           ? tr("%1 tokens").arg(countText(entry->contextTrained))
                       : entry->contextTrained > 0
                           ? tr("trained for %1 tokens").arg(countText(entry->contextTrained))
                           : tr("unknown"));
    m_license->setText(entry->license.isEmpty() ? tr("not named in the file") : entry->license);
    QString places = engineText(entry->source);
    for (const ModelCopy &copy : entry->copies)
        places +=
            QLatin1Char('\n') +
            (copy.name.isEmpty()
                 ? tr("also in %1: %2").arg(engineText(copy.source), copy.path)
                 : tr("also in %1 as %2: %3").arg(engineText(copy.source), copy.name, copy.path));
    m_source->setText(breakable(places));
    m_path->setText(breakable(entry->path));
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const QLayoutItem *const field = m_rows->itemAtPosition(row, 1);
        if (!field)
            continue;
        // Of a server's model only the server knows the others.
        const bool shown =
            !elsewhere || field->widget() == m_context || field->widget() == m_source;
        for (const int column : {0, 1})
            m_rows->itemAtPosition(row, column)->widget()->setVisible(shown);
    }
}

void ModelDetailsPane::setBusy(bool busy)
{
    m_fit->setText(busy ? tr("Working out what it needs…") : m_fitText);
}

} // namespace fireside
