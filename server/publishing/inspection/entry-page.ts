import { formatCount } from '../../../routers/schemas/format-count.ts';
import { MISSING_LINKS_MAX } from '../../../routers/schemas/limits.ts';
import type { SiteAddress } from '../../database/site-address.ts';
import type { Egress, EgressAnswer } from '../../lib/egress/egress.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';
import { resourceSteps } from './page-resources.ts';

/**
 * Every byte may be as it was uploaded and the visitor sees bare text all the same: if the site is below a folder,
 * `/css/site.css` leads outside it. So the entry page is opened as a browser opens it, and each style sheet, script
 * and picture that it names is requested once. Missing ones are reported and fail no release, because a page may name
 * files that never existed.
 */
const AT_ONCE = 8;
/** The start of a page names its style sheets and scripts, and reading more would delay others. */
const PAGE_MAX_BYTES = 128 * 1024;
const REDIRECTS_MAX = 5;
const SILENCE_MS = 5_000;
/** The time for all of it together, so that a slow site is not seen live later because of it. */
const ALL_MS = 15_000;

export type EntryPage = {
  /** The number of addresses that answered. */
  answered: number;
  /** The missing ones, written for a person, from the first slash on. */
  missing: string[];
};
type Visit = { egress: Egress; signal: AbortSignal };

/**
 * Requests the resources that the entry page at this address names. Those without an answer do not count. Ends with
 * the signal's reason.
 */
export async function visitEntryPage({ egress, signal }: Visit, at: SiteAddress): Promise<EntryPage> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(ALL_MS)]);
  const ask = <T>(url: string, redirects: number, read: (answer: EgressAnswer) => Promise<T>): Promise<T | null> =>
    egress
      .request(
        url,
        {
          headers: () => ({ accept: '*/*', 'user-agent': 'Fairlead' }),
          signal: inTime,
          maxBytes: Number.POSITIVE_INFINITY,
          redirects: at.listener === undefined ? redirects : 0,
          silenceMs: SILENCE_MS,
          wholeMs: ALL_MS,
          listener: at.listener,
        },
        read,
      )
      .catch(() => {
        signal.throwIfAborted();
        return null;
      });

  const page = await ask(`${at.url}/`, REDIRECTS_MAX, readPage);
  const resources = page === null ? [] : await runInTimeSlices(resourceSteps(page.text, page.url));
  const queue = resources.values();
  const work = async (): Promise<[URL, boolean][]> => {
    const answers: [URL, boolean][] = [];
    for (const url of queue) {
      // No redirect is followed, since it may lead to another origin, which nobody meant to contact.
      const answer = await ask(url.href, 0, async (seen) => isResource(seen));
      if (answer !== null) answers.push([url, answer]);
    }
    return answers;
  };
  const isThere = new Map((await Promise.all(Array.from({ length: AT_ONCE }, work))).flat());
  const missing = resources.filter((url) => isThere.get(url) === false).slice(0, MISSING_LINKS_MAX);
  return { answered: isThere.size, missing: missing.map(({ pathname, search }) => `${pathname}${search}`) };
}

async function readPage({ status, headers, url, body }: EgressAnswer): Promise<{ text: string; url: URL } | null> {
  // Without a type browsers take it for the page that it begins like (mimesniff.spec.whatwg.org, section 7.1).
  if (status !== 200 || (headers.has('content-type') && !isHtml(headers))) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= PAGE_MAX_BYTES) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, PAGE_MAX_BYTES).toString('utf8'), url };
}

/**
 * Some hosts answer every missing style sheet, script or picture with a page. Returns null when the host cannot tell
 * now.
 */
function isResource({ status, headers }: EgressAnswer): boolean | null {
  if (status === 429 || status >= 500) return null;
  return status < 400 && !(status === 200 && isHtml(headers));
}

function isHtml(headers: Headers): boolean {
  return /^text\/html\b/i.test(headers.get('content-type') ?? '');
}

/** Returns the lines of a release's log about its entry page. */
export function entryPageReport({ answered, missing }: EntryPage): string[] {
  if (answered === 0) return [];
  const files = formatCount(answered, 'file');
  if (missing.length === 0) return [`Everything that the start page uses is there (${files})`];
  const verb = missing.length === 1 ? 'does' : 'do';
  const count = missing.length === MISSING_LINKS_MAX ? `At least ${missing.length}` : missing.length;
  return [`${count} of ${files} on the start page ${verb} not load:`, ...missing.map((one) => `${one} is not there`)];
}
