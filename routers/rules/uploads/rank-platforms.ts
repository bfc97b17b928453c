import { formatCount } from '../../schemas/format-count.ts';
import { UPLOAD_LIMITS } from '../../schemas/limits.ts';
import { caseTwins } from '../../schemas/name-notices.ts';
import { PLATFORM_CAPABILITIES } from '../../schemas/platforms/capabilities/index.ts';
import type { PlatformCapabilities } from '../../schemas/platforms/capabilities/platform-capabilities.ts';
import { domainsRefusal } from '../../schemas/platforms/domains-refusal.ts';
import { type AvailablePlatform, HOSTING_PLATFORMS } from '../../schemas/platforms/ids.ts';
import { unitBaseOf } from '../../schemas/platforms/limit-units.ts';
import { PLATFORMS } from '../../schemas/platforms/list.ts';
import { RANKING_FACTS, type RankingFacts, type Source } from '../../schemas/platforms/ranking-facts.ts';
import type { Needs, RankedPlatform, Reason, UploadKind } from '../../schemas/recommendations.ts';
import type { OfferedFile } from './upload-rules.ts';

/** The files that need a platform; see `inspectUpload`. */
export type RankedProject = {
  kind: UploadKind;
  framework: string | null;
  isSinglePage: boolean;
  buildFolder: string | null;
  files: readonly OfferedFile[];
};

type Measured = Omit<RankedProject, 'files'> & {
  files: readonly OfferedFile[];
  totalBytes: number;
  largest: OfferedFile | null;
};
type Subject = { id: AvailablePlatform; title: string; capabilities: PlatformCapabilities; facts: RankingFacts };
type Asked = { project: Measured | null; needs: Needs; areSitesLocal: boolean };
/** A reason, and how far it moves the platform up or down. */
type Finding = Reason & { points: number };
type Rule = (subject: Subject, asked: Asked) => Finding[];

const PLACES: readonly AvailablePlatform[] = ['built-in', ...HOSTING_PLATFORMS];

/**
 * Ranks the platforms for these files and needs, each with its reasons: suitable ones first, then by the points of the
 * rules below, then in the order of the home page. Browser and server give the same answer. With null for the files,
 * only the needs count. `areSitesLocal`: only this computer opens what the built-in host serves.
 */
export function rankPlatforms(project: RankedProject | null, needs: Needs, areSitesLocal: boolean): RankedPlatform[] {
  const asked = { project: project === null ? null : measured(project), needs, areSitesLocal };
  const judged = PLACES.flatMap((id) => {
    const capabilities = PLATFORM_CAPABILITIES[id];
    if (capabilities === undefined) return [];
    const subject = {
      id,
      title: id === 'built-in' ? 'the built-in host' : PLATFORMS[id].title,
      capabilities,
      facts: RANKING_FACTS[id],
    };
    const findings = RULES.flatMap((rule) => rule(subject, asked));
    const points = findings.reduce((sum, finding) => sum + finding.points, 0);
    const reasons = findings.map(({ points: _, ...reason }) => reason);
    return [{ points, ranked: { platform: id, fits: reasons.every(({ verdict }) => verdict !== 'no'), reasons } }];
  });
  judged.sort((a, b) => Number(b.ranked.fits) - Number(a.ranked.fits) || b.points - a.points);
  return judged.map(({ ranked }) => ranked);
}

function measured(project: RankedProject): Measured {
  let totalBytes = 0;
  let largest: OfferedFile | null = null;
  for (const file of project.files) {
    totalBytes += file.sizeBytes;
    if (largest === null || file.sizeBytes > largest.sizeBytes) largest = file;
  }
  return { ...project, totalBytes, largest };
}

const good = (text: string, points = 0, source: Source | null = null): Finding => ({
  ...{ verdict: 'good', text, change: null, source, points },
});
const note = (text: string, points: number, source: Source | null = null): Finding => ({
  ...{ verdict: 'note', text, change: null, source, points },
});
const no = (text: string, change: string, source: Source | null = null): Finding => ({
  ...{ verdict: 'no', text, change, source, points: 0 },
});

