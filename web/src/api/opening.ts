/** Opens a run before its page is there: what the page shows first is asked for at once, not one after the other. */
import { askAhead } from './client.ts';
import { askSeriesAhead } from './series.ts';
import type { RunDetail } from './types.ts';

const CHARTS = 8; // as many as a screen shows

export function openAhead(id: string): void {
  askAhead<RunDetail>(`runs/${id}`, (run) => askSeriesAhead(id, firstKeys(run)));
}

/** Keys of the series that are seen without scrolling: the outcome, then the charts of the first section. */
export function firstKeys({ charts, outcome }: Pick<RunDetail, 'charts' | 'outcome'>): string[] {
  const essential = charts.filter((chart) => chart.essential);
  const section = essential.length ? essential : charts.filter((chart) => chart.section === charts[0]?.section);
  const own = charts.filter((chart) => outcome && chart.names.some(({ name }) => name === outcome.name));
  const lines = [...own, ...section].filter((chart) => chart.kind === 'line').slice(0, CHARTS);
  return [...new Set(lines.flatMap((chart) => chart.names.map((name) => name.key)))].slice(0, 3 * CHARTS);
}
