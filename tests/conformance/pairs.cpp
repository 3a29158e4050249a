#include "tests/conformance/pairs.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace fireside::conformance {
namespace {

constexpr int kMaxListed = 3; // missing pairs of a set

} // namespace

void PairsMet::declare(const std::string &device, const Cases &cases, bool thorough)
{
    Set &set = m_sets[{cases.name(), device}];
    set.thorough = set.thorough || thorough;
    for (std::string &pair : cases.pairs())
        set.pairs.emplace(std::move(pair), false);
}

void PairsMet::meet(const std::string &device, const Pick &pick)
{
    Set &set = m_sets[{pick.of->name(), device}];
    for (const std::string &pair : pick.of->pairsOf(pick)) {
        const auto found = set.pairs.find(pair);
        if (found == set.pairs.end())
            throw std::logic_error(pick.of->name() + ": the pair " + pair + " was not declared");
        found->second = true;
    }
}

std::string PairsMet::table() const
{
    std::string text;
    std::size_t allMet = 0, all = 0;
    for (const auto &[key, set] : m_sets) {
        std::string missing;
        std::size_t met = 0;
        int listed = 0;
        for (const auto &[pair, isMet] : set.pairs) {
            met += isMet ? 1 : 0;
            if (!isMet && listed++ < kMaxListed)
                missing += (missing.empty() ? "  without " : "; ") + pair;
        }
        if (listed > kMaxListed)
            missing += "; …";
        std::ostringstream line;
        line << "pairs: " << key.first << " on " << key.second << ": " << met << " of "
             << set.pairs.size() << missing << "\n";
        text += line.str();
        allMet += met;
        all += set.pairs.size();
    }
    if (!m_sets.empty())
        text += "pairs: " + std::to_string(m_sets.size()) +
                " sets of cases: " + std::to_string(allMet) + " of " + std::to_string(all) +
                " pairs of options met\n";
    return text;
}

std::int64_t PairsMet::missing() const
{
    std::int64_t count = 0;
    for (const auto &[key, set] : m_sets)
        if (set.thorough)
            count += std::count_if(set.pairs.begin(), set.pairs.end(),
                                   [](const auto &pair) { return !pair.second; });
    return count;
}

void PairsMet::write(std::ostream &out) const
{
    for (const auto &[key, set] : m_sets)
        for (const auto &[pair, isMet] : set.pairs)
            out << key.first << '\t' << key.second << '\t' << set.thorough << '\t' << isMet << '\t'
                << pair << '\n';
}

void PairsMet::add(std::istream &in)
{
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        std::string name, device, thorough, isMet, pair;
        std::getline(fields, name, '\t');
        std::getline(fields, device, '\t');
        std::getline(fields, thorough, '\t');
        std::getline(fields, isMet, '\t');
        if (!std::getline(fields, pair))
            throw std::runtime_error("not a line of pairs: " + line);
        Set &set = m_sets[{name, device}];
        set.thorough = set.thorough || thorough == "1";
        bool &met = set.pairs[pair];
        met = met || isMet == "1";
    }
}

PairsMet &pairsMet()
{
    static PairsMet pairs;
    return pairs;
}

void writePairs(const std::string &folder)
{
    std::filesystem::create_directories(folder);
    const std::string file = std::to_string(std::random_device()()) + ".pairs";
    std::ofstream out(std::filesystem::path(folder) / file);
    pairsMet().write(out);
    if (!out.flush())
        throw std::runtime_error("cannot write to " + folder);
}

bool mergePairs(const std::string &folder)
{
    PairsMet all;
    int files = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".pairs") {
            std::ifstream in(entry.path());
            all.add(in);
            ++files;
        }
    const std::string table = all.table(); // empty when nothing ran
    std::printf("%s%d processes, %lld pairs missing\n", table.c_str(), files,
                static_cast<long long>(all.missing()));
    return files > 0 && !table.empty() && all.missing() == 0;
}

} // namespace fireside::conformance
