import { readFile } from 'node:fs/promises';
import { readZip } from './read-zip.ts';

/** File names that look malicious and are allowed, in a folder and in a ZIP. */
export const ODD_NAMES = [
  '+page.svelte',
  '[id].html',
  '[...slug].html',
  '(group)/a',
  '..foo',
  'foo..bar',
  '@scope/x',
  '~user',
  'with some spaces.html',
  '\u{1f980}.html',
  '\u6f22\u5b57/\u4eee\u540d.html',
  '100%.html',
  'q?.html',
  'h#.html',
  '__proto__/x',
  'constructor',
  'COMB.css',
  'console.js',
  'nul1.txt',
  'com10.txt',
  'software/writtenin:Ruby/index.html',
  'docs/aux.html',
  'tags/acme-inc./index.html',
  'Menu /index.html',
  `b${'\u9577'.repeat(83)}.html`,
  '_redirects',
  '.nojekyll',
];

/** The most that a path may have: 255 bytes a part, 1,024 in all. */
const LONGEST = `${`${'\u9577'.repeat(84)}abc/`.repeat(3)}b/${'\u9577'.repeat(83)}c.txt`;

/** Further names that some systems mind, and two pairs that differ in capital letters alone. */
const MORE_NAMES = [
  LONGEST,
  'Pair.v.html',
  'Pair.V.html',
  'Std/x.txt',
  'std/x.txt',
  'tags/.net/index.html',
  'a+b=c&d;e.txt',
  "it's (1) [2].png",
  '%2e%2e/x.txt',
  'name.',
  'NUL',
  'c#?.txt',
];

/** Paths of one site with every odd name: those of the site that real programs pack, and all above. */
export async function oddSite(): Promise<string[]> {
  const packed = await readZip(await readFile(new URL('fixtures/zips/info-zip.zip', import.meta.url)));
  const paths = [...new Set([...packed.files.keys(), ...ODD_NAMES, ...MORE_NAMES])];
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
}
