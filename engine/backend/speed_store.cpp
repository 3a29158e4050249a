#include "engine/backend/speed_store.h"

#include "engine/core/private_folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

namespace fireside {
namespace {

constexpr int kVersion = 5, kWithoutRates = 4; // those before: rates that were measured otherwise
constexpr std::size_t kMostModels = 500;       // a file does not grow for ever
constexpr std::size_t kReplies = 5, kEnoughReplies = 3; // kept of a placement, and to be counted
constexpr std::size_t kMostBytes = std::size_t{4} << 20;

std::map<std::string, std::string> keysOf(const Placement &placement,
                                          std::span<const DeviceReport> devices)
{
    std::set<int> used(placement.layers.begin(), placement.layers.end());
    used.insert(placement.experts.begin(), placement.experts.end());
    used.insert({placement.embedding, placement.output});
    std::map<std::string, std::string> keys;
    for (const int index : used) {
        const DeviceReport &device = devices[static_cast<std::size_t>(index)];
        keys[device.id] = speedKey(device);
    }
    return keys;
}

std::optional<DType> cacheType(const std::string &word)
{
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0})
        if (word == name(type))
            return type;
    return std::nullopt;
}

bool plausible(double rate)
{
    return rate > 0 && rate < 1e18;
}

/// Of those that are known; 0: none is.
double median(const std::vector<Speed> &speeds, double Speed::*rate)
{
    std::vector<double> known;
    for (const Speed &speed : speeds)
        if (plausible(speed.*rate))
            known.push_back(speed.*rate);
    if (known.empty())
        return 0;
    std::sort(known.begin(), known.end());
    return (known[(known.size() - 1) / 2] + known[known.size() / 2]) / 2;
}

Speed median(const std::vector<Speed> &speeds)
{
    return {median(speeds, &Speed::generate), median(speeds, &Speed::prompt)};
}

nlohmann::ordered_json toJson(const std::vector<Speed> &speeds)
{
    auto list = nlohmann::ordered_json::array();
    for (const Speed &speed : speeds)
        list.push_back({speed.generate, speed.prompt});
    return list;
}

} // namespace

std::string speedKey(const DeviceReport &device)
{
    std::string key = modelOf(device);
    for (const auto &[name, value] : device.properties)
        if (name == "Driver" || name == "Driver version" || name == "Instruction set" ||
            name == "Threads")
            key += "; " + value;
    return key;
}

SpeedStore::SpeedStore(std::filesystem::path file)
    : m_file(std::move(file))
{
    try {
        read();
    } catch (const std::exception &) { // of another version or damaged: measured anew
        m_rates.clear();
        m_models.clear();
    }
}

void SpeedStore::read()
{
    std::error_code error;
    if (m_file.empty() || std::filesystem::file_size(m_file, error) > kMostBytes || error)
        return;
    std::ifstream file(m_file);
    const nlohmann::json json = nlohmann::json::parse(file);
    const int version = json.at("version");
    if (version != kVersion && version != kWithoutRates)
        return;
    const auto devices = version == kVersion ? json.at("devices") : nlohmann::json::object();
    for (const auto &[key, rates] : devices.items()) {
        const MachineRates read{.readBytes = rates.at("read"),
                                .readFloats = rates.at("read_floats"),
                                .byteProducts = rates.at("bytes"),
                                .floatProducts = rates.at("floats"),
                                .opSeconds = rates.at("op")};
        if (plausible(read.readBytes) && read.readFloats >= 0 && plausible(read.byteProducts) &&
            plausible(read.floatProducts) && read.opSeconds >= 0)
            m_rates[key] = read;
    }
    for (const auto &[model, entries] : json.at("models").items())
        for (const nlohmann::json &each : entries) {
            const auto type = cacheType(each.at("kv"));
            const Speed speed{each.at("generate"), each.at("prompt")};
            if (!type || !plausible(speed.generate))
                continue;
            std::vector<Speed> replies(kEnoughReplies, speed);
            if (each.contains("replies"))
                replies.clear();
            for (const nlohmann::json &reply : each.value("replies", nlohmann::json::array()))
                if (replies.size() < kReplies)
                    replies.push_back({reply.at(0), reply.at(1)});
            const auto expected = each.value("expected", std::vector<double>{0, 0});
            m_models[model].push_back({{each.at("placement"), *type, median(replies)},
                                       each.at("devices").get<std::map<std::string, std::string>>(),
                                       replies,
                                       {expected.at(0), expected.at(1)}});
        }
}

