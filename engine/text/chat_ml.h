#pragma once

namespace fireside {

/// What models without a template of their own are spoken to in: the most common format.
constexpr const char *kChatMl =
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

} // namespace fireside
