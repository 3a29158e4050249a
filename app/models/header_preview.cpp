#include "app/models/header_preview.h"

#include "app/models/sparse_copy.h"
#include "app/network/network_gate.h"
#include "app/network/transfer.h"
#include "app/runtime/contained.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fireside {
namespace {

constexpr qint64 kFirst = 2 << 20, kMostHeader = 128 << 20, kMostText = 64 << 20;
constexpr qint64 kMostInAll = 512 << 20;

bool isWeights(const QString &name)
{
    return name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ||
           name.endsWith(QLatin1String(".safetensors"));
}

} // namespace

struct HeaderPreview::Question
{
    DownloadRequest request;
    QByteArray token;
    LoadSettings asked;
    QList<DeviceStatus> devices;
    std::vector<Piece> pieces;
    qint64 wanted = 0;      // up to which byte of the piece
    bool fromStart = false; // the server sends all of it
};

HeaderPreview::HeaderPreview(NetworkGate &gate, QObject *parent)
    : QObject(parent)
    , m_gate(gate)
{}

HeaderPreview::~HeaderPreview() = default;

void HeaderPreview::cancel()
{
    ++m_asked;
    if (m_transfer) {
        disconnect(m_transfer.get(), nullptr, this, nullptr);
        m_transfer->cancel();
        m_transfer.release()->deleteLater(); // it may be what is calling
    }
    m_question.reset();
}

void HeaderPreview::end(const QString &problem)
{
    cancel();
    emit failed(problem);
}

void HeaderPreview::read(const DownloadRequest &request, const QByteArray &token,
                         const LoadSettings &asked, const QList<DeviceStatus> &devices)
{
    cancel();
    m_question = std::make_unique<Question>();
    m_question->request = request;
    m_question->token = token;
    m_question->asked = asked;
    m_question->devices = devices;
    for (const RemoteFile &file : request.files)
        m_question->pieces.push_back({file, file.size, {}});
    next(0);
}

/// The first file from there on of which nothing has come yet.
void HeaderPreview::next(std::size_t index)
{
    std::vector<Piece> &pieces = m_question->pieces;
    while (index < pieces.size() && (!pieces[index].start.isEmpty() || pieces[index].size == 0))
        ++index;
    if (index == pieces.size())
        return describe();
    const Piece &piece = pieces[index];
    fetch(index, isWeights(piece.file.name) ? kFirst : kMostText);
}

void HeaderPreview::fetch(std::size_t index, qint64 bytes)
{
    Piece &piece = m_question->pieces[index];
    if (piece.size >= 0)
        bytes = std::min(bytes, piece.size);
    m_question->wanted = bytes;
    m_question->fromStart = false;
    TransferRequest request;
    request.url = piece.file.url;
    request.purpose = tr("header of %1").arg(piece.file.name);
    request.token = m_question->token;
    request.range = ByteRange{piece.start.size(), bytes};
    m_transfer = std::make_unique<Transfer>(m_gate, request);
    connect(m_transfer.get(), &Transfer::headArrived, this,
            [this, index](const ReplyHead &head) { takeHead(m_question->pieces[index], head); });
    connect(m_transfer.get(), &Transfer::dataArrived, this, [this, index](const QByteArray &data) {
        Piece &part = m_question->pieces[index];
        part.start += data.left(m_question->wanted - part.start.size());
        if (part.start.size() >= m_question->wanted)
            take(index); // of a server without ranges the rest would come, too
    });
    connect(m_transfer.get(), &Transfer::finished, this, [this, index] { take(index); });
    connect(m_transfer.get(), &Transfer::failed, this,
            [this](const TransferFailure &failure) { end(failure.text); });
    m_transfer->start();
}

void HeaderPreview::takeHead(Piece &piece, const ReplyHead &head)
{
    const bool part =
        head.status == 206 && head.range && head.total && head.range->begin == piece.start.size();
    const qint64 size = part ? *head.total : head.length.value_or(-1);
    if (!head.encoding.isEmpty() || (!part && head.status != 200) || size < 0 ||
        (piece.size >= 0 && size != piece.size))
        return end(tr("the server does not send the beginning of the file"));
    piece.size = size;
    m_question->wanted = std::min(m_question->wanted, size);
    if (!part)
        piece.start.clear();
}

void HeaderPreview::take(std::size_t index)
{
    disconnect(m_transfer.get(), nullptr, this, nullptr);
    m_transfer->cancel();
    m_transfer.release()->deleteLater();
    if (m_question->pieces[index].start.size() < m_question->wanted)
        return end(tr("the server sends less than it said"));
    qint64 all = 0;
    for (const Piece &piece : m_question->pieces)
        all += piece.start.size();
    if (all > kMostInAll)
        return end(tr("its headers are too long"));
    next(index);
}

void HeaderPreview::describe()
{
    SparseCopy copy;
    copy.path = modelPathOf({{}, {}, m_question->request.files});
    for (const Piece &piece : m_question->pieces)
        copy.files.append({piece.file.name, piece.size, piece.start});
    inBackground(
        "preview.header",
        [copy, asked = m_question->asked, devices = m_question->devices] {
            return describeCopy(copy, asked, devices);
        },
        [](const QString &problem) {
            return CopyDescription{{}, {}, problem};
        })
        .then(this, [this, mine = m_asked](const CopyDescription &result) {
            if (mine != m_asked)
                return;
            for (const qsizetype index : result.tooShort) {
                const Piece &piece = m_question->pieces[static_cast<std::size_t>(index)];
                const qint64 known = piece.start.size();
                if (known < std::min(piece.size, kMostHeader))
                    return fetch(static_cast<std::size_t>(index), std::min(known * 4, kMostHeader));
            }
            if (!result.problem.isEmpty())
                return end(result.problem);
            ModelEntry entry = result.entry;
            cancel();
            emit described(entry);
        });
}

} // namespace fireside
