#pragma once
#include "engine/model/config.h"

namespace fireside {

class ModelFile;
struct Family;

/// The heads for drafting that the file has ("multi-token prediction", arXiv 2412.19437 section
/// 2.2), as layers behind the last. Error(Unsupported) where it has none.
void addDraftHeads(const ModelFile &file, const Family &family, Config &config);
/// How many the file has.
std::int64_t countDraftHeads(const ModelFile &file, const Config &config);

} // namespace fireside
