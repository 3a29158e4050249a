#pragma once
#include "app/server/socket.h"

#include <string>
#include <vector>

namespace fireside::server {

/// Sockets that listen on every address of a host, all on one port. No other program can listen
/// there at the same time: SO_REUSEPORT stays off.
class ListenSockets
{
public:
    /// port 0: any free one. Error(BadInput) for an invalid host or port; Error(Io), which names
    /// host and port, if the port is in use or the address does not belong to this computer.
    ListenSockets(const std::string &host, int port);
    int port() const { return m_port; }
    const std::vector<Socket> &all() const { return m_sockets; }
    void close() { m_sockets.clear(); }

private:
    std::vector<Socket> m_sockets;
    int m_port = 0;
};

} // namespace fireside::server
