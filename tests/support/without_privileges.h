#pragma once
#include <gtest/gtest.h>

#include <unistd.h>

namespace fireside::test {

/// For the life of the object file permissions hold, also when the tests are run by root.
class WithoutPrivileges
{
public:
    WithoutPrivileges()
    {
        constexpr uid_t kNobody = 65534;
        m_dropped = geteuid() == 0 && seteuid(kNobody) == 0;
    }
    ~WithoutPrivileges()
    {
        if (m_dropped && seteuid(0) != 0)
            ADD_FAILURE() << "the privileges did not come back";
    }
    WithoutPrivileges(const WithoutPrivileges &) = delete;
    WithoutPrivileges &operator=(const WithoutPrivileges &) = delete;

private:
    bool m_dropped = false;
};

} // namespace fireside::test
