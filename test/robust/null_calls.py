#!/usr/bin/env python3
"""Writes a call of every public function: null_calls.py <include/limb> <output.inc>

Pointers come from null_calls.c: given(k, value) is NULL for the argument without which the function is called."""
import pathlib
import re
import sys

CALL = re.compile(r"LIMB_API\s+([\w\s*]+?)\b(\w+)\(([^;{]*?)\);")
STRUCT = re.compile(r"typedef struct (\w+) \{|^struct (\w+) \{", re.MULTILINE)
NUMBERS = {"double", "float", "int", "size_t", "unsigned", "uint64_t", "uint32_t"}
TEXTS = ("limb_text_fn",)  # functions of the caller that calls may really call


def parameters(inside):
    """Types of the parameters, without their names; arrays are pointers."""
    for one in " ".join(inside.split()).split(","):
        name = re.fullmatch(r"\s*(.*?[\s*])(\w+)((?:\[\w*\])*)\s*", one)
        if name:
            yield name[1].strip() + "*" * name[3].count("[")


def value(kind, k, opaque, defaults):
    """An argument of that type that is not NULL, if there is one."""
    if not kind.endswith("*"):
        return {"int": "whole", "size_t": "1", "double": "0.5", "float": "0.5f"}.get(kind, f"({kind}){{0}}")
    inner, is_input = kind[:-1].replace("const ", "").strip(), kind.startswith("const ")
    if inner in opaque:
        pointer = f"handle_{inner}"
    elif inner.endswith("_fn"):
        return f"(is_given({k}) ? ignore_{inner} : NULL)" if inner in TEXTS else "NULL"
    elif inner == "FILE":
        pointer = "stream()"
    elif kind == "const char*":
        pointer = '"joint1"'
    elif is_input and inner in defaults:
        pointer = f"(defaults_{inner} = limb_default_{defaults[inner]}, &defaults_{inner})"
    else:
        pointer = f"{'numbers' if is_input and inner in NUMBERS else 'space'}({k})"
    return f"given({k}, {pointer})"


def main(folder, output):
    text = "\n".join(re.sub(r"//[^\n]*", "", p.read_text(encoding="utf-8"))
                     for p in sorted(pathlib.Path(folder).glob("*.h")))
    known = {a or b for a, b in STRUCT.findall(text)}
    opaque = {name for name in re.findall(r"typedef struct (\w+) \1;", text) if name not in known}
    defaults = {}
    for kind, name, inside in re.findall(r"LIMB_API (\w+) limb_default_(\w+)\(([^;]*?)\);", text):
        own = {"void": "", "const limb_model* m": "handle_limb_model"}.get(inside)
        if own is not None and re.search(rf"const {kind}\* \w+[,)]", text):  # of a parameter
            defaults[kind] = f"{name}({own})"
    calls = CALL.findall(text)
    with open(output, "w", encoding="utf-8") as out:
        for name in sorted(opaque):
            out.write(f"HANDLE({name})\n")
        for kind, name in sorted(defaults.items()):
            out.write(f"static {kind} defaults_{kind};\n")
        for result, name, inside in calls:
            kinds = [] if inside.strip() == "void" else list(parameters(inside))
            values = ", ".join(value(kind, k, opaque, defaults) for k, kind in enumerate(kinds))
            kind = result.replace("LIMB_NODISCARD", "").strip()
            call = f"{name}({values});"
            out.write(f"static void call_{name}(void)\n{{\n")
            out.write(f"  {call}\n}}\n" if kind == "void" else f"  {kind} kept = {call}\n  (void)kept;\n}}\n")
        out.write("static const call all_calls[] = {\n")
        for _, name, inside in calls:
            kinds = [] if inside.strip() == "void" else list(parameters(inside))
            pointers = sum(1 << k for k, kind in enumerate(kinds) if kind.endswith("*"))
            out.write(f'  {{"{name}", call_{name}, {pointers}u}},\n')
        out.write("};\n")
    if len(calls) < 500:
        sys.exit(f"{len(calls)} functions: the headers were not understood")


main(*sys.argv[1:])
