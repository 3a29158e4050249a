#pragma once
#include "app/chat/text_attachment.h"

#include <QHash>
#include <QWidget>

class QVBoxLayout;

namespace fireside {

/// The files that go with the message being written: a row each, with its size and a button that
/// takes it away again.
class AttachmentList : public QWidget
{
    Q_OBJECT
public:
    explicit AttachmentList(QWidget *parent = nullptr);

    const QList<TextAttachment> &files() const { return m_files; }
    QStringList names() const;
    void setFiles(const QList<TextAttachment> &files);
    void add(const TextAttachment &file);
    /// How many tokens the model reads in a file of this text; negative: not known.
    void setTokens(const QString &text, int tokens);
    bool hasTokens(const QString &text) const { return m_tokens.contains(text); }
    void forgetTokens();

signals:
    void changed();

private:
    void rebuild();

    QList<TextAttachment> m_files;
    QHash<QString, int> m_tokens; // by text
    QVBoxLayout *m_rows;
};

} // namespace fireside
