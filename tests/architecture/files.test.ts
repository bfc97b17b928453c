import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { JOB_PAYLOADS } from '../../server/queue/payloads.ts';
import { parse, readSources, type SourceTree } from '../support/source-tree.ts';

/** Sizes and names that the linter does not look at: what is read in one go, and is found by what it is called. */
const LINES_MAX = 300;
const TEST_LINES_MAX = 500;
const FOLDER_FILES_MAX = 20;
const FUNCTION_LINES_MAX = 60;
const NESTING_MAX = 3;
/** Tables: a row more is no complexity more. */
const TABLES = ['routers/rules/uploads/frameworks.ts', 'routers/schemas/limits.ts', 'src/routes.tsx'];
/** Folders that were larger when the rule was made, with the files that they had: the numbers only go down. */
const LARGER_FOLDERS: Readonly<Record<string, number>> = {
  'src/api': 21,
  'src/features/deployments/manage': 21,
  'src/features/domains': 23,
  'src/features/releases/progress': 21,
  'src/lib': 23,
};
/** One file an address: who looks for one knows its name. */
const LISTS = ['src/screens'];
const NAME = /^_?[a-z0-9]+(-[a-z0-9]+)*(\.(gate|full))?(\.(test|spec|bench|worker|config|d))?\.tsx?$/;
const EMPTY_WORDS = /^(utils?|helpers?|common|manager|misc|types?)\b/;

function tooLong(tree: SourceTree): string[] {
  return [...tree]
    .filter(([path]) => !TABLES.includes(path))
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ path, lines }) => lines > (path.startsWith('tests/') ? TEST_LINES_MAX : LINES_MAX))
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

/** Returns the folders that have too many files, and those in `LARGER_FOLDERS` whose number is not the one there. */
function resizedFolders(tree: SourceTree): string[] {
  const counts = new Map<string, number>();
  for (const folder of Array.from(tree.keys(), dirname)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts]
    .filter(([folder]) => /^(?:server|src)\b/.test(folder) && !LISTS.includes(folder))
    .filter(([folder, count]) => count > FOLDER_FILES_MAX || folder in LARGER_FOLDERS)
    .filter(([folder, count]) => count !== LARGER_FOLDERS[folder])
    .map(([folder, count]) => `${folder} has ${count} files`);
}

/** A function counts with the closures that it holds, since they are read together; the linter counts them apart. */
function longFunctions(tree: SourceTree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    const source = parse(path, text);
    const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
    const visit = (node: ts.Node): void => {
      if (isCode(node)) {
        const [first, last] = [lineOf(node.getStart()), lineOf(node.end)];
        if (last - first >= FUNCTION_LINES_MAX) found.push(`${path}:${first} has ${last - first + 1} lines`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function isCode(node: ts.Node): boolean {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node)
  );
}

function misnamed(tree: SourceTree): string[] {
  return [...tree.keys()].filter((path) => !NAME.test(basename(path)) || EMPTY_WORDS.test(basename(path)));
}

/** Blocks within blocks of one function; an `else if` stands beside its `if`, and a callback begins anew. */
function tooDeep(tree: SourceTree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    const source = parse(path, text);
    const visit = (node: ts.Node, depth: number): void => {
      const own = ts.isFunctionLike(node) ? 0 : depth + (nests(node) ? 1 : 0);
      if (own > NESTING_MAX && own > depth) {
        found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
      }
      ts.forEachChild(node, (child) => visit(child, own));
    };
    visit(source, 0);
  }
  return found;
}

function nests(node: ts.Node): boolean {
  if (ts.isIfStatement(node)) return !(ts.isIfStatement(node.parent) && node.parent.elseStatement === node);
  return ts.isIterationStatement(node, false) || ts.isSwitchStatement(node) || ts.isTryStatement(node);
}

/** `as` outside a named function, where nobody says why it holds. `as const` is free, and so is `satisfies`. */
function looseAssertions(tree: SourceTree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    const source = parse(path, text);
    const visit = (node: ts.Node, isNamed: boolean): void => {
      if (ts.isAsExpression(node) && !isNamed && !ts.isConstTypeReference(node.type)) {
        found.push(
          `${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText().slice(0, 60)}`,
        );
      }
      const opens = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
      ts.forEachChild(node, (child) => visit(child, isNamed || opens));
    };
    visit(source, false);
  }
  return found;
}

/** Returns the names of one side that a file of the other uses; a property of that name does not count. */
function foreignNames(tree: SourceTree, side: string, names: readonly string[]): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (!path.startsWith(side)) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && names.includes(node.text) && isFree(node)) found.push(`${path} uses ${node.text}`);
      ts.forEachChild(node, visit);
    };
    visit(parse(path, text));
  }
  return found;
}

function isFree(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  if (
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isBindingElement(parent)) &&
    parent.name === node
  ) {
    return false;
  }
  return !ts.isVariableDeclaration(parent) && !ts.isParameter(parent) && !ts.isFunctionDeclaration(parent);
}

const product = readSources(['routers', 'server', 'src']);
const everything = readSources(['routers', 'server', 'src', 'tests']);

