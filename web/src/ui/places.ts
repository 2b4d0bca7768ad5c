/** A new page begins at its top; who goes back finds the place that was left. */

const GIVE_UP_MS = 2000; // a page that fills slowly may take so long to be high enough again

interface Mark {
  place?: number;
}

history.scrollRestoration = 'manual';
const left = new Map<number, number>();
let here = 0;
let newest = 0;
let timer: ReturnType<typeof setInterval> | undefined;

addEventListener('scroll', () => left.set(here, scrollY), { passive: true });

/** To be called when another page is shown. Its entry in the history is marked if it is new. */
export function arrived(): void {
  const known = (history.state as Mark | null)?.place;
  here = known ?? (newest += 1);
  newest = Math.max(newest, here);
  if (known === undefined) history.replaceState({ ...(history.state as Mark | null), place: here } satisfies Mark, '');
  const wanted = left.get(here) ?? 0;
  const until = performance.now() + GIVE_UP_MS;
  clearInterval(timer);
  const reach = (): void => {
    scrollTo({ top: wanted, behavior: 'instant' });
    if (Math.abs(scrollY - wanted) < 2 || performance.now() > until) clearInterval(timer);
  };
  timer = setInterval(reach, 50);
  reach();
}
