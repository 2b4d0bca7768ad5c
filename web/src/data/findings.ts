/** Findings of a run in the order to read them, with their consequences. */
import type { Chart, Finding, Severity } from '../api/types.ts';

const ORDER = { critical: 0, warning: 1, notice: 2 };

/** Whether a person should look: a notice is only worth knowing, and the log is not the run. */
export function isAlarm(finding: Finding): boolean {
  return finding.severity !== 'notice' && !finding.about_log;
}

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

export interface Stretch {
  first: number;
  last: number;
  severity: Severity;
  code: string;
  message: string;
  /** The finding of the run that it belongs to, itself or as a consequence. */
  index: number;
  /** Whether the finding rests on this chart, rather than being seen here as well. */
  own: boolean;
}

/** What to shade in a chart: findings that rest on its series, and where others show in them. */
export function stretches(chart: Pick<Chart, 'metric' | 'names' | 'findings'>, findings: Finding[]): Stretch[] {
  const mine = new Set([...chart.names.map((name) => name.name), ...(chart.metric ? [chart.metric] : [])]);
  const seen = (finding: Finding, index: number): Stretch[] => {
    const own = mine.has(finding.series) || mine.has(finding.metric ?? '');
    const here = own || finding.also.some((name) => mine.has(name));
    const { first, last } = finding.span;
    const severity: Severity = finding.about_log ? 'notice' : finding.severity;
    return [
      ...(here ? [{ first, last, severity, code: finding.code, message: finding.message, index, own }] : []),
      ...finding.follows.flatMap((effect) => seen(effect, index)),
    ];
  };
  return chart.findings.flatMap((index) => (findings[index] ? seen(findings[index], index) : []));
}