test('no file is longer than a person reads at once', () => {
  expect(tooLong(everything)).toEqual([]);
  expect(tooLong(new Map([['server/long.ts', 'a\n'.repeat(301)]]))).toHaveLength(1);
});

test('no folder holds more files than a person takes in at once', () => {
  expect(resizedFolders(product)).toEqual([]);
  const files = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => [`${folder}/${index}.ts`, ''] as const);
  const planted = new Map([
    ...files('server/full', 20),
    ...files('server/grown', 21),
    ...files('src/api', 22),
    ...files('src/lib', 22),
    ...files('src/screens', 40),
    ...files('routers/schemas', 40),
  ]);
  const found = ['server/grown has 21 files', 'src/api has 22 files', 'src/lib has 22 files'];
  expect(resizedFolders(planted)).toEqual(found);
});

test('no function is longer than a screen', () => {
  expect(longFunctions(product)).toEqual([]);
  const closures = `const inner = () => {\n${'a();\n'.repeat(30)}};\n`;
  const planted = new Map([['server/long.ts', `function outer() {\n${closures.repeat(2)}}`]]);
  expect(longFunctions(planted)).toEqual(['server/long.ts:1 has 66 lines']);
});

test('nothing is nested deeper than three blocks', () => {
  expect(tooDeep(everything)).toEqual([]);
  const three = 'if (b) for (;;) { try { c(() => { if (d) e(); }); } finally {} }';
  const planted = new Map([
    ['server/deep.ts', `while (a) { ${three.replace('c(', 'if (f) c(')} }`],
    ['server/flat.ts', `${three} if (a) b(); else if (c) d(); else if (e) f(); else if (g) h(); else i();`],
  ]);
  expect(tooDeep(planted)).toEqual(['server/deep.ts:1', 'server/deep.ts:1']);
});

test('files are named in kebab-case after the one thing inside', () => {
  expect(misnamed(everything)).toEqual([]);
  expect(
    misnamed(
      new Map([
        ['server/utils.ts', ''],
        ['src/LoginForm.tsx', ''],
        ['src/login-form.tsx', ''],
      ]),
    ),
  ).toHaveLength(2);
});

test('a background job is in the file of its name below a `jobs`, and its test at the same place, in `npm test` or the gate', () => {
  const paths = [...readSources(['server', 'tests']).keys()];
  const jobs = Object.keys(JOB_PAYLOADS);
  expect(jobs.length).toBeGreaterThan(10);
  const placesOf = (name: string): string[] => paths.filter((path) => path.endsWith(`/jobs/${name}.ts`));
  expect(jobs.filter((name) => placesOf(name).length !== 1)).toEqual([]);
  const tests = jobs.flatMap(placesOf).map((path) => path.replace('server/', 'tests/').replace('.ts', '.test.ts'));
  const isThere = (path: string): boolean =>
    paths.includes(path) || paths.includes(path.replace('.test.ts', '.gate.test.ts'));
  expect(tests.filter((path) => !isThere(path))).toEqual([]);
});

test('a type is asserted only in a named function that says why it holds', () => {
  expect(looseAssertions(product)).toEqual([]);
  const planted = 'const a = b as string;\nfunction asText(v: unknown) { return v as string }\nconst c = [1] as const;';
  expect(looseAssertions(new Map([['src/a.ts', planted]]))).toEqual(['src/a.ts:1 b as string']);
});

test('the server knows no window, and the page no process', () => {
  expect(foreignNames(product, 'server/', ['window', 'document'])).toEqual([]);
  expect(foreignNames(product, 'src/', ['process', 'Buffer'])).toEqual([]);
  const planted = new Map([
    ['server/a.ts', 'window.alert(1)'],
    ['src/a.ts', 'process.env.A; a.process; ({ process: 1 })'],
  ]);
  expect(foreignNames(planted, 'server/', ['window'])).toEqual(['server/a.ts uses window']);
  expect(foreignNames(planted, 'src/', ['process'])).toEqual(['src/a.ts uses process']);
});

