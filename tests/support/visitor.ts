import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { get } from './get.ts';
import type { SiteFiles } from './sites.ts';
import { IS_FULL } from './size.ts';

export type Visits = {
  readonly count: number;
  /** One sentence for each visit that went wrong. */
  wrong: string[];
  stop(): Promise<void>;
};

/** The gate leaves room between two visits to what else there is to do; in full one follows the other at once. */
const PAUSE_MS = IS_FULL ? 0 : 25;

/** Visits again and again until it is stopped; `visit` answers what was wrong, or null. */
export function startVisiting(visit: () => Promise<string | null>): Visits {
  const wrong: string[] = [];
  let count = 0;
  let isStopped = false;
  const visiting = (async () => {
    while (!isStopped) {
      const found = await visit().catch((error: unknown) => String(error));
      count += 1;
      if (found !== null) wrong.push(found);
      await wait(PAUSE_MS);
    }
  })();
  return {
    get count() {
      return count;
    },
    wrong,
    async stop() {
      isStopped = true;
      await visiting;
    },
  };
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * Returns a site whose page names its script and its styles by their hash, as build tools write it; `word` is in all of
 * them.
 */
export function hashedSite(word: string): SiteFiles {
  const script = `document.title = ${JSON.stringify(word)};`;
  const styles = `/* ${word} */ p { color: teal }`;
  const assets = [`assets/app-${shortHash(script)}.js`, `assets/style-${shortHash(styles)}.css`] as const;
  return {
    'index.html': `<p data-word="${word}">${assets.join(' ')}</p>`,
    'word.txt': word,
    [assets[0]]: script,
    [assets[1]]: styles,
  };
}

export type Loaded = { word: string; fault: string | null };

/** Loads such a page and what it names, as a browser does, and looks whether all of it belongs together. */
export async function loadHashedSite(port: number, host: string): Promise<Loaded> {
  const page = await get(port, host, '/');
  const [, word = '', names = ''] = /^<p data-word="([^"]*)">(.*)<\/p>$/.exec(page.text) ?? [];
  if (page.status !== 200 || word === '')
    return { word, fault: `${host}/ answered ${page.status}: ${page.text.slice(0, 60)}` };
  for (const name of names.split(' ')) {
    const asset = await get(port, host, `/${name}`);
    if (asset.status !== 200) return { word, fault: `${host}/${name} of ${word} answered ${asset.status}` };
    if (!name.includes(shortHash(asset.text)) || !asset.text.includes(word))
      return { word, fault: `${host}/${name} of ${word} answered ${asset.text.slice(0, 60)}` };
  }
  return { word, fault: null };
}
