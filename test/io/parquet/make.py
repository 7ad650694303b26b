#!/usr/bin/env python3
"""Writes the files of this folder, as programs write Parquet by default and otherwise.

    pip install pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.0 fastparquet==2026.9.0
    test/io/parquet/make.py

Files in good/ have the columns time, i / 1000, and q, (i * i mod 7) / 4, of 300 rows; test_parquet.c has what is wrong
with the others.
"""
import decimal
import pathlib

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet

HERE = pathlib.Path(__file__).parent
ROWS = 300
i = numpy.arange(ROWS)
time, q = i / 1000, (i * i % 7) / 4


def good(name, table, **options):
    pyarrow.parquet.write_table(table, HERE / "good" / f"{name}.parquet", **options)


def bad(name, columns, **options):
    pyarrow.parquet.write_table(pyarrow.table(columns), HERE / f"{name}.parquet", **options)


def write_good():
    frame = pandas.DataFrame({"time": time, "q": q})
    table = pyarrow.table({"time": time, "q": q})
    frame.to_parquet(HERE / "good/pandas.parquet")
    frame.to_parquet(HERE / "good/fastparquet.parquet", engine="fastparquet")
    polars.from_pandas(frame).write_parquet(HERE / "good/polars.parquet")
    duckdb.sql(f"copy frame to '{HERE}/good/duckdb.parquet' (format parquet)")
    duckdb.sql(f"copy frame to '{HERE}/good/duckdb_2.parquet' (format parquet, parquet_version v2)")
    for codec in ("none", "snappy", "gzip", "zstd"):
        good(f"plain_{codec}", table, compression=codec, use_dictionary=False)
    good("groups", table, row_group_size=128, data_page_version="2.0", data_page_size=64)
    split = {"use_dictionary": False, "column_encoding": "BYTE_STREAM_SPLIT"}
    good("split", table, data_page_version="2.0", **split)
    floats = pyarrow.table({"time": time, "q": q.astype("float32")})
    good("float", floats)
    good("float_split", floats, **split)
    whole = pyarrow.array((i * i % 7) * 25)
    hundredths = pyarrow.array([decimal.Decimal(int(x)) / 100 for x in whole.to_numpy()], pyarrow.decimal64(9, 2))
    spans = {kind: pyarrow.array(i * n, pyarrow.duration(kind)) for kind, n in (("ms", 1), ("us", 1000), ("ns", 10**6))}
    good("decimals", pyarrow.table({"time": spans["ms"], "q": hundredths}), store_decimal_as_integer=True)
    good("spans", pyarrow.table({"time": spans["ns"], "q": q}))
    delta = {"use_dictionary": False, "column_encoding": "DELTA_BINARY_PACKED"}
    good("delta", pyarrow.table({"time": spans["us"], "q": hundredths}), store_decimal_as_integer=True, **delta)
    stamps = pyarrow.array(i * 10**6, pyarrow.timestamp("ns"))
    good("stamps", pyarrow.table({"time": stamps, "q": q}))
    good("spark", pyarrow.table({"time": stamps, "q": q}), use_deprecated_int96_timestamps=True)
    required = pyarrow.schema([pyarrow.field(name, pyarrow.float64(), nullable=False) for name in ("time", "q")])
    good("required", table.cast(required))


def write_bad():
    bad("null", {"time": time, "q": [None if k == 200 else x for k, x in enumerate(q.tolist())]})
    bad("nan", {"time": time, "q": numpy.where(i == 200, numpy.nan, q)})
    bad("text", {"time": time, "label": ["a"] * ROWS})
    bad("list", {"time": time[:2], "q": [[1.0], [2.0]]})
    bad("date", {"time": pyarrow.array([1, 2], pyarrow.date32())})
    bad("decimal", {"time": [decimal.Decimal("1.25")]})
    bad("brotli", {"time": time}, compression="brotli")
    bad("empty", {"time": time[:0]})
    bad("whole", {"a": pyarrow.array([1, 2**31, 2**32 - 1], pyarrow.uint32()), "b": [True, False, True],
                  "c": pyarrow.array([-1, 127, -128], pyarrow.int8())})


(HERE / "good").mkdir(exist_ok=True)
write_good()
write_bad()
