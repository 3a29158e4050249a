#!/usr/bin/env python3
"""Makes the recipes of golden models (models.tar.xz) and what other programs compute from them.

    make_models.py describe MODELS RECIPES [NAME…]   from folders with config.json, model.safetensors, golden.json
    make_models.py weights RECIPES NAME OUT          writes OUT/config.json and OUT/model.safetensors
    make_models.py compute RECIPES [NAME…]           runs transformers on each recipe (needs torch, transformers)
    make_models.py headers RECIPES GGUFS             keeps of GGUFS/NAME.gguf, which a public converter made of these
                                                     weights, the header (converted.header), and of each tensor the
                                                     offset and the FNV-1a of its bytes (converted.txt)

A recipe is config.json and tensors.txt, one line per tensor: name, type, shape ("scalar" or 3x64), centre, spread (both in 2^-30),
and the seed where it is not the name: another tensor's name (tied weights stored twice), or a salted one.
Weight i of a tensor is (centre * 2^15 + spread * t) * 2^-45, rounded to the type, where t is the upper 16 bits,
less 2^15, of splitmix64(FNV-1a(seed) + i * 0x9E3779B97F4A7C15). All products fit into 53 bits, so every machine
computes the same. tests/support/golden_recipe.cpp does the same in C++. Centre and spread follow mean and standard
deviation of the model that a recipe was described from.
"""

import json
import pathlib
import struct
import sys
import tempfile

import numpy as np

TYPES = {"F32": 4, "F16": 2, "BF16": 2}
MASK = (1 << 64) - 1
# Other weights where the plain names give nearly equal candidates, so that rounding would decide.
SALTS = {"llama": "12/", "qwen3-moe": "3/", "hunyuan-dense": "1/", "jamba": "1/", "minicpm3": "1/"}


