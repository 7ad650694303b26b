#!/usr/bin/env python3
"""Generated sources of Python, MATLAB, Julia, Rust and LaTeX: the same answers as generated C.

    test_languages.py <generate_fixtures>

Octave, Rust and Julia run with LIMB_TEST_EFFORT=all where they are installed (scripts/setup languages). Julia is also
read as Python, after exchange of the few words in which the two differ, and LaTeX always is.
"""
import ctypes
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GENERATE = None
DOUBLE, SINGLE = 1e-11, 2e-4  # of the largest entry of a result


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


class Function:
    """A function of a robot, a random state and what C answers to it."""

    def __init__(self, library, plain, name, arguments):
        self.name = name
        sizes = [(x.split("[")[0].split()[-1], int(x.split("[")[1].split("]")[0]), "const" in x)
                 for x in arguments.split(",")]
        self.inputs = {x: [random.uniform(-1, 1) for _ in range(n)] for x, n, is_input in sizes if is_input}
        arrays = [(ctypes.c_double * n)(*self.inputs.get(x, [])) for x, n, _ in sizes]
        library[f"{plain}_{name}"](*arrays)
        self.answers = {x: list(array) for array, (x, _, is_input) in zip(arrays, sizes) if not is_input}

    def flat(self):
        return [x for answer in self.answers.values() for x in answer]


# ---- languages ---------------------------------------------------------------------------------------

def flatten(x):
    return [z for y in x for z in flatten(y)] if isinstance(x, (list, tuple)) else [float(x)]


def python(path, prefix, functions):
    names = {}
    exec(path.read_text(), names)  # pylint: disable=exec-used
    return [flatten(names[f"{prefix}_{f.name}"](*f.inputs.values())) for f in functions]


def python_given(path, prefix, functions):
    """Sines are arguments, and so are numbers of the robot, which the text itself knows."""
    names, answers = {}, []
    exec(path.read_text(), names)  # pylint: disable=exec-used
    for f in functions:
        call = names[f"{prefix}_{f.name}"]
        known = dict(f.inputs)
        if f"{prefix}_parameters" in names:
            known["p"] = names[f"{prefix}_parameters"]()
        wanted = call.__code__.co_varnames[:call.__code__.co_argcount]
        if "sine" in wanted:
            angles = names[f"{prefix}_angles"]
            at = angles(*[known[x] for x in angles.__code__.co_varnames[:angles.__code__.co_argcount]])
            known.update(sine=[math.sin(x) for x in at], cosine=[math.cos(x) for x in at])
        answers.append(flatten(call(*[known[x] for x in wanted])))
    return answers


def numbers_of(done, functions):
    """What a program printed: a line that begins with = after each function."""
    assert done.returncode == 0, done.stderr[-2000:]
    answers = [[float(x) for x in part.split()] for part in done.stdout.split("=")[:-1]]
    assert len(answers) == len(functions), done.stdout[-2000:]
    return answers


def listed(values, opening="[", closing="]"):
    return opening + ", ".join(map(repr, values)) + closing


def octave(path, prefix, functions):
    lines = [f"f = {prefix}();"]
    for f in functions:
        answers = list(f.answers)
        lines.append(f"[{', '.join(answers)}] = f.{f.name}({', '.join(map(listed, f.inputs.values()))});")
        lines += [f"printf('%.17g\\n', {x}.');" for x in answers] + ["printf('=\\n');"]
    script = path.with_name(f"ask_{prefix}.m")
    script.write_text("\n".join(lines) + "\n")
    return numbers_of(run(["octave-cli", "--no-gui", "--norc", "--quiet", script.name], cwd=path.parent), functions)


JULIA_SHOW = """show_all(x) = foreach(show_all, x)
show_all(x::AbstractFloat) = println(x)
show_all(x::AbstractMatrix) = foreach(println, permutedims(x))
"""


def julia(path, prefix, functions):
    lines = [JULIA_SHOW, f'include("{path.name}")']
    for f in functions:
        lines.append(f"show_all({prefix}_{f.name}({', '.join(map(listed, f.inputs.values()))}))\nprintln('=')")
    script = path.with_name(f"ask_{prefix}.jl")
    script.write_text("\n".join(lines) + "\n")
    return numbers_of(run(["julia", "--startup-file=no", script.name], cwd=path.parent), functions)


