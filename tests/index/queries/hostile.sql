# one query a line, ⏎ is a line break; {secret} is a file with a secret, {out} a folder, {port} a port that nobody may call
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
