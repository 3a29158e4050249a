#pragma once
#include "tests/fuzz/target.h"

namespace fireside::fuzz {

void gguf(Bytes input);
void split(Bytes input);
void model(Bytes input);
void safetensors(Bytes input);
void folder(Bytes input);
void config(Bytes input);

} // namespace fireside::fuzz
