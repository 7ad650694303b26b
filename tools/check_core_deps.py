#!/usr/bin/env python3
"""The core stands on libc and libm alone and keeps to itself.

    check_core_deps.py <liblimb.so> <liblimb.a>

Undefined symbols must come from libc or libm (or be libgcc's view of the processor, by which a
kernel variant is chosen), and none may print, end the program, lock, start threads, or read files,
locale, environment or clock; .data and .bss must be empty. Two objects have one exception each.
"""
import re
import subprocess
import sys

from sources import Findings

NEEDED = {"libc.so.6", "libm.so.6"}
RUNTIME = {"__cpu_model", "__cpu_indicator_init", "_GLOBAL_OFFSET_TABLE_"}
FORBIDDEN = re.compile("|".join([  # of libc, for a library that never acts on its own
    # ends the program, jumps, waits
    "abort|exit|_exit|quick_exit|atexit|_?longjmp|_?setjmp|raise|kill|signal|sigaction",
    "system|popen|fork|exec.*|(u|nano)?sleep",
    # prints, reads; snprintf into a buffer is fine
    "(__)?v?[fd]?printf(_chk)?|f?puts|f?putc|putchar|fwrite|perror|stdin|stdout|stderr",
    "v?f?scanf|f?gets|f?getc|getchar|getline|fread|f?open(64)?|read|write",
    # locks, starts threads
    "(pthread|mtx|cnd|thrd|tss|sem)_.*|call_once|flock|f(un)?lockfile|__tls_get_addr",
    # sets the locale, asks for it, or answers by it
    "(set|new|use|dup|free)locale|localeconv|nl_langinfo|strcoll|strxfrm|strto(d|f|ld)|atof",
    "__ctype_.*|mbs.*|wcs.*",
    # environment, clock, hidden state
    "(secure_)?getenv|(set|unset|put)env|environ|time|clock(_gettime)?|gettimeofday",
    "s?rand(om)?|.rand48|strtok|strerror",
]))

ALLOWED = {  # object: what it may use of these, and bytes it may write to
    "threads.c.o": (re.compile("pthread_.*"), 0),  # the pool of threads
    "isa.c.o": (re.compile("getenv"), 4),  # the instruction set of this process
}
NOTHING = (re.compile("(?!)"), 0)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libc_symbols():
    names = set()
    for library in sorted(NEEDED):
        path = run("gcc", f"-print-file-name={library}").strip()
        for line in run("nm", "-D", "--defined-only", path).splitlines():
            names.add(line.split()[-1].split("@")[0])
    return names


if len(sys.argv) != 3:
    sys.exit(__doc__)
shared, static = sys.argv[1:]
found = Findings("check_core_deps")

for name in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", "-W", shared)):
    if name not in NEEDED:
        found.add(shared, 0, f"needs {name}")

defined = set()
wanted = []  # (object, symbol)
member = ""
for line in run("nm", static).splitlines():
    fields = line.split()
    if line.endswith(".o:"):
        member = line[:-1]
    elif len(fields) == 2 and fields[0] in "Uwv":
        wanted.append((member, fields[1]))
    elif len(fields) == 3:
        defined.add(fields[2])
outside = [(member, name) for member, name in wanted if name not in defined]
known = libc_symbols() | RUNTIME
for member, name in outside:
    allowed, _ = ALLOWED.get(member, NOTHING)
    if FORBIDDEN.fullmatch(name) and not allowed.fullmatch(name):
        found.add(static, 0, f"{member} uses {name}, which a library must not")
    elif name not in known:
        found.add(static, 0, f"{member} uses {name}, which is neither of libc nor of libm")

for line in run("readelf", "-S", "-W", static).splitlines():
    if line.startswith("File: "):
        member = line.split("(")[-1].rstrip(")")
    hit = re.match(r"\s*\[ *\d+\] (\.t?data|\.t?bss|COMMON)\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)", line)
    _, most = ALLOWED.get(member, NOTHING)
    if hit and int(hit[2], 16) > most:
        found.add(static, 0, f"{member} has {int(hit[2], 16)} bytes of writable {hit[1]}")

names = " ".join(sorted({name for _, name in outside}))
found.finish(f"libc and libm only ({names})")
