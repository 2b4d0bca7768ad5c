import type { Attachment } from 'svelte/attachments';
import { onPaper } from './paper.svelte.ts';

const MARGIN = '300px'; // so that a chart is there before it is scrolled to

/** Tells whether an element is on the screen or nearly so; all are when the page is printed. */
export function inView(tell: (visible: boolean) => void): Attachment {
  return (element) => {
    if (onPaper.now) {
      tell(true);
      return undefined;
    }
    const observer = new IntersectionObserver((entries) => tell(entries.some((entry) => entry.isIntersecting)), { rootMargin: MARGIN });
    observer.observe(element);
    return () => observer.disconnect();
  };
}
