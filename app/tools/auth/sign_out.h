#pragma once
#include <QString>

namespace fireside {
class NetworkGate;
}

namespace fireside::auth {

class CredentialKeeper;

/// Forgets what was got by signing in to a server. Whoever gave it is told that it is not used any
/// more (RFC 7009) where that is on offer; nobody waits for that, and nothing depends on it.
void signOut(NetworkGate &gate, CredentialKeeper &keeper, const QString &server,
             const QString &name);

} // namespace fireside::auth
