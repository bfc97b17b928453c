import { createHash, randomBytes } from 'node:crypto';
import type { RedirectTable } from '../../../routers/rules/hosting/redirects-file.ts';
import { isServedPath } from '../../../routers/rules/uploads/served-path.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { ServingCapabilities } from '../../../routers/schemas/platforms/capabilities/platform-capabilities.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { storedRef } from '../../connections/platform-call.ts';
import type { Providers } from '../../context.ts';
import { addressHere, type SiteAddress } from '../../database/site-address.ts';
import { AppError, JobDeferred } from '../../lib/errors.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';
import type { RunningJob, StepReport } from '../../queue/handler.ts';
import type { Manifest, ManifestEntry } from '../../store/manifest.ts';
import { entryPageReport, visitEntryPage } from '../inspection/entry-page.ts';
import type { PlatformCall } from '../platforms/platform.ts';
import type { Writer } from './publish.ts';
import { isServedAsSinglePage, type ReleaseWork } from './release-work.ts';
import { readRedirects } from './rule-report.ts';
import { compareAnswers, type Expected, FOREIGN_PAGE_BYTES, type Visiting } from './verification/compare-answers.ts';
import { createTurns } from './verification/turns.ts';
import { findVerifiedFiles, servingConditions, type VerifiedFiles } from './verification/verified-files.ts';
import { wasLiveBefore } from './was-live-before.ts';

/**
 * Live means verified: the answers of the site are compared with the uploaded files, byte by byte through their
 * hashes. Before the switch, at the release's own address, verification fetches every served file that no verified
 * release of the deployment has shown at its path, and a random hundred of the others. After the switch, at the public
 * address, it fetches the entry page, a page that does not exist and the 20 largest files. For a platform without an
 * address for each release, both are done at the public one.
 *
 * The expected answers follow from what the platform serves (`capabilities.serving`). An answer that differs is
 * fetched again for a few seconds; if the platform's edge may take longer (`limits.settleMs`), the job waits in the
 * queue between two checks, until that time is over. A slow site is checked in turns, and files that were seen in one
 * are not fetched again in the next. In the end the entry page is opened as visitors do (entry-page.ts).
 */
const SAMPLE_FILES = 100;
const LARGEST_FILES = 20;
/** The time for which a differing answer is fetched again, when no later run checks it. */
const LOOKING_MS = 5_000;
/** Each file is matched against up to a hundred patterns of `_redirects`. */
const FILES_A_STEP = 50;

export type ReleaseToVerify = Visiting & {
  /** The release's own address; null when it has none. */
  own: SiteAddress | null;
  public: SiteAddress;
  manifest: Manifest;
  serving: ServingCapabilities;
  /** Files that the platform reads and does not serve. */
  specialFiles: readonly string[];
  /** True when a page that does not exist shows the entry page. */
  isSinglePage: boolean;
  /** Redirects of the site itself: their addresses answer what the rule says, not the uploaded file. */
  redirects?: RedirectTable;
  /**
   * The files that verified releases have shown, and the seed of the sample of them; every file is fetched when absent.
   */
  verified?: { isVerified: VerifiedFiles; sampleSeed: string };
};

export type Verification = {
  /** The conditions under which the files are verified (verified-files.ts). */
  conditions: string;
  atOwnAddress(): Promise<void>;
  /** Returns the resources that the entry page there names and visitors do not get. */
  atPublicAddress(): Promise<string[]>;
};

/**
 * Throws JobDeferred before a site elsewhere is verified, because its speed is beyond Fairlead's control and must not
 * hold a slot of jobs that send files.
 */
export function leaveForLooks(job: Pick<RunningJob, 'isAside'>, { destination }: ReleaseWork): void {
  if (job.isAside || PLATFORMS[destination.platform].isServedHere) return;
  throw new JobDeferred('The site is checked next', 0);
}

