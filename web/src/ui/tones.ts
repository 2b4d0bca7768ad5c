/** How good a verdict is. Without one nothing is said: neither well nor ill. */
export type Tone = 'good' | 'watch' | 'bad' | 'none' | 'waiting';

const TONES: Record<string, Tone> = {
  learning: 'good',
  learned: 'good',
  'not learning': 'bad',
  collapsed: 'bad',
  diverged: 'bad',
  stalled: 'watch',
  overfitting: 'watch',
};

export function toneOf(verdict: string | null): Tone {
  return verdict === null ? 'waiting' : (TONES[verdict] ?? 'none');
}
