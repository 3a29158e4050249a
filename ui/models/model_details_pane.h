#pragma once
#include "app/models/model_library.h"

#include <QScrollArea>

class QGridLayout;
class QLabel;

namespace fireside {

/// Everything the file says about the chosen model, and whether it will fit. Text can be selected.
class ModelDetailsPane : public QScrollArea
{
    Q_OBJECT
public:
    explicit ModelDetailsPane(QWidget *parent = nullptr);

    void showEntry(const ModelEntry *entry); // nullptr: nothing is chosen
    /// Numbers for another context are being computed.
    void setBusy(bool busy);

private:
    QLabel *addRow(const QString &name);

    QGridLayout *m_rows; // names and values
    QWidget *m_content;
    QLabel *m_name;
    QLabel *m_fitIcon;
    QLabel *m_fit;
    QWidget *m_remarkRow;
    QLabel *m_remarkIcon;
    QLabel *m_remarks;
    QLabel *m_size;
    QLabel *m_parameters;
    QLabel *m_quantisation;
    QLabel *m_architecture;
    QLabel *m_context;
    QLabel *m_license;
    QLabel *m_source;
    QLabel *m_path;
    QString m_fitText;
};

} // namespace fireside
