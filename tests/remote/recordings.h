#pragma once
#include <QByteArray>

// Streams as servers of each kind write them, shortened: the same reply with their own habits.
namespace fireside::test {

/// A role first, thoughts in reasoning_content, null members, usage in a chunk without choices.
inline const QByteArray kVllm =
    "data: "
    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"q\","
    "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":"
    "null,"
    "\"finish_reason\":null}],\"prompt_token_ids\":null}\n\n"
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Hm, "
    "\"},"
    "\"finish_reason\":null}]}\n\n"
    "data: "
    "{\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"grüß.\"},"
    "\"finish_reason\":null}]}\n\n"
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"},"
    "\"finish_reason\":null}]}\n\n"
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" you\"},"
    "\"finish_reason\":\"stop\",\"stop_reason\":null}]}\n\n"
    "data: "
    "{\"id\":\"chatcmpl-1\",\"choices\":[],\"usage\":{\"prompt_tokens\":41,\"total_tokens\":45,"
    "\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":32}}}\n\n"
    "data: [DONE]\n\n";

/// Thoughts in `reasoning` beside null content, usage null in each chunk, \r\n line ends.
inline const QByteArray kSglang =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,"
    "\"reasoning\":\"Hm, \",\"tool_calls\":null},\"finish_reason\":null}],\"usage\":null}\r\n\r\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"reasoning\":\"grüß.\"},"
    "\"finish_reason\":null}],\"usage\":null}\r\n\r\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\",\"reasoning\":null}}],"
    "\"usage\":null}\r\n\r\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" you\"},\"finish_reason\":\"stop\","
    "\"matched_stop\":2}],\"usage\":null}\r\n\r\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":4,"
    "\"prompt_tokens_details\":null}}\r\n\r\n"
    "data: [DONE]\r\n\r\n";

/// Thoughts between tags in the content, timings of its own, comments that keep the line open.
inline const QByteArray kLlamaCpp =
    ": waiting\n\n"
    "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"role\":\"assistant\","
    "\"content\":null}}]}\n\n"
    "data: "
    "{\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"content\":\"<thi\"}}]}\n\n"
    ":\n\n"
    "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"content\":\"nk>Hm, "
    "grüß.</think>\"}}]}\n\n"
    "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"content\":\"\\n\\nHello "
    "you\"}}]}\n\n"
    "data: {\"choices\":[{\"finish_reason\":\"stop\",\"index\":0,\"delta\":{}}],\"timings\":{"
    "\"cache_n\":32,\"prompt_n\":9,\"prompt_ms\":250.0,\"predicted_n\":4,\"predicted_ms\":500.0}}"
    "\n\n"
    "data: [DONE]\n\n";

/// As llama.cpp's, but usage in a chunk without choices, with timings that lack cache_n (August
/// 2026).
inline const QByteArray kIkLlamaCpp =
    "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"role\":\"assistant\","
    "\"content\":null}}],\"created\":1795552560,\"object\":\"chat.completion.chunk\"}\n\n"
    "data: "
    "{\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"reasoning_content\":\"Hm, "
    "grüß.\"}}]}\n\n"
    "data: "
    "{\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n"
    "data: {\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":{\"content\":\" "
    "you\"}}]}\n\n"
    "data: {\"choices\":[{\"finish_reason\":\"stop\",\"index\":0,\"delta\":{}}]}\n\n"
    "data: "
    "{\"choices\":[],\"usage\":{\"completion_tokens\":4,\"prompt_tokens\":41,\"total_tokens\":45,"
    "\"prompt_tokens_details\":{\"cached_tokens\":32}},\"timings\":{\"prompt_n\":9,\"prompt_ms\":"
    "250.0,"
    "\"predicted_n\":4,\"predicted_ms\":500.0,\"n_ctx\":512,\"n_past\":16}}\n\n"
    "data: [DONE]\n\n\n";

/// The role in every chunk, no space behind the colon, no end but that of the connection.
inline const QByteArray kOllama =
    "data:{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\","
    "\"reasoning\":\"Hm, grüß.\"},\"finish_reason\":null}]}\n\n"
    "data:{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello you\"},"
    "\"finish_reason\":null}]}\n\n"
    "data:{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":4}}\n";

