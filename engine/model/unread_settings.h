#pragma once

namespace fireside {

class GgufKeys;
class JsonKeys;
struct Config;

// A setting that changes results is used or refused by its name, never dropped: what no reader
// asked for is checked when everything was read. Settings about positions, attention, norms,
// scales and limits are known by the words of their keys; values that change nothing (null, false,
// 0, 1, a window as long as the context) and keys that only matter for training are fine.

/// Error(Unsupported) naming the key and its value.
void refuseUnreadSettings(const JsonKeys &keys, const Config &config);
void refuseUnreadSettings(const GgufKeys &keys, const Config &config);

} // namespace fireside
