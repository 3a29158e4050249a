#include "engine/backend/placement_options.h"

#include "engine/core/error.h"

#include <algorithm>
#include <numeric>

namespace fireside {
namespace {

constexpr int kContextStep = 256; // tokens by which a context is made shorter

/// Gathers the options of one question.
class Options
{
public:
    Options(const PlacementRequest &request, std::span<const DeviceReport> devices,
            const MemoryPlan &plan, const KnownSpeeds &known)
        : m_request(request)
        , m_devices(devices)
        , m_plan(plan)
        , m_known(known)
        , m_cpu(findCpu(devices))
        , m_cards(cards())
    {}

    std::vector<PlacementOption> all()
    {
        for (const DeviceWish &wish : m_request.devices)
            addMissing(wish);
        for (const int card : m_cards)
            addWhole(card);
        for (const int card : m_cards)
            addAdapted(card);
        addSplit(m_cards, false);
        for (const int card : m_cards)
            addExperts(card);
        addSplit(m_cards, true);
        for (const int card : m_cards)
            addSplit({card}, true);
        addCpu();
        return std::move(m_all);
    }

private:
    const DeviceReport &report(int device) const
    {
        return m_devices[static_cast<std::size_t>(device)];
    }
    const DeviceWish *wishOf(int device) const
    {
        const auto it =
            std::find_if(m_request.devices.begin(), m_request.devices.end(),
                         [&](const DeviceWish &w) { return w.id == report(device).id; });
        return it == m_request.devices.end() ? nullptr : &*it;
    }
    /// Who names cards to use means no others.
    bool isMeant(int card) const
    {
        const DeviceWish *wish = wishOf(card);
        return wish != nullptr ? wish->used() : !namesCards(m_request);
    }
    std::vector<int> cards() const;
    std::optional<std::uint64_t> available(int device) const;
    FitVerdict fit(int device, const MemoryPlan &plan) const;
    std::string brokenOrSlow(int device) const;
    void add(PlacementOption option, const MemoryPlan &plan);
    void addMissing(const DeviceWish &wish);
    void addWhole(int card);
    void addAdapted(int card);
    void addSplit(const std::vector<int> &cards, bool withCpu);
    void addExperts(int card);
    std::string otherSplit(int expertsOnCard) const;
    int layersWithExperts() const;
    FitVerdict fitCpu(const MemoryPlan &plan) const;
    MemoryPlan cpuPart(const Placement &placement) const;
    void addCpu();
    bool tryAdapted(int card, const MemoryPlan &plan, const std::string &how);

    const PlacementRequest &m_request;
    std::span<const DeviceReport> m_devices;
    const MemoryPlan &m_plan;
    const KnownSpeeds &m_known;
    int m_cpu;
    std::vector<int> m_cards;
    std::vector<PlacementOption> m_all;
};

/// Vulkan devices in the asked order, else hardware, own memory, and most free memory first.
std::vector<int> Options::cards() const
{
    std::vector<int> order;
    for (std::size_t i = 0; i < m_devices.size(); ++i)
        if (m_devices[i].kind == BackendKind::Vulkan)
            order.push_back(static_cast<int>(i));
    std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
        const DeviceReport &a = report(left), &b = report(right);
        if (wishOf(left) && wishOf(right))
            return wishOf(left) < wishOf(right);
        if (namesCards(m_request) && (wishOf(left) != nullptr) != (wishOf(right) != nullptr))
            return wishOf(left) != nullptr;
        if (a.software != b.software)
            return b.software;
        if (a.unifiedMemory != b.unifiedMemory)
            return b.unifiedMemory;
        return a.memoryFree.value_or(0) > b.memoryFree.value_or(0);
    });
    return order;
}

/// Bytes that a model may take there; nullopt: not known.
std::optional<std::uint64_t> Options::available(int device) const
{
    const DeviceReport &r = report(device);
    std::optional<std::uint64_t> bytes = r.memoryFree ? r.memoryFree : r.memoryTotal;
    const auto atMost = [&bytes](const std::optional<std::uint64_t> &limit) {
        if (limit)
            bytes = std::min(*limit, bytes.value_or(*limit));
    };
    if (r.unifiedMemory && r.kind == BackendKind::Vulkan) // it is the same memory
        atMost(report(m_cpu).memoryFree);
    if (const DeviceWish *wish = wishOf(device)) {
        if (bytes)
            *bytes -= std::min(*bytes, wish->reserve);
        atMost(wish->limit);
    }
    return bytes;
}

