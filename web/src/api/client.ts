/** Asks the server. Addresses are relative, so that the page also works below a proxy's prefix. */

export type Params = Record<string, string | number | string[] | null | undefined>;

export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const response = await ask(path, params, signal);
  return (await response.json()) as T;
}

export async function getBinary(path: string, params: Params, signal?: AbortSignal): Promise<ArrayBuffer> {
  const response = await ask(path, params, signal);
  return response.arrayBuffer();
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
