#pragma once
#include <QByteArray>
#include <QString>
#include <QUrl>

namespace fireside {

/// How the programs connect: $XDG_CONFIG_HOME/fireside/network.json, and beside it the access
/// token in a file that only its owner may read.
struct HubAccess
{
    QUrl address;     // $HF_ENDPOINT, what is stored, or https://huggingface.co
    QByteArray token; // what is stored, else $HF_TOKEN; empty: none
    bool offline = false;
};

HubAccess readHubAccess();
/// Empty: stored; else why not. An empty address is the usual one.
QString storeHubAddress(const QString &address);
QString storeOffline(bool offline);
QString storeHubToken(const QByteArray &token); // empty: removed
bool hubTokenStored();                          // in the file, whatever the environment says
QString hubTokenPath();

} // namespace fireside
