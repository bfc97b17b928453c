import { leftOutRule } from '../../../../routers/rules/uploads/left-out-files.ts';
import { rootLinkProblem } from '../../../../routers/rules/uploads/root-link-problem.ts';
import type { ProblemPlace, UploadInspection } from '../../../../routers/rules/uploads/upload-inspection.ts';
import { visiblePath } from '../../../../routers/rules/uploads/upload-rules.ts';
import type { LostConnection } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { packedNotice } from '../../../../routers/schemas/platforms/packed-notice.ts';
import { PLATFORM_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import { formatSize } from '../../../lib/format.ts';
import { noticeDetail } from '../../../lib/notice-detail.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { isZip, selectionNoun } from '../../../uploads/selection/selection.ts';
import { groupsOf, isLeftOutLink, isPackage, type LeftOutGroup, privateGroups, privateText } from './left-out.ts';

export type Finding = {
  /** Unique within a report. */
  id: string;
  kind: 'good' | 'warn' | 'bad' | 'secret' | 'removed' | 'inner';
  message: string;
  /** A path that is shown as code at the end of the message. */
  path: string | null;
  /** The reason and the remedy; shown on request. */
  detail: string | null;
  /** The files and folders of the finding, each with its own reason. */
  leftOut: LeftOutGroup[];
  /** The places in the files. */
  places: readonly ProblemPlace[];
};

/**
 * Returns a line such as `Static website, 214 files, 8.4 MB`; a refused selection may not have been read to its end.
 */
export function selectionLine({ selection, reading, inspection }: SelectionReport): string {
  if (reading.refusal !== null && inspection.entryPage === null) {
    return formatCount((isZip(selection) ? selection.entries : selection.files).length, 'file');
  }
  return `${inspection.title}, ${formatCount(inspection.fileCount, 'file')}, ${formatSize(inspection.totalBytes)}`;
}

/** The destination of the files. */
export type FindingsContext = {
  /** The folder of its host that the site will be below (below-folder.ts); undefined before that is known. */
  folder?: string | null | undefined;
  /** The platforms where they will go. */
  platforms?: readonly PlatformId[] | undefined;
  /** The repository whose site is at the root of the same host, and the act of choosing it. */
  rootSite?: { name: string; use: () => void } | undefined;
  /** The page where the site can get a domain of its own. */
  domainsPath?: string | undefined;
  /** An obstacle to publishing that is explained below the files, out of sight on a phone. */
  hold?: { text: string; onDecide?: () => void } | undefined;
  /** A lost connection: nothing can be published there before it is repaired. */
  lost?: LostConnection | undefined;
  /** Lost connections to further platforms: the release goes to the others. */
  lostElsewhere?: readonly LostConnection[];
};

export function findingsOf(
  report: SelectionReport,
  { folder, platforms = [], lost, lostElsewhere = [] }: FindingsContext = { folder: '' },
): Finding[] {
  const { reading, inspection, selection } = report;
  return [
    ...(lost === undefined ? [] : [{ ...plain, id: 'lost', kind: 'bad' as const, message: lost.message }]),
    ...lostElsewhere.map(lostFinding),
    ...refusalFindings(reading, selectionNoun(selection)),
    ...reselectedFindings(report),
    ...entryFindings(reading, inspection),
    ...problemFindings(reading, inspection, folder, platforms),
    ...packedFindings(reading, platforms),
    ...noticeFindings(reading),
    ...relativeFindings(selection),
    ...linkFindings(reading),
    ...leftOutFindings(reading),
    ...packageFindings(reading),
    ...removedFindings(reading),
    ...unreadFindings(report),
  ];
}

const plain = { path: null, detail: null, leftOut: [], places: [] };

function lostFinding({ destinationId, provider, connectionId, message }: LostConnection): Finding {
  const title = PLATFORM_TITLES[provider];
  const remedy = connectionId === null ? `connect ${title} again` : `replace the token of ${title}`;
  const detail = `The release goes to the other platforms only. To include this one as well, ${remedy} first.`;
  return { ...plain, id: `lost ${destinationId} ${provider}`, kind: 'warn', message, detail };
}

function refusalFindings({ refusal }: SelectionReport['reading'], noun: string): Finding[] {
  if (refusal === null) return [];
  return [
    {
      ...plain,
      id: 'refusal',
      kind: 'bad',
      message: refusal.message,
      path: refusal.path === '' ? null : refusal.path,
      detail: `Fix this before you publish, then choose the ${noun} again.`,
    },
  ];
}

function reselectedFindings({ reselected }: SelectionReport): Finding[] {
  if (reselected === null) return [];
  if (reselected.isSame)
    return [{ ...plain, id: 'reselected', kind: 'good', message: 'The same as before the reload' }];
  return [
    {
      ...plain,
      id: 'reselected',
      kind: 'warn',
      message: `You chose something else before: ${reselected.title}`,
      detail: 'Publish these files anyway, or replace them. What the server already has is not sent again.',
    },
  ];
}

/** Returns findings about the entry page; a page that is empty before a build has run is no good news. */
function entryFindings(reading: SelectionReport['reading'], { entryPage, problems }: UploadInspection): Finding[] {
  if (entryPage === null || reading.refusal !== null) return [];
  if (problems.some(({ code }) => code === 'needs_build')) return [];
  return [{ ...plain, id: 'entry', kind: 'good', message: 'Start page', path: entryPage }];
}

function problemFindings(
  { refusal }: SelectionReport['reading'],
  { problems, rootLinks }: UploadInspection,
  folder: FindingsContext['folder'],
  platforms: readonly PlatformId[],
): Finding[] {
  const broken = folder === undefined ? null : rootLinkProblem(rootLinks, folder);
  const all = broken === null ? problems : [...problems, broken];
  const areRulesTheirs = platforms.length > 0 && platforms.every((id) => PLATFORM_CAPABILITIES[id]?.serving.ownRules);
  const known = all.filter(
    // An entry page may be among the files that were not read.
    ({ code }) => (refusal === null || code !== 'no_entry_page') && !(areRulesTheirs && code === 'rule_ignored'),
  );
  return known.map(({ code, message, hint, path, places = [] }) => ({
    ...plain,
    // Each of the two files with rules has problems of its own.
    id: code === 'rule_ignored' ? `${code} ${path}` : code,
    kind: 'warn',
    message,
    path: code === 'holds_token' && path !== null ? visiblePath(path) : null,
    detail: hint,
    places,
  }));
}

function packedFindings({ files }: SelectionReport['reading'], platforms: readonly PlatformId[]): Finding[] {
  const places = platforms.map((id) => ({ title: PLATFORM_TITLES[id], capabilities: PLATFORM_CAPABILITIES[id] }));
  const notice = packedNotice(places, files);
  if (notice === null) return [];
  return [{ ...plain, id: 'packed', kind: 'warn', message: notice.message, detail: noticeDetail(notice) }];
}

function noticeFindings({ notices }: SelectionReport['reading']): Finding[] {
  return notices.map((notice) => ({
    ...plain,
    id: notice.code,
    kind: 'warn',
    message: notice.message,
    detail: noticeDetail(notice),
  }));
}

function relativeFindings(selection: SelectionReport['selection']): Finding[] {
  if (isZip(selection) || selection.relativeLinks === undefined) return [];
  return [
    {
      ...plain,
      id: 'relative-links',
      kind: 'good',
      message: `${formatCount(selection.relativeLinks, 'link')} rewritten without the leading slash in the published copy`,
      detail:
        'Your own files stay as they are. Scripts may still request addresses that begin with a slash, and links in 404.html work only for addresses at the top level.',
    },
  ];
}

const UNPACKED_MAX_BYTES = 256 * 1024 * 1024;

/** Returns whether a copy with other links can be made here: the page holds the unpacked files of a ZIP. */
export function mayBeCopied({ reading }: SelectionReport): boolean {
  const unpacked = reading.files.filter(({ source }) => 'unpack' in source);
  return unpacked.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) <= UNPACKED_MAX_BYTES;
}

