import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { check } from 'recheck';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { atOnce } from '../../routers/schemas/at-once.ts';
import { configSteps } from '../../server/publishing/platforms/site-routes.ts';
import { IS_FULL } from '../support/size.ts';
import { parse, readSources, type SourceTree } from '../support/source-tree.ts';

/**
 * Every regular expression of the product takes time in proportion to its text, whatever the sender wrote: V8 matches
 * by trying, and an innocent `/\\s+$/` looks through a megabyte of blanks a million times. Written another way, or
 * with a limit on each repetition, nearly every one is linear.
 */
const TIMEOUT_MS = 5 * 60_000;
/** Cut short on a busy machine, the search for an attack takes what it has for one: it ends by its count of steps instead. */
const WITHOUT_CLOCK = { incubationTimeout: null, attackTimeout: null };
/** All expressions, none known as linear, took five minutes on a busy machine; six times that is the limit. */
const ALL_MS = 30 * 60_000;
/**
 * The expressions that were found linear, so that a run looks at new ones alone; `npm run test:full` looks at all. Written
 * by `npx vitest run --update --project architecture tests/architecture/regular-expressions.test.ts`.
 */
const LINEAR_FILE = 'tests/architecture/linear-expressions.txt';

type Found = { place: string; source: string; flags: string };

function expressionsIn(tree: SourceTree): Found[] {
  const found = new Map<string, Found>();
  for (const [path, text] of tree) {
    const source = parse(path, text);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        const [pattern, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
        found.set(node.text, { place: `${path}:${line}`, source: pattern, flags });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return [...found.values()];
}

async function slowIn(tree: SourceTree, known: ReadonlySet<string> = new Set()): Promise<string[]> {
  const slow: string[] = [];
  for (const { place, source, flags } of expressionsIn(tree)) {
    if (known.has(`/${source}/${flags}`)) continue;
    const result = await check(source, flags, { ...WITHOUT_CLOCK, timeout: TIMEOUT_MS });
    if (result.status === 'safe') continue;
    const why = result.status === 'vulnerable' ? result.complexity.summary : 'could not be judged';
    slow.push(`${place} /${source}/${flags} ${why}`);
  }
  return slow;
}

/** A text that runs elsewhere, one process a site: what it makes patterns of is held to the same below. */
const RUNS_ELSEWHERE = 'server/publishing/platforms/heroku/static-server.ts';

/** Returns files that build expressions at run time, which cannot be judged here. */
function madeAtRunTime(tree: SourceTree): string[] {
  return [...tree].flatMap(([path, text]) => (/\bRegExp\(/.test(text) && path !== RUNS_ELSEWHERE ? [path] : []));
}

const product = (): SourceTree => {
  const tree = readSources(['routers', 'server', 'src']);
  return tree.set('vite.config.ts', readFileSync('vite.config.ts', 'utf8'));
};

/**
 * Returns the expressions that were found linear before; another version of the program that judges them may decide
 * otherwise.
 */
function knownAsLinear(): { title: string; known: ReadonlySet<string> } {
  const { version }: { version: string } = JSON.parse(readFileSync('node_modules/recheck/package.json', 'utf8'));
  const title = `Linear, says recheck ${version}`;
  const [written, ...known] = existsSync(LINEAR_FILE) ? readFileSync(LINEAR_FILE, 'utf8').split('\n') : [];
  return { title, known: new Set(written === title && !IS_FULL ? known : []) };
}

const { title, known } = knownAsLinear();

test(
  'every regular expression of the product is linear',
  async () => {
    const tree = product();
    const expressions = expressionsIn(tree).map(({ source, flags }) => `/${source}/${flags}`);
    expect(expressions.length).toBeGreaterThan(200);
    expect(await slowIn(tree, known)).toEqual([]);
    expect(madeAtRunTime(tree)).toEqual([]);
    await expect([title, ...expressions.toSorted(), ''].join('\n')).toMatchFileSnapshot(resolve(LINEAR_FILE));
  },
  known.size === 0 ? ALL_MS : undefined,
);

test('the patterns that the rules of a site are written as are linear', async () => {
  const { routes } = atOnce(
    configSteps({
      paths: ['index.html', 'about.html', '404.html', 'news/one.html'],
      isSinglePage: true,
      redirects: '/a /b\n/old/:year/:title/* /new/:splat 302\n/*/ /c 301!\n/x.y(z)+ /index.html 200\n/ä%20b /c\n',
      headers: '/*\n  X-A: b\n/a*b.(c)+\n  X-A: b\n/:one/two\n  X-A: b\n',
    }),
  );
  const sources = routes.flatMap((route) => ('src' in route ? [route.src] : []));
  expect(sources.length).toBeGreaterThan(8);
  const written = sources.map((source) => `export const A = ${new RegExp(source)};`).join('\n');
  expect(await slowIn(new Map([['routes.ts', written]]))).toEqual([]);
});

test.each([
  ['exponential', 'const A = /^(a+)+$/;'],
  ['polynomial, from each place anew', 'const A = /[-._]([A-Za-z0-9_-]{8,})\\.[A-Za-z0-9]{1,8}$/;'],
  ['polynomial, an end that never comes', 'export const comments = (t: string) => t.replace(/<!--[^]*?-->/g, "");'],
  ['polynomial, a suffix', 'const A = /\\s+$/;'],
])('a planted one is found: %s', async (_kind, text) => {
  expect(await slowIn(new Map([['planted.ts', text]]))).toHaveLength(1);
  expect(madeAtRunTime(new Map([['planted.ts', 'new RegExp(text)']]))).toEqual(['planted.ts']);
});
