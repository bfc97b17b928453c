import { atOnce } from '../../schemas/at-once.ts';
import type { UploadKind } from '../../schemas/recommendations.ts';
import { type DetectedProject, dependenciesOf, detectionSteps, generatorOf } from './detect-project.ts';
import { documentProblems } from './documents.ts';
import { entryPageIn } from './entry-page.ts';
import { programProblems } from './programs.ts';
import { type RootLinks, rootLinkSteps } from './root-links.ts';
import { type OfferedFile, visiblePath } from './upload-rules.ts';
import { ruleProblems, type TextFindings, textProblemSteps } from './upload-text-problems.ts';

/** The kind of an upload and its problems: pure, over names, sizes and a few texts. */
export type UploadInspection = {
  kind: UploadKind;
  /** The framework or generator that made it; null when none is known. */
  framework: string | null;
  /** True when its first page must be served at every address. */
  isSinglePage: boolean;
  title: string;
  explanation: string;
  /** The page that people see first; null when there is none. */
  entryPage: string | null;
  /** A folder inside that looks like the finished site, to publish in place of the whole. */
  buildFolder: string | null;
  fileCount: number;
  totalBytes: number;
  largest: OfferedFile[];
  problems: UploadProblem[];
  /** The first links to files that are not there, which are among the problems: `MISSING_LINKS_MAX` at most. */
  brokenLinks: BrokenLink[];
  /** Links that break below some folders of a host, or at its root (root-links.ts); null when there are none. */
  rootLinks: RootLinks | null;
};

export type UploadProblem = {
  code: ProblemCode;
  message: string;
  hint: string;
  path: string | null;
  /** The places of a problem inside files; at most fifty. */
  places?: readonly ProblemPlace[];
};
export type ProblemPlace = { path: string; line: number; text: string };
/** `target` is the source text. */
export type BrokenLink = ProblemPlace & { target: string };
export type ProblemCode =
  | 'no_entry_page'
  | 'entry_page_elsewhere'
  | 'entry_page_packed'
  | 'entry_page_case'
  | 'needs_build'
  | 'holds_node_modules'
  | 'holds_programs'
  | 'holds_documents'
  | 'empty_entry_page'
  | 'holds_token'
  | 'link_case'
  | 'broken_link'
  | 'empty_file'
  | 'local_link'
  | 'root_link'
  | 'folder_link'
  | 'whole_address'
  | 'rule_ignored';

/** The usual tools write the finished site to these folders. */
const BUILD_FOLDERS = ['dist', 'build', 'out', '_site', 'public', 'www', 'docs', '.output/public'] as const;

