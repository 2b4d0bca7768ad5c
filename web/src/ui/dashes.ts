import { SERIES_COLOURS } from '../charts/colours.ts';

/** Once all colours are given, the next runs have them again with dashes: 64 lines that differ. */
export function dashOf(colour: number): number {
  return Math.floor(colour / SERIES_COLOURS);
}
