import type { Repair } from '../../../../routers/schemas/diagnostics.ts';
import { type Check, fail, type Page, pass, unknown, warn } from '../check.ts';

/**
 * Matches a tag with an http address; links are not content, except to style sheets. Its length is bounded, so it is
 * linear.
 */
const TAG = /<(script|iframe|frame|embed|object|img|source|video|audio|link|input)\b([^<>]{0,2000})>/gi;
const ADDRESS = /\b(?:src|href|data|poster)\s{0,9}=\s{0,9}["']?(http:\/\/[^"'\s>]{1,200})/i;
const ACTIVE: ReadonlySet<string> = new Set(['script', 'iframe', 'frame', 'embed', 'object']);
const SHOWN_MAX = 5;

type Found = { path: string; line: number; tag: string; address: string; isActive: boolean };

/** Checks whether pages load parts over http, which browsers refuse on an https page. */
export const mixedContent: Check = {
  id: 'mixed-content',
  why: 'On an https page, browsers block scripts and styles loaded over http, and may warn about images.',
  async run({ own, url }, tools) {
    const pages = await tools.pages();
    if (pages.length === 0) return unknown('No page could be read.');
    const found = pages.flatMap(insecureIn);
    const active = found.filter(({ isActive }) => isActive);
    const count = pages.length === 1 ? 'one page' : `${pages.length} pages`;
    const shown = (list: readonly Found[]): string =>
      list
        .slice(0, SHOWN_MAX)
        .map(({ path, line, tag, address }) => `${path}, line ${line}: ${tag} ${address}`)
        .join('; ');
    const repair: Repair | null = own === null ? null : { kind: 'release', deploymentId: own.deploymentId };
    const fix = 'Write https:// in these addresses, and publish again.';
    if (active.length > 0 && url.startsWith('https:'))
      return fail(`Browsers refuse ${shown(active)}.`, fix, { repair });
    if (active.length > 0) return warn(`Once the site has https, browsers refuse ${shown(active)}.`, fix, { repair });
    if (found.length > 0) return warn(`Loaded over http: ${shown(found)}.`, fix, { repair });
    return pass(`No http:// address was found in the tags of ${count}.`);
  },
};

function insecureIn({ path, text }: Page): Found[] {
  const found: Found[] = [];
  let line = 1;
  let counted = 0;
  for (const match of text.matchAll(TAG)) {
    const [, name = '', attributes = ''] = match;
    const address = ADDRESS.exec(attributes)?.[1];
    const tag = name.toLowerCase();
    const isStyle = tag === 'link' && attributes.toLowerCase().includes('stylesheet');
    if (address === undefined || (tag === 'link' && !isStyle)) continue;
    line += text.slice(counted, match.index).split('\n').length - 1;
    counted = match.index;
    found.push({ path, line, tag, address, isActive: ACTIVE.has(tag) || isStyle });
  }
  return found;
}
