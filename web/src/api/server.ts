/** Asks the server. Addresses are relative, so that the page also works below a proxy's prefix. */
import { placeOn, type Place } from '../data/clock.ts';
import { ApiError } from './client.ts';
import { Batches } from './batches.ts';
import type { Params, Source } from './source.ts';
import type { Chart } from './types.ts';

const BUCKETS = 5_000;
const MOST = 2 * BUCKETS; // points up to which a series comes whole

const batches = new Batches(async (path, params) => (await ask(path, params)).arrayBuffer());

export const server: Source = {
  json: async (path, params, signal) => (await ask(path, params, signal)).json(),
  series: (wanted, keys) => batches.join(wanted, keys),
  place,
};

async function place(run: string, x: string, charts: Chart[]): Promise<Place> {
  const key = densest(charts);
  if (key === null) return () => null;
  const all = { run, from: null, to: null, buckets: BUCKETS };
  const [[steps], [other]] = await Promise.all([
    batches.join({ ...all, x: 'step' }, [key]),
    batches.join({ ...all, x }, [key]),
  ]);
  return steps?.raw && other?.raw ? placeOn(steps.x, other.x) : () => null;
}

function densest(charts: Chart[]): string | null {
  const names = charts.filter((chart) => chart.kind !== 'heatmap').flatMap((chart) => chart.names);
  const fit = names.filter((name) => name.points <= MOST);
  return fit.reduce<(typeof fit)[number] | null>((best, name) => (best && best.points >= name.points ? best : name), null)?.key ?? null;
}

async function ask(path: string, params: Params, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address(path, params), { signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'the server does not answer; is `runvitals serve` still running?');
  }
  if (!response.ok) throw new ApiError(response.status, await reason(response));
  return response;
}

function address(path: string, params: Params): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== '') query.append(key, String(one));
    }
  }
  const text = query.toString();
  return `api/${path}${text ? `?${text}` : ''}`;
}

async function reason(response: Response): Promise<string> {
  try {
    const { detail } = (await response.json()) as { detail?: string | { msg?: string }[] };
    const told = typeof detail === 'string' ? detail : detail?.[0]?.msg;
    return told ?? `error ${response.status}`;
  } catch {
    return `error ${response.status}`; // not every proxy answers in JSON
  }
}