/** Matches a script that no browser runs. Quotes are optional (HTML standard, 13.1.2.3), and a query may follow. */
const SOURCE_SCRIPT =
  /<script\b[^<>]*?\ssrc\s*=\s*(?:"[^"?#]*|'[^'?#]*|[^\s"'>?#]*)\.(?:tsx?|jsx|vue|svelte)(?=["'\s>?#])/i;

/** The texts that `inspectUpload` uses if they exist: callers read these and no more. */
export const INSPECTED_TEXTS = ['package.json', 'index.html', '_redirects', '_headers'] as const;

/**
 * Inspects `files`, the paths that would be published. `texts` holds the content of those of INSPECTED_TEXTS that
 * exist; without them the names alone decide. `looks` holds findings in texts, by path. `isSinglePage` is true when the
 * host shows the start page at every address without a file of its own.
 */
export function inspectUpload(
  files: readonly OfferedFile[],
  texts: ReadonlyMap<string, string> = new Map(),
  looks: ReadonlyMap<string, TextFindings> = new Map(),
  isSinglePage = false,
): UploadInspection {
  return atOnce(inspectionSteps(files, texts, looks, isSinglePage));
}

/**
 * Does the same with a pause after every few links, for a server with other calls to answer
 * (server/lib/time-slices.ts).
 */
export function* inspectionSteps(
  files: readonly OfferedFile[],
  texts: ReadonlyMap<string, string>,
  looks: ReadonlyMap<string, TextFindings>,
  isSinglePage: boolean,
): Generator<void, UploadInspection> {
  const paths = new Set(files.map((file) => file.path));
  const entryPage = entryPageIn(paths);
  const project = yield* projectSteps(paths, texts);
  const tool = project.kind === 'source' ? project.framework : null;
  const needsBuild = project.kind === 'source';
  const buildFolder = buildFolderIn(paths) ?? (entryPage === null && !needsBuild ? siteFolderIn(files) : null);
  const description = { ...describeKind(project, buildFolder), framework: project.framework };
  const rootLinks = description.kind === 'source' ? null : yield* rootLinkSteps(looks, paths);
  const below = rootLinks?.folder ?? null;
  const inTexts = yield* textProblemSteps(files, texts, looks, { kind: description.kind, below, isSinglePage });
  const problems = [
    ...entryProblems(files, entryPage, buildFolder, needsBuild),
    ...buildProblems(paths, needsBuild, tool, buildFolder),
    ...(needsBuild ? [] : [...programProblems(files.filter(isOwn)), ...documentProblems(files.filter(isOwn), looks)]),
    ...inTexts.problems,
    ...ruleProblems(texts),
  ];
  return {
    ...description,
    isSinglePage: project.isSinglePage,
    entryPage,
    buildFolder,
    fileCount: files.length,
    totalBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    largest: [...files]
      .sort((a, b) => b.sizeBytes - a.sizeBytes)
      .slice(0, 5)
      .map(({ path, sizeBytes }) => ({ path, sizeBytes })),
    problems,
    brokenLinks: inTexts.brokenLinks,
    rootLinks,
  };
}

/** Returns the folder inside that looks like the finished site, or null. */
export function buildFolderIn(paths: { has(path: string): boolean }): string | null {
  return BUILD_FOLDERS.find((folder) => paths.has(`${folder}/index.html`)) ?? null;
}

/** Determines the kind of project: a page that loads TypeScript or JSX is source, whatever the names say. */
function* projectSteps(
  paths: ReadonlySet<string>,
  texts: ReadonlyMap<string, string>,
): Generator<void, DetectedProject> {
  const page = texts.get('index.html');
  const dependencies = dependenciesOf(texts.get('package.json'));
  const project = yield* detectionSteps({ paths, dependencies, generator: generatorOf(page) });
  return SOURCE_SCRIPT.test(page ?? '') && project.kind !== 'source'
    ? { kind: 'source', framework: null, isSinglePage: false }
    : project;
}

function describeKind(
  { kind, framework }: DetectedProject,
  buildFolder: string | null,
): Pick<UploadInspection, 'kind' | 'title' | 'explanation'> {
  switch (kind) {
    case 'source':
      return {
        kind,
        title: `${framework === null ? 'Source' : `${framework} source`} that still needs a build`,
        explanation: `These files are what a developer writes, not what a browser shows. ${
          buildFolder === null
            ? 'Build them first, and publish the folder that the build makes.'
            : `The folder “${buildFolder}” looks like the finished website: publish that one.`
        }`,
      };
    case 'built':
      return { kind, title: `A finished ${framework} build`, explanation: READY };
    case 'plain':
      return { kind, title: 'Static website', explanation: READY };
    case 'unknown':
      return {
        kind,
        title: 'Files without a start page',
        explanation: 'People who open the address see “not found” until there is an index.html.',
      };
  }
}

const READY = 'Ready to publish.';

function entryProblems(
  files: readonly OfferedFile[],
  entryPage: string | null,
  buildFolder: string | null,
  needsBuild: boolean,
): UploadProblem[] {
  if (entryPage === null) return needsBuild ? [] : [missingEntryPage(files, buildFolder)];
  if (!files.some((file) => file.path === entryPage && file.sizeBytes === 0)) return [];
  return [
    {
      code: 'empty_entry_page',
      message: 'index.html is empty.',
      hint: 'People will see a white page.',
      path: entryPage,
    },
  ];
}

/** Says where the first page may be instead: under another name, in a folder, or in an archive. */
function missingEntryPage(files: readonly OfferedFile[], buildFolder: string | null): UploadProblem {
  const similar = files.find(({ path }) => SIMILAR.test(path));
  if (similar !== undefined) {
    return {
      code: 'entry_page_case',
      message: `The start page is called ${similar.path}.`,
      hint: 'Rename it to index.html: hosts look for exactly that name.',
      path: similar.path,
    };
  }
  if (buildFolder !== null) {
    return {
      code: 'entry_page_elsewhere',
      message: `The start page is in the folder “${visiblePath(buildFolder)}”.`,
      hint: `Publish the folder “${visiblePath(buildFolder)}” itself.`,
      path: `${buildFolder}/index.html`,
    };
  }
  const archive = files.some(({ path }) => PAGE.test(path)) ? undefined : files.find(({ path }) => ARCHIVE.test(path));
  if (archive !== undefined) {
    return {
      code: 'entry_page_packed',
      message: `The site seems to be packed in ${visiblePath(archive.path)}.`,
      hint: 'Nothing inside it is published. Unpack it, and choose the folder that comes out.',
      path: archive.path,
    };
  }
  const [page, ...others] = files.filter(({ path }) => PAGE.test(path) && !path.includes('/') && !NO_START.test(path));
  const isOnly = page !== undefined && others.length === 0;
  return {
    code: 'no_entry_page',
    message: 'There is no index.html.',
    hint: isOnly
      ? `If ${visiblePath(page.path)} is your home page, rename it to index.html.`
      : 'Add a page of that name: it is what people see first.',
    path: isOnly ? page.path : null,
  };
}

/** Matches a start page under another name. */
const SIMILAR = /^(index\.html?|default\.html?)$/i;
const PAGE = /\.html?$/i;
/** Pages of errors, and the file by which Google knows a site's owner (Search Console Help, "Verify your site"). */
const NO_START = /^(?:404|50\d|google[\da-f]{16})\.html?$/i;
/** Matches an archive, which may hold a whole folder. */
const ARCHIVE = /\.(?:zip|rar|7z|tar|tgz|tar\.(?:gz|bz2|xz|zst))$/i;
/** Matches a first page that is not the project's own. */
const FOREIGN = /(?:^|\/)node_modules\//;

function isOwn({ path }: OfferedFile): boolean {
  return !FOREIGN.test(path);
}

/** Returns the folder of the first page with the fewest folders around it; null when the start page is outside. */
function siteFolderIn(files: readonly OfferedFile[]): string | null {
  if (files.some(({ path }) => SIMILAR.test(path))) return null;
  const depthOf = (path: string) => path.split('/').length;
  return files
    .filter(({ path }) => path.endsWith('/index.html') && !FOREIGN.test(path))
    .map(({ path }) => path.slice(0, path.lastIndexOf('/')))
    .reduce<string | null>((best, path) => (best === null || depthOf(path) < depthOf(best) ? path : best), null);
}

/** Some people publish a site that they cannot build. */
const BUILT_BY_OTHERS =
  'If somebody else made this site for you, ask them for its built folder, usually called dist or build.';

function buildProblems(
  paths: ReadonlySet<string>,
  needsBuild: boolean,
  tool: string | null,
  buildFolder: string | null,
): UploadProblem[] {
  const problems: UploadProblem[] = [];
  if (needsBuild) {
    const hint =
      buildFolder === null
        ? `Run the build${tool === null ? '' : ` of ${tool}`} (often “npm run build”) and publish the folder that it makes. ${BUILT_BY_OTHERS}`
        : `Publish the folder “${buildFolder}” instead.`;
    problems.push({ code: 'needs_build', message: 'A browser cannot show these files as they are.', hint, path: null });
  }
  const module = [...paths].find((path) => /(^|\/)node_modules\//.test(path));
  if (module !== undefined) {
    problems.push({
      code: 'holds_node_modules',
      message: 'The folder node_modules is among the files.',
      hint: needsBuild
        ? 'It is for building only: publish the folder that the build makes.'
        : 'It is for building only, and visitors do not need it: take it out, then choose the rest again.',
      path: module,
    });
  }
  return problems;
}
