import { createHash } from 'node:crypto';
import type { Random } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import type { Target } from '../support/attack.ts';
import type { AttackedApp } from '../support/attacked-app.ts';
import { faultOf } from '../support/call.ts';
import { longText, oddText, REPEATED_PIECES } from '../support/odd-values.ts';
import { releaseUpload, sendUpload, type UploadSlot } from '../support/upload-slots.ts';

/** Pieces at which a scanner of pages, styles, keys and packages starts, and at which it would stop. */
const HTML = [
  ...['<', '>', '<!--', '-->', '<!-', '--', '<a ', '<a href', '<a href=', '<a href="', "<a href='", '<a b=c ', '<a b '],
  ...['<script', '<script ', '<script>', '<script src="', '</script', '</script>', '<style', '<style>', '</style'],
  ...[
    '<template',
    '<noscript',
    '<base ',
    '<base href',
    '<img srcset="',
    '<img srcset="a, ',
    ', ',
    '&amp;',
    '<link ',
    '="',
  ],
];
const CSS = [
  'url(',
  'url( ',
  "url('",
  'url("',
  '@import ',
  '@import "',
  "@import '",
  '/*',
  '*/',
  '/**',
  'a{',
  ')',
  '"',
];
const KEYS = [
  '-----BEGIN ',
  '-----BEGIN A ',
  'PRIVATE KEY-----',
  'AKIA',
  'AKIA0',
  'ghp_',
  'ghp_a',
  'sk_live_',
  'sk_live_a',
];
const PLACES = [
  '/*',
  '/:a',
  '/:a-:b',
  '/a/*/b',
  '/:splat',
  '/',
  '//',
  '/%',
  '/a?x=:x',
  'https://*.x',
  '/*/*/*',
  '/../',
];
const STATUSES = ['', '200', '301!', '404', '200!', '999', 'x', '301 Country=de', 'a=:a 301'];
/** A text of more is not looked into, and a file of rules is read up to 256 KiB. */
const LOOKED_INTO_MAX = 1024 * 1024 - 1;
const RULES_MAX = 260 * 1024;
const RULE_LINES = IS_FULL ? 5_000 : 1_000;

/** A text as long as it may be: something that is begun, and then one piece over and over. */
function flood(random: Random, pieces: readonly string[], longest: number): string {
  const long = longText(random, random.pick(random.chance(0.7) ? pieces : REPEATED_PIECES), longest - 40);
  return `${random.pick(pieces)}${long}${random.pick(pieces)}`;
}

function oddRules(random: Random, line: () => string): string {
  if (random.chance(0.2)) return flood(random, ['/', '*', ':a', ' ', '\n', '/*\n a: b\n'], RULES_MAX);
  const lines = Array.from({ length: random.pick([3, 100, RULE_LINES]) }, line);
  return lines.join(random.pick(['\n', '\r\n', '\r'])).slice(0, RULES_MAX);
}

function oddSite(random: Random): Record<string, string> {
  const place = (): string => random.pick(PLACES) + (random.chance(0.1) ? oddText(random, 1_500) : '');
  const header = (): string =>
    `  ${random.chance(0.8) ? random.pick(['A', '! A', 'Link', 'Cache-Control']) : oddText(random, 60)}`;
  const longest = random.pick([10_000, LOOKED_INTO_MAX]);
  return {
    'index.html': `<p>${flood(random, HTML, longest)}`,
    'about.html': flood(random, [...HTML, ...KEYS], longest),
    'style.css': flood(random, CSS, longest),
    'keys.txt': flood(random, KEYS, longest),
    'package.json': flood(random, ['{"dependencies":', '{"a":', '[', '"'], 100_000),
    _redirects: oddRules(random, () => `${place()} ${place()} ${random.pick(STATUSES)}`),
    _headers: oddRules(random, () => (random.chance(0.3) ? place() : `${header()}: ${oddText(random, 100)}`)),
  };
}

async function upload(slot: UploadSlot, site: Record<string, string>): Promise<string[]> {
  const bodies = Object.entries(site).map(([path, text]) => {
    const body = Buffer.from(text);
    return { path, body, sha256: createHash('sha256').update(body).digest('hex') };
  });
  const files = bodies.map(({ path, sha256, body }) => ({ path, sha256, sizeBytes: body.length }));
  const list = Buffer.from(JSON.stringify({ files }));
  const faults = await sendUpload(slot, { method: 'PUT', rest: 'manifest', type: 'application/json', body: list });
  for (const { sha256, body } of bodies) {
    const file = { method: 'PUT', rest: `files/${sha256}`, type: 'application/octet-stream', body };
    faults.push(...(await sendUpload(slot, file)));
  }
  return faults;
}

async function visit({ app }: AttackedApp, { slug }: UploadSlot, random: Random): Promise<string[]> {
  const path = random.chance(0.3)
    ? random.pick(['/', '/about', '/style.css', '/a/b', '/a?x=1'])
    : `/${encodeURI(Buffer.from(longText(random, random.pick(REPEATED_PIECES), random.pick([20, 4_000]))).toString())}`;
  const headers = { Host: `${slug}.localhost:${app.sitesPort}` };
  return faultOf(`http://localhost:${app.sitesPort}`, { method: 'GET', path: path.slice(0, 15_000), headers });
}

/** Sites whose pages, styles, rules and texts are what their readers are slowest at; published, and then visited. */
export const target: Target = {
  name: 'site texts',
  rounds: { few: 2, many: 80 },
  prepare: (attacked) => (random) =>
    attacked.uploadSlots.use(async (slot) => {
      const faults = [...(await upload(slot, oddSite(random))), ...(await releaseUpload(slot))];
      for (let visits = 0; visits < 20; visits += 1) faults.push(...(await visit(attacked, slot, random)));
      return faults;
    }),
};