void SpeedStore::write() const
{
    if (m_file.empty())
        return;
    nlohmann::ordered_json json{{"version", kVersion},
                                {"devices", nlohmann::ordered_json::object()},
                                {"models", nlohmann::ordered_json::object()}};
    for (const auto &[key, rates] : m_rates)
        json["devices"][key] = {{"read", rates.readBytes},
                                {"read_floats", rates.readFloats},
                                {"bytes", rates.byteProducts},
                                {"floats", rates.floatProducts},
                                {"op", rates.opSeconds}};
    for (const auto &[model, entries] : m_models)
        for (const Entry &each : entries)
            json["models"][model].push_back(
                {{"placement", each.measured.placement},
                 {"kv", name(each.measured.kvType)},
                 {"generate", each.measured.speed.generate},
                 {"prompt", each.measured.speed.prompt},
                 {"replies", toJson(each.replies)},
                 {"expected", {each.expected.generate, each.expected.prompt}},
                 {"devices", each.devices}});
    std::error_code error;
    makePrivateFolder(m_file.parent_path());
    std::filesystem::path fresh = m_file;
    fresh += ".new";
    {
        std::ofstream out(fresh, std::ios::trunc);
        out << json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
        if (!out.flush())
            return;
    }
    std::filesystem::rename(fresh, m_file, error); // in one step
}

std::optional<MachineRates> SpeedStore::rates(const DeviceReport &device) const
{
    const std::lock_guard lock(m_mutex);
    const auto it = m_rates.find(speedKey(device));
    return it == m_rates.end() ? std::nullopt : std::optional(it->second);
}

void SpeedStore::setRates(const DeviceReport &device, const MachineRates &rates)
{
    const std::lock_guard lock(m_mutex);
    m_rates[speedKey(device)] = rates;
    write();
}

SpeedStore::Entry &SpeedStore::entryOf(const std::string &model, const Placement &placement,
                                       std::span<const DeviceReport> devices, DType kvType)
{
    if (m_models.size() >= kMostModels && !m_models.contains(model))
        m_models.erase(m_models.begin());
    const std::string key = placementKey(placement, devices);
    const auto keys = keysOf(placement, devices);
    std::vector<Entry> &entries = m_models[model];
    for (Entry &each : entries)
        if (each.measured.placement == key && each.measured.kvType == kvType &&
            each.devices == keys)
            return each;
    // Those of another driver are gone for good.
    std::erase_if(entries, [&](const Entry &each) {
        return each.measured.placement == key && each.measured.kvType == kvType;
    });
    return entries.emplace_back(Entry{{key, kvType, {}}, keys, {}});
}

bool SpeedStore::Entry::counts() const
{
    return replies.size() >= kEnoughReplies;
}

/// Of the models that run on this device alone.
std::vector<ReachedSpeed> SpeedStore::reachedOn(const std::string &key) const
{
    std::vector<ReachedSpeed> reached;
    for (const auto &[model, entries] : m_models)
        for (const Entry &each : entries)
            if (each.counts() && each.devices.size() == 1 && each.devices.begin()->second == key &&
                plausible(each.expected.generate))
                reached.push_back({each.expected, each.measured.speed});
    return reached;
}

void SpeedStore::setSpeed(const std::string &model, const Placement &placement,
                          std::span<const DeviceReport> devices, DType kvType, const Speed &speed,
                          const Speed &expected)
{
    if (!plausible(speed.generate))
        return;
    const std::lock_guard lock(m_mutex);
    Entry &entry = entryOf(model, placement, devices, kvType);
    entry.replies.assign(kEnoughReplies, speed); // a busy reply later on does not outvote it
    entry.measured.speed = speed;
    entry.expected = expected;
    write();
}

void SpeedStore::addReply(const std::string &model, const Placement &placement,
                          std::span<const DeviceReport> devices, DType kvType, const Speed &speed,
                          const Speed &expected)
{
    if (!plausible(speed.generate))
        return;
    const std::lock_guard lock(m_mutex);
    Entry &entry = entryOf(model, placement, devices, kvType);
    if (entry.replies.size() >= kReplies)
        entry.replies.erase(entry.replies.begin());
    entry.replies.push_back(speed);
    entry.measured.speed = median(entry.replies);
    entry.expected = expected;
    write();
}

KnownSpeeds SpeedStore::known(const std::string &model, std::span<const DeviceReport> devices) const
{
    const std::lock_guard lock(m_mutex);
    KnownSpeeds known;
    std::map<std::string, std::string> now;
    for (const DeviceReport &device : devices) {
        now[device.id] = speedKey(device);
        if (const auto it = m_rates.find(now[device.id]); it != m_rates.end())
            known.devices.push_back({device.id, it->second, reachedOn(now[device.id])});
    }
    const auto entries = m_models.find(model);
    if (entries == m_models.end())
        return known;
    for (const Entry &each : entries->second)
        if (each.counts() &&
            std::all_of(each.devices.begin(), each.devices.end(), [&](const auto &device) {
                const auto it = now.find(device.first);
                return it != now.end() && it->second == device.second;
            }))
            known.measured.push_back(each.measured);
    return known;
}

} // namespace fireside
