"""Reads a trail with DuckDB, pyarrow, Polars and deltalake and compares types, rows and sums."""

import decimal
import glob
import json
import os
import sys

import deltalake
import duckdb
import polars
import pyarrow.dataset
import pyarrow.parquet

trail, events_json, *more_tables = sys.argv[1:]
passed = 0


def check(what, found, expected):
    global passed
    if found != expected:
        sys.exit(f"peers: {what}: found {found!r}, expected {expected!r}")
    passed += 1


lines = [json.loads(line) for line in open(events_json)]
commits = [json.load(open(path)) for path in glob.glob(f"{trail}/_commits/*.json")]
commits.sort(key=lambda commit: commit["version"])
commit = commits[-1]
tables = {table["name"]: table for table in commit["tables"]}
check("tables of the commit", sorted(tables), sorted(["events", "findings", "lifecycles", "links", *more_tables]))

long_columns = [
    "offset", "line", "event_timestamp_ns", "sending_time_ns", "transact_time_ns", "capture_time_ns", "msg_seq_num",
]
decimals = ["price", "stop_px", "last_px", "avg_px", "order_qty", "last_qty", "cum_qty", "leaves_qty"]
total = sum(decimal.Decimal(line.get("order_qty", "0")) for line in lines)

con = duckdb.connect()
for table, state in tables.items():
    rows = sum(file["rows"] for file in state["files"])
    paths = sorted(f"{trail}/{table}/{file['path']}" for file in state["files"])
    if len(commits) == 1:
        check(f"{table}: files on disk", sorted(glob.glob(f"{trail}/{table}/*/*.parquet")), paths)

    relation = con.read_parquet(paths, hive_partitioning=True)
    check(f"DuckDB: rows of {table}", relation.count("*").fetchall()[0][0], rows)
    duck = dict(zip(relation.columns, map(str, relation.types)))
    frame = polars.scan_parquet(paths, hive_partitioning=True)
    check(f"Polars: rows of {table}", frame.select(polars.len()).collect().item(), rows)
    schema = frame.collect_schema()
    data = pyarrow.dataset.dataset(paths, partitioning="hive")
    check(f"pyarrow: rows of {table}", data.count_rows(), rows)
    # Every value of every column is decoded, and the three readers agree on it.
    arrow = pyarrow.concat_tables([pyarrow.parquet.ParquetFile(path).read() for path in paths])
    read = polars.concat([polars.read_parquet(path, hive_partitioning=False) for path in paths])
    for name in arrow.column_names:
        ours = arrow.column(name).to_pylist()
        check(f"Polars and pyarrow: {table}.{name}", read[name].to_list(), ours)
    columns = ", ".join(f'"{name}"' for name in arrow.column_names)
    # Names may contain any character but a quote here; the paths are ours.
    listed = ", ".join(f"'{path}'" for path in paths)
    con.execute("set timezone = 'UTC'")
    fetched = con.sql(f"select {columns} from read_parquet([{listed}], hive_partitioning=false)").to_arrow_table()
    for name in arrow.column_names:
        ours = arrow.column(name).to_pylist()
        check(f"DuckDB and pyarrow: {table}.{name}", fetched.column(name).to_pylist(), ours)
    delta = deltalake.DeltaTable(f"{trail}/{table}")
    check(f"deltalake: version of {table}", delta.version(), state["version"])
    check(f"deltalake: files of {table}", len(delta.file_uris()), len(paths))
    check(f"Polars, Delta: rows of {table}", polars.read_delta(f"{trail}/{table}").height, rows)
    for older in commits[:-1]:
        was = next((was for was in older["tables"] if was["name"] == table), None)
        if was is None:
            continue
        rows = sum(file["rows"] for file in was["files"])
        found = polars.scan_delta(f"{trail}/{table}", version=was["version"]).select(polars.len()).collect().item()
        check(f"Polars, Delta: rows of {table} in version {older['version']}", found, rows)
        found = deltalake.DeltaTable(f"{trail}/{table}", version=was["version"]).to_pyarrow_table().num_rows
        check(f"deltalake: rows of {table} in version {older['version']}", found, rows)
    types = {field.name: str(field.type) for field in delta.schema().fields}
    check(f"deltalake: type of {table}.date", types["date"], 'PrimitiveType("date")')

    if table == "events":
        check("DuckDB: type of date", duck["date"], "DATE")
        check("DuckDB: type of event_time", duck["event_time"], "TIMESTAMP WITH TIME ZONE")
        check("Polars: type of date", schema["date"], polars.Date)
        check("Polars: type of event_time", schema["event_time"], polars.Datetime("us", "UTC"))
        check("pyarrow: type of event_time", str(data.schema.field("event_time").type), "timestamp[us, tz=UTC]")
        check("deltalake: type of event_time", types["event_time"], 'PrimitiveType("timestamp")')
        check("DuckDB: type of also_in", duck["also_in"], "VARCHAR[]")
        check("Polars: type of also_in", schema["also_in"], polars.List(polars.String))
        check("deltalake: type of also_in", types["also_in"].startswith("ArrayType"), True)
        for name in long_columns:
            check(f"DuckDB: type of {name}", duck[name], "BIGINT")
            check(f"Polars: type of {name}", schema[name], polars.Int64)
            check(f"pyarrow: type of {name}", str(data.schema.field(name).type), "int64")
            check(f"deltalake: type of {name}", types[name], 'PrimitiveType("long")')
        for name in decimals:
            check(f"DuckDB: type of {name}", duck[name], "DECIMAL(18,8)")
            check(f"Polars: type of {name}", schema[name], polars.Decimal(18, 8))
            check(f"pyarrow: type of {name}", str(data.schema.field(name).type), "decimal128(18, 8)")
            check(f"deltalake: type of {name}", types[name], 'PrimitiveType("decimal(18,8)")')
        found = relation.sum("order_qty").fetchall()[0][0]
        check("DuckDB: sum of order_qty", found, total)
        check("Polars: sum of order_qty", frame.select(polars.col("order_qty").sum()).collect().item(), total)
        # Rows are those that `parse` prints.
        ours = {(row["source"], row["offset"]): row for row in arrow.to_pylist()}
        for line in lines:
            row = ours[(line["source"], line["offset"])]
            for name, value in line.items():
                if name in ("date", "event_time"):
                    continue
                got = row[name]
                if name in decimals:
                    got, value = decimal.Decimal(got), decimal.Decimal(value)
                if name == "tags":
                    got = json.loads(got)
                check(f"{line['event_id']}.{name}", got, value)
        # A look-up by id goes through the bloom filters.
        found = con.execute(
            f"select count(*) from read_parquet([{listed}]) where cl_ord_id = 'no such order'"
        ).fetchall()[0][0]
        check("DuckDB: rows of an absent order", found, 0)
        known = lines[0]["cl_ord_id"]
        expected = sum(line.get("cl_ord_id") == known for line in lines)
        found = con.execute(f"select count(*) from read_parquet([{listed}]) where cl_ord_id = '{known}'").fetchall()[0][0]
        check("DuckDB: rows of a known order", found, expected)

print(f"peers: version {commit['version']} of {len(commits)} kept: {passed} passed, 0 failed", flush=True)
# The libraries' threads may abort the interpreter while it ends; nothing is left to be checked by then.
os._exit(0)
