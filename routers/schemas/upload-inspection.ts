import type { OfferedFile } from './upload-rules.ts';
import { ruleProblems, type TextFindings, textProblemSteps } from './upload-text-problems.ts';

/** What an upload is, in words that a person who builds nothing understands: pure, over names, sizes and a few texts. */
export type UploadKind = 'plain' | 'built' | 'source' | 'unknown';

export type UploadInspection = {
  kind: UploadKind;
  title: string;
  explanation: string;
  /** The page that people see first; null when there is none. */
  entryPage: string | null;
  /** A folder inside that looks like the finished site, to publish instead of the whole. */
  buildFolder: string | null;
  fileCount: number;
  totalBytes: number;
  largest: OfferedFile[];
  problems: UploadProblem[];
};

export type UploadProblem = {
  code: ProblemCode;
  message: string;
  hint: string;
  path: string | null;
  /** The places of the problem, when it is inside files; at most fifty. */
  places?: readonly ProblemPlace[];
};
export type ProblemPlace = { path: string; line: number; text: string };
export type ProblemCode =
  | 'no_entry_page'
  | 'entry_page_elsewhere'
  | 'entry_page_case'
  | 'needs_build'
  | 'holds_node_modules'
  | 'empty_entry_page'
  | 'holds_token'
  | 'link_case'
  | 'broken_link'
  | 'rule_ignored';

/** Folders that the usual tools write the finished site to. */
const BUILD_FOLDERS = ['dist', 'build', 'out', '_site', 'public', 'www', 'docs', '.output/public'] as const;

/** Dependencies of package.json, with the names that people know them by. */
const TOOLS: readonly (readonly [dependency: string, name: string])[] = [
  ['next', 'Next.js'],
  ['nuxt', 'Nuxt'],
  ['@sveltejs/kit', 'SvelteKit'],
  ['astro', 'Astro'],
  ['gatsby', 'Gatsby'],
  ['@angular/core', 'Angular'],
  ['@11ty/eleventy', 'Eleventy'],
  ['@docusaurus/core', 'Docusaurus'],
  ['vitepress', 'VitePress'],
  ['react-scripts', 'Create React App'],
  ['parcel', 'Parcel'],
  ['vite', 'Vite'],
  ['webpack', 'webpack'],
];