def name_hash(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 & MASK
    return value


def weights(name, count, centre, spread):
    with np.errstate(over="ignore"):
        z = np.uint64(name_hash(name)) + np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    t = (z >> np.uint64(48)).astype(np.int64) - (1 << 15)
    return (((centre << 15) + spread * t).astype(np.float64) * 2.0**-45).astype(np.float32)


def encode(values, dtype):
    if dtype == "F32":
        return values.tobytes()
    if dtype == "F16":
        return values.astype(np.float16).tobytes()
    bits = values.view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype(np.uint16).tobytes()


def decode(data, dtype):
    if dtype == "F32":
        return np.frombuffer(data, np.float32)
    if dtype == "F16":
        return np.frombuffer(data, np.float16).astype(np.float32)
    return (np.frombuffer(data, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def describe(models, recipes, names):
    for name in names or sorted(p.name for p in models.iterdir()):
        source, target = models / name, recipes / name
        target.mkdir(parents=True, exist_ok=True)
        target.joinpath("config.json").write_bytes((source / "config.json").read_bytes())
        with open(source / "model.safetensors", "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
            data = file.read()
        lines, known = [], {}
        for tensor, entry in sorted(header.items()):
            if tensor == "__metadata__":
                continue
            begin, end = entry["data_offsets"]
            shape = "x".join(map(str, entry["shape"])) or "scalar"
            # Output weights that are the embedding's stand in the file a second time.
            first = known.setdefault(data[begin:end], tensor) if end - begin >= 4096 else tensor
            seed = SALTS.get(name, "") + first
            values = decode(data[begin:end], entry["dtype"]).astype(np.float64)
            # Uniform with the same mean and deviation; what was constant varies a little.
            spread = values.std() * 3**0.5 if values.std() > 0 else 0.1
            numbers = [round(float(x) * 2**30) for x in (values.mean(), spread)]
            fields = [tensor, entry["dtype"], shape, *map(str, numbers)] + [seed] * (seed != tensor)
            lines.append(" ".join(fields) + "\n")
        target.joinpath("tensors.txt").write_text("".join(lines))
        golden = json.loads((source / "golden.json").read_bytes())
        if "sequences" in golden:
            request = {"sequences": [s["input_ids"] for s in golden["sequences"]]}
        else:
            request = {"input_ids": golden["input_ids"], "greedy": len(golden["greedy"])}
        target.joinpath("request.json").write_text(json.dumps(request))


def write_model(recipe, out):
    out.mkdir(parents=True, exist_ok=True)
    out.joinpath("config.json").write_bytes((recipe / "config.json").read_bytes())
    header, parts, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for line in (recipe / "tensors.txt").read_text().splitlines():
        name, dtype, shape, centre, spread, *seed = line.split(" ")
        dims = [] if shape == "scalar" else [int(d) for d in shape.split("x")]
        parts.append(encode(weights(*seed or [name], int(np.prod(dims, dtype=np.int64)), int(centre), int(spread)), dtype))
        header[name] = {"dtype": dtype, "shape": dims, "data_offsets": [offset, offset + len(parts[-1])]}
        offset += len(parts[-1])
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(out / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


def compute(recipes, names):
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    for recipe in [recipes / name for name in names] or sorted(recipes.iterdir()):
        request = json.loads((recipe / "request.json").read_text())
        with tempfile.TemporaryDirectory() as folder:
            write_model(recipe, pathlib.Path(folder))
            architecture = json.loads((recipe / "config.json").read_text())["architectures"][0]
            model = getattr(transformers, architecture).from_pretrained(
                folder, dtype=torch.float32, attn_implementation="eager"
            )
        model.eval()
        options = {} if "sequences" in request else {"use_cache": False}

        def run(ids):
            with torch.no_grad():
                return model(input_ids=torch.tensor([ids]), **options)

        if "sequences" in request:
            sequences = []
            for ids in request["sequences"]:
                result, entry = run(ids), {"input_ids": ids}
                if "Classification" in architecture:
                    entry["score"] = float(result.logits.reshape(-1)[0])
                else:
                    rows = result.last_hidden_state[0]
                    rounded = lambda x: [round(float(v), 6) for v in x]
                    entry |= {"last_hidden_state": [rounded(row) for row in rows], "mean": rounded(rows.mean(0)), "cls": rounded(rows[0])}
                sequences.append(entry)
            recipe.joinpath("golden.json").write_text(json.dumps({"sequences": sequences}, separators=(",", ":")))
            scale = max(max(abs(v) for row in s.get("last_hidden_state", [[s.get("score")]]) for v in row) for s in sequences)
        else:
            ids, greedy = list(request["input_ids"]), []
            logits = run(ids).logits[0].float().numpy()
            for _ in range(request["greedy"]):
                last = run(ids + greedy).logits[0, -1].numpy()
                best = np.sort(last)[-2:]
                if best[1] - best[0] < 5e-4:
                    break  # what follows would depend on rounding
                greedy.append(int(last.argmax()))
            rows = (np.round(logits.astype(np.float64) * 2**16) / 2**16).astype("<f4")
            recipe.joinpath("golden.logits").write_bytes(
                b"FSGOLDEN" + struct.pack("<III", *rows.shape, len(greedy)) + np.array(ids + greedy, "<i4").tobytes() + rows.tobytes()
            )
            scale = float(np.abs(logits).max())
        print(recipe.name, f"largest value {scale:.2f}", flush=True)


def headers(recipes, ggufs):
    import gguf

    for file in sorted(ggufs.glob("*.gguf")):
        reader = gguf.GGUFReader(file)
        target = recipes / file.stem
        data = file.read_bytes()
        target.joinpath("converted.header").write_bytes(data[: reader.data_offset])
        lines = [f"{len(data)}\n"]
        for tensor in sorted(reader.tensors, key=lambda t: t.data_offset):
            value = 0xCBF29CE484222325
            for byte in tensor.data.tobytes():
                value = (value ^ byte) * 0x100000001B3 & MASK
            lines.append(f"{tensor.name} {tensor.data_offset} {value:016x}\n")
        target.joinpath("converted.txt").write_text("".join(lines))


def main():
    command, *arguments = sys.argv[1:]
    paths = [pathlib.Path(a) for a in arguments]
    if command == "describe":
        describe(paths[0], paths[1], arguments[2:])
    elif command == "weights":
        write_model(paths[0] / arguments[1], paths[2])
    elif command == "compute":
        compute(paths[0], arguments[1:])
    elif command == "headers":
        headers(paths[0], paths[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
