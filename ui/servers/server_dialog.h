#pragma once
#include "app/remote/remote_server.h"

#include <QDialog>
#include <QPointer>

#include <optional>

class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace fireside {

class ModelQuery;
class RemoteModels;
struct ModelListing;

/// One server elsewhere: its address, its key and where that is kept, and whether it answers.
class ServerDialog : public QDialog
{
    Q_OBJECT
public:
    /// A server without an id is a new one.
    ServerDialog(RemoteModels &servers, RemoteServer server, QWidget *parent = nullptr);

private:
    QLineEdit *addLine(QFormLayout *form, const QString &label, const char *name);
    void addKey(QFormLayout *form);
    void addMore(QFormLayout *form);
    QWidget *buildTest();
    void showServer();
    void updateWarning();
    /// What the fields say; nothing, with the problem shown, where they say something else.
    std::optional<RemoteServer> entered();
    void test();
    void ask(const RemoteServer &server, const QByteArray &key);
    void showListing(const ModelListing &listing);
    void save();
    void say(const char *role, const QString &text);

    RemoteModels &m_remote;
    const RemoteServer m_before;
    QLineEdit *m_name, *m_address, *m_key, *m_models;
    QComboBox *m_place;
    QPlainTextEdit *m_headers;
    QLabel *m_warning, *m_result;
    QPushButton *m_test;
    QDialogButtonBox *m_buttons;
    QPointer<ModelQuery> m_query;
    QString m_saving; // id of the server that is being stored
};

} // namespace fireside
