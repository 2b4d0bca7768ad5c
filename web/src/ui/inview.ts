import type { Attachment } from 'svelte/attachments';

const MARGIN = '300px'; // so that a chart is there before it is scrolled to

/** Tells whether an element is on the screen or nearly so; all are when the page is printed. */
export function inView(tell: (visible: boolean) => void): Attachment {
  return (element) => {
    let onPaper = false;
    const observer = new IntersectionObserver(
      (entries) => tell(onPaper || entries.some((entry) => entry.isIntersecting)),
      { rootMargin: MARGIN },
    );
    const print = (): void => {
      onPaper = true;
      tell(true);
    };
    const printed = (): void => {
      onPaper = false;
      observer.unobserve(element);
      observer.observe(element); // tells anew
    };
    observer.observe(element);
    addEventListener('beforeprint', print);
    addEventListener('afterprint', printed);
    return () => {
      observer.disconnect();
      removeEventListener('beforeprint', print);
      removeEventListener('afterprint', printed);
    };
  };
}
