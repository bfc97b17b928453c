/** Nobody edits larger texts by hand, and a browser would choke on the lines of some of them. */
export const TEXT_MAX_BYTES = 1024 * 1024;
/** Larger pictures are not loaded for a preview. */
export const IMAGE_MAX_BYTES = 20 * 1024 * 1024;

const IMAGES: Partial<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
};

/** Returns the type of an image by its name; null for any other file. An SVG is a text. */
export function imageType(path: string): string | null {
  return IMAGES[extensionOf(path)] ?? null;
}

const NO_TEXTS = new Set(
  'woff woff2 ttf otf eot mp3 mp4 m4a m4v mov ogg wav webm pdf zip gz br zst wasm psd docx xlsx'.split(' '),
);

/** Returns whether a file may be a text, by its name. */
export function mayBeText(path: string): boolean {
  return imageType(path) === null && !NO_TEXTS.has(extensionOf(path));
}

/** Returns the extension of a name in lower case, without its dot. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

/** Reads a text; returns null for bytes that are not UTF-8, or contain a NUL, which no text does. */
export async function readText(blob: Blob): Promise<string | null> {
  if (blob.size > TEXT_MAX_BYTES) return null;
  try {
    // The byte order mark at its beginning stays: an untouched text is published to the byte.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await blob.arrayBuffer());
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
