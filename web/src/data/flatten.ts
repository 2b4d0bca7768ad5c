/** Nested settings as one list: `optim.lr`, one line each. */
export function flatten(values: Record<string, unknown>, prefix = ''): [string, unknown][] {
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const name = prefix ? `${prefix}.${key}` : key;
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
    return nested ? flatten(value as Record<string, unknown>, name) : [[name, value]];
  });
}
