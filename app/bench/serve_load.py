#!/usr/bin/env python3
"""Measure a running server under load: several clients stream replies at once.

    serve_load.py http://127.0.0.1:8080 --model NAME [--clients 1,4,32] [--prompt 32] [--tokens 128] [--seconds 15] [--warm 5]

For each number of clients: tokens a second of all together (as the server counts them), and the time to the first
token, its median and 95th percentile. Last, with as many clients as the largest number less one generating, how long
one more waits for the first token of a short prompt, beside the same alone. Prompts are random words, so that nothing
is taken over from one to another. Of Fireside's /metrics it tells what passes held, and where the time of the thread
that computes went: in passes, drawing, telling words, beginning replies, and none of these. Needs nothing but Python 3.8.
"""
import argparse
import asyncio
import json
import random
import statistics
import time
from urllib.parse import urlparse

WORDS = "time year people way day man thing woman life child world school state family student group country".split()


class Counts:
    def __init__(self):
        self.first, self.tokens, self.replies, self.spans = [], 0, 0, []


async def ask(where, body, key):
    """One streamed reply: seconds to its first text, tokens generated."""
    reader, writer = await asyncio.open_connection(where.hostname, where.port, limit=1 << 20)
    data = json.dumps(body).encode()
    head = [f"POST {where.path.rstrip('/')}/v1/chat/completions HTTP/1.1", f"Host: {where.netloc}", "Connection: close",
            "Content-Type: application/json", f"Content-Length: {len(data)}"]
    if key:
        head.append(f"Authorization: Bearer {key}")
    begun = time.perf_counter()
    writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + data)
    first, tokens, status = None, 0, None
    try:
        async for line in reader:
            if status is None:
                status = line.split()[1]
                if status != b"200":
                    raise RuntimeError((await reader.read()).decode(errors="replace"))
            if not line.startswith(b"data: {"):
                continue
            if first is None and (b'"content":"' in line and b'"content":""' not in line or b'"reasoning_content":"' in line):
                first = time.perf_counter() - begun
            if b'"usage":{' in line:
                tokens = json.loads(line[6:])["usage"]["completion_tokens"]
            elif b'"error":{' in line:
                raise RuntimeError(line.decode())
    finally:
        writer.close()
    return (first if first is not None else time.perf_counter() - begun), tokens