RUST_SHOW = """trait Show { fn show(&self); }
impl Show for f64 { fn show(&self) { println!("{:e}", self); } }
impl Show for f32 { fn show(&self) { println!("{:e}", self); } }
impl<T: Show> Show for Option<T> { fn show(&self) { self.as_ref().unwrap().show(); } }
impl<T: Show, const N: usize> Show for [T; N] { fn show(&self) { for x in self { x.show(); } } }
impl<A: Show, B: Show> Show for (A, B) { fn show(&self) { self.0.show(); self.1.show(); } }
impl<A: Show, B: Show, C: Show> Show for (A, B, C) { fn show(&self) { self.0.show(); self.1.show(); self.2.show(); } }
"""


def rust(path, prefix, functions):
    lines = ["#![deny(warnings)]", f'include!("{path.name}");', RUST_SHOW, "fn main() {"]
    for f in functions:
        arguments = ", ".join("&" + listed(x) for x in f.inputs.values())
        lines.append(f'    {prefix}_{f.name}({arguments}).show();\n    println!("=");')
    source, program = path.with_name(f"ask_{prefix}.rs"), path.with_name(f"ask_{prefix}")
    source.write_text("\n".join(lines) + "\n}\n")
    made = run(["rustc", "--edition", "2021", source.name, "-o", program.name], cwd=path.parent)
    assert made.returncode == 0, made.stderr[-3000:]
    return numbers_of(run([str(program)]), functions)


# ---- texts read as Python ----------------------------------------------------------------------------

class FromOne(dict):
    """zeros(n) or zeros(n, m) of Julia: numbers by indices from one."""

    def flat(self):
        return [self[k] for k in sorted(self)]


def zeros(rows, columns=0):
    if not columns:
        return FromOne((i + 1, 0.0) for i in range(rows))
    return FromOne(((i + 1, j + 1), 0.0) for i in range(rows) for j in range(columns))


def julia_as_python(path, prefix, functions):
    text = re.sub(r"([-+*/(,])\n\s*", r"\1 ", path.read_text())  # a line that ends so goes on
    text = re.sub(r"(?m)^function (.*)$", r"def \1:", text)
    text = re.sub(r"(?m)^end$", "", text).replace(" || ", " or ")
    names = {"minimum": lambda x: min(x.values())}
    names |= {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "tanh": math.tanh, "zeros": zeros,
             "sign": lambda x: (x > 0) - (x < 0)}
    exec(text, names)  # pylint: disable=exec-used
    answers = []
    for f in functions:
        vectors = [FromOne((i + 1, y) for i, y in enumerate(x)) for x in f.inputs.values()]
        got = names[f"{prefix}_{f.name}"](*vectors)
        answers.append([y for x in (got if isinstance(got, tuple) else (got,)) for y in x.flat()])
    return answers


TEX_LETTERS = {"tau": r"\tau", "Psi": r"\Psi", "gamma": r"\gamma", "multipliers": r"\lambda"}
TEX_RATES = {"v": r"\dot q", "a": r"\ddot q"}


def tex_name(name, rates):
    letters = {**TEX_LETTERS, **(TEX_RATES if rates else {})}
    plain = name if len(name) == 1 else r"\mathrm{%s}" % name.replace("_", r"\_")
    return letters.get(name, plain)


