/** Light or dark: as the system says, until the reader chooses. */
type Choice = 'system' | 'light' | 'dark';

const KEY = 'runvitals.theme';
const CHOICES: Choice[] = ['system', 'light', 'dark'];

class Theme {
  choice = $state<Choice>(remembered());
  #systemDark = $state(matchMedia('(prefers-color-scheme: dark)').matches);
  #onPaper = $state(false);
  dark = $derived(!this.#onPaper && (this.choice === 'dark' || (this.choice === 'system' && this.#systemDark)));

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
      this.#systemDark = event.matches;
    });
    addEventListener('beforeprint', () => (this.#onPaper = true));
    addEventListener('afterprint', () => (this.#onPaper = false));
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
