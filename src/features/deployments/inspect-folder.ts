import { INSPECTED_TEXTS, inspectUpload, type UploadInspection } from '../../../routers/schemas/upload-inspection.ts';
import { leftOutRule, readUpload, visiblePath } from '../../../routers/schemas/upload-rules.ts';
import type { PickedFolder } from '../../api/upload-folder.ts';
import { formatCount, formatSize } from '../../lib/format.ts';
import type { FolderReport } from './folder-report.ts';

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
};

/** Of a page of one's own a look at its start is enough, and a log named index.html fills no memory. */
const INSPECTED_BYTES = 1024 * 1024;

/** Applies the server's own rules in the browser, so that nothing is a surprise after the upload. */
export async function inspectFolder(
  folder: PickedFolder,
  publishAnyway: readonly string[] = [],
): Promise<FolderReport> {
  const offered = folder.files.map(({ path, file }) => ({ path, file, sizeBytes: file.size }));
  const reading = readUpload(offered, { publishAnyway, takesRootOff: true });
  const texts = new Map<string, string>();
  for (const name of INSPECTED_TEXTS) {
    const found = reading.files.find(({ path }) => path === name);
    const text = await found?.file
      .slice(0, INSPECTED_BYTES)
      .text()
      .catch(() => undefined);
    if (text !== undefined) texts.set(name, text);
  }
  return { folder, publishAnyway, reading, inspection: inspectUpload(reading.files, texts) };
}

/** `A plain website, 214 files, 8.4 MB`. */
export function folderLine({ inspection }: FolderReport): string {
  return `${inspection.title}, ${formatCount(inspection.fileCount, 'file')}, ${formatSize(inspection.totalBytes)}`;
}

export function findingsOf({ reading, inspection }: FolderReport): Finding[] {
  return [
    ...refusalFindings(reading),
    ...entryFindings(reading, inspection),
    ...problemFindings(inspection),
    ...leftOutFindings(reading),
    ...removedFindings(reading),
  ];
}

const plain = { path: null, detail: null, leftOut: [] };

function refusalFindings({ refusal }: FolderReport['reading']): Finding[] {
  if (refusal === null) return [];
  return [
    {
      ...plain,
      id: 'refusal',
      verdict: 'bad',
      message: refusal.message,
      path: refusal.path === '' ? null : refusal.path,
      detail: 'Nothing of the folder can be published until this is mended. Mend it, then choose the folder again.',
    },
  ];
}

function entryFindings(reading: FolderReport['reading'], { entryPage }: UploadInspection): Finding[] {
  if (entryPage === null || reading.refusal !== null) return [];
  return [{ ...plain, id: 'entry', verdict: 'good', message: 'Entry page', path: entryPage }];
}

function problemFindings({ problems }: UploadInspection): Finding[] {
  return problems.map(({ code, message, hint }) => ({
    ...plain,
    id: code,
    verdict: 'warn',
    message,
    detail: hint,
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
      message: `${formatCount(droppedCount, 'file')} of the operating system removed`,
      detail: 'Such as .DS_Store and Thumbs.db: they are no part of a website.',
    });
  }
  if (root !== null) {
    findings.push({
      ...plain,
      id: 'root',
      verdict: 'removed',
      message: 'Everything lies in one folder, which is taken off:',
      path: visiblePath(root),
    });
  }
  return findings;
}