FitVerdict Options::fit(int device, const MemoryPlan &any) const
{
    const DeviceReport &r = report(device);
    const MemoryPlan plan = planOn(any, r);
    const std::string where = "memory on " + r.name;
    if (const DeviceWish *wish = wishOf(device); wish && wish->bounded()) {
        FitVerdict verdict = judgeFit(plan, available(device), where);
        verdict.sentence += wish->boundText();
        return verdict;
    }
    const DeviceReport &cpu = report(m_cpu);
    // Shared memory is RAM: the driver's budget may promise more than the computer has.
    if (r.unifiedMemory && cpu.memoryTotal && plan.total() > *cpu.memoryTotal)
        return judgeCpuFit(plan, cpu.memoryTotal, std::nullopt);
    if (r.unifiedMemory && cpu.memoryFree && plan.total() > *cpu.memoryFree)
        return judgeFit(plan, cpu.memoryFree, "RAM");
    // Without a budget the size of the heap is still a bound.
    if (!r.memoryFree && r.memoryTotal && plan.total() > *r.memoryTotal)
        return judgeFit(plan, r.memoryTotal, where);
    if (!r.memoryFree && r.memoryTotal) {
        FitVerdict verdict = judgeFit(plan, std::nullopt, r.name);
        verdict.sentence = needsText(plan) + " of the device's " + formatBytes(*r.memoryTotal);
        return verdict;
    }
    return judgeFit(plan, r.memoryFree, where);
}

/// Why a device is not for models of any size; empty: it is.
std::string Options::brokenOrSlow(int device) const
{
    const DeviceReport &r = report(device);
    if (!r.available)
        return r.id == "vulkan" || r.name.empty() ? r.reason : r.reason + " – " + r.name;
    if (!isMeant(device))
        return r.name + " is not among the devices to use";
    if (r.software && m_request.backend != BackendKind::Vulkan)
        return r.name + " is a software device, slower than Fireside's own CPU kernels";
    return {};
}

void Options::add(PlacementOption option, const MemoryPlan &plan)
{
    option.kind = report(option.device).kind;
    option.context = plan.context;
    option.kvType = plan.kvType;
    option.predicted = predictSpeed(plan, option.placement, m_devices, m_known);
    option.measured = measuredSpeed(plan, option.placement, m_devices, m_known);
    const std::vector<int> &on = option.placement.layers;
    const bool onCpu = std::all_of(on.begin(), on.end(), [this](int d) { return d == m_cpu; });
    option.unasked = option.unasked || (m_request.backend == BackendKind::Cpu && !onCpu) ||
                     (m_request.backend == BackendKind::Vulkan && onCpu);
    m_all.push_back(std::move(option));
}

/// What was named but is not here, with nothing placed: it keeps its reason.
void Options::addMissing(const DeviceWish &wish)
{
    const bool here = std::any_of(m_devices.begin(), m_devices.end(),
                                  [&](const DeviceReport &device) { return device.id == wish.id; });
    if (here || !wish.used())
        return;
    PlacementOption option{.name = wish.id, .placement = {}, .device = m_cpu};
    option.kind = BackendKind::Vulkan;
    option.refusal = wish.id + " is not on this computer";
    m_all.push_back(std::move(option));
}

void Options::addWhole(int card)
{
    const FitVerdict verdict = fit(card, m_plan);
    PlacementOption option{.name = report(card).name, .placement = {}, .device = card};
    option.placement = {card, std::vector<int>(m_plan.layerWeights.size(), card), card};
    option.numbers = verdict.sentence;
    option.refusal = brokenOrSlow(card);
    option.unasked = !isMeant(card);
    // Who asks for Vulkan by name gets it, unless a bound was set too.
    const DeviceWish *wish = wishOf(card);
    const bool bound = m_request.strict || (wish && wish->bounded());
    const bool mustFit = m_request.backend != BackendKind::Vulkan || bound;
    if (option.refusal.empty() && verdict.fit == Fit::TooBig && mustFit)
        option.refusal = "the model " + verdict.sentence;
    const int layers = static_cast<int>(m_plan.layerWeights.size());
    if (option.refusal.empty() && m_request.cardLayers >= 0 && m_request.cardLayers < layers)
        option.refusal = std::to_string(m_request.cardLayers) + " of " + std::to_string(layers) +
                         " layers on graphics processors were asked for";
    if (option.refusal.empty())
        option.refusal = otherSplit(layersWithExperts());
    add(std::move(option), m_plan);
}