function linkFindings({ leftOut }: SelectionReport['reading']): Finding[] {
  const links = leftOut.filter(isLeftOutLink);
  const [first] = links;
  if (first === undefined) return [];
  const isOne = links.length === 1;
  return [
    {
      ...plain,
      id: 'links',
      kind: 'removed',
      message: isOne ? 'A symbolic link, left out:' : `${formatCount(links.length, 'symbolic link')} left out`,
      path: isOne ? visiblePath(first.path) : null,
      leftOut: links.map((link) => ({ ...link, files: [link.path] })),
    },
  ];
}

/**
 * Names a single file in the line and counts several; files that are published anyway stay in the list, so that this
 * can be undone.
 */
function leftOutFindings(reading: SelectionReport['reading']): Finding[] {
  const left = privateGroups(reading);
  const anyway = groupsOf(publishedAnyway(reading).filter((file) => !isPackage(file)));
  const shown = [...left, ...anyway].sort((a, b) => (a.path < b.path ? -1 : 1));
  const [first] = shown;
  if (first === undefined) return [];
  const isOne = shown.length === 1;
  return [
    {
      ...plain,
      id: 'left-out',
      kind: 'secret',
      message: leftOutMessage(left, anyway),
      path: isOne ? visiblePath(first.path) : null,
      leftOut: shown,
    },
  ];
}

