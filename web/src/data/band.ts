/** A healthy range in words. */
import type { HealthyBand } from '../api/types.ts';
import { number } from './format.ts';

export function bandText({ low, high }: Pick<HealthyBand, 'low' | 'high'>): string {
  if (low === null) return `up to ${number(high)}`;
  if (high === null) return `from ${number(low)}`;
  return `${number(low)} to ${number(high)}`;
}
