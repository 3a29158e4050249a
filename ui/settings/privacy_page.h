#pragma once
#include <QTimer>
#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;
class QVBoxLayout;

namespace fireside {

class ConnectionModel;
class Network;

/// Whether the program may connect, with whom it gets models, and every connection it ever asked
/// for.
class PrivacyPage : public QWidget
{
    Q_OBJECT
public:
    explicit PrivacyPage(Network &network, QWidget *parent = nullptr);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void buildAccess(QVBoxLayout *layout);
    void buildConnections(QVBoxLayout *layout);
    QLabel *addText(QVBoxLayout *layout, const char *role, const QString &text,
                    const char *name = "");
    void setOffline(bool offline);
    void storeToken(const QByteArray &token);
    void storeAddress();
    void showAccess();
    void showConnections();
    void clearConnections();
    void exportConnections();
    void showProblem(QLabel *label, const QString &problem);

    Network &m_network;
    QCheckBox *m_offline;
    QLabel *m_offlineProblem;
    QLineEdit *m_token, *m_address;
    QPushButton *m_saveToken, *m_removeToken;
    QLabel *m_tokenState, *m_accessProblem;
    ConnectionModel *m_connections;
    QTreeView *m_list;
    QPushButton *m_clear, *m_export;
    QLabel *m_count, *m_listProblem;
    QTimer m_refresh; // downloads ask for many connections
};

} // namespace fireside