/** Returns the two halves of the verification; the findings of each go to the step's log. */
export async function verifyRelease(
  job: Writer,
  work: ReleaseWork,
  call: PlatformCall,
  report: StepReport,
): Promise<Verification> {
  const { providers } = job;
  const { release, platform } = work;
  const isRollBack = work.isPrimary ? wasLiveBefore(release) : work.wasLive;
  const { serving, specialFiles, limits } = platform.capabilities;
  const manifest = await work.readManifest(release.manifestHash);
  const conditions = servingConditions(providers.store, work, manifest);
  const hasTime = (since: Date) => () => call.now().getTime() < since.getTime() + limits.settleMs;
  let asked: ReturnType<typeof addressesOf> | null = null;
  const addresses = (): NonNullable<typeof asked> => {
    asked ??= addressesOf(providers, work, call);
    return asked;
  };
  const visited = {
    egress: call.egress,
    manifest,
    serving,
    specialFiles,
    ...(serving.redirects && { redirects: await readRedirects(providers.store, manifest) }),
    isSinglePage: isServedAsSinglePage(work),
    ...(!work.wasLive && {
      verified: { isVerified: await findVerifiedFiles(work, conditions), sampleSeed: release._id },
    }),
    signal: call.signal,
    turns: createTurns(job, work),
    onProgress: report.progress,
    settleMs: Math.min(limits.settleMs, LOOKING_MS),
    ...(limits.settleMs > LOOKING_MS && { edge: { ...call, hasTime: hasTime(report.startedAt) } }),
  };
  return {
    conditions,
    async atOwnAddress() {
      const toVerify: ReleaseToVerify = { ...visited, ...(await addresses()) };
      if (toVerify.own === null) return;
      report.log(seenLine(await verifyAtOwnAddress(toVerify), 'the release’s own address', release._id));
    },
    async atPublicAddress() {
      const { publicAt } = work.published;
      const { edge } = visited;
      const isLate = publicAt instanceof Date && edge !== undefined;
      // In a rollback the address is asked for only here, because a platform may name it only once it leads there
      // again.
      const toVerify: ReleaseToVerify = { ...visited, ...(await addresses()) };
      const atPublic = { ...toVerify, ...(isLate && { edge: { ...edge, hasTime: hasTime(publicAt) } }) };
      const isWholeVerified = toVerify.own !== null || work.wasLive;
      if (isWholeVerified) await verifyAtPublicAddress({ ...atPublic, onProgress: () => undefined });
      else report.log(seenLine(await verifyWhole(atPublic), 'the public address', release._id));
      if (isRollBack) report.log('Switched back to this release');
      if (pages(toVerify).length > 0) report.log(liveLine(toVerify.public.url, release.number));
      const entryPage = await visitEntryPage(call, toVerify.public);
      for (const line of entryPageReport(entryPage)) report.log(line);
      return entryPage.missing;
    },
  };
}

export function seenLine({ unverified, sample, verifiedCount }: Choice, where: string, seed: string): string {
  if (sample.length === verifiedCount) return allSeenLine(unverified.length + verifiedCount, where);
  const changed = formatCount(unverified.length, 'new or changed file');
  const others = `${sample.length} of ${formatCount(verifiedCount, 'unchanged file')}`;
  return `${changed} and ${others} match your upload at ${where} (random sample, seed ${seed})`;
}

export function allSeenLine(fileCount: number, where: string): string {
  return `${formatCount(fileCount, 'file matches', 'files match')} your upload at ${where}`;
}

/** Says what was seen at the public address. */
export function liveLine(url: string, number: number): string {
  return `${url} answered with release ${number}`;
}

/**
 * Returns the addresses to verify. When a platform names no public address for this release, the site's known one is
 * used.
 */
async function addressesOf(
  { addresses }: Providers,
  { platform, release, published, destination, deployment, title }: ReleaseWork,
  call: PlatformCall,
): Promise<Pick<ReleaseToVerify, 'own' | 'public'>> {
  if (PLATFORMS[destination.platform].isServedHere) {
    return {
      public: addressHere(addresses, { slug: deployment.slug, release: null }),
      own: addressHere(addresses, { slug: deployment.slug, release: release.number }),
    };
  }
  const seen = await platform.release(call, storedRef(published.ref) ?? {});
  const url = seen.url ?? published.url ?? destination.url;
  if (!url) throw new AppError('out_of_sync', `${title} does not say where this release is published.`);
  return { public: addressThere(url), own: seen.ownUrl === null ? null : addressThere(seen.ownUrl) };
}

function addressThere(url: string): SiteAddress {
  return { url: url.endsWith('/') ? url.slice(0, -1) : url };
}

/** Verifies the release at its own address, and returns what it fetched. Throws the errors of `compareAnswers`. */
export async function verifyAtOwnAddress(release: ReleaseToVerify): Promise<Choice> {
  const choice = await runInTimeSlices(choosingSteps(release));
  await compareAnswers(release, release.own ?? release.public, [...choice.unverified, ...choice.sample]);
  return choice;
}