int Options::layersWithExperts() const
{
    const auto &weights = m_plan.experts.weights;
    return static_cast<int>(std::count_if(weights.begin(), weights.end(),
                                          [](std::uint64_t bytes) { return bytes > 0; }));
}

/// Why not where the experts of so many layers lie on graphics processors.
std::string Options::otherSplit(int expertsOnCard) const
{
    const int all = layersWithExperts();
    if (all == 0 || m_request.expertLayers < 0 ||
        std::min(m_request.expertLayers, all) == expertsOnCard)
        return {};
    return "the experts of " + std::to_string(std::min(m_request.expertLayers, all)) + " of " +
           std::to_string(all) + " layers on graphics processors were asked for";
}

bool Options::tryAdapted(int card, const MemoryPlan &plan, const std::string &how)
{
    const FitVerdict verdict = fit(card, plan);
    if (verdict.fit == Fit::TooBig)
        return false;
    PlacementOption option{
        .name = report(card).name + " with " + how, .placement = {}, .device = card};
    option.placement = {card, std::vector<int>(plan.layerWeights.size(), card), card};
    option.numbers = verdict.sentence;
    add(std::move(option), plan);
    return true;
}

/// What a person allows to be made smaller, where only that makes the model fit.
void Options::addAdapted(int card)
{
    if (!brokenOrSlow(card).empty() || fit(card, m_plan).fit != Fit::TooBig ||
        m_request.cardLayers >= 0 || !otherSplit(layersWithExperts()).empty())
        return;
    MemoryPlan plan = m_plan;
    const bool smaller =
        m_request.smallerCache && plan.kvType != DType::Q8_0 && plan.canKeep(DType::Q8_0);
    if (smaller) {
        plan.setContext(plan.context, DType::Q8_0);
        if (tryAdapted(card, plan, "its context in Q8_0"))
            return;
    }
    if (m_request.leastContext <= 0)
        return;
    // The longest that fits: what is needed grows with it.
    const auto fits = [&](int context) {
        plan.setContext(context, plan.kvType);
        return fit(card, plan).fit != Fit::TooBig;
    };
    int low = (m_request.leastContext + kContextStep - 1) / kContextStep;
    int high = m_plan.context / kContextStep;
    if (low > high || !fits(low * kContextStep))
        return;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (fits(middle * kContextStep))
            low = middle;
        else
            high = middle - 1;
    }
    plan.setContext(low * kContextStep, plan.kvType);
    tryAdapted(card, plan,
               "a context of " + std::to_string(plan.context) + " tokens" +
                   (smaller ? " in Q8_0" : ""));
}

/// What comes next in a split: a layer, or all the rest that must not be parted.
struct Piece
{
    std::size_t layers = 1;
    std::uint64_t bytes = 0;
};

Piece pieceFrom(const MemoryPlan &plan, std::size_t first)
{
    Piece piece{.layers = first < plan.together ? 1 : plan.layerWeights.size() - first};
    for (std::size_t i = first; i < first + piece.layers; ++i)
        piece.bytes += plan.layerWeights[i] + plan.kvOf(i);
    return piece;
}

/// What is left for the CPU.
MemoryPlan Options::cpuPart(const Placement &placement) const
{
    MemoryPlan part = m_plan;
    for (std::size_t i = 0; i < placement.layers.size(); ++i) {
        if (placement.layers[i] == m_cpu)
            continue;
        part.layerWeights[i] = placement.expertsOf(i) == m_cpu ? part.experts.weights[i] : 0;
        if (!part.layerCaches.empty())
            part.layerCaches[i] = 0;
    }
    part.embeddingWeights = placement.embedding == m_cpu ? part.embeddingWeights : 0;
    part.outputWeights = placement.output == m_cpu ? part.outputWeights : 0;
    part.madeWeights = std::min(part.madeWeights, part.weights());
    return part;
}