class Load:
    def __init__(self, args):
        self.args, self.where, self.random = args, urlparse(args.url), random.Random(args.seed)

    def body(self, words, tokens):
        text = " ".join(self.random.choice(WORDS) for _ in range(words))
        body = {"model": self.args.model, "messages": [{"role": "user", "content": text}], "max_tokens": tokens,
                "stream": True, "stream_options": {"include_usage": True}, "seed": self.random.randrange(1 << 30)}
        if self.args.temperature is not None:
            body["temperature"] = self.args.temperature
        return body

    async def metrics(self):
        """Fireside's counters; of other servers none."""
        reader, writer = await asyncio.open_connection(self.where.hostname, self.where.port)
        key = f"Authorization: Bearer {self.args.key}\r\n" if self.args.key else ""
        writer.write(f"GET /metrics HTTP/1.1\r\nHost: {self.where.netloc}\r\n{key}Connection: close\r\n\r\n".encode())
        text = (await reader.read()).decode(errors="replace")
        writer.close()
        lines = (line.split() for line in text.splitlines() if line.startswith("fireside_") and "{" not in line)
        return {name[len("fireside_"):]: float(value) for name, value in lines}

    def told(self, before, after, seconds):
        d = {name: after[name] - before.get(name, 0) for name in after}
        if not d.get("passes_total"):
            return {}
        told = {"passes_per_second": d["passes_total"] / seconds, "rows": d["pass_rows_total"] / d["passes_total"],
                "drawn": d["pass_tokens_total"] / d["passes_total"],
                "pass_ms": 1e3 * d["pass_seconds_total"] / d["passes_total"]}
        parts = {name: d[name + "_seconds_total"] / seconds for name in ("pass", "draw", "tell", "begin")}
        told["time"] = {**parts, "other": 1 - sum(parts.values())}
        print(f"{'':8}  {told['passes_per_second']:.0f} passes/s of {told['pass_ms']:.2f} ms with {told['rows']:.1f} tokens, "
              f"{told['drawn']:.1f} drawn; time: " + ", ".join(f"{n} {100 * s:.1f} %" for n, s in told["time"].items()), flush=True)
        return told

    async def client(self, name, end, counts):
        while time.perf_counter() < end:
            begun = time.perf_counter()
            body = self.body(self.args.prompt, self.args.tokens)
            first, tokens = await ask(self.where, {**body, "user": name}, self.args.key)
            counts.first.append(first)
            counts.spans.append((begun, time.perf_counter(), tokens))
            counts.replies += 1

    async def together(self, clients):
        counts, begun = Counts(), time.perf_counter()
        await asyncio.gather(*(self.client(f"client {i}", begun + self.args.seconds, counts) for i in range(clients)))
        # Only while all of them generate: replies that reach beyond the time count by their share.
        end = begun + self.args.seconds
        tokens = sum(n * max(0.0, min(b, end) - a) / max(b - a, 1e-9) for a, b, n in counts.spans)
        counts.tokens = sum(n for _, _, n in counts.spans)
        return counts, tokens / self.args.seconds

    async def probe(self, times):
        return [(await ask(self.where, {**self.body(8, 2), "user": "probe"}, self.args.key))[0] for _ in range(times)]

    async def probe_under(self, clients):
        counts, end = Counts(), time.perf_counter() + self.args.seconds
        others = [asyncio.create_task(self.client(f"client {i}", end, counts)) for i in range(clients)]
        await asyncio.sleep(self.args.seconds / 4)
        first = []
        while time.perf_counter() < end - 0.5:
            first += await self.probe(1)
            await asyncio.sleep(0.05)
        await asyncio.gather(*others)
        return first

    async def run(self):
        numbers = [int(n) for n in self.args.clients.split(",")]
        results = []
        await ask(self.where, self.body(8, 8), self.args.key)
        if self.args.warm > 0:
            end = time.perf_counter() + self.args.warm
            await asyncio.gather(*(self.client(f"client {i}", end, Counts()) for i in range(max(numbers))))
        alone = 0.0
        print(f"{'clients':>8}{'tok/s':>10}{'x one':>8}{'first median':>15}{'first 95 %':>12}{'replies':>9}", flush=True)
        for clients in numbers:
            before, begun = await self.metrics(), time.perf_counter()
            counts, rate = await self.together(clients)
            after, seconds = await self.metrics(), time.perf_counter() - begun
            first = sorted(counts.first)
            alone = alone or rate
            late = first[min(len(first) - 1, int(len(first) * 0.95))]
            print(f"{clients:8}{rate:10.1f}{rate / alone:8.2f}{statistics.median(first) * 1e3:12.0f} ms"
                  f"{late * 1e3:9.0f} ms{counts.replies:9}", flush=True)
            results.append({"clients": clients, "tokens_per_second": rate, "first_median": statistics.median(first),
                            "first_95": late, "replies": counts.replies, **self.told(before, after, seconds)})
        quiet = statistics.median(await self.probe(9))
        under = await self.probe_under(max(numbers) - 1)
        if under:
            busy = statistics.median(under)
            print(f"first token of a short prompt: alone {quiet * 1e3:.0f} ms, beside {max(numbers) - 1} clients "
                  f"{busy * 1e3:.0f} ms (median of {len(under)}), {busy / quiet:.2f} times", flush=True)
            results.append({"probe_alone": quiet, "probe_under_load": busy, "probes": len(under)})
        if self.args.json:
            with open(self.args.json, "w") as file:
                json.dump(results, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--model", required=True)
    parser.add_argument("--clients", default="1,4")
    parser.add_argument("--prompt", type=int, default=32, help="words")
    parser.add_argument("--tokens", type=int, default=128, help="of a reply, at most")
    parser.add_argument("--seconds", type=float, default=15, help="for each number of clients")
    parser.add_argument("--warm", type=float, default=0, help="seconds of the largest number before anything is measured")
    parser.add_argument("--temperature", type=float)
    parser.add_argument("--key")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    asyncio.run(Load(parser.parse_args()).run())


if __name__ == "__main__":
    main()
