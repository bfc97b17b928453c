import { isWithin } from '../../../dns/zone-names.ts';
import {
  type Check,
  fail,
  isOurs,
  namesOf,
  pass,
  recordsRepair,
  type Subject,
  type Tools,
  unknown,
  type Visit,
  warn,
} from '../check.ts';

const HOPS_MAX = 10;
const SHORT = 2;

type Chain = { urls: string[]; end: Visit; isLoop: boolean };

const hostOf = (url: string): string => new URL(url).hostname;

/** Checks where a visitor ends up from http and https, at each of the names. */
export const redirects: Check = {
  id: 'redirects',
  why: 'Each redirect costs a visitor a round trip, and a redirect loop shows nothing at all.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const starts = namesOf(subject).flatMap((name) =>
      (subject.hasTls ? ['http', 'https'] : ['http']).map((scheme) => `${scheme}://${name}/`),
    );
    const chains = await Promise.all(starts.map((url) => chainFrom(url, tools)));
    const known = chains.filter(({ end }) => end.fault === null);
    if (known.length === 0) return unknown(`${subject.name} does not answer, so there is no redirect to follow.`);
    const outside = await leadsOutside(subject, known, tools);
    const findings = known.map((chain) => judge(subject, chain, outside));
    const [worst] = ['fail', 'warn', 'pass'].flatMap((verdict) => findings.filter((one) => one.verdict === verdict));
    return worst ?? unknown('Nothing answers.');
  },
};

/** Follows redirects by hand, so that each hop is seen. */
export async function chainFrom(start: string, tools: Tools): Promise<Chain> {
  const urls = [start];
  for (;;) {
    const url = urls.at(-1) ?? start;
    const end = await tools.visit(url);
    const location = end.fault === null && end.status >= 300 && end.status < 400 ? end.headers.get('location') : null;
    if (isOurs(end) || location === null || !URL.canParse(location, url)) return { urls, end, isLoop: false };
    const next = new URL(location, url).href;
    if (urls.includes(next) || urls.length > HOPS_MAX) return { urls: [...urls, next], end, isLoop: true };
    urls.push(next);
  }
}

/**
 * Returns the hosts outside the domain at which visitors end. That is right for somebody else's name, and for a rule
 * of the site.
 */
async function leadsOutside(
  { name, own, entrySha256 }: Subject,
  chains: readonly Chain[],
  tools: Tools,
): Promise<ReadonlySet<string>> {
  if (!own?.domainId || entrySha256 === null) return new Set();
  const zone = await tools.zoneOf(name);
  const hosts = chains.map(({ urls }) => hostOf(urls.at(-1) ?? ''));
  return new Set(zone === null ? [] : hosts.filter((host) => !isWithin(host, zone.apex)));
}

function judge({ hasTls, own, name }: Subject, { urls, end, isLoop }: Chain, outside: ReadonlySet<string>) {
  const shown = urls.map((url) => url.slice(0, 100)).join(' → ');
  const hops = urls.length - 1;
  const last = urls.at(-1) ?? '';
  if (isLoop && urls.indexOf(last) === hops)
    return fail(`More than ${HOPS_MAX} redirects follow one another.`, 'Redirect straight to the last address.');
  if (isLoop) return fail(`The redirects form a loop: ${shown}.`, 'Remove one of the redirects of the loop.');
  if (outside.has(hostOf(last))) {
    const fix = `Remove the redirect to ${hostOf(last)}, or point ${name} at the site itself.`;
    return fail(`Visitors of ${name} end up at another domain: ${shown}.`, fix, { repair: recordsRepair({ own }) });
  }
  if (end.fault === null && end.status >= 400 && hops > 0) {
    return fail(`The redirects end in an error (${end.status}): ${shown}.`, 'Fix the target of the last redirect.');
  }
  const secure = urls.findIndex((url) => url.startsWith('https:'));
  if (secure >= 0 && urls.slice(secure).some((url) => url.startsWith('http:'))) {
    return warn(`A redirect leads from https back to http: ${shown}.`, 'Let every redirect lead to https.');
  }
  if (hops > SHORT)
    return warn(`${hops} redirects follow one another: ${shown}.`, 'Redirect straight to the last address.');
  if (hasTls && own !== null && !last.startsWith('https:')) {
    return pass(`${shown} ends without https: see “Redirect to HTTPS”.`);
  }
  return pass(hops === 0 ? `${shown} answers without a redirect.` : shown);
}