/** Verifies a few addresses of the public site. Throws the errors of `compareAnswers`. */
export async function verifyAtPublicAddress(release: ReleaseToVerify): Promise<void> {
  const largest = await runInTimeSlices(largestSteps(release));
  await compareAnswers(release, release.public, [...pages(release), ...largest]);
}

/** Verifies both when the public address is all there is. Only files are counted: the two pages are none. */
async function verifyWhole(release: ReleaseToVerify): Promise<Choice> {
  await compareAnswers({ ...release, onProgress: () => undefined }, release.public, pages(release));
  return verifyAtOwnAddress(release);
}

/** Returns the entry page, and the expected answer for a page that does not exist. */
function pages({ manifest, isSinglePage, redirects, serving }: ReleaseToVerify): Expected[] {
  const entry = manifest.get('index.html');
  const missing = `no-such-page-${randomBytes(6).toString('hex')}`;
  const expected: Expected[] = [];
  if (entry !== undefined && !isForced(redirects, '')) expected.push({ path: '/', statuses: [200], ...entry });
  if (isForced(redirects, missing) || redirects?.otherwise(missing, '')) return expected;
  const path = `/${missing}`;
  if (entry !== undefined && isSinglePage) return [...expected, { path, statuses: [200], ...entry }];
  const own = serving.notFoundPage ? manifest.get('404.html') : undefined;
  return [...expected, { path, statuses: [404], ...(own ?? { sha256: null, sizeBytes: FOREIGN_PAGE_BYTES }) }];
}

/** The files to fetch: all that were not verified yet, and some of those that were. */
export type Choice = { unverified: Expected[]; sample: Expected[]; verifiedCount: number };
type File = { path: string; entry: ManifestEntry };

function* choosingSteps(release: ReleaseToVerify): Generator<void, Choice> {
  const { verified } = release;
  const unverified: Expected[] = [];
  const others: File[] = [];
  for (const files of servedFiles(release)) {
    for (const file of files) {
      if (verified?.isVerified(file.path, file.entry.sha256)) others.push(file);
      else unverified.push(toExpected(file));
    }
    yield;
  }
  const sample = verified === undefined ? [] : draw(others, SAMPLE_FILES, verified.sampleSeed);
  return { unverified, sample: sample.map(toExpected), verifiedCount: others.length };
}

function* largestSteps(release: ReleaseToVerify): Generator<void, Expected[]> {
  let largest: File[] = [];
  for (const files of servedFiles(release)) {
    largest = [...largest, ...files].sort((a, b) => b.entry.sizeBytes - a.entry.sizeBytes).slice(0, LARGEST_FILES);
    yield;
  }
  return largest.map(toExpected);
}

/** Yields the files that visitors can open, some at a time. */
function* servedFiles({ manifest, redirects, specialFiles }: ReleaseToVerify): Generator<File[], void> {
  let files: File[] = [];
  let looked = 0;
  for (const [path, entry] of manifest) {
    if (isServedPath(path, manifest) && !specialFiles.includes(path) && !isForced(redirects, path))
      files.push({ path, entry });
    looked += 1;
    if (looked % FILES_A_STEP > 0) continue;
    yield files;
    files = [];
  }
  yield files;
}

function toExpected({ path, entry }: File): Expected {
  // Some platforms treat the page for missing addresses as such even when it is requested by its name.
  const statuses = path === '404.html' ? [200, 404] : [200];
  return { path: urlPath(path), statuses, ...entry };
}

function isForced(redirects: RedirectTable | undefined, path: string): boolean {
  return redirects !== undefined && redirects.forced(path, '') !== null;
}

/** `?`, `#` and `%` in names are percent-encoded in addresses. */
function urlPath(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Draws this many of the items, or all; another seed draws others, and the same seed the same ones. */
function draw<T>(items: readonly T[], count: number, seed: string): T[] {
  if (items.length <= count) return [...items];
  const drawn = new Set<number>();
  for (let round = 0; drawn.size < count; round += 1) {
    const hash = createHash('sha256').update(`${seed} ${round}`).digest();
    drawn.add(hash.readUIntBE(0, 6) % items.length);
  }
  return items.filter((_, index) => drawn.has(index));
}
