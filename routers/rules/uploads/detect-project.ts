import { UPLOAD_LIMITS } from '../../schemas/limits.ts';
import type { UploadKind } from '../../schemas/recommendations.ts';
import { FRAMEWORKS, type Framework, type NameMark } from './frameworks.ts';

export type ProjectNames = {
  /** The paths of the files. Those beyond the limit of an upload are ignored. */
  paths: Iterable<string>;
  /** The names in package.json; see `dependenciesOf`. */
  dependencies: ReadonlySet<string>;
  /** The tool that made the first page, by its own account; see `generatorOf`. */
  generator: string | null;
};

export type DetectedProject = { kind: UploadKind; framework: string | null; isSinglePage: boolean };

/** Marks have at most this many slashes. */
const SLASHES_MAX = 2;
/** Matching this many names takes about a millisecond. */
const NAMES_A_STEP = 200;

const PATTERNS: readonly RegExp[] = FRAMEWORKS.flatMap(({ source = [], built = [] }) => [...source, ...built])
  .flat()
  .filter((mark) => mark instanceof RegExp);

/**
 * Tells source, a finished build and plain pages apart, and names the framework, by names alone: one pass over them,
 * in linear time. The browser runs it on a drop, and the server on an upload, with a pause after every few names for
 * other calls.
 */
export function* detectionSteps({ paths, dependencies, generator }: ProjectNames): Generator<void, DetectedProject> {
  const seen = yield* namesSeen(paths);
  const hasEntry = seen.has('index.html');
  // A page that names its generator was generated: any source beside it was copied there.
  const maker = generator === null ? undefined : FRAMEWORKS.find((one) => one.generator?.test(generator) === true);
  if (maker !== undefined && hasEntry) return detected('built', maker);
  const written = FRAMEWORKS.find((one) => isSourceOf(one, seen, dependencies));
  if (written !== undefined) return detected('source', written);
  if (!hasEntry) return detected('unknown', undefined);
  const build = FRAMEWORKS.find((one) => hasMarks(one.built, seen));
  return build === undefined ? detected('plain', undefined) : detected('built', build);
}

function detected(kind: UploadKind, framework: Framework | undefined): DetectedProject {
  return { kind, framework: framework?.name ?? null, isSinglePage: framework?.isSinglePage === true };
}

function isSourceOf(framework: Framework, seen: ReadonlySet<NameMark>, dependencies: ReadonlySet<string>): boolean {
  if (framework.isBundler === true && seen.has('index.html')) return false;
  const isNamed = framework.packages?.some((name) => dependencies.has(name)) === true;
  return isNamed || hasMarks(framework.source, seen);
}

function hasMarks(lines: Framework['source'], seen: ReadonlySet<NameMark>): boolean {
  return lines?.some((line) => line.every((mark) => seen.has(mark))) === true;
}

/** Returns the files and folders of the first levels, and the patterns that match one of them. */
function* namesSeen(paths: Iterable<string>): Generator<void, ReadonlySet<NameMark>> {
  const seen = new Set<NameMark>();
  let open = PATTERNS;
  let count = 0;
  for (const path of paths) {
    if (count % NAMES_A_STEP === 0) yield;
    count += 1;
    if (count > UPLOAD_LIMITS.maxFiles) break;
    if (addFolders(path, seen) > SLASHES_MAX) continue;
    seen.add(path);
    const fitting = open.filter((pattern) => pattern.test(path));
    for (const pattern of fitting) seen.add(pattern);
    if (fitting.length > 0) open = open.filter((pattern) => !seen.has(pattern));
  }
  return seen;
}

/** Adds the first folders of a path; returns its number of slashes, up to the limit. */
function addFolders(path: string, seen: Set<NameMark>): number {
  let slashes = 0;
  for (let slash = path.indexOf('/'); slash !== -1 && slashes <= SLASHES_MAX; slash = path.indexOf('/', slash + 1)) {
    slashes += 1;
    if (slashes <= SLASHES_MAX) seen.add(path.slice(0, slash + 1));
  }
  return slashes;
}

/** No project has more dependencies than this. */
const DEPENDENCIES_MAX = 5_000;

/** Returns the names of a package.json's dependencies; none when the text is not JSON. */
export function dependenciesOf(packageJson: string | undefined): ReadonlySet<string> {
  if (packageJson === undefined) return new Set();
  try {
    const parsed: unknown = JSON.parse(packageJson.replace(/^\ufeff/, ''));
    if (typeof parsed !== 'object' || parsed === null) return new Set();
    const names = [
      ...('dependencies' in parsed ? namesIn(parsed.dependencies) : []),
      ...('devDependencies' in parsed ? namesIn(parsed.devDependencies) : []),
    ];
    return new Set(names.slice(0, DEPENDENCIES_MAX));
  } catch {
    return new Set();
  }
}

function namesIn(dependencies: unknown): string[] {
  return typeof dependencies === 'object' && dependencies !== null ? Object.keys(dependencies) : [];
}

/** The head of a page is at its start. */
const HEAD_LENGTH = 64 * 1024;
const META = /<meta\s[^<>]*>/gi;
const CONTENT = /\scontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** Returns the generator that a page names (HTML standard, 4.2.5.1, "generator"), or null. */
export function generatorOf(page: string | undefined): string | null {
  for (const [tag] of (page ?? '').slice(0, HEAD_LENGTH).matchAll(META)) {
    if (!/\sname\s*=\s*["']?generator["'\s]/i.test(tag)) continue;
    const found = CONTENT.exec(tag);
    return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
  }
  return null;
}
