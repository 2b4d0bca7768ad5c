# one query a line, ⏎ is a line break
SELECT 1
SELECT 1;
SELECT 1 ; -- done
-- what; is; this⏎SELECT ';'
SELECT 'a;b' AS text -- a comment; with semicolons
SELECT /* one; two */ 3
/* INSERT INTO runs */ SELECT 4
SELECT 'INSERT INTO runs' AS text
SELECT 'COPY x TO y' AS text
SELECT 'it''s; fine' AS text
SELECT 'back\slash; and "quote"' AS text
SELECT "run" FROM runs
select run from runs
FROM runs SELECT run
FROM runs
TABLE runs
VALUES (1), (2)
(SELECT run FROM runs)
((SELECT 1))
WITH x AS (SELECT 1 AS n) SELECT n FROM x
WITH r AS (SELECT run FROM runs) SELECT count(*) FROM r
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t
SELECT * FROM runs
SELECT * FROM points LIMIT 3
SELECT * FROM spread LIMIT 3
SELECT * FROM metrics LIMIT 3
SELECT * FROM config LIMIT 3
SELECT * FROM fleet LIMIT 3
SELECT * FROM findings LIMIT 3
SELECT * FROM verdicts LIMIT 3
SELECT main.runs.run FROM main.runs
SELECT metric, avg(value) FROM points GROUP BY metric ORDER BY metric
SELECT metric, avg(value) FROM points GROUP BY ALL ORDER BY ALL
SELECT metric, quantile_cont(value, 0.9) FROM points GROUP BY metric
SELECT run, max(step) AS last FROM points GROUP BY run HAVING last > 1 ORDER BY last DESC
SELECT run, arg_max(value, step) FROM points WHERE metric = 'loss' GROUP BY run
SELECT run, verdict FROM fleet WHERE verdict != 'collapsed'
SELECT run, rule, learning_rate FROM fleet WHERE ended > now() - INTERVAL 7 DAY
SELECT r.run, count(*) FROM runs AS r JOIN points AS p ON r.run = p.run GROUP BY r.run
SELECT a.step, b.value FROM points AS a ASOF JOIN points AS b ON a.run = b.run AND a.step >= b.step LIMIT 3
SELECT run FROM runs WHERE run IN (SELECT run FROM points WHERE value > 0)
SELECT run FROM runs UNION ALL SELECT run FROM runs
SELECT run FROM runs UNION SELECT run FROM runs
SELECT run FROM runs INTERSECT SELECT run FROM runs
SELECT run FROM runs EXCEPT SELECT 'nothing'
SELECT step, value, avg(value) OVER (ORDER BY step ROWS 3 PRECEDING) FROM points WHERE metric = 'loss' LIMIT 5
SELECT step FROM points QUALIFY row_number() OVER (PARTITION BY run ORDER BY step) = 1
SELECT list_transform([1, 2, 3], lambda x: x * 2)
SELECT [x * 2 FOR x IN [1, 2, 3]]
SELECT t.a FROM (SELECT unnest([{'a': 1, 'b': 2}]) AS t)
SELECT settings['learning_rate'] FROM runs
SELECT run, name, value FROM config WHERE name = 'learning_rate'
SELECT date_trunc('hour', time), count(*) FROM points GROUP BY 1
SELECT now() > TIMESTAMP '2020-01-01 00:00:00'
SELECT TIMESTAMP '2020-01-01 00:00:00' AT TIME ZONE 'Asia/Tokyo'
SELECT if(true, 'yes', 'no'), CASE WHEN true THEN 2 ELSE 3 END
SELECT DISTINCT metric FROM points
SELECT DISTINCT ON (run) run, value FROM points ORDER BY run, step
SELECT count(DISTINCT run) FROM points
SELECT range FROM range(3)
SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS t (a, b)
SELECT NULL, 'inf'::DOUBLE, 'nan'::DOUBLE, -0.0
SELECT '学習率' AS "loss/学習", '🙂'
SELECT run FROM runs WHERE name LIKE '%file(%' OR name ILIKE '%url%'
SELECT * EXCLUDE (settings) FROM runs
SELECT COLUMNS('^run') FROM runs
SELECT 1 WHERE false
SELECT run FROM runs USING SAMPLE 1 ROWS
SELECT sum(step), 1::HUGEINT, 2::DECIMAL(5, 2) FROM points
SHOW TABLES
DESCRIBE runs
SUMMARIZE runs
DESCRIBE SELECT run FROM runs
SELECT table_name FROM information_schema.tables
SELECT * FROM duckdb_tables()
SELECT run FROM runs WHERE run = '{{not a parameter}}'
SELECT * FROM query('SELECT 1')