/** All rules, in the order in which a person reads their reasons. */
const RULES: readonly Rule[] = [
  /** No platform serves source files as they are. */
  (_, { project }) => {
    if (project === null) return [];
    const { kind, framework, buildFolder } = project;
    if (kind === 'built') return [good(`A finished ${framework} build is served as it is.`)];
    if (kind === 'plain') return [good('Plain pages are served as they are.')];
    if (kind === 'unknown') return [note('There is no index.html: whoever opens the address sees “not found”.', 0)];
    const change =
      buildFolder === null
        ? 'Build it, and publish the folder that the build makes.'
        : `Publish the folder “${buildFolder}”.`;
    return [
      no(`This is ${framework === null ? '' : `${framework} `}source, and Fairlead publishes finished files.`, change),
    ];
  },

  /** States the requirements for publishing there. */
  ({ id, title, capabilities, facts }) => {
    if (PLATFORMS[id].isServedHere === true)
      return [good('Fairlead serves it itself: no other account is needed.', 40)];
    if (capabilities.publish === 'handOff')
      return [note(`You finish each release at ${title} yourself: it has no way to publish from here.`, -30)];
    if (facts.repositoryAt !== undefined)
      return [
        note(`It needs a ${title} account and a ${facts.repositoryAt} account: files go through a repository.`, -15),
      ];
    return [good(`It needs a ${title} account. Your files are sent there from here.`)];
  },

  ({ capabilities, facts }) => {
    const isPaid = capabilities.requires.includes('paymentThere');
    return [isPaid ? note(facts.cost, -30, facts.costSource) : good(facts.cost, 0, facts.costSource)];
  },

  limitReasons,

  /** Names there must not contain some characters. */
  ({ title, capabilities: { refusedNames } }, { project }) => {
    const refused = refusedNames && project?.files.find(({ path }) => refusedNames.test(path));
    return refused ? [no(`${title} does not take the name ${refused.path}.`, 'Rename the file.')] : [];
  },

  ({ title, capabilities: { foldsCase } }, { project }) => {
    const [twin, other] = foldsCase && project !== null ? caseTwins(project.files) : [];
    if (twin === undefined) return [];
    return [no(`${title} treats ${twin} and ${other} as the same address.`, 'Rename one of them.')];
  },

  ({ title, capabilities }, { needs }) => {
    if (needs.privateFiles !== true) return [];
    return capabilities.requires.includes('publicFiles')
      ? [no(`${title} takes the files from a public repository.`, 'To use it, agree to make your files public.')]
      : [good('Your files are public only as pages of your site.')];
  },

  ({ title, capabilities }, { needs }) => {
    if (needs.redirects !== true) return [];
    return capabilities.serving.redirects
      ? [good('The rules in _redirects are followed.')]
      : [no(`${title} does not follow the rules in _redirects.`, 'Put a page that redirects at each old address.')];
  },

  domainReasons,

  /** Addresses inside a single-page site must serve that page. */
  ({ title, capabilities }, { project }) => {
    if (project?.isSinglePage !== true || project.kind === 'source') return [];
    return capabilities.serving.singlePage
      ? [good('Addresses inside a single-page app can be opened directly.')]
      : [note(`${title} answers addresses inside a single-page app with “not found” (404).`, -15)];
  },

  ({ title }, { needs }) =>
    needs.forms === true
      ? [no(`Forms on a site published with Fairlead are not accepted by ${title}.`, 'Use a form service instead.')]
      : [],

  ({ title }, { needs }) =>
    needs.functions === true
      ? [
          no(
            `Fairlead sends only files to ${title}, no serverless functions.`,
            'Run them elsewhere, and call them by their address.',
          ),
        ]
      : [],

  ({ title, capabilities }) =>
    capabilities.rollBack ? [] : [note(`You roll back to an earlier release at ${title} itself.`, -5)],
];

