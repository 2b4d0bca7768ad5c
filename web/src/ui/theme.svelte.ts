/** Light or dark: as the system says, until the reader chooses; paper is light. */
import { onPaper } from './paper.svelte.ts';

type Choice = 'system' | 'light' | 'dark';

const KEY = 'runvitals.theme';
const CHOICES: Choice[] = ['system', 'light', 'dark'];

class Theme {
  choice = $state<Choice>(remembered());
  #systemDark = $state(matchMedia('(prefers-color-scheme: dark)').matches);
  dark = $derived(!onPaper.now && (this.choice === 'dark' || (this.choice === 'system' && this.#systemDark)));

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
      this.#systemDark = event.matches;
    });
  }

  next(): void {
    this.choice = CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length] as Choice;
    try {
      localStorage.setItem(KEY, this.choice);
    } catch {
      // a browser that keeps nothing still shows the choice until it is closed
    }
  }
}

function remembered(): Choice {
  try {
    const kept = localStorage.getItem(KEY);
    return CHOICES.find((choice) => choice === kept) ?? 'system';
  } catch {
    return 'system';
  }
}

export const theme = new Theme();
