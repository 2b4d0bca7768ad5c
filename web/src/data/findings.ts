/** Findings of a run in the order to read them, with their consequences. */
import type { Finding } from '../api/types.ts';

const ORDER = { critical: 0, warning: 1, notice: 2 };

export interface Told {
  finding: Finding;
  /** Its place in the run's list, by which charts know it. */
  index: number;
}

export function worstFirst(findings: Finding[]): Told[] {
  return findings
    .map((finding, index) => ({ finding, index }))
    .sort((a, b) => ORDER[a.finding.severity] - ORDER[b.finding.severity] || a.index - b.index);
}