/** Compares the files with every limit, and shows the numbers. */
function limitReasons({ id, title, capabilities, facts }: Subject, { project }: Asked): Finding[] {
  if (project === null) return [];
  // The built-in host has no limits other than those of an upload.
  const own = {
    maxFiles: UPLOAD_LIMITS.maxFiles,
    maxFileBytes: UPLOAD_LIMITS.maxFileBytes,
    maxTotalBytes: UPLOAD_LIMITS.maxReleaseBytes,
  };
  const { maxFiles, maxFileBytes, maxTotalBytes } = PLATFORMS[id].isServedHere === true ? own : capabilities.limits;
  const { files, totalBytes, largest } = project;
  const source = facts.limitsSource;
  const refused: Finding[] = [];
  const held: string[] = [];
  if (maxFiles !== undefined) {
    const sum = `${formatCount(files.length, 'file')} (limit ${maxFiles.toLocaleString('en')})`;
    if (files.length <= maxFiles) held.push(sum);
    else refused.push(no(`${sum}.`, `Leave out ${formatCount(files.length - maxFiles, 'file')}.`, source));
  }
  if (maxTotalBytes !== undefined) {
    const sum = compared(totalBytes, maxTotalBytes);
    if (totalBytes <= maxTotalBytes) held.push(sum);
    else refused.push(no(`${sum}.`, `Leave out ${sizeText(totalBytes - maxTotalBytes, maxTotalBytes)}.`, source));
  }
  if (maxFileBytes !== undefined && largest !== null) {
    const sum = `largest file ${compared(largest.sizeBytes, maxFileBytes)}`;
    if (largest.sizeBytes <= maxFileBytes) held.push(sum);
    else refused.push(no(`${largest.path}: ${sum}.`, 'Make this file smaller, or leave it out.', source));
  }
  const fitting = held.length === 0 ? [] : [good(`${held.join('; ')}.`, 0, source)];
  const silent = maxFiles ?? maxTotalBytes ?? maxFileBytes;
  if (silent === undefined)
    return [good(`${title} states no limit. You have ${formatCount(files.length, 'file')}, ${sizeText(totalBytes)}.`)];
  return [...refused, ...fitting, ...freeReasons(facts, project, title)];
}

function freeReasons(
  { freeTotalBytes, limitsSource }: RankingFacts,
  { totalBytes }: Measured,
  title: string,
): Finding[] {
  if (freeTotalBytes === undefined || totalBytes <= freeTotalBytes) return [];
  const sum = compared(totalBytes, freeTotalBytes);
  return [note(`More than the free plan of ${title} takes: ${sum}.`, -20, limitsSource)];
}

function domainReasons({ id, title, capabilities }: Subject, { needs, areSitesLocal }: Asked): Finding[] {
  if (areSitesLocal && PLATFORMS[id].isServedHere === true) {
    const text =
      'Sites on the built-in host open only on this computer. To show yours to others, choose a hosting platform.';
    // A domain is for others: it weighs more than that no other account is needed.
    return [note(text, needs.ownDomain === true ? -60 : 0)];
  }
  const isInFolder = capabilities.basePath === 'repositoryFolder';
  if (needs.ownDomain !== true)
    return isInFolder ? [note('Without a domain of your own, links that start with / do not work there.', -10)] : [];
  if (domainsRefusal(id) !== null) return [note(`You add the domain at ${title} itself.`, -10)];
  return [good('Your domain is set up from here.')];
}

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

/** A number in thousands is larger than the same size in 1,024s by less than this. */
const NEAR_LIMIT = 0.9;

/** Shows a size beside its limit: near it in the units of the limit, otherwise as the list of files does. */
function compared(bytes: number, limitBytes: number): string {
  const size = bytes > limitBytes * NEAR_LIMIT ? sizeText(bytes, limitBytes) : sizeText(bytes);
  return `${size} (limit ${sizeText(limitBytes, limitBytes)})`;
}

/** Formats sizes like `8.4 MB` or `1 GB`, in the units of the limit if there is one. */
function sizeText(bytes: number, limitBytes?: number): string {
  const base = limitBytes === undefined ? 1_000 : unitBaseOf(limitBytes);
  let power = 0;
  while (power < UNITS.length - 1 && bytes >= base ** (power + 1)) power += 1;
  const value = bytes / base ** power;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })} ${UNITS[power]}`;
}
