/** The address of a page: everything after `#`. All that a page shows can be sent as a link. */

export interface Route {
  /** Parts of the path, decoded: ['runs', 'abc', 'samples']. */
  path: string[];
  query: URLSearchParams;
}

export function parse(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#/, ''));
  return {
    path: path.split('/').filter(Boolean).map(decode),
    query: new URLSearchParams(query),
  };
}

export function link(path: string[], query: Record<string, string | string[] | null | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== '') search.append(key, one);
    }
  }
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

function split(text: string): [string, string] {
  const mark = text.indexOf('?');
  return mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a stray % in a hand-made address
  }
}
