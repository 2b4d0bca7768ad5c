import type { Attachment } from 'svelte/attachments';

const MARGIN = '300px'; // so that a chart is there before it is scrolled to

/** Tells whether an element is on the screen or nearly so. */
export function inView(tell: (visible: boolean) => void): Attachment {
  return (element) => {
    const observer = new IntersectionObserver(
      (entries) => tell(entries.some((entry) => entry.isIntersecting)),
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
}
