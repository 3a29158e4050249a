#include "ui/chat/attachment_list.h"

#include "ui/backend/elided_text.h"
#include "ui/backend/number_text.h"
#include "ui/style/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fireside {

AttachmentList::AttachmentList(QWidget *parent)
    : QWidget(parent)
{
    setAccessibleName(tr("Attached files"));
    m_rows = new QVBoxLayout(this);
    m_rows->setContentsMargins(0, 0, 0, 4);
    m_rows->setSpacing(4);
    hide();
}

void AttachmentList::setFiles(const QList<TextAttachment> &files)
{
    if (files == m_files)
        return;
    m_files = files;
    rebuild();
}

void AttachmentList::add(const TextAttachment &file)
{
    m_files.append(file);
    rebuild();
    emit changed();
}

QStringList AttachmentList::names() const
{
    QStringList names;
    for (const TextAttachment &file : m_files)
        names.append(file.name);
    return names;
}

void AttachmentList::setTokens(const QString &text, int tokens)
{
    const bool ofFile = std::any_of(m_files.cbegin(), m_files.cend(),
                                    [&](const TextAttachment &file) { return file.text == text; });
    if (!ofFile)
        return;
    m_tokens[text] = tokens;
    rebuild();
}

void AttachmentList::forgetTokens()
{
    m_tokens.clear();
    rebuild();
}

void AttachmentList::rebuild()
{
    while (QLayoutItem *item = m_rows->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater(); // its own button may be calling
        delete item;
    }
    for (int i = 0; i < m_files.size(); ++i) {
        const TextAttachment &file = m_files[i];
        auto *row = new QFrame;
        row->setProperty("role", "sunken");
        auto *line = new QHBoxLayout(row);
        line->setContentsMargins(10, 2, 2, 2);
        line->setSpacing(8);
        auto *mark = new QLabel;
        mark->setPixmap(
            icon(IconName::File, IconTint::Muted).pixmap(QSize(16, 16), devicePixelRatioF()));
        auto *name = new ElidedLabel(row);
        name->setText(file.name);
        QString facts = bytesText(file.size());
        if (!file.encoding.isEmpty())
            facts += QStringLiteral(" · ") + file.encoding;
        if (const int tokens = m_tokens.value(file.text, -1); tokens >= 0)
            facts += QStringLiteral(" · ") + tr("%1 tokens").arg(countText(tokens));
        auto *size = new QLabel(facts);
        size->setProperty("role", "muted");
        auto *remove = new QToolButton;
        remove->setIcon(icon(IconName::Close, IconTint::Muted));
        remove->setIconSize(QSize(14, 14));
        remove->setToolTip(tr("Remove this file"));
        remove->setAccessibleName(tr("Remove “%1”").arg(file.name));
        connect(remove, &QToolButton::clicked, this, [this, i] {
            m_files.removeAt(i);
            rebuild();
            emit changed();
        });
        row->setAccessibleName(QStringLiteral("%1, %2").arg(file.name, facts));
        line->addWidget(mark);
        line->addWidget(name);
        line->addWidget(size);
        line->addStretch(1);
        line->addWidget(remove);
        m_rows->addWidget(row);
    }
    setVisible(!m_files.isEmpty());
}

} // namespace fireside
