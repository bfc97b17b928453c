import {
  type Check,
  fail,
  isOurs,
  namesOf,
  pass,
  type Subject,
  type Tools,
  unknown,
  type Visit,
  warn,
} from './check.ts';

const HOPS_MAX = 10;
const SHORT = 2;

type Chain = { urls: string[]; end: Visit; isLoop: boolean };

/** Where a visitor is led from http and https, at each of the names. */
export const redirects: Check = {
  id: 'redirects',
  why: 'Each redirect costs a visitor a round trip, and a circle shows nothing at all.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const starts = namesOf(subject).flatMap((name) =>
      (subject.hasTls ? ['http', 'https'] : ['http']).map((scheme) => `${scheme}://${name}/`),
    );
    const chains = await Promise.all(starts.map((url) => chainFrom(url, tools)));
    const known = chains.filter(({ end }) => end.fault === null);
    if (known.length === 0) return unknown(`${subject.name} does not answer, so that nothing leads on.`);
    const findings = known.map((chain) => judge(subject, chain));
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

function judge({ hasTls, own }: Subject, { urls, end, isLoop }: Chain) {
  const shown = urls.map((url) => url.slice(0, 100)).join(' → ');
  const hops = urls.length - 1;
  if (isLoop) return fail(`The redirects lead in a circle: ${shown}.`, 'Remove one of the redirects of the circle.');
  if (end.fault === null && end.status >= 400 && hops > 0) {
    return fail(`The redirects end in an error (${end.status}): ${shown}.`, 'Mend where the last redirect leads.');
  }
  const secure = urls.findIndex((url) => url.startsWith('https:'));
  if (secure >= 0 && urls.slice(secure).some((url) => url.startsWith('http:'))) {
    return warn(`A redirect leads from https back to http: ${shown}.`, 'Let every redirect lead to https.');
  }
  if (hops > SHORT) return warn(`${hops} redirects follow one another: ${shown}.`, 'Lead to the last address at once.');
  if (hasTls && own !== null && !(urls.at(-1) ?? '').startsWith('https:')) {
    return pass(`${shown} ends without https, which is looked at by itself.`);
  }
  return pass(hops === 0 ? `${shown} answers without a redirect.` : shown);
}
