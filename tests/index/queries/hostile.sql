# one query a line, ⏎ is a line break; {secret} is a file with a secret, {other} a DuckDB file with one, {out} a folder,
# {port} a port that nobody may call
INSERT INTO runs (run) VALUES ('x')
INSERT INTO runs SELECT * FROM runs
INSERT INTO TABLE FUNCTION file('{out}/a.csv') SELECT 1
WITH 1 AS x INSERT INTO FUNCTION file('{out}/b.csv') SELECT x
INSERT INTO FUNCTION file('{out}/c.csv') WITH 1 AS x SELECT x
INSERT INTO FUNCTION url('http://127.0.0.1:{port}/', 'CSV', 'a Int32') SELECT 1
INSERT INTO FUNCTION s3('http://127.0.0.1:{port}/bucket/a.csv', 'CSV') SELECT 1
INSERT INTO runs (run) FROM INFILE '{secret}' FORMAT TSV
EXPLAIN PIPELINE INSERT INTO runs (run) VALUES ('x')
/* harmless */ INSERT INTO runs (run) VALUES ('x')
-- SELECT⏎INSERT INTO runs (run) VALUES ('x')
SELECT 1 INTO OUTFILE '{out}/d.csv'
SELECT 1 INTO OUTFILE '{out}/e.csv' TRUNCATE
SELECT 1 INTO OUTFILE '{secret}' APPEND FORMAT CSV
SELECT 1 INTO OUTFILE '{secret}' TRUNCATE
SELECT 1 INTO /* x */ OUTFILE '{out}/f.csv' AND STDOUT
SELECT 1 UNION ALL SELECT 2 INTO OUTFILE '{out}/g.csv'
SHOW TABLES INTO OUTFILE '{out}/h.csv'
DESCRIBE runs INTO OUTFILE '{out}/i.csv'
EXPLAIN SELECT 1 INTO OUTFILE '{out}/j.csv'
SELECT 1 INTO OUTFILE '{out}/k.csv' PARALLEL WITH SELECT 2
SELECT 1) INTO OUTFILE '{out}/l.csv' --
SELECT 1; INSERT INTO runs (run) VALUES ('x')
SELECT 1; SELECT 1 INTO OUTFILE '{out}/m.csv'
SELECT 'it''s'; DROP TABLE runs
SELECT * FROM file('{secret}', 'LineAsString')
SELECT * FROM '{secret}'
SELECT * FROM `{secret}`
SELECT * FROM default.`{secret}`
SELECT * FROM filesystem('{out}')
SELECT * FROM fileCluster('default', '{secret}', 'LineAsString')
DESCRIBE TABLE file('{secret}')
SELECT * FROM view(SELECT * FROM file('{secret}', 'LineAsString'))
SELECT count() FROM runs WHERE run IN (SELECT line FROM file('{secret}', 'LineAsString'))
WITH t AS (SELECT * FROM file('{secret}', 'LineAsString')) SELECT * FROM t
SELECT * FROM url('http://127.0.0.1:{port}/', 'LineAsString')
SELECT * FROM urlCluster('default', 'http://127.0.0.1:{port}/', 'LineAsString')
SELECT * FROM s3('http://127.0.0.1:{port}/bucket/a.csv', 'CSV', 'a Int32')
SELECT * FROM gcs('http://127.0.0.1:{port}/bucket/a.csv', 'CSV', 'a Int32')
SELECT * FROM azureBlobStorage('http://127.0.0.1:{port}/', 'c', 'b', 'k', 'a2V5')
SELECT * FROM hdfs('hdfs://127.0.0.1:{port}/a', 'CSV', 'a Int32')
SELECT * FROM remote('127.0.0.1:{port}', system.one)
SELECT * FROM remoteSecure('127.0.0.1:{port}', system.one)
SELECT * FROM mysql('127.0.0.1:{port}', 'd', 't', 'u', 'p')
SELECT * FROM postgresql('127.0.0.1:{port}', 'd', 't', 'u', 'p')
SELECT * FROM mongodb('127.0.0.1:{port}', 'd', 't', 'u', 'p', 'a Int32')
SELECT * FROM redis('127.0.0.1:{port}', 'k', 'k String, v String')
SELECT * FROM sqlite('{secret}', 't')
SELECT * FROM odbc('DSN=x', 'd', 't')
SELECT * FROM jdbc('x', 'd', 't')
SELECT * FROM executable('cat {secret}', 'LineAsString', 'line String')
SELECT * FROM python('sys')
SELECT * FROM Python(HEAD)
SELECT * FROM deltaLakeLocal('{out}')
SELECT * FROM icebergLocal('{out}')
SELECT * FROM dictionary('x')
CREATE TABLE x (a Int32) ENGINE = Memory
CREATE TABLE x (line String) ENGINE = File(LineAsString, '{secret}')
CREATE TEMPORARY TABLE x (a Int32)
CREATE VIEW x AS SELECT 1
CREATE DATABASE x
CREATE FUNCTION f AS x -> file(x)
CREATE USER x
CREATE DICTIONARY x (a UInt64, b String) PRIMARY KEY a SOURCE(FILE(path '{secret}' format 'CSV')) LAYOUT(FLAT()) LIFETIME(1)
CREATE NAMED COLLECTION x AS url = 'http://127.0.0.1:{port}/'
ALTER TABLE runs DELETE WHERE 1
ALTER TABLE runs ADD COLUMN x Int32
ALTER TABLE points FREEZE
DELETE FROM runs WHERE 1
UPDATE runs SET name = 'x' WHERE 1
DROP TABLE runs
DROP DATABASE runvitals
TRUNCATE TABLE runs
RENAME TABLE runs TO x
EXCHANGE TABLES runs AND points
DETACH TABLE runs
ATTACH TABLE x FROM '{out}' (a Int32) ENGINE = MergeTree ORDER BY a
OPTIMIZE TABLE runs FINAL
BACKUP TABLE runs TO File('{out}/backup')
RESTORE TABLE runs FROM File('{out}/backup')
GRANT ALL ON *.* TO default
REVOKE ALL ON *.* FROM default
SET readonly = 0
SET allow_introspection_functions = 1
SET ROLE NONE
SELECT 1 SETTINGS readonly = 0
SELECT 1 SETTINGS max_memory_usage = 0, max_execution_time = 0
USE system
KILL QUERY WHERE 1
SYSTEM SHUTDOWN
SYSTEM FLUSH LOGS
SYSTEM RELOAD CONFIG
SYSTEM STOP MERGES
CHECK TABLE runs
UNDROP TABLE runs
SELECT 1 FORMAT CSV
SELECT * FROM other.notes
SELECT * FROM merge('other', '.*')
SELECT * FROM system.users
SELECT file('{secret}')
SELECT `fi\x6ce`('{secret}')
SELECT * APPLY(file) FROM (SELECT '{secret}')
SELECT arrayMap(file, ['{secret}'])
WITH p -> file(p) AS f SELECT f('{secret}')
SELECT (SELECT file('{secret}'))
EXPLAIN SELECT file('{secret}')
SELECT length(file('{secret}'))
SELECT file('/proc/1/environ')
COPY runs TO '{out}/n.csv'
COPY runs TO '{secret}'
COPY (SELECT 1) TO '{out}/o.parquet'
COPY runs FROM '{secret}'
COPY FROM DATABASE runs TO x
EXPORT DATABASE '{out}/p'
IMPORT DATABASE '{out}'
EXPLAIN ANALYZE COPY runs TO '{out}/q.csv'
WITH x AS (SELECT 1) COPY x TO '{out}/r.csv'
SELECT * FROM read_text('{secret}')
SELECT * FROM read_blob('{secret}')
SELECT * FROM read_csv('{secret}')
SELECT * FROM read_csv_auto('{secret}')
SELECT * FROM sniff_csv('{secret}')
SELECT * FROM read_json('{secret}')
SELECT * FROM read_json_objects('{secret}')
SELECT * FROM read_ndjson('{secret}')
SELECT * FROM read_parquet('{secret}')
SELECT * FROM parquet_scan('{secret}')
SELECT * FROM parquet_metadata('{secret}')
SELECT * FROM parquet_schema('{secret}')
SELECT * FROM read_duckdb('{other}')
SELECT * FROM read_duckdb('{other}', table_name = 'notes')
SELECT * FROM glob('{out}/../*')
SELECT * FROM glob('/proc/self/*')
SELECT * FROM read_text('/proc/self/environ')
SELECT * FROM '{secret}' AS t
SELECT * FROM "{other}"
SELECT * FROM query('SELECT * FROM read_text(''{secret}'')')
SELECT * FROM query('COPY runs TO ''{out}/s.csv''')
SELECT * FROM query_table('{secret}')
SELECT (SELECT content FROM read_text('{secret}'))
SELECT run FROM runs WHERE run IN (SELECT content FROM read_text('{secret}'))
WITH t AS (SELECT * FROM read_text('{secret}')) SELECT * FROM t
SELECT * FROM read_csv('http://127.0.0.1:{port}/a.csv')
SELECT * FROM 'http://127.0.0.1:{port}/a.parquet'
SELECT * FROM 's3://127.0.0.1:{port}/a.parquet'
ATTACH '{other}' AS x
ATTACH '{out}/t.duckdb' AS x
ATTACH ':memory:' AS x
DETACH runs
INSTALL httpfs
INSTALL httpfs FROM 'http://127.0.0.1:{port}'
LOAD httpfs
LOAD '{out}/x.duckdb_extension'
FORCE INSTALL json
SET enable_external_access = true
SET lock_configuration = false
SET memory_limit = '1TB'
SET temp_directory = '{out}'
SET VARIABLE x = 1
RESET memory_limit
PRAGMA enable_profiling
PRAGMA profiling_output = '{out}/u.json'
PRAGMA database_list
CALL pragma_version()
CHECKPOINT
FORCE CHECKPOINT
VACUUM
ANALYZE
BEGIN
COMMIT
PREPARE x AS SELECT 1
EXECUTE x
CREATE TEMP TABLE x AS SELECT 1
CREATE MACRO f(x) AS x
CREATE TEMP MACRO f(x) AS TABLE SELECT * FROM read_text(x)
CREATE SECRET x (TYPE http, BEARER_TOKEN 'y')
CREATE SEQUENCE x
CREATE TYPE x AS ENUM ('a')
CREATE SCHEMA x
INSERT INTO runs BY NAME SELECT 'x' AS run
INSERT INTO runs (run) VALUES ('x') RETURNING run
MERGE INTO runs USING points ON false WHEN NOT MATCHED THEN INSERT (run) VALUES ('x')
COMMENT ON TABLE runs IS 'x'
SELECT getenv('HOME')
SELECT * FROM sys
SELECT * FROM statements
PIVOT runs ON run USING count(*)
EXPLAIN SELECT 1
SELECT 1; COPY runs TO '{out}/v.csv'
