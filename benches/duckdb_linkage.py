#!/usr/bin/env python3
"""Links a generated day in DuckDB's SQL, from Parquet that `parse -o` wrote, and with `link`, from the logs themselves.

    benches/duckdb_linkage.py [MESSAGES] [THREADS]     default 10000000 and 2; needs duckdb from PyPI and cargo

Both take turns, twice. The SQL does the joins alone: keys as nodes, events and references as edges, labels that spread
until none changes, and a file of events with their lifecycles. It makes no links, states or findings, and the day has no
damaged message and no missing reference, so that both must find equally many lifecycles.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

# Orders are known by (receiver, ClOrdID) on a session and a day, and by (receiver, OrderID) on a day.
EVENTS = """
create table e as
select event_id, date as day, kind,
       case when msg_type in ('D', 'F', 'G') then sender_comp_id else target_comp_id end as orderer,
       case when msg_type in ('D', 'F', 'G') then target_comp_id else sender_comp_id end as receiver,
       cl_ord_id as cl, orig_cl_ord_id as orig, order_id as oid,
       case when kind in ('new', 'replace') then tags end as tags
from read_parquet('{events}/events/*/*.parquet', hive_partitioning = true)
where msg_type in ('D', 'F', 'G', '8', '9')
"""
NODES = [
    "alter table e add column k1 ubigint",
    "alter table e add column k2 ubigint",
    "update e set k1 = hash(1, orderer, receiver, day, cl) where cl is not null and cl not in ('', 'NONE')",
    "update e set k2 = hash(2, receiver, day, oid) where oid is not null and oid not in ('', 'NONE', '0', 'UNKNOWN')",
    # F1 and F2: the keys of one event; the key that is replaced.
    "create table edge as select distinct k1 as a, k2 as b from e where k1 is not null and k2 is not null",
    """insert into edge select distinct k1, hash(1, orderer, receiver, day, orig) from e
       where k1 is not null and orig is not null and orig not in ('', 'NONE', '0') and orig <> cl""",
    # F3: what the sender had received, by OrderID, else by ClOrdID of any orderer.
    """create table ref as
       select distinct k1, orderer as party, day, json_extract_string(tags, '$.1080') as id from e
       where tags like '%"1080"%'
       union
       select distinct k1, orderer, day, json_extract_string(x.value, '$.2887') from e,
              json_each(json_extract(tags, '$.73')) x where tags like '%"2887"%'""",
    "create table by_cl as select distinct receiver as party, day, cl as id, k1 as parent from e where k1 is not null",
    "create table by_oid as select distinct receiver as party, day, oid as id, k2 as parent from e where k2 is not null",
    "insert into edge select k1, parent from ref join by_oid using (party, day, id)",
    """insert into edge select r.k1, parent from ref r join by_cl using (party, day, id)
       where not exists (select 1 from by_oid o where o.party = r.party and o.day = r.day and o.id = r.id)""",
    """create table label as select node, node as root from
       (select k1 as node from e where k1 is not null union select k2 from e where k2 is not null
        union select a from edge union select b from edge)""",
]
STEP = [
    """create or replace table best as select node, min(root) as root from
       (select a as node, l.root from edge join label l on l.node = b
        union all select b, l.root from edge join label l on l.node = a) group by node""",
    """create or replace table next as select l.node, least(l.root, coalesce(b.root, l.root)) as root
       from label l left join best b using (node)""",
    # Each label goes on to its own label, which halves the way.
    """create or replace table hop as select n.node, least(n.root, m.root) as root
       from next n join next m on m.node = n.root""",
]


def in_sql(events, out, threads):
    script = f"""
import duckdb, resource
con = duckdb.connect()
con.execute("set threads = {threads}")
con.execute({EVENTS.format(events=events)!r})
for statement in {NODES!r}:
    con.execute(statement)
rounds = 0
while True:
    rounds += 1
    for statement in {STEP!r}:
        con.execute(statement)
    changed = con.sql("select count(*) from label l join hop h using (node) where l.root <> h.root").fetchall()[0][0]
    con.execute("create or replace table label as select * from hop")
    if changed == 0:
        break
con.execute("copy (select event_id, l.root from e join label l on l.node = coalesce(k1, k2)) to '{out}' (format parquet)")
count = con.sql("select count(distinct root) from label").fetchall()[0][0]
print(count, rounds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
    start = time.time()
    told = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    return time.time() - start, int(told[2]), int(told[0]), f"{told[1]} rounds"


def in_link(binary, day, out, threads):
    shutil.rmtree(out, ignore_errors=True)
    start = time.time()
    child = subprocess.Popen([binary, "link", "-j", threads, day, "-o", out, "--fail-on", "never"], stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, said
    words = said.replace(",", "").split()
    return time.time() - start, usage.ru_maxrss // 1024, int(words[words.index("lifecycles") - 1]), "from the logs"


def main():
    messages = sys.argv[1] if len(sys.argv) > 1 else "10000000"
    threads = sys.argv[2] if len(sys.argv) > 2 else "2"
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    subprocess.run(["cargo", "build", "--release", "--no-default-features", "--bins"], cwd=root, check=True)
    release = os.path.join(root, os.environ.get("CARGO_TARGET_DIR", "target"), "release")
    with tempfile.TemporaryDirectory(dir=os.environ.get("FIXTRAIL_BENCH_DIR")) as place:
        day, events = os.path.join(place, "day"), os.path.join(place, "events")
        binary = os.path.join(release, "fixtrail")
        subprocess.run(
            [binary + "-gen", "-q", "-o", day, "-n", messages, "--faults", "0", "--missing-refs", "0"], check=True
        )
        subprocess.run([binary, "parse", "-q", "-j", threads, day, "-o", events, "--fail-on", "never"], check=True)
        print("| by | s | peak MB | lifecycles | |")
        print("| --- | --: | --: | --: | --- |")
        for _ in range(2):
            for name, run in [
                ("DuckDB SQL", lambda: in_sql(events, os.path.join(place, "sql.parquet"), threads)),
                ("fixtrail link", lambda: in_link(binary, day, os.path.join(place, "trail"), threads)),
            ]:
                seconds, peak, lifecycles, note = run()
                print(f"| {name} | {seconds:.1f} | {peak:,} | {lifecycles:,} | {note} |", flush=True)


if __name__ == "__main__":
    main()