/** Marks that a finished build leaves in its own files, by path. */
const BUILD_MARKS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^_next\/static\//, 'Next.js'],
  [/^_nuxt\//, 'Nuxt'],
  [/^_app\/immutable\//, 'SvelteKit'],
  [/^_astro\//, 'Astro'],
  [/^page-data\//, 'Gatsby'],
  [/^static\/(js|css)\/main\.[0-9a-f]{8}\./, 'Create React App'],
  [/^assets\/[^/]+-[\w-]{8}\.(js|css)$/, 'Vite'],
  [/^main(-|\.)[0-9a-zA-Z]{8,}\.js$/, 'Angular'],
];

/** A script that no browser runs. Quotes may be left out (HTML standard, 13.1.2.3), and a query may follow. */
const SOURCE_SCRIPT =
  /<script\b[^<>]*?\ssrc\s*=\s*(?:"[^"?#]*|'[^'?#]*|[^\s"'>?#]*)\.(?:tsx?|jsx|vue|svelte)(?=["'\s>?#])/i;

/** The texts that `inspectUpload` looks into, when they are there: read these and no more. */
export const INSPECTED_TEXTS = ['package.json', 'index.html', '_redirects', '_headers'] as const;

/**
 * Inspects `files`, the paths that would be published. `texts` holds the content of those of INSPECTED_TEXTS that
 * exist; without them the names alone decide. `looks` holds what was found in texts, by path.
 */
export function inspectUpload(
  files: readonly OfferedFile[],
  texts: ReadonlyMap<string, string> = new Map(),
  looks: ReadonlyMap<string, TextFindings> = new Map(),
): UploadInspection {
  const steps = inspectionSteps(files, texts, looks);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does the same with a pause after every few links, for a server that has others to answer (server/time-slices.ts). */
export function* inspectionSteps(
  files: readonly OfferedFile[],
  texts: ReadonlyMap<string, string>,
  looks: ReadonlyMap<string, TextFindings>,
): Generator<void, UploadInspection> {
  const paths = new Set(files.map((file) => file.path));
  const entryPage = paths.has('index.html') ? 'index.html' : null;
  const buildFolder = BUILD_FOLDERS.find((folder) => paths.has(`${folder}/index.html`)) ?? null;
  const tool = toolOf(texts.get('package.json'));
  const needsBuild = isSource(paths, texts, tool);
  const description = describeKind(paths, entryPage, needsBuild, tool, buildFolder);
  const problems = [
    ...entryProblems(files, entryPage, buildFolder, needsBuild),
    ...buildProblems(paths, needsBuild, tool, buildFolder),
    ...(yield* textProblemSteps(files, texts, looks, description.kind)),
    ...ruleProblems(texts),
  ];
  return {
    ...description,
    entryPage,
    buildFolder,
    fileCount: files.length,
    totalBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    largest: [...files]
      .sort((a, b) => b.sizeBytes - a.sizeBytes)
      .slice(0, 5)
      .map(({ path, sizeBytes }) => ({ path, sizeBytes })),
    problems,
  };
}

/** What a package.json is built with, or null. A text that is no JSON says nothing. */
function toolOf(packageJson: string | undefined): string | null {
  if (packageJson === undefined) return null;
  const dependencies = dependenciesOf(packageJson);
  return TOOLS.find(([dependency]) => dependencies.has(dependency))?.[1] ?? null;
}

function dependenciesOf(packageJson: string): ReadonlySet<string> {
  try {
    const parsed: unknown = JSON.parse(packageJson.replace(/^\ufeff/, ''));
    if (typeof parsed !== 'object' || parsed === null) return new Set();
    return new Set([
      ...('dependencies' in parsed ? namesIn(parsed.dependencies) : []),
      ...('devDependencies' in parsed ? namesIn(parsed.devDependencies) : []),
    ]);
  } catch {
    return new Set();
  }
}

function namesIn(dependencies: unknown): string[] {
  return typeof dependencies === 'object' && dependencies !== null ? Object.keys(dependencies) : [];
}

/**
 * Returns whether this is source that a browser cannot run: a tool in package.json, or a page that asks for TypeScript
 * or JSX.
 */
function isSource(paths: ReadonlySet<string>, texts: ReadonlyMap<string, string>, tool: string | null): boolean {
  if (paths.has('package.json') && tool !== null) return true;
  return SOURCE_SCRIPT.test(texts.get('index.html') ?? '');
}

function describeKind(
  paths: ReadonlySet<string>,
  entryPage: string | null,
  needsBuild: boolean,
  tool: string | null,
  buildFolder: string | null,
): Pick<UploadInspection, 'kind' | 'title' | 'explanation'> {
  if (needsBuild) {
    const name = tool === null ? 'Source' : `${tool} source`;
    const where =
      buildFolder === null
        ? 'Build it first, and publish the folder that the build makes.'
        : `The folder "${buildFolder}" in it looks finished: publish that one.`;
    return {
      kind: 'source',
      title: `${name} that still needs a build`,
      explanation: `These files are what a developer writes, not what a browser shows. ${where}`,
    };
  }
  const mark = BUILD_MARKS.find(([pattern]) => [...paths].some((path) => pattern.test(path)));
  if (mark !== undefined && entryPage !== null) {
    return {
      kind: 'built',
      title: `A finished ${mark[1]} build`,
      explanation: 'Everything is ready to be published as it is.',
    };
  }
  if (entryPage !== null)
    return { kind: 'plain', title: 'A plain website', explanation: 'Everything is ready to be published as it is.' };
  return {
    kind: 'unknown',
    title: 'Files without a first page',
    explanation: 'People who open the address see "not found" until there is an index.html.',
  };
}

function entryProblems(
  files: readonly OfferedFile[],
  entryPage: string | null,
  buildFolder: string | null,
  needsBuild: boolean,
): UploadProblem[] {
  if (entryPage !== null) {
    const isEmpty = files.some((file) => file.path === entryPage && file.sizeBytes === 0);
    return isEmpty
      ? [
          {
            code: 'empty_entry_page',
            message: 'index.html is empty.',
            hint: 'People will see a white page.',
            path: entryPage,
          },
        ]
      : [];
  }
  if (needsBuild) return [];
  const similar = files.find((file) => /^(index\.html?|default\.html?)$/i.test(file.path));
  if (similar !== undefined) {
    return [
      {
        code: 'entry_page_case',
        message: `The first page is called ${similar.path}.`,
        hint: 'Rename it to index.html: hosts look for exactly that name.',
        path: similar.path,
      },
    ];
  }
  const inside =
    buildFolder === null
      ? files.find((file) => /^[^/]+\/index\.html$/.test(file.path))?.path
      : `${buildFolder}/index.html`;
  if (inside !== undefined) {
    const folder = inside.slice(0, inside.lastIndexOf('/'));
    return [
      {
        code: 'entry_page_elsewhere',
        message: `The first page lies in the folder "${folder}".`,
        hint: `Publish the folder "${folder}" itself.`,
        path: inside,
      },
    ];
  }
  return [
    {
      code: 'no_entry_page',
      message: 'There is no index.html.',
      hint: 'Add a page of that name: it is what people see first.',
      path: null,
    },
  ];
}

/** Not everybody who publishes a site can build it. */
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
        ? `Run the build${tool === null ? '' : ` of ${tool}`} (often "npm run build") and publish the folder that it makes. ${BUILT_BY_OTHERS}`
        : `Publish the folder "${buildFolder}" instead.`;
    problems.push({ code: 'needs_build', message: 'A browser cannot show these files as they are.', hint, path: null });
  }
  const module = [...paths].find((path) => /(^|\/)node_modules\//.test(path));
  if (module !== undefined) {
    problems.push({
      code: 'holds_node_modules',
      message: 'The folder node_modules is in it.',
      hint: 'It is for building only: publish the folder that the build makes.',
      path: module,
    });
  }
  return problems;
}
