import {
  elementsOf,
  type Reference,
  readPage,
  referenceOf,
  referencesOf,
  styleElementReferences,
} from '../../routers/rules/uploads/page-references.ts';
import { fileReferences, scriptReferences } from '../../routers/rules/uploads/script-references.ts';
import { leadsInside, mayHoldLinks, withoutFolder } from '../../routers/rules/uploads/upload-links.ts';
import type { SelectionReport } from './inspect.ts';
import { type SelectionItem, selectionItems } from './selection/apply-rules.ts';
import type { SelectedFolder } from './selection/selection.ts';

/**
 * Makes a copy of a selection whose pages, style sheets and scripts name files relative to their own place, so that
 * the site works below a folder. The files on the person's computer do not change.
 *
 * Returns the copy, as a folder. Throws `SelectionUnreadable`, and the browser's error for a file that is gone.
 */
export async function copyWithRelativeLinks({
  selection,
  reading,
  inspection,
}: SelectionReport): Promise<SelectedFolder> {
  const folder = inspection.rootLinks?.folder ?? null;
  const published = new Map(reading.files.map(({ path, source }) => [source, path]));
  const files: SelectedFolder['files'] = [];
  let relativeLinks = 0;
  for (const item of selectionItems(selection)) {
    const file = await fileOf(item);
    const path = published.get(item.source);
    const copy = path === undefined || !mayHoldLinks(item) ? null : await rewritten(path, file, folder);
    relativeLinks += copy?.count ?? 0;
    const unpacked = 'unpack' in item.source && { isLink: item.source.isLink, encoding: item.source.encoding };
    files.push({ path: item.path, file: copy?.file ?? file, ...unpacked });
  }
  return { name: selection.name, files, relativeLinks };
}

async function fileOf({ source }: SelectionItem): Promise<File> {
  return 'file' in source ? source.file : source.unpack();
}

/** Returns null when no link changes. */
async function rewritten(
  path: string,
  file: File,
  folder: string | null,
): Promise<{ file: File; count: number } | null> {
  // Read byte by byte, since new text is ASCII and the rest keeps its encoding, whatever that is.
  const { text, count } = withRelativeLinks(path, textOfBytes(new Uint8Array(await file.arrayBuffer())), folder);
  if (count === 0) return null;
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  // The time of change is new as well, so that the recorded hash of the original is not used.
  return { file: new File([bytes], file.name, { type: file.type, lastModified: Date.now() }), count };
}

const CHUNK_BYTES = 32 * 1024;

function textOfBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES)));
  }
  return parts.join('');
}

/**
 * Returns the text with its links that begin with a slash rewritten relative to the file at `path`, and their count.
 * The `folder` that the site was built for is left out of them.
 */
export function withRelativeLinks(
  path: string,
  text: string,
  folder: string | null = null,
): { text: string; count: number } {
  const toRoot = upFrom(path);
  const references = fileReferences(path, text);
  const edits =
    references === null
      ? pageEdits(path, text, folder)
      : Array.from(references, (reference) => ({ reference, prefix: toRoot }));
  const wanted = edits.filter(({ reference: { target } }) => isFromRoot(target));
  const pieces: string[] = [];
  let at = 0;
  for (const { reference, prefix } of wanted.toSorted((a, b) => a.reference.start - b.reference.start)) {
    pieces.push(text.slice(at, reference.start), prefix);
    at = reference.start + startLength(text.slice(reference.start, reference.end), folder);
  }
  return { text: pieces.join('') + text.slice(at), count: wanted.length };
}

/**
 * Returns the length of the part of a link that leads to the root of the site: the first slash, and the folder of the
 * site.
 */
function startLength(written: string, folder: string | null): number {
  if (folder === null || withoutFolder(written, folder) === written) return 1;
  return `/${folder}`.length + (written.charAt(folder.length + 1) === '/' ? 1 : 0);
}

type Edit = { reference: Reference; prefix: string };

/** In a page with a base, links are relative to that. A base on another host leaves the page unchanged. */
function pageEdits(path: string, text: string, folder: string | null): Edit[] {
  const page = readPage(text, { isWhole: true });
  const references: Reference[] = [];
  let base: Reference | null = null;
  for (const { element, attributes } of elementsOf(page)) {
    const href = element === 'base' ? attributes.find(({ name }) => name === 'href') : undefined;
    if (href !== undefined) base ??= referenceOf(href);
    references.push(...referencesOf(element, attributes));
  }
  references.push(...styleElementReferences(page), ...scriptReferences(text, page));
  const toRoot = upFrom(path);
  if (base === null) return references.map((reference) => ({ reference, prefix: toRoot }));
  const at = baseAt(path, folder === null ? base.target : withoutFolder(base.target, folder));
  if (at === null) return [];
  const prefix = upFrom(at);
  return [{ reference: base, prefix: toRoot }, ...references.map((reference) => ({ reference, prefix }))];
}

const HOST = 'http://site.test';

/** Returns the path of a page's base; null for one on another host. */
function baseAt(path: string, base: string): string | null {
  const page = `${HOST}/${path.split('/').map(encodeURIComponent).join('/')}`;
  const url = URL.canParse(base, page) ? new URL(base, page) : null;
  return url?.origin === HOST ? url.pathname.slice(1) : null;
}

/** Returns the way from a file to the root. It is never empty, since `a:b.html` alone would name a protocol. */
function upFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 1) || './';
}

function isFromRoot(target: string): boolean {
  return leadsInside(target) && /^\/(?![/\\])/.test(target);
}
