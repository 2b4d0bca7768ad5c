# one query a line, ⏎ is a line break
SELECT 1
SELECT 1;
SELECT 1 ; -- done
-- what; is; this⏎SELECT ';'
SELECT 'a;b' AS text -- a comment; with semicolons
SELECT /* one; two */ 3
/* INSERT INTO runs */ SELECT 4
SELECT 'INSERT INTO runs' AS text
SELECT 'x INTO OUTFILE y' AS text
SELECT 'it''s; fine' AS text
SELECT 'back\\slash; and \' quote' AS text
SELECT "run" FROM runs
SELECT `run` FROM runs
select run from runs
FROM runs SELECT run
(SELECT run FROM runs)
((SELECT 1))
WITH 1 AS x SELECT x
WITH r AS (SELECT run FROM runs) SELECT count() FROM r
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t
SELECT * FROM runs
SELECT * FROM runs FINAL
SELECT * FROM points LIMIT 3
SELECT * FROM rollup LIMIT 3
SELECT * FROM spread LIMIT 3
SELECT * FROM metrics LIMIT 3
SELECT * FROM config LIMIT 3
SELECT * FROM fleet LIMIT 3
SELECT * FROM findings LIMIT 3
SELECT * FROM verdicts LIMIT 3
SELECT runvitals.runs.run FROM runvitals.runs
SELECT metric, avg(value) FROM points GROUP BY metric ORDER BY metric
SELECT metric, quantile(0.9)(value) FROM points GROUP BY metric
SELECT run, max(step) AS last FROM points GROUP BY run HAVING last > 1 ORDER BY last DESC
SELECT run, argMax(value, step) FROM points WHERE metric = 'loss' GROUP BY run
SELECT run, verdict FROM fleet WHERE verdict != 'collapsed'
SELECT r.run, count() FROM runs AS r JOIN points AS p ON r.run = p.run GROUP BY r.run
SELECT run FROM runs WHERE run IN (SELECT run FROM points WHERE value > 0)
SELECT run FROM runs UNION ALL SELECT run FROM runs
SELECT run FROM runs UNION DISTINCT SELECT run FROM runs
SELECT run FROM runs INTERSECT SELECT run FROM runs
SELECT run FROM runs EXCEPT SELECT 'nothing'
SELECT step, value, avg(value) OVER (ORDER BY step ROWS 3 PRECEDING) FROM points WHERE metric = 'loss' LIMIT 5
SELECT arrayMap(x -> x * 2, [1, 2, 3])
SELECT tupleElement(t, 1) FROM (SELECT arrayJoin([(1, 2)]) AS t)
SELECT count() FROM points ARRAY JOIN [1, 2] AS twice
SELECT settings['learning_rate'] FROM runs
SELECT run, name, value FROM config WHERE name = 'learning_rate'
SELECT toStartOfHour(time), count() FROM points GROUP BY 1
SELECT now() > toDateTime('2020-01-01 00:00:00')
SELECT toTimeZone(toDateTime(0), 'Asia/Tokyo')
SELECT if(1, 'yes', 'no'), CASE WHEN 1 THEN 2 ELSE 3 END
SELECT value FROM points WHERE metric = 'loss' ORDER BY step LIMIT 1 BY run
SELECT DISTINCT metric FROM points
SELECT count(DISTINCT run) FROM points
SELECT number FROM numbers(3)
SELECT * FROM values('a Int32, b String', (1, 'x'), (2, 'y'))
SELECT NULL, inf, nan, -0.0
SELECT '学習率' AS `loss/学習`, '🙂'
SELECT run FROM runs WHERE name LIKE '%file(%' OR name ILIKE '%url%'
SELECT * EXCEPT (settings) FROM runs
SELECT COLUMNS('^run') FROM runs
SELECT 1 WHERE 0
SHOW TABLES
SHOW CREATE TABLE runs
SHOW COLUMNS FROM runs
DESCRIBE runs
DESCRIBE (SELECT run FROM runs)
EXISTS TABLE runs
EXPLAIN SELECT run FROM runs
SELECT name FROM system.tables WHERE database = 'runvitals'
SELECT table_name FROM information_schema.tables LIMIT 1
SELECT run FROM runs WHERE run = '{{not a parameter}}'
