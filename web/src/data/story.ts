/** One finding as a story: its evidence on one time axis, the cause first and what followed in order. */
import type { Chart, Finding } from '../api/types.ts';

export interface Strip {
  finding: Finding;
  /** The chart that shows its series, and the key of the series there. */
  chart: Chart;
  key: string;
  /** Codes of other findings on the same series. */
  codes: string[];
}

export interface Story {
  strips: Strip[];
  /** What follows as well, but has no strip of its own. */
  rest: Finding[];
}

const MOST = 5; // strips that fit above the fold

function chartOf(charts: Chart[], finding: Finding): [Chart, string] | null {
  const lines = charts.filter((chart) => chart.kind !== 'heatmap');
  for (const wanted of [finding.series, ...finding.also, finding.metric ?? '']) {
    for (const chart of lines) {
      const found = chart.names.find((name) => name.name === wanted && (finding.rank === null || finding.rank === undefined || name.rank === finding.rank)) ?? chart.names.find((name) => name.name === wanted);
      if (found) return [chart, found.key];
      if (wanted && chart.metric === wanted && chart.names[0]) return [chart, chart.names[0].key];
    }
  }
  return null;
}

function consequences(finding: Finding): Finding[] {
  return finding.follows.flatMap((effect) => [effect, ...consequences(effect)]);
}

const WORSE = { critical: 0, warning: 1, notice: 2 };

/** What a finding rests on, then what followed from it; `told` is what the page shows already. */
export function storyOf(finding: Finding, charts: Chart[], told: string | null): Story {
  const strips: Strip[] = [];
  const rest: Finding[] = [];
  const effects = consequences(finding);
  const worstFirst = effects.toSorted((a, b) => WORSE[a.severity] - WORSE[b.severity] || a.span.first - b.span.first);
  for (const one of [finding, ...worstFirst]) {
    const found = chartOf(charts, one);
    const known = found && strips.find((strip) => strip.chart === found[0]);
    if (known) known.codes.push(one.code);
    else if (found && strips.length < MOST && one.series !== told) strips.push({ finding: one, chart: found[0], key: found[1], codes: [one.code] });
    else rest.push(one);
  }
  // series that the finding names beside its own are evidence as well
  for (const name of finding.also) {
    const found = strips.length < MOST && name !== told ? chartOf(charts, { ...finding, series: name, also: [], metric: null }) : null;
    if (found && !strips.some((strip) => strip.chart === found[0])) strips.push({ finding, chart: found[0], key: found[1], codes: [] });
  }
  const after = strips.filter((strip) => strip.finding !== finding).sort((a, b) => a.finding.span.first - b.finding.span.first);
  return { strips: [...strips.filter((strip) => strip.finding === finding), ...after], rest: rest.filter((one) => one !== finding) };
}
