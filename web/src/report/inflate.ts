/** What lies compressed in an element of the page. */
export async function inflate(id: string): Promise<ArrayBuffer> {
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser is too old; it cannot decompress');
  const text = document.getElementById(id)?.textContent;
  if (!text) throw new Error(`the file is not whole: it has no ${id}`);
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
