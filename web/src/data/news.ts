/** Takes over what is new in the list of runs. */
import type { LiveEvent, RunList, RunRow } from '../api/types.ts';

export function updated(known: RunList | null, news: RunList): RunList {
  if (!known || news.whole) return news;
  if (!news.runs.length && !news.gone.length) return { ...news, runs: known.runs, whole: true };
  const fresh = new Map(news.runs.map((run) => [run.id, run]));
  const gone = new Set(news.gone);
  const kept = known.runs.filter((run) => !gone.has(run.id)).map((run) => {
    const next = fresh.get(run.id);
    fresh.delete(run.id);
    return next ?? run;
  });
  return { ...news, runs: [...kept, ...fresh.values()], whole: true };
}

/** New points say how far a run is; its verdict follows with the list. */
export function grown(run: RunRow, event: LiveEvent | undefined, now: number = Date.now() / 1000): RunRow {
  if (!event || (event.points ?? 0) <= run.points) return run;
  return {
    ...run,
    last_step: event.last_step ?? run.last_step ?? null,
    points: event.points ?? run.points,
    status: event.status ?? run.status,
    updated: now,
  };
}
