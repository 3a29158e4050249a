#pragma once
#include "tests/fuzz/target.h"

namespace fireside::fuzz {

void regex(Bytes input);
void gbnf(Bytes input);
void schema(Bytes input);

} // namespace fireside::fuzz