function publishedAnyway({ files }: SelectionReport['reading']): SelectionReport['reading']['leftOut'] {
  return files.flatMap(({ path }) => {
    const rule = leftOutRule(path);
    return rule === null ? [] : [{ path, reason: rule.reason, isPublishable: true }];
  });
}

/** The packages of a project are not private, but thousands of files that nobody asked for. */
function packageFindings(reading: SelectionReport['reading']): Finding[] {
  const left = groupsOf(reading.leftOut.filter(isPackage));
  const shown = left.length > 0 ? left : groupsOf(publishedAnyway(reading).filter(isPackage));
  return shown.map((part) => ({
    ...plain,
    id: 'packages',
    kind: left.length > 0 ? 'removed' : 'warn',
    message:
      left.length > 0 ? 'Not part of the website, and left out:' : 'Not part of the website, and published anyway:',
    path: part.path,
    leftOut: [part],
  }));
}

function leftOutMessage(left: readonly LeftOutGroup[], anyway: readonly LeftOutGroup[]): string {
  if (left.length + anyway.length === 1) {
    return left.length === 1 ? 'Private, and left out:' : 'Private, and published anyway:';
  }
  const leftText = `${privateText(left)} left out`;
  if (anyway.length === 0) return leftText;
  return left.length === 0
    ? `${privateText(anyway)} published anyway`
    : `${leftText}, ${anyway.length} published anyway`;
}

function removedFindings({ droppedCount, root }: SelectionReport['reading']): Finding[] {
  const findings: Finding[] = [];
  if (droppedCount > 0) {
    findings.push({
      ...plain,
      id: 'os-junk',
      kind: 'removed',
      message: `${formatCount(droppedCount, 'system file')} left out`,
      detail: 'Such as .DS_Store, Thumbs.db and page.html:Zone.Identifier: they are not part of a website.',
    });
  }
  if (root !== null) {
    findings.push({
      ...plain,
      id: 'root',
      kind: 'inner',
      message: 'Files taken from the folder',
      path: visiblePath(root),
    });
  }
  return findings;
}

function unreadFindings({ unreadTexts }: SelectionReport): Finding[] {
  if (unreadTexts === 0) return [];
  return [
    {
      ...plain,
      id: 'unread',
      kind: 'warn',
      message: `${formatCount(unreadTexts, 'text file')} not searched`,
      detail:
        'On a large site only the first text files are searched for secret keys and broken links. The others are published without that search.',
    },
  ];
}
