import ts from 'typescript';
import { expect, test } from 'vitest';
import { HOSTING_PLATFORMS } from '../../routers/schemas/platforms/ids.ts';
import { findNodes, readSources, type SourceTree } from '../support/source-tree.ts';

/** `render` is a word of every React program as well: there it counts as a name in a text, or as the id itself. */
const VENDOR = new RegExp(
  HOSTING_PLATFORMS.filter((id) => id !== 'render')
    .map((id) => id.replace(/-.*/, ''))
    .join('|'),
  'i',
);
const RENDER = /\bRender\b|^['"`]render['"`]$/;

/** Places where a platform has to be named, each with the reason. */
const MAY_NAME = [
  // The adapters, one folder a platform, and their registry.
  new RegExp(`^server/publishing/platforms/(${HOSTING_PLATFORMS.join('|')}|git/|index\\.ts$)`),
  // What the contract says of each platform is data there.
  /^routers\/schemas\/platforms\//,
  // Environment variables are called after the platform that they are for.
  /^server\/boot\/env\/(env|egress|oauth)\.ts$/,
  // Tokens are known by their first letters: struck out of logs, and warned of in an upload.
  /^server\/lib\/log\.ts$/,
  /^routers\/rules\/uploads\/upload-tokens\.ts$/,
  // The marks of the platforms.
  /^src\/components\/states\/platform-drawing\.tsx$/,
  // One platform has a page of its own, with a route.
  /^src\/(screens\/deploy\/netlify\.tsx|routes\.tsx|lib\/paths\/paths\.ts|layouts\/navigation\.ts)$/,
  // Where the app itself is hosted by functions, its API has another address.
  /^src\/api\/session\/rewrite\.ts$/,
];

const vendorsNamed = (tree: SourceTree): string[] =>
  findNodes(tree, MAY_NAME, (node) => {
    const isText = ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
    const isWord = isText || ts.isIdentifier(node);
    return isWord && (VENDOR.test(node.getText()) || (isText && RENDER.test(node.getText())));
  });

test('a platform is named in its own folder and in the tables of platforms, nowhere else', () => {
  expect(vendorsNamed(readSources(['routers', 'server', 'src']))).toEqual([]);
});

test('a planted name of a platform is found', () => {
  const planted = new Map([
    ['server/publishing/deployments/destination.ts', "options.githubConnectionId = find('render');\nrender(page);"],
    ['server/publishing/platforms/render/index.ts', "import { githubAt } from '../github-pages/api.ts';"],
    ['src/features/releases/steps.tsx', '/** As Netlify does. */\nconst steps = <li>Open Render now</li>;'],
  ]);
  expect(vendorsNamed(planted)).toEqual([
    'server/publishing/deployments/destination.ts:1 githubConnectionId',
    "server/publishing/deployments/destination.ts:1 'render'",
    'src/features/releases/steps.tsx:2 Open Render now',
  ]);
});

/** Each fault of a list is a string and an object: one of a hundred thousand items that do not fit holds the process up. */
test('a list in the answer of another service ends at the first item that does not fit', () => {
  const sources = readSources([
    'server/publishing/platforms',
    'server/dns/providers',
    'server/domains/certificates/authority/acme',
  ]);
  const lists = [...sources].filter(([, text]) => /\bz\s*\.array\(/.test(text));
  expect(lists.map(([path]) => path)).toEqual([]);
});
