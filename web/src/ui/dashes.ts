import { SERIES_COLOURS } from '../charts/colours.ts';

/** Once all colours are given, the next runs have them again with dashes. */
export function isDashed(colour: number): boolean {
  return Math.floor(colour / SERIES_COLOURS) % 2 === 1;
}
