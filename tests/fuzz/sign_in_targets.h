#pragma once
#include "tests/fuzz/target.h"

#include <QByteArray>

namespace fireside::fuzz {

inline QByteArray bytesIn(std::string_view text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

void signIn(Bytes input);
void forms(Bytes input);

} // namespace fireside::fuzz
