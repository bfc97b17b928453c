import type { Content } from './draft.ts';

/** Gives how many bytes a content has. */
export function sizeOf(content: Content): number {
  if ('text' in content) return new TextEncoder().encode(content.text).length;
  return 'blob' in content ? content.blob.size : content.sizeBytes;
}

/** Gives the bytes of a content that is here; null for one that the server has. */
export function blobOf(content: Content): Blob | null {
  if ('text' in content) return new Blob([content.text]);
  return 'blob' in content ? content.blob : null;
}