/// Layers in order over graphics cards with memory of their own, what is left on the CPU. The
/// embedding, a mere lookup, and the output stay on the CPU unless everything fits the cards.
void Options::addSplit(const std::vector<int> &cards, bool withCpu)
{
    const std::size_t layers = m_plan.layerWeights.size();
    const bool counted = m_request.cardLayers >= 0;
    const std::size_t most =
        counted ? std::min(layers, static_cast<std::size_t>(m_request.cardLayers)) : layers;
    PlacementOption option;
    option.device = m_cpu;
    option.placement = {m_cpu, std::vector<int>(layers, m_cpu), m_cpu};
    std::size_t next = 0, largest = 0;
    int last = -1, used = 0; // the card that holds the last layer so far
    std::uint64_t lastFree = 0;
    std::string where;
    for (const int card : cards) {
        const DeviceReport &device = report(card);
        const std::optional<std::uint64_t> memory = available(card);
        if (!brokenOrSlow(card).empty() || device.software || device.unifiedMemory || !memory)
            continue;
        const MemoryPlan plan = planOn(m_plan, device);
        const std::uint64_t fixed =
            plan.scratch + plan.work + plan.reserve + (next == 0 ? plan.embeddingWeights : 0);
        std::uint64_t left = *memory > fixed ? *memory - fixed : 0;
        const std::size_t first = next;
        while (next < most) {
            const Piece piece = pieceFrom(plan, next);
            if (piece.bytes > left || next + piece.layers > most)
                break;
            left -= piece.bytes;
            for (const std::size_t end = next + piece.layers; next < end; ++next)
                option.placement.layers[next] = card;
        }
        if (next == first)
            continue;
        ++used;
        where += (where.empty() ? "" : ", ") + std::to_string(next - first) + " on " + device.name;
        if (next - first > largest) {
            largest = next - first;
            option.device = card;
        }
        last = card;
        lastFree = left;
    }
    const MemoryPlan end = last < 0 ? m_plan : planOn(m_plan, report(last));
    // A tied output matrix is the embedding once more, on another device.
    const bool apart = last >= 0 && option.placement.layers.front() != last;
    const bool allOnCards =
        next == layers && end.outputWeights + (apart ? end.tiedWeights : 0) <= lastFree;
    if (allOnCards == withCpu || next == 0 || (used < 2 && !withCpu))
        return; // the other call's, or one that is listed already
    if (std::any_of(m_all.begin(), m_all.end(), [&](const PlacementOption &other) {
            return other.placement.layers == option.placement.layers;
        }))
        return;
    if (allOnCards) {
        option.placement.embedding = option.placement.layers.front();
        option.placement.output = last;
    }
    const std::size_t onCpu = layers - next;
    if (onCpu > largest)
        option.device = m_cpu;
    option.name = where + (onCpu > 0 ? " and " + std::to_string(onCpu) + " on the CPU" : "") +
                  " of " + std::to_string(layers) + " layers";
    option.numbers = option.name;
    if (counted && next < most)
        option.refusal = "only " + std::to_string(next) + " of the " + std::to_string(most) +
                         " layers that were asked for have room on graphics processors";
    const bool strict = m_request.strict && !counted;
    if (option.refusal.empty())
        option.refusal = otherSplit(onCpu > 0 ? -1 : layersWithExperts());
    if (option.refusal.empty() && onCpu > 0 && strict)
        option.refusal = std::to_string(onCpu) +
                         " layers would run on the CPU, which was not asked "
                         "for";
    const FitVerdict rest = fitCpu(cpuPart(option.placement));
    if (option.refusal.empty() && !allOnCards && rest.fit == Fit::TooBig)
        option.refusal = "the CPU's part " + rest.sentence;
    // Fewer than this would not pay for the way back and forth; with speeds it shows by itself.
    if (option.refusal.empty() && !counted && next * 8 < layers && m_known.devices.empty())
        option.refusal = "only " + std::to_string(next) + " of " + std::to_string(layers) +
                         " layers have room on graphics processors";
    add(std::move(option), m_plan);
}

