import {
  INSPECTED_TEXTS,
  inspectUpload,
  type UploadInspection,
} from '../../routers/rules/uploads/upload-inspection.ts';
import type { UploadReading } from '../../routers/rules/uploads/upload-rules.ts';
import { inspectText, type TextFindings, textsToRead } from '../../routers/rules/uploads/upload-text-problems.ts';
import { applyRules, innerFolder, type SelectionItem } from './selection/apply-rules.ts';
import { readPrivateKeys } from './selection/private-keys.ts';
import { isZip, type Selection, selectionTitle } from './selection/selection.ts';
import { isSameSelection, type StoredSelection } from './stored-selections.ts';
import { reselectTitle } from './waiting-selection.ts';

/**
 * A selection that was read and checked: the files that would be published, and the findings that a person should know
 * before.
 */
export type SelectionReport = {
  selection: Selection;
  publishAnyway: readonly string[];
  reading: UploadReading<SelectionItem>;
  inspection: UploadInspection;
  /** The number of texts that were not examined, because there are too many. */
  unreadTexts: number;
  /**
   * The folder with the built site inside the selection, as if it had been selected in place of the whole; null when
   * there is none.
   */
  buildFolder: Selection | null;
  /** The selection that a reload lost, and whether this one is the same. */
  reselected: { title: string; isSame: boolean } | null;
};

/** A page shows at its start what kind of page it is, and a log named index.html must not fill the memory. */
const INSPECTED_BYTES = 1024 * 1024;
/** Texts are read side by side, because one by one most of the time passes in waiting. */
const TEXTS_AT_ONCE = 16;

/** Applies the server's own rules in the browser, so that nothing is a surprise after the upload. */
export async function inspectSelection(
  selection: Selection,
  publishAnyway: readonly string[] = [],
  wanted: StoredSelection | null = null,
): Promise<SelectionReport> {
  await readPrivateKeys(selection);
  const reading = applyRules(selection, { publishAnyway, takesRootOff: true });
  const texts = new Map<string, string>();
  for (const name of INSPECTED_TEXTS) {
    const found = reading.files.find(({ path }) => path === name);
    const text = found === undefined ? null : await textOf(found);
    if (text !== null) texts.set(name, text);
  }
  const { looks, unreadTexts } = reading.refusal === null ? await lookIntoTexts(reading.files) : NO_LOOKS;
  const inspection = inspectUpload(reading.files, texts, looks);
  const reselected = wanted && { title: reselectTitle(wanted), isSame: isSameSelection(wanted, selection) };
  const buildFolder = buildFolderOf(selection, inspection);
  return { selection, publishAnyway, reading, inspection, unreadTexts, buildFolder, reselected };
}

function buildFolderOf(selection: Selection, { buildFolder, entryPage, kind }: UploadInspection): Selection | null {
  // Some tools have a page of that name as the input of their build.
  const isFinished = entryPage !== null && kind !== 'source';
  // A folder of a ZIP cannot be narrowed again.
  if (buildFolder === null || isFinished || (isZip(selection) && selection.within !== '')) return null;
  return { ...innerFolder(selection, buildFolder), name: selectionTitle(selection) };
}

const NO_LOOKS = { looks: new Map<string, TextFindings>(), unreadTexts: 0 };

/** Findings about a file stay true while the file is the same, so that ticking a box reads nothing again. */
const knownLooks = new WeakMap<object, TextFindings>();

async function lookIntoTexts(
  files: readonly SelectionItem[],
): Promise<{ looks: Map<string, TextFindings>; unreadTexts: number }> {
  const { chosen, unreadCount } = textsToRead(files);
  const looks = new Map<string, TextFindings>();
  for (let start = 0; start < chosen.length; start += TEXTS_AT_ONCE) {
    const some = chosen.slice(start, start + TEXTS_AT_ONCE);
    const found = await Promise.all(some.map(async (file) => ({ path: file.path, look: await lookOf(file) })));
    for (const { path, look } of found) looks.set(path, look);
  }
  return { looks, unreadTexts: unreadCount };
}

async function lookOf(file: SelectionItem): Promise<TextFindings> {
  const identity = 'file' in file.source ? file.source.file : file.source.unpack;
  const known = knownLooks.get(identity);
  if (known !== undefined) return known;
  const look = inspectText(file, (await textOf(file, file.sizeBytes)) ?? '');
  knownLooks.set(identity, look);
  return look;
}

/** Reads the start of a file as text; null when it cannot be read, which sending it will report in its own words. */
async function textOf({ source, sizeBytes }: SelectionItem, maxBytes = INSPECTED_BYTES): Promise<string | null> {
  try {
    if ('file' in source) return await source.file.slice(0, maxBytes).text();
    return sizeBytes > maxBytes ? null : await (await source.unpack()).text();
  } catch {
    return null;
  }
}
