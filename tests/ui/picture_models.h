#pragma once
#include <QString>

namespace fireside::test {

/// Files below a home that say what well-known models say of themselves, and hold nothing but that:
/// the disk gives no room to what was not written.
void makePictureModels(const QString &home);

} // namespace fireside::test
