#pragma once
#include "tests/conformance/caches.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// What cases with heads, items and caches are made of.
namespace fireside::conformance {

/// Heads of D channels in keys and Dv in values.
struct Heads
{
    std::int64_t heads, kvHeads, dim, valueDim;
};
std::string valueText(const Heads &heads); // "8/2 of 128"

/// Rows after so many tokens.
struct Item
{
    std::int64_t rows, past;
};
using Items = std::vector<Item>;
std::string valueText(const Items &items); // "3 after 5, 1 after 0"

/// Which channels of a head turn.
enum class Turn { None, All, Quarter, Late }; // Late: a quarter of them, from another quarter on
extern const std::vector<Turn> kTurns;
extern const std::vector<std::string> kTurnTexts;
extern const std::vector<RopePairing> kPairings;
extern const std::vector<std::string> kPairingTexts;

/// A transform, and the weight that it refers to.
struct Transform
{
    HeadTransform transform;
    const TestWeight *norm = nullptr;

    Transform() = default;
    Transform(const Transform &) = delete;
    Transform &operator=(const Transform &) = delete;
    void make(std::int64_t headDim, const TestWeight *itsNorm, float eps,
              std::optional<Rope> itsRope);
    std::vector<double> expected(const Matrix &x, const BatchPlan &plan) const;
};
std::optional<Rope> turning(Turn turn, std::int64_t headDim, RopePairing pairing, float factor);

/// A cache for each item, holding what lies before it.
class ItemCaches
{
public:
    ItemCaches(Bench &bench, DType type, const Heads &heads, const Items &items,
               bool latent = false);

    BatchPlan plan; // the items; positions may be changed
    /// Puts rows of the pass into the device's caches as if they had been appended.
    void append(Bench &bench);
    /// Notes rows [T, Hkv·D] and [T, Hkv·Dv] of the pass, each with its item.
    void note(const std::vector<double> &k, const std::vector<double> &v);
    void check(Bench &bench, double tolerance);
    /// What an item's cache holds, [tokens, Hkv·D].
    const std::vector<double> &keys(std::size_t item) const { return m_caches[item]->keys(); }
    /// [T, H·Dv] of queries [T, H·D], over all that was noted.
    std::vector<double> attend(const AttentionShape &shape, const std::vector<double> &q,
                               const TestWeight *sinks) const;

private:
    std::vector<std::unique_ptr<TestCache>> m_caches;
};

/// What happens to heads on their way into a cache.
struct HeadOptions
{
    HeadOptions(Bench &bench, Cases &cases);
    Option<DType> qType, kType, vType;
    Option<Turn> qTurn, kTurn;
    Option<RopePairing> qPairing, kPairing;
    Option<bool> qNorm, kNorm, quiet, scattered, together;
    Option<float> factor;
};

/// The new heads of a pass, on the host and on the device.
struct NewHeads
{
    Transform qTransform, kTransform;
    Matrix q, k, v;
    Tensor qIn, kIn, vIn;

    /// The transforms, whose weights come before the pass, and where the rows of the plan stand.
    NewHeads(Bench &bench, const HeadOptions &options, const Pick &pick, const Heads &heads,
             BatchPlan &plan);
    void place(Bench &bench, const HeadOptions &options, const Pick &pick, const Heads &heads,
               std::int64_t rows);
};

/// What scores go through.
struct ScoreOptions
{
    explicit ScoreOptions(Cases &cases);
    AttentionShape shape(const Pick &pick, const Heads &heads, const TestWeight *itsSinks) const;
    const TestWeight *weight(Bench &bench, const Pick &pick, const Heads &heads) const;

    Option<std::int64_t> window, chunk;
    Option<bool> causal;
    Option<float> softcap, alibi, alibiScale;
    Option<bool> sinks;
    Option<float> scale;
};

/// Without scale and all else.
AttentionShape shapeOf(const Heads &heads);
/// Q8_0 has blocks of 32 channels.
void withoutCutBlocks(Cases &cases, const Option<Heads> &heads, const Option<DType> &cacheType);

/// The relative error allowed of attention with keys of this type.
double attentionTolerance(const Target &target, DType keys,
                          std::initializer_list<DType> activations);

/// Rows [first, first + rows) of a matrix that lies row by row.
std::vector<double> rowsOf(const std::vector<double> &all, const BatchItem &item,
                           std::int64_t cols);
/// Every second row of x times a thousandth: eps of a norm counts there.
void quieten(Matrix &x, DType type);
/// Positions as they may be after a cache has been shifted: anywhere up to `most`.
void scatter(Bench &bench, BatchPlan &plan, std::int32_t most);

constexpr std::int32_t kFarthest = 2000; // of scattered positions

/// Angles are rounded in F32: the error grows with the position.
inline double angleError(std::int64_t position)
{
    return 6e-8 * static_cast<double>(position);
}

} // namespace fireside::conformance