/** Files that ask for a normal form themselves: it takes quadratic time, so one function bounds the length for all. */
function normalisers(tree: SourceTree): string[] {
  return [...tree].filter(([, text]) => /\.normalize\(/.test(text)).map(([path]) => path);
}

test('text is normalised in one place, which bounds its length', () => {
  expect(normalisers(product)).toEqual(['routers/schemas/normal-form.ts']);
  expect(normalisers(new Map([['src/name.ts', "name.normalize('NFC')"]]))).toEqual(['src/name.ts']);
});

/** Read where a time of the machine is compared with another of the same clock: ages of files, and the clock itself. */
const READS_MACHINE_CLOCK = [
  'server/database/clock.ts',
  'server/lib/durable-file.ts',
  'server/store/disk/bundles.ts',
  'server/store/disk/folder.ts',
  'server/store/incoming-file.ts',
];

/** Returns the files that read the clock of the machine, which may be set back or forward at any moment. */
function clockReaders(tree: SourceTree): string[] {
  return [...tree]
    .filter(([path, text]) => path.startsWith('server/') && text.includes('Date.now('))
    .map(([path]) => path)
    .sort();
}

test('how long something takes on the server is told by the monotonic clock', () => {
  expect(clockReaders(product)).toEqual(READS_MACHINE_CLOCK);
  expect(clockReaders(new Map([['server/slow.ts', 'const since = Date.now();']]))).toEqual(['server/slow.ts']);
});

/** Papers that are not in the repository. A public standard is named with its author: GridFS's. */
const FOREIGN_PAPER =
  /(?:security|platform|performance|stack|mongo(?:db)?) facts|facts\sof\s\d{4}|(?:product|look)\spage|(?:house|look)\.md|specification,\ssection|\bthe\sspecification\b/gi;
/** The constants and the tests that hold the product to its specification. */
const CITES_SPECIFICATION = /^(?:routers\/schemas\/limits\.ts$|tests\/specification\/)/;

/** Returns path and words of each citation, wherever a comment is broken into lines. */
function foreignCitations(tree: SourceTree): string[] {
  return [...tree]
    .filter(([path]) => !CITES_SPECIFICATION.test(path))
    .flatMap(([path, text]) => {
      const joined = text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
      return Array.from(joined.matchAll(FOREIGN_PAPER), ([words]) => `${path}: ${words}`);
    });
}

test('a comment gives its reason, and cites nothing that is not in the repository', () => {
  const readme: SourceTree = new Map([['README.md', readFileSync('README.md', 'utf8')]]);
  expect(foreignCitations(new Map([...readSources(['routers', 'server', 'src', 'tests']), ...readme]))).toEqual([]);
  const planted = '// Product\n// page, section 3.\n// RFC 9110, section 5.6.2.\n/** As the\n * specification says. */';
  const found = [/^server\/a.ts: Product\spage$/, /^server\/a.ts: the\sspecification$/];
  expect(foreignCitations(new Map([['server/a.ts', planted]]))).toEqual(
    found.map((words) => expect.stringMatching(words)),
  );
});

/** Named by their parents, or no code. */
const OUTSIDE_THE_MAP = ['routers/schemas/', 'src/public/'];

/** Paths of the repository that the README names and that are not there. */
function deadPaths(readme: string): string[] {
  const named = [...readme.matchAll(/`((?:routers|server|src|tests)\/[\w./-]*)`/g)].map(([, path = '']) => path);
  return named.filter((path) => !existsSync(path));
}

/** Returns names that the README places in a file (`name` in `path`) that does not contain them. */
function missingNames(readme: string): string[] {
  const named = readme.matchAll(/`(\w+)` in `((?:routers|server|src|tests)\/[\w./-]+\.tsx?)`/g);
  return [...named].flatMap(([, name = '', path = '']) =>
    existsSync(path) && readFileSync(path, 'utf8').includes(name) ? [] : [`${name} in ${path}`],
  );
}

/** Files that a comment names and that are not there. */
function deadCitations(tree: SourceTree): string[] {
  const cited = /^\s*(?:\/\*\*?|\*|\/\/).*?((?:routers|server|src|tests)\/[\w./-]+\.tsx?)\b/gm;
  return [...tree].flatMap(([path, text]) =>
    [...text.matchAll(cited)].flatMap(([, file = '']) => (existsSync(file) ? [] : [`${path}: ${file}`])),
  );
}

test('every file that a comment names is there, and what the README says is in one', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(missingNames(readme)).toEqual([]);
  expect(missingNames('`gone` in `server/boot/main.ts`')).toEqual(['gone in server/boot/main.ts']);
  expect(deadCitations(product)).toEqual([]);
  expect(deadCitations(new Map([['a.ts', '/** As server/gone.ts says. */']]))).toEqual(['a.ts: server/gone.ts']);
});

test('every path that the README names is there', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(deadPaths(readme)).toEqual([]);
  expect(deadPaths('`server/boot/main.ts`, `server/gone.ts` and `src/`')).toEqual(['server/gone.ts']);
  const folders = ['routers', 'server', 'src'].flatMap((top) =>
    readdirSync(top, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${top}/${entry.name}/`] : [],
    ),
  );
  const unnamed = folders.filter((folder) => !readme.includes(`\`${folder}`) && !OUTSIDE_THE_MAP.includes(folder));
  expect(unnamed).toEqual([]);
});

/** A project that no size names is run by nobody, and nothing says so. */
test('each project of the tests is run in the full size, which is everything', () => {
  const [config, run] = ['vite.config.ts', 'tests/support/run.ts'].map((path) => readFileSync(path, 'utf8'));
  const projects = config?.split(/^const PROJECTS/m)[1]?.split(/^\];/m)[0] ?? '';
  const names = [...projects.matchAll(/(?:onDatabase\(|onPage\(|\bname: )'([\w-]+)'/g)].map(([, name]) => name);
  expect(names).toContain('architecture');
  const full = run?.split(/^ {2}full: /m)[1]?.split(/^\};/m)[0];
  expect(names.filter((name) => !full?.includes(`'${name}'`))).toEqual([]);
});