def group(text, at):
    """End of the braces that open at a place."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise AssertionError(f"braces do not close: {text}")


def tex_expression(text):
    """An expression, as Python: variables are entries of x, by their names in LaTeX."""
    while r"\frac{" in text:
        begin = text.rindex(r"\frac{")
        middle = group(text, begin + 5)
        end = group(text, middle)
        text = f"{text[:begin]}(({text[begin + 6:middle - 1]})/({text[middle + 1:end - 1]})){text[end:]}"
    while r"\sqrt{" in text:
        begin = text.rindex(r"\sqrt{")
        end = group(text, begin + 5)
        text = f"{text[:begin]}SQRT({text[begin + 6:end - 1]}){text[end:]}"
    text = re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", text)
    text = re.sub(r"((?:\\d?dot )?(?:\\mathrm\{[^}]*\}|\\[a-zA-Z]+|[a-zA-Z])_\{[\w,]+\})", r'x[r"\1"]', text)
    text = text.replace(r"\operatorname{sgn}", "SIGN").replace(r" \, ", "*")
    return re.sub(r"\\(sin|cos|tanh)\(", lambda m: m[1].upper() + "(", text)


def latex(path, prefix, functions):
    text = re.sub(r"(?m)(?<!\\)%.*$", "", path.read_text())
    blocks = re.findall(r"(?s)\\begin\{align\*\}(.*?)\\end\{align\*\}", text)
    assert len(blocks) == len(functions), prefix
    calls = {"SIN": math.sin, "COS": math.cos, "SQRT": math.sqrt, "TANH": math.tanh,
             "SIGN": lambda x: (x > 0) - (x < 0)}
    answers = []
    for block, f in zip(blocks, functions):
        rates = r"\dot q" in text or not re.search(r"\b[va]_\{\d", text)
        x = {f"{tex_name(name, rates)}_{{{i + 1}}}": y for name, values in f.inputs.items()
             for i, y in enumerate(values)}
        block = re.sub(r"\\\\\s*&\\quad \{\}", "", block)
        for statement in block.split(r"\\"):
            if "&=" not in statement:
                continue
            to, expression = statement.split("&=")
            x[to.strip()] = eval(tex_expression(expression), calls, {"x": x})  # pylint: disable=eval-used
        answers.append(tex_answers(f, x, rates))
    return answers


def tex_answers(f, x, rates):
    found = []
    for name, answer in f.answers.items():
        letter = re.escape(tex_name(name, rates))
        mine = {tuple(map(int, m[1].split(","))): y for k, y in x.items()
                if (m := re.fullmatch(letter + r"_\{(.*)\}", k))}
        assert len(mine) == len(answer), name
        found += [mine[k] for k in sorted(mine)]
    return found


# ---- comparison --------------------------------------------------------------------------------------

class Languages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise unittest.SkipTest("there is no compiler")
        done = run([GENERATE, str(cls.folder), "--languages"])
        assert done.returncode == 0, done.stderr
        random.seed(7)
        cls.functions = {}
        for path in sorted(cls.folder.glob("*_plain.c")):
            made = run([compiler, "-O1", "-shared", "-fPIC", path.name, "-o", f"{path.stem}.so", "-lm"], cwd=cls.folder)
            assert made.returncode == 0, made.stderr
            library = ctypes.CDLL(str(cls.folder / f"{path.stem}.so"))
            header = path.with_suffix(".h").read_text()
            cls.functions[path.stem[:-len("_plain")]] = [
                Function(library, path.stem, name, arguments)
                for name, arguments in re.findall(rf"(?:void|int) {path.stem}_(\w+)\(([^)]*)\)", header)]

    def compare(self, variant, ending, ask, tolerance=DOUBLE):
        compared = 0
        for path in sorted(self.folder.glob(f"*_{variant}.{ending}")):
            robot = path.stem[:-len(variant) - 1]
            text = path.read_text()
            functions = [f for f in self.functions[robot] if re.search(rf"\b{path.stem}_{f.name}: ", text)]
            for f, got in zip(functions, ask(path, path.stem, functions)):
                want, compared = f.flat(), compared + 1
                self.assertEqual(len(got), len(want), f"{path.stem} {f.name}")
                scale = max(map(abs, want)) or 1
                self.assertTrue(all(abs(x - y) <= tolerance * scale for x, y in zip(got, want)),
                                f"{path.stem} {f.name}")
        self.assertGreater(compared, 30)

    def needs(self, program):
        if os.environ.get("LIMB_TEST_EFFORT") != "all":
            self.skipTest("runs with LIMB_TEST_EFFORT=all")
        if not shutil.which(program):
            self.skipTest(f"{program} is not installed")

    def test_python(self):
        self.compare("python", "py", python)

    def test_python_with_sines_and_parameters_as_arguments(self):
        self.compare("python_given", "py", python_given)

    def test_matlab(self):
        self.needs("octave-cli")
        self.compare("matlab", "m", octave)

    def test_rust(self):
        self.needs("rustc")
        self.compare("rust", "rs", rust)

    def test_rust_float(self):
        self.needs("rustc")
        self.compare("rust_float", "rs", rust, SINGLE)

    def test_julia(self):
        self.needs("julia")
        self.compare("julia", "jl", julia)

    def test_julia_as_python(self):
        self.compare("julia", "jl", julia_as_python)

    def test_latex(self):
        self.compare("latex", "tex", latex)


if __name__ == "__main__":
    GENERATE = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
