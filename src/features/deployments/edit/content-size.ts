import type { Content } from './draft.ts';

/** Returns the number of bytes of a content. */
export function sizeOf(content: Content): number {
  if ('text' in content) return new TextEncoder().encode(content.text).length;
  return 'blob' in content ? content.blob.size : content.sizeBytes;
}

/** Returns the bytes of a local content; null for one that the server has. */
export function blobOf(content: Content): Blob | null {
  if ('text' in content) return new Blob([content.text]);
  return 'blob' in content ? content.blob : null;
}
