#include "app/remote/remote_texts.h"
#include "app/remote/secret_store.h"

#include <qt6keychain/keychain.h>

#include <utility>

namespace fireside {
namespace {

const QString kService = QStringLiteral("fireside");

QString problemOfJob(const QKeychain::Job &job)
{
    switch (job.error()) {
    case QKeychain::NoError:
    case QKeychain::EntryNotFound:
        return {};
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented:
        return RemoteTexts::tr("this desktop has no keyring that runs");
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser:
        return RemoteTexts::tr("the keyring was not opened");
    case QKeychain::CouldNotDeleteEntry:
    case QKeychain::OtherError:
        break;
    }
    return RemoteTexts::tr("the keyring says: %1").arg(foreignWords(job.errorString()));
}

/// Jobs delete themselves when they have ended.
class Keyring : public SecretStore
{
public:
    void read(const QString &name, Secret answer) override
    {
        auto *job = new QKeychain::ReadPasswordJob(kService);
        run(job, name, [job, answer = std::move(answer)](const QString &problem) {
            answer(job->binaryData(), problem);
        });
    }
    void write(const QString &name, const QByteArray &secret, Done answer) override
    {
        auto *job = new QKeychain::WritePasswordJob(kService);
        job->setBinaryData(secret);
        run(job, name, std::move(answer));
    }
    void remove(const QString &name, Done answer) override
    {
        run(new QKeychain::DeletePasswordJob(kService), name, std::move(answer));
    }

private:
    static void run(QKeychain::Job *job, const QString &name, Done answer)
    {
        job->setKey(name);
        job->setInsecureFallback(false); // never a file that nobody asked for
        QObject::connect(
            job, &QKeychain::Job::finished, job,
            [answer = std::move(answer)](QKeychain::Job *ended) { answer(problemOfJob(*ended)); });
        job->start();
    }
};

} // namespace

std::unique_ptr<SecretStore> systemSecretStore()
{
    return std::make_unique<Keyring>();
}

} // namespace fireside
