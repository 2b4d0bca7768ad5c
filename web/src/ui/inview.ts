import type { Attachment } from 'svelte/attachments';

const MARGIN = '300px'; // so that a chart is there before it is scrolled to

/** Tells whether an element is on the screen or nearly so; all are when the page is printed. */
export function inView(tell: (visible: boolean) => void): Attachment {
  return (element) => {
    const observer = new IntersectionObserver(
      (entries) => tell(entries.some((entry) => entry.isIntersecting)),
      { rootMargin: MARGIN },
    );
    const print = (): void => tell(true);
    observer.observe(element);
    addEventListener('beforeprint', print);
    return () => {
      observer.disconnect();
      removeEventListener('beforeprint', print);
    };
  };
}
