/** The page of a report: all that it shows lies in the page itself. */
import { mount } from 'svelte';
import { provide } from '../api/source.ts';
import type { RunDetail } from '../api/types.ts';
import 'uplot/dist/uPlot.min.css';
import '../app.css';
import { inflate } from './inflate.ts';
import { embedded, type Said } from './embedded.ts';
import Report from './Report.svelte';
import './report.css';

async function show(target: HTMLElement): Promise<void> {
  const [answers, points] = await Promise.all([inflate('answers'), inflate('points')]);
  const said = JSON.parse(new TextDecoder().decode(answers)) as Said;
  provide(embedded(said, points));
  target.replaceChildren();
  mount(Report, { target, props: { run: said.answers[`runs/${said.run}`] as RunDetail, made: said.made, version: said.version } });
}

const target = document.getElementById('report');
if (target) {
  show(target).catch((error: unknown) => {
    const told = document.createElement('p');
    told.setAttribute('role', 'alert');
    told.textContent = `The charts cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    target.classList.add('failed');
    target.prepend(told);
  });
}
