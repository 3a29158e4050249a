#pragma once
#include "tests/support/family_models.h"

#include <utility>

// What descriptions of families are made of.
namespace fireside::test {

using FamilyNames = std::vector<std::pair<std::string, std::string>>;

struct FamilyDescription
{
    const char *transformer, *type;
    ReferenceOptions options{};
    bool qkvBias = false;
    nlohmann::json config = nlohmann::json::object(); // beside the usual keys
    FamilyNames names = llamaNames();
    const char *layers = "model.layers.";
    ReferenceTensors (*store)(const ReferenceTensors &tensors, const ReferenceOptions &o) = nullptr;
    nlohmann::json wrong{};
    const char *words = "";
};

FamilyModel described(const FamilyDescription &d);

/// The names that are the family's own, then Llama's.
FamilyNames withLlama(FamilyNames own);
void renameKey(nlohmann::json &config, const char *from, const char *to);
ReferenceOptions withRope(ReferenceOptions o, bool interleaved = false, double part = 1,
                          double base = 10000);

// How folders store tensors of a layer together.
ReferenceTensors oneQkv(const ReferenceTensors &tensors, const ReferenceOptions &o);
ReferenceTensors oneGateAndUp(const ReferenceTensors &tensors, const ReferenceOptions &o);
ReferenceTensors oneOfEach(const ReferenceTensors &tensors, const ReferenceOptions &o);
/// For each head of keys its queries, its key, its value.
ReferenceTensors byKeyHead(const ReferenceTensors &tensors, const ReferenceOptions &o);

/// The first rows and columns.
ReferenceMatrix cut(const ReferenceMatrix &m, std::uint64_t rows, std::uint64_t cols);
/// Rows or columns of length 1.
void makeUnits(ReferenceMatrix &m, bool byRows);

// Models with experts.
FamilyModel deepSeekModel();
FamilyModel bailingModel();
FamilyModel bailing2Model();
FamilyModel dbrxModel();

} // namespace fireside::test
