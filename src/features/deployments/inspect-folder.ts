import {
  INSPECTED_TEXTS,
  inspectUpload,
  type ProblemPlace,
  type UploadInspection,
} from '../../../routers/schemas/upload-inspection.ts';
import { leftOutRule, visiblePath } from '../../../routers/schemas/upload-rules.ts';
import { lookInto, type TextLook, textsToRead } from '../../../routers/schemas/upload-text-problems.ts';
import { fingerprintOf } from '../../api/upload-fingerprint.ts';
import { publishedPicks, readPicked } from '../../api/upload-offer.ts';
import type { OfferedPick, Picked } from '../../api/upload-picks.ts';
import type { UploadRecord } from '../../api/upload-record.ts';
import { formatCount, formatSize } from '../../lib/format.ts';
import { askedName } from './asked-again.tsx';
import { type FolderReport, folderNoun } from './folder-report.ts';

export type Finding = {
  /** Stable within a report. */
  id: string;
  verdict: 'good' | 'warn' | 'bad' | 'secret' | 'removed';
  message: string;
  /** What is shown as code at the end of the message: a path. */
  path: string | null;
  /** Behind the toggle: why, and what to do. */
  detail: string | null;
  /** Files that the finding is about, each with its own reason. */
  leftOut: FolderReport['reading']['leftOut'];
  /** Where in the files it stands. */
  places: readonly ProblemPlace[];
};

/** Of a page of one's own a look at its start is enough, and a log named index.html fills no memory. */
const INSPECTED_BYTES = 1024 * 1024;
/** Read ahead of one another: one by one most of the time goes by in waiting (performance facts, section 4). */
const TEXTS_AT_ONCE = 16;

/** Applies the server's own rules in the browser, so that nothing is a surprise after the upload. */
export async function inspectFolder(
  folder: Picked,
  publishAnyway: readonly string[] = [],
  asked: UploadRecord | null = null,
): Promise<FolderReport> {
  const reading = readPicked(folder, { publishAnyway, takesRootOff: true });
  const texts = new Map<string, string>();
  for (const name of INSPECTED_TEXTS) {
    const found = reading.files.find(({ path }) => path === name);
    const text = found === undefined ? null : await textOf(found);
    if (text !== null) texts.set(name, text);
  }
  const { looks, unreadTexts } = reading.refusal === null ? await lookIntoTexts(reading.files) : NO_LOOKS;
  const inspection = inspectUpload(reading.files, texts, looks);
  return { folder, publishAnyway, reading, inspection, unreadTexts, asked: asked && compare(folder, asked) };
}

function compare(folder: Picked, asked: UploadRecord): NonNullable<FolderReport['asked']> {
  return { name: askedName(asked), isSame: fingerprintOf(publishedPicks(folder, [])) === asked.fingerprint };
}

const NO_LOOKS = { looks: new Map<string, TextLook>(), unreadTexts: 0 };

/** What was found in a file stays true while it is the same: ticking a box reads nothing again. */
const knownLooks = new WeakMap<object, TextLook>();

async function lookIntoTexts(
  files: readonly OfferedPick[],
): Promise<{ looks: Map<string, TextLook>; unreadTexts: number }> {
  const { chosen, unreadCount } = textsToRead(files);
  const looks = new Map<string, TextLook>();
  for (let start = 0; start < chosen.length; start += TEXTS_AT_ONCE) {
    const some = chosen.slice(start, start + TEXTS_AT_ONCE);
    const found = await Promise.all(some.map(async (file) => ({ path: file.path, look: await lookOf(file) })));
    for (const { path, look } of found) looks.set(path, look);
  }
  return { looks, unreadTexts: unreadCount };
}

async function lookOf(file: OfferedPick): Promise<TextLook> {
  const identity = 'file' in file.source ? file.source.file : file.source.unpack;
  const known = knownLooks.get(identity);
  if (known !== undefined) return known;
  const look = lookInto(file, (await textOf(file, file.sizeBytes)) ?? '');
  knownLooks.set(identity, look);
  return look;
}

/** The start of a file as text; null where it cannot be read, which sending it will tell in its own words. */
async function textOf({ source, sizeBytes }: OfferedPick, maxBytes = INSPECTED_BYTES): Promise<string | null> {
  try {
    if ('file' in source) return await source.file.slice(0, maxBytes).text();
    return sizeBytes > maxBytes ? null : await (await source.unpack()).text();
  } catch {
    return null;
  }
}

/** `A plain website, 214 files, 8.4 MB`. */
export function folderLine({ inspection }: FolderReport): string {
  return `${inspection.title}, ${formatCount(inspection.fileCount, 'file')}, ${formatSize(inspection.totalBytes)}`;
}

