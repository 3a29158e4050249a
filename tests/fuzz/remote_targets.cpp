// What servers elsewhere answer: streams of replies, lists of models, refusals, and the messages of
// tool servers.
#include "app/remote/chat_stream.h"
#include "app/remote/model_query.h"
#include "app/tools/mcp/protocol.h"
#include "tests/fuzz/sign_in_targets.h"

#include <QByteArrayView>
#include <QJsonDocument>

#include <algorithm>
#include <string>

namespace fireside::fuzz {
namespace {

bool isText(const std::string &bytes)
{
    return QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())).isValidUtf8();
}

struct Reply
{
    std::string reasoning, text, calls, problem;
    QString finish;
    int generated = 0, pieces = 0;
    bool operator==(const Reply &) const = default;
};

Reply readIn(const QByteArray &bytes, const QByteArray &type, qsizetype piece)
{
    ChatStream stream;
    std::vector<ReplyDelta> deltas;
    stream.begin(type);
    for (qsizetype at = 0; at < bytes.size(); at += piece)
        stream.push(bytes.mid(at, piece), deltas);
    stream.finish(deltas);
    Reply reply;
    for (const ReplyDelta &delta : deltas) {
        if (delta.call)
            reply.calls +=
                delta.call->id + ' ' + delta.call->name + ' ' + delta.call->arguments + '\n';
        else
            (delta.kind == ReplyPartKind::Reasoning ? reply.reasoning : reply.text) += delta.text;
    }
    if (stream.problem())
        reply.problem = stream.problem()->text.toStdString();
    reply.finish = stream.finishReason();
    reply.generated = stream.usage().generatedTokens;
    reply.pieces = stream.pieces();
    check(!stream.problem() || !reply.problem.empty());
    check(isText(reply.text) && isText(reply.reasoning) && isText(reply.calls));
    return reply;
}

/// The first line is the content type, the rest the answer: the same reply however it arrives.
void stream(Bytes input)
{
    const std::string_view text = textOf(input);
    const std::size_t line = std::min(text.find('\n'), text.size());
    const QByteArray type = bytesIn(text.substr(0, line));
    const QByteArray bytes = bytesIn(text.substr(std::min(line + 1, text.size())));
    const Reply whole = readIn(bytes, type, std::max<qsizetype>(bytes.size(), 1));
    for (const qsizetype piece : {1, 7, 100})
        check(readIn(bytes, type, piece) == whole);
}

/// A list of models, or a refusal of any status.
void answers(Bytes input)
{
    const QByteArray body = bytesIn(textOf(input));
    const QJsonObject json = QJsonDocument::fromJson(body).object();
    for (const OfferedModel &model : listingIn(json).models)
        check(!model.name.isEmpty() && model.context >= -1);
    problemInJson(json);
    for (const int status : {400, 401, 404, 413, 429, 500, 503}) {
        ExchangeFailure failure;
        failure.kind = ExchangeFailure::Kind::Status;
        failure.status = status;
        failure.body = body;
        const RemoteProblem problem =
            problemOf(failure, QStringLiteral("host"), QStringLiteral("model"), status == 401);
        check(!problem.text.isEmpty() && problem.tokens >= 0 && problem.room >= 0);
    }
}

/// A message of a tool server, read as each thing that it could be.
void messages(Bytes input)
{
    const auto json = parsedJson(bytesIn(textOf(input)));
    if (!json)
        return;
    mcp::incoming(*json);
    mcp::resultOf(*json);
    if (const ToolJson *const result = memberOf(*json, "result")) {
        mcp::resultOf(*result);
        for (const bool overHttp : {false, true}) {
            QStringList problems;
            for (const Tool &tool :
                 mcp::toolsIn(*result, QStringLiteral("server"), overHttp, problems)) {
                const auto schema = parsedJson(tool.parameters);
                check(schema && !tool.name.isEmpty());
                if (overHttp)
                    for (const auto &[name, value] : mcp::parameterHeaders(*schema, *json))
                        check(!name.contains('\n') && !value.contains('\n'));
            }
        }
    }
}

} // namespace

std::vector<Target> targets()
{
    return {{"stream", stream},
            {"answers", answers},
            {"messages", messages},
            {"sign_in", signIn},
            {"forms", forms}};
}

} // namespace fireside::fuzz
