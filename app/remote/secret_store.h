#pragma once
#include <QByteArray>
#include <QString>

#include <functional>
#include <memory>

namespace fireside {

/// Where secrets are kept for the user: the desktop's keyring. Answers come later, on the same
/// thread; a problem is a clause.
class SecretStore
{
public:
    using Secret = std::function<void(const QByteArray &secret, const QString &problem)>;
    using Done = std::function<void(const QString &problem)>;

    virtual ~SecretStore() = default;
    virtual void read(const QString &name, Secret answer) = 0; // empty without a problem: none
    virtual void write(const QString &name, const QByteArray &secret, Done answer) = 0;
    virtual void remove(const QString &name, Done answer) = 0;
};

/// The desktop's keyring over the Secret Service or KWallet, or one that says that this program was
/// built without.
std::unique_ptr<SecretStore> systemSecretStore();

} // namespace fireside