/// Everything on one card but experts: as many of these as there is room for, from the first layer
/// on, the others on the CPU, which reads only those that are chosen. Listed where the whole model
/// does not fit there, or where so many were asked for.
void Options::addExperts(int card)
{
    const DeviceReport &device = report(card);
    const int all = layersWithExperts();
    const bool counted = m_request.expertLayers >= 0;
    const int most = counted ? std::min(m_request.expertLayers, all) : all;
    const bool own = !device.software && !device.unifiedMemory && available(card);
    if (all == 0 || m_request.cardLayers >= 0 || !brokenOrSlow(card).empty() ||
        (counted ? most == all : !own || fit(card, m_plan).fit != Fit::TooBig))
        return;
    const MemoryPlan plan = planOn(m_plan, device);
    const std::vector<std::uint64_t> &experts = plan.experts.weights;
    const std::uint64_t needed = plan.total() -
                                 std::accumulate(experts.begin(), experts.end(), std::uint64_t{0}) +
                                 static_cast<std::uint64_t>(plan.gpu.rows) * plan.experts.handed;
    const std::uint64_t memory = available(card).value_or(~std::uint64_t{0});
    std::uint64_t left = memory - std::min(memory, needed);
    const std::vector<int> here(experts.size(), card);
    PlacementOption option{.name = {}, .placement = {card, here, card, here}, .device = card};
    int there = 0;
    for (std::size_t i = 0; i < experts.size(); ++i) {
        if (experts[i] == 0)
            continue;
        if (there == most || experts[i] > left)
            left = 0; // those behind it go to the CPU too
        if (left == 0)
            option.placement.experts[i] = m_cpu;
        else
            left -= experts[i], ++there;
    }
    option.name = "attention on " + device.name + ", experts of " + std::to_string(all - there) +
                  " of " + std::to_string(all) + " layers on the CPU";
    option.numbers = option.name;
    if (needed > memory)
        option.refusal = "the model without its experts needs " + formatBytes(needed) + ", only " +
                         formatBytes(memory) + " of memory on " + device.name + " is free";
    else if (counted && there < most)
        option.refusal = "only the experts of " + std::to_string(there) + " of the " +
                         std::to_string(most) + " layers that were asked for have room on " +
                         device.name;
    else if (m_request.strict && !counted)
        option.refusal = "the experts of " + std::to_string(all - there) +
                         " layers would run on the CPU, which was not asked for";
    else if (const FitVerdict rest = fitCpu(cpuPart(option.placement)); rest.fit == Fit::TooBig)
        option.refusal = "the CPU's part " + rest.sentence;
    add(std::move(option), m_plan);
}

/// How a plan sits in the RAM that may be taken.
FitVerdict Options::fitCpu(const MemoryPlan &plan) const
{
    const DeviceReport &r = report(m_cpu);
    std::optional<std::uint64_t> total = r.memoryTotal, free = r.memoryFree;
    const DeviceWish *const wish = wishOf(m_cpu);
    if (wish == nullptr)
        return judgeCpuFit(plan, total, free);
    for (std::optional<std::uint64_t> *bytes : {&total, &free}) {
        if (*bytes)
            **bytes -= std::min(**bytes, wish->reserve);
        if (wish->limit)
            *bytes = std::min(*wish->limit, bytes->value_or(*wish->limit));
    }
    FitVerdict verdict = judgeCpuFit(plan, total, free);
    verdict.sentence += wish->boundText();
    return verdict;
}

void Options::addCpu()
{
    const FitVerdict verdict = fitCpu(m_plan);
    PlacementOption option{.name = "the CPU", .placement = {}, .device = m_cpu};
    option.placement = {m_cpu, std::vector<int>(m_plan.layerWeights.size(), m_cpu), m_cpu};
    option.numbers = verdict.sentence;
    if (verdict.fit == Fit::TooBig)
        option.refusal = "the model " + verdict.sentence;
    if (m_request.cardLayers > 0 && m_request.strict && option.refusal.empty())
        option.refusal =
            std::to_string(m_request.cardLayers) + " layers on graphics processors were asked for";
    if (m_request.expertLayers >= 0 && m_request.strict && option.refusal.empty())
        option.refusal = otherSplit(-1);
    const bool others = m_request.backend == BackendKind::Auto && namesCards(m_request);
    if (others && m_request.strict && option.refusal.empty())
        option.refusal = "other devices were asked for";
    add(std::move(option), m_plan);
}

} // namespace

bool namesCards(const PlacementRequest &request)
{
    return std::any_of(request.devices.begin(), request.devices.end(),
                       [](const DeviceWish &w) { return w.id != "cpu" && w.used(); });
}

int findCpu(std::span<const DeviceReport> devices)
{
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (devices[i].kind == BackendKind::Cpu && devices[i].available)
            return static_cast<int>(i);
    throw Error(ErrorKind::Internal, "the list of devices has no CPU");
}

std::vector<PlacementOption> placementOptions(const PlacementRequest &request,
                                              std::span<const DeviceReport> devices,
                                              const MemoryPlan &plan, const KnownSpeeds &known)
{
    return Options(request, devices, plan, known).all();
}

} // namespace fireside
