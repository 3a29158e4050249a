#include "app/remote/remote_texts.h"
#include "app/remote/secret_store.h"

// In place of secret_store_keyring.cpp where QtKeychain was not there to build with.
namespace fireside {
namespace {

class NoKeyring : public SecretStore
{
public:
    void read(const QString &, Secret answer) override { answer({}, why()); }
    void write(const QString &, const QByteArray &, Done answer) override { answer(why()); }
    void remove(const QString &, Done answer) override { answer({}); }

private:
    static QString why() { return RemoteTexts::tr("this program was built without QtKeychain"); }
};

} // namespace

std::unique_ptr<SecretStore> systemSecretStore()
{
    return std::make_unique<NoKeyring>();
}

} // namespace fireside
