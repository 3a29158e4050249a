#pragma once
#include <QString>

namespace fireside::test {

/// The whole program as main() starts it, in the home that the environment names, until it is
/// killed: asks the model for an endless reply, and tells on standard output what it shows
/// ("shown BASE64") and how much of that must have been stored ("stored LENGTH").
int talkUntilKilled(const QString &model);

} // namespace fireside::test