export function findingsOf(report: FolderReport): Finding[] {
  const { reading, inspection, folder } = report;
  return [
    ...refusalFindings(reading, folderNoun(folder)),
    ...askedFindings(report),
    ...entryFindings(reading, inspection),
    ...problemFindings(inspection),
    ...leftOutFindings(reading),
    ...removedFindings(reading),
    ...unreadFindings(report),
  ];
}

const plain = { path: null, detail: null, leftOut: [], places: [] };

function refusalFindings({ refusal }: FolderReport['reading'], noun: string): Finding[] {
  if (refusal === null) return [];
  return [
    {
      ...plain,
      id: 'refusal',
      verdict: 'bad',
      message: refusal.message,
      path: refusal.path === '' ? null : refusal.path,
      detail: `Nothing of the ${noun} can be published until this is mended. Mend it, then choose the ${noun} again.`,
    },
  ];
}

function askedFindings({ asked, folder }: FolderReport): Finding[] {
  if (asked === null) return [];
  if (asked.isSame) return [{ ...plain, id: 'asked', verdict: 'good', message: 'The same as before the reload' }];
  return [
    {
      ...plain,
      id: 'asked',
      verdict: 'warn',
      message: `This is not what was chosen before: ${asked.name}`,
      detail: `Publish it all the same, or replace it. Of the ${folderNoun(folder)} that arrives, what is there already is not sent again.`,
    },
  ];
}

/** A page that shows nothing before a build has run is no good news. */
function entryFindings(reading: FolderReport['reading'], { entryPage, problems }: UploadInspection): Finding[] {
  if (entryPage === null || reading.refusal !== null) return [];
  if (problems.some(({ code }) => code === 'needs_build')) return [];
  return [{ ...plain, id: 'entry', verdict: 'good', message: 'Entry page', path: entryPage }];
}

function problemFindings({ problems }: UploadInspection): Finding[] {
  return problems.map(({ code, message, hint, path, places = [] }) => ({
    ...plain,
    // Each of the two files with rules has problems of its own.
    id: code === 'rule_ignored' ? `${code} ${path}` : code,
    verdict: 'warn',
    message,
    path: code === 'holds_token' && path !== null ? visiblePath(path) : null,
    detail: hint,
    places,
  }));
}

/** One file is named in the line, several are counted; what is published anyway stays in the list, to be taken back. */
function leftOutFindings({ leftOut, files }: FolderReport['reading']): Finding[] {
  const anyway = files.flatMap(({ path }) => {
    const rule = leftOutRule(path);
    return rule === null ? [] : [{ path, reason: rule.reason, isPublishable: true }];
  });
  const all = [...leftOut, ...anyway].sort((a, b) => (a.path < b.path ? -1 : 1));
  const [first] = all;
  if (first === undefined) return [];
  const isOne = all.length === 1;
  return [
    {
      ...plain,
      id: 'left-out',
      verdict: 'secret',
      message: leftOutMessage(leftOut.length, anyway.length),
      path: isOne ? visiblePath(first.path) : null,
      leftOut: all,
    },
  ];
}

function leftOutMessage(left: number, anyway: number): string {
  if (left + anyway === 1) return left === 1 ? 'Private, and left out:' : 'Private, and published anyway:';
  const leftText = `${formatCount(left, 'private file')} left out`;
  if (anyway === 0) return leftText;
  const anywayText = `${formatCount(anyway, 'private file')} published anyway`;
  return left === 0 ? anywayText : `${leftText}, ${anyway} published anyway`;
}

function removedFindings({ droppedCount, root }: FolderReport['reading']): Finding[] {
  const findings: Finding[] = [];
  if (droppedCount > 0) {
    findings.push({
      ...plain,
      id: 'litter',
      verdict: 'removed',
      message: `${formatCount(droppedCount, 'file')} of your operating system left out`,
      detail: 'Such as .DS_Store and Thumbs.db: they are no part of a website.',
    });
  }
  if (root !== null) {
    findings.push({
      ...plain,
      id: 'root',
      verdict: 'removed',
      message: 'The outer folder is removed:',
      path: visiblePath(root),
    });
  }
  return findings;
}

function unreadFindings({ unreadTexts }: FolderReport): Finding[] {
  if (unreadTexts === 0) return [];
  return [
    {
      ...plain,
      id: 'unread',
      verdict: 'warn',
      message: `${formatCount(unreadTexts, 'text')} not looked into`,
      detail:
        'Keys and links are looked for in the first texts of a large site only. They are published like the others.',
    },
  ];
}