/// `event:` lines, bare \r line ends, members that nobody has heard of.
inline const QByteArray kLmStudio =
    "event: chunk\rdata: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Hm, "
    "grüß.\"}}],"
    "\"system_fingerprint\":\"q\"}\r\r"
    "event: chunk\rid: 7\rretry: 3\rdata: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello you\"}}]}\r\r"
    "event: chunk\rdata: "
    "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"stats\":{}}\r\r"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":4}}\r\r"
    "data: [DONE]\r\r";

/// Content in parts, thoughts among them; usage with the last chunk.
inline const QByteArray kMistral =
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":[{\"type\":"
    "\"thinking\","
    "\"thinking\":[{\"type\":\"text\",\"text\":\"Hm, grüß.\"}]}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}]}}]}"
    "\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" "
    "you\"},\"finish_reason\":\"stop\"}],"
    "\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":4}}\n\n"
    "data: [DONE]\n\n";

/// Comments while it waits, thoughts in two members, usage with costs beside an empty piece.
inline const QByteArray kOpenRouter =
    ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n"
    "data: {\"id\":\"gen-1\",\"provider\":\"X\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
    "\"assistant\",\"content\":\"\",\"reasoning\":\"Hm, grüß.\",\"reasoning_details\":[{\"type\":"
    "\"reasoning.text\",\"text\":\"Hm, grüß.\"}]},\"finish_reason\":null,"
    "\"native_finish_reason\":null}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello "
    "you\"}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
    "\"finish_reason\":\"stop\",\"native_finish_reason\":\"STOP\"}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":null}],"
    "\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":4,\"cost\":0.0001,"
    "\"prompt_tokens_details\":{\"cached_tokens\":32}}}\n\n"
    "data: [DONE]\n\n";

/// A first piece about the prompt alone, no index, filters beside the words, and no thoughts but in
/// the older name of their member.
inline const QByteArray kAzure =
    "data: {\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\","
    "\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n"
    "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm, grüß.\",\"refusal\":null}}]}\n\n"
    "data: {\"choices\":[{\"content_filter_results\":{\"hate\":{\"filtered\":false}},\"delta\":{"
    "\"content\":\"Hello you\"},\"logprobs\":null}]}\n\n"
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":4,"
    "\"completion_tokens_details\":{\"reasoning_tokens\":2},\"prompt_tokens_details\":{"
    "\"audio_tokens\":0}}}\n\n"
    "data: [DONE]\n\n";

/// Not streamed, although that was asked for.
inline const QByteArray kWhole =
    "{\"id\":\"1\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
    "\"assistant\",\"content\":\"Hello you\",\"reasoning_content\":\"Hm, "
    "grüß.\"},\"finish_reason\":"
    "\"stop\"}],\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":4}}";

/// Two calls in pieces, the second without an index.
inline const QByteArray kCalls =
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":"
    "\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"\"}}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{"
    "\"arguments\":"
    "\"{\\\"town\\\":\"}}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{"
    "\"arguments\":"
    "\" \\\"Ulm\\\"}\"}}]}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":\"c2\",\"function\":{\"name\":"
    "\"time\",\"arguments\":{\"zone\":\"CET\"}}}]}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
    "data: [DONE]\n\n";

/// An error after some words, as llama.cpp and LM Studio, and as vLLM write it.
inline const QByteArray kErrorEvent =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n"
    "event: error\ndata: {\"error\":{\"message\":\"the card is lost\",\"code\":500}}\n\n";
inline const QByteArray kErrorField =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n"
    "error: {\"code\":500,\"message\":\"the card is lost\",\"type\":\"server_error\"}\n\n";
inline const QByteArray kErrorData =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n"
    "data: {\"object\":\"error\",\"message\":\"the card is lost\",\"code\":500}\n\ndata: "
    "[DONE]\n\n";

} // namespace fireside::test
