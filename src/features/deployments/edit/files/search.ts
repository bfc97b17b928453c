import { mayBeText, TEXT_MAX_BYTES } from '../../../../lib/texts.ts';
import { sizeOf } from '../content-size.ts';
import type { Content } from '../draft.ts';

/** A place in a text, counted from 1, with the text around it; `line` is null when the name of the file matches. */
export type Hit = { path: string; line: number | null; text: string };
export type Search = {
  hits: readonly Hit[];
  searchedCount: number;
  fileCount: number;
  /** There may be more hits than these. */
  isCut: boolean;
  /** Texts that are not looked into, being too large or too many. */
  leftOutCount: number;
};

/** More than anybody reads; a longer word finds fewer. */
const HITS_MAX = 300;
/** Each file is a request of its own the first time. */
const FILES_MAX = 2_000;
/** The screen is updated after this many files. */
const FILES_A_STEP = 20;
/** The text that is shown before and after the match. */
const BEFORE = 24;
const SHOWN = 120;

/** Searches the names and then the texts of all files, ignoring case; yields the hits so far. */
export async function* searchFiles(
  files: ReadonlyMap<string, Content>,
  words: string,
  read: (content: Content) => Promise<string | null>,
): AsyncGenerator<Search> {
  const wanted = words.toLowerCase();
  const texts = [...files].filter(([path]) => mayBeText(path));
  const searched = texts.filter(([, content]) => sizeOf(content) <= TEXT_MAX_BYTES).slice(0, FILES_MAX);
  const [fileCount, leftOutCount] = [searched.length, texts.length - searched.length];
  const named = [...files.keys()].filter((path) => path.toLowerCase().includes(wanted));
  const hits: Hit[] = named.slice(0, HITS_MAX).map((path) => ({ path, line: null, text: '' }));
  let searchedCount = 0;
  for (const [path, content] of searched) {
    if (hits.length >= HITS_MAX) break;
    if (searchedCount % FILES_A_STEP === 0)
      yield { hits: [...hits], searchedCount, fileCount, isCut: false, leftOutCount };
    const text = await read(content);
    if (text !== null) hits.push(...hitsIn(path, text, wanted, HITS_MAX - hits.length));
    searchedCount += 1;
  }
  yield { hits, searchedCount: fileCount, fileCount, isCut: hits.length >= HITS_MAX, leftOutCount };
}

function hitsIn(path: string, text: string, wanted: string, most: number): Hit[] {
  const hits: Hit[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (hits.length === most) break;
    const at = line.toLowerCase().indexOf(wanted);
    if (at === -1) continue;
    const start = Math.max(0, at - BEFORE);
    hits.push({ path, line: index + 1, text: (start > 0 ? '…' : '') + line.slice(start, start + SHOWN).trim() });
  }
  return hits;
}
