/** Asks the server. Addresses are relative, so that the page also works below a proxy's prefix. */
import { placeOn, type Place } from '../data/clock.ts';
import { ApiError } from './client.ts';
import { Batches } from './batches.ts';
import { unpack, type Points } from '../data/packed.ts';
import type { Params, Source, Wanted } from './source.ts';
import type { Milestones, Writing } from './types.ts';

const batches = new Batches(async (path, params) => (await ask(path, params)).arrayBuffer());

export const server: Source = {
  json: async (path, params, signal) => (await ask(path, params, signal)).json(),
  put,
  series: (wanted, keys, now) => batches.join(wanted, keys, now),
  seriesNow,
  place,
};

async function place(run: string, x: string): Promise<Place> {
  const found = (await (await ask(`runs/${run}/milestones`, { x })).json()) as Milestones;
  return placeOn(found.steps, found.x);
}

function seriesNow({ run, x, from, to, buckets }: Wanted, keys: string[]): Points[] {
  const request = new XMLHttpRequest();
  request.open('GET', address(`runs/${run}/series`, { name: keys, x, from, to, buckets }), false);
  request.overrideMimeType('text/plain; charset=x-user-defined'); // bytes as they are; waiting requests give no others
  request.send();
  if (request.status !== 200) throw new ApiError(request.status, `error ${request.status}`);
  return unpack(Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0)).buffer);
}

/** The server tells its pages a word that other sites cannot read; only who says it may write. */
async function put(path: string, params: Params, content: unknown): Promise<unknown> {
  const { token } = (await (await ask('write', {})).json()) as Writing;
  const headers = { 'Content-Type': 'application/json', 'X-Runvitals-Token': token ?? '' };
  return (await ask(path, params, undefined, { method: 'PUT', headers, body: JSON.stringify(content) })).json();
}

async function ask(path: string, params: Params, signal?: AbortSignal, how: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address(path, params), { ...how, signal: signal ?? null });
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
