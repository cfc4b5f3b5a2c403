// SPDX-License-Identifier: Apache-2.0
#include "listener.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace card {

namespace {

constexpr int BACKLOG = 8;  // clients that wait; one is served at a time

}  // namespace

Listener::Listener(std::string path) : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
        throw std::runtime_error("the socket's path is longer than " + std::to_string(sizeof(address.sun_path) - 1) +
                                 " bytes: choose a shorter --socket");
    std::memcpy(address.sun_path, path.data(), path.size());
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (!socket_) throw std::runtime_error(std::string("cannot make a socket: ") + strerror(errno));
    if (bind(socket_.number(), generic, sizeof(address))) {
        if (errno != EADDRINUSE)
            throw std::runtime_error("cannot make " + path + ": " + strerror(errno) + "; choose another --socket");
        bool served = connect(socket_.number(), generic, sizeof(address)) == 0 || errno == EAGAIN;
        throw std::runtime_error(path + (served ? " is in use by another process: stop it or choose another --socket"
                                                : " exists already: remove it or choose another --socket"));
    }
    path_ = std::move(path);
    if (listen(socket_.number(), BACKLOG)) {
        std::string why = strerror(errno);
        unlink(path_.c_str());
        throw std::runtime_error("cannot listen on " + path_ + ": " + why);
    }
}

Listener::~Listener() {
    unlink(path_.c_str());
}

FileDescriptor Listener::accept() {
    return FileDescriptor(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
}

}  // namespace card
