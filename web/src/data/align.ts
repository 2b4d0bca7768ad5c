/**
 * Several series on one x axis, as uPlot wants them: `undefined` where a series has no point (the line
 * goes on), `null` where its value is not a number (the line breaks).
 */
export type Column = (number | null | undefined)[];

export interface Pairs {
  x: ArrayLike<number>;
  columns: ArrayLike<number>[];
}

export function align(tables: Pairs[]): [number[], ...Column[]] {
  const [first] = tables;
  if (first && tables.every((table) => same(table.x, first.x))) {
    return [Array.from(first.x), ...tables.flatMap((table) => table.columns.map(finite))];
  }
  const x = union(tables.map((table) => table.x));
  const place = new Map(x.map((at, index) => [at, index]));
  const columns: Column[] = [];
  for (const table of tables) {
    for (const values of table.columns) {
      const column: Column = new Array(x.length);
      for (let i = 0; i < table.x.length; i += 1) {
        const value = values[i] as number;
        column[place.get(table.x[i] as number) as number] = Number.isFinite(value) ? value : null;
      }
      columns.push(column);
    }
  }
  return [x, ...columns];
}

function same(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

function finite(values: ArrayLike<number>): Column {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}

function union(axes: ArrayLike<number>[]): number[] {
  const all = new Set<number>();
  for (const axis of axes) for (let i = 0; i < axis.length; i += 1) all.add(axis[i] as number);
  return [...all].sort((a, b) => a - b);
}

/** The value of a column at an index, or the nearest one before it. */
export function valueAt(column: Column | undefined, index: number): number | null {
  for (let i = index; column && i >= 0; i -= 1) {
    const value = column[i];
    if (value !== undefined) return value;
  }
  return null;
}

/** Each series on top of those before it; missing points hold their last value. */
export function stack(columns: Column[]): Column[] {
  const length = columns[0]?.length ?? 0;
  const below = new Array<number>(length).fill(0);
  return columns.map((column) => {
    let held = 0;
    return below.map((base, i) => {
      const value = column[i];
      if (value !== undefined) held = value ?? 0;
      below[i] = base + held;
      return base + held;
    });
  });
}

/** Where the least, the middle and the greatest of all columns lie at each x. */
export function spread(columns: Column[]): { low: Column; middle: Column; high: Column } {
  const length = columns[0]?.length ?? 0;
  const low: Column = [];
  const middle: Column = [];
  const high: Column = [];
  for (let i = 0; i < length; i += 1) {
    const values = columns.map((column) => column[i]).filter((value) => typeof value === 'number');
    values.sort((a, b) => a - b);
    low.push(values[0]);
    high.push(values.at(-1));
    const half = values.length / 2;
    middle.push(
      values.length % 2
        ? values[Math.floor(half)]
        : values.length
          ? ((values[half - 1] as number) + (values[half] as number)) / 2
          : undefined,
    );
  }
  return { low, middle, high };
}
