#pragma once
#include "app/settings/device_choice.h"
#include "app/settings/setting.h"

#include <array>

namespace fireside {

/// Where a model may run: a part of LoadSettings.
struct PlacementSettings
{
    std::vector<std::string> devices; // to use, in their order, see DeviceChoice; empty: all
    bool fastest = false;             // of the devices named the fastest, not the first
    int cardLayers = -1;              // layers on graphics processors; -1: as is best
    int expertLayers = -1;            // of mixtures, with their experts; -1: as is best
    bool smallerCache = false;        // the cache may become Q8_0 where only that fits
    int leastContext = 0;             // the context may become as short for that; 0: no
    bool strict = false;              // what cannot be met is an error
    bool operator==(const PlacementSettings &) const = default;

    static std::span<const SettingOf<PlacementSettings>> table();
};

inline constexpr std::array kPlacementTable{
    field<&PlacementSettings::devices>(
        {.key = "devices",
         .option = "--device",
         .label = Settings::tr("Dev&ices to use"),
         .help = Settings::tr("The first that has room is taken. A limit is what Fireside may take "
                              "of a device's memory, a reserve what stays free for other "
                              "programs."),
         .optionHelp = "A device to use, by its id in `devices`; several in their order. With what "
                       "may be taken there in GB (0: nothing) and what stays free: vulkan:0, "
                       "vulkan:1=8, vulkan:1=8-0.5, cpu=-2.",
         .example = "vulkan:0=8-0.5",
         .asDevices = true,
         .item = isDeviceChoice}),
    field<&PlacementSettings::fastest>(
        {.key = "fastest",
         .option = "--fastest",
         .label = Settings::tr("Take the fastest of t&hese, not the first"),
         .help = Settings::tr("The order counts as long as their speeds are unknown. Where no "
                              "device is singled out above, the fastest is taken anyway."),
         .optionHelp = "Of the devices given with --device the fastest is taken, not the first."}),
    field<&PlacementSettings::cardLayers>(
        {.key = "cardLayers",
         .option = "--layers",
         .label = Settings::tr("La&yers on graphics processors"),
         .help = Settings::tr("The other layers of a model run on the CPU. Automatic: as is best."),
         .optionHelp = "Layers on graphics processors, the rest on the CPU; -1: as is best.",
         .low = -1,
         .high = 10'000,
         .lowest = Settings::tr("Automatic")}),
    field<&PlacementSettings::expertLayers>(
        {.key = "expertLayers",
         .option = "--expert-layers",
         .label = Settings::tr("Layers with their experts on &graphics processors"),
         .help = Settings::tr("Of mixtures of experts: everything else of all layers runs on a "
                              "graphics processor, the experts of the other layers on the CPU. "
                              "Automatic: as is best."),
         .optionHelp = "Layers of a mixture whose experts are on the graphics processor with "
                       "everything else; those of the others are on the CPU. -1: as is best.",
         .low = -1,
         .high = 10'000,
         .lowest = Settings::tr("Automatic")}),
    field<&PlacementSettings::smallerCache>(
        {.key = "smallerCache",
         .option = "--smaller-cache",
         .label = Settings::tr("The context memory may &become smaller"),
         .help = Settings::tr("Q8_0 takes half the memory of F16. Only where the model does not "
                              "fit on a graphics processor otherwise."),
         .optionHelp =
             "The context memory may become Q8_0 where the model does not fit otherwise."}),
    field<&PlacementSettings::leastContext>(
        {.key = "leastContext",
         .option = "--least-context",
         .label = Settings::tr("The context may shrin&k to"),
         .help = Settings::tr("Only where the model does not fit on a graphics processor "
                              "otherwise."),
         .optionHelp = "The context may become as short where the model does not fit otherwise; "
                       "0: no.",
         .low = 256,
         .high = 16 << 20,
         .orZero = true,
         .step = 0,
         .lowest = Settings::tr("Never"),
         .unit = Settings::tr(" tokens")}),
    field<&PlacementSettings::strict>(
        {.key = "strict",
         .option = "--strict",
         .label = Settings::tr("E&xactly so, or not at all"),
         .help = Settings::tr("What cannot be met is an error, and no layer goes to the CPU "
                              "unasked.")}),
};

inline std::span<const SettingOf<PlacementSettings>> PlacementSettings::table()
{
    return kPlacementTable;
}

} // namespace fireside
