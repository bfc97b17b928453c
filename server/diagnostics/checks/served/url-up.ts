import type { Repair } from '../../../../routers/schemas/diagnostics.ts';
import {
  type Answered,
  type Check,
  fail,
  faultText,
  isOurs,
  pass,
  type Subject,
  type Tools,
  unknown,
  warn,
} from '../check.ts';

const HOPS_MAX = 5;

/** Checks whether visitors get the page, and whether its hash is that of the release. */
export const urlUp: Check = {
  id: 'url-up',
  why: 'This is what a visitor gets: the page itself.',
  async run(subject, tools) {
    const { url, entrySha256 } = subject;
    const { hops, visit } = await follow(url, tools);
    if (isOurs(visit)) return unknown(`${url} cannot be reached from here.`);
    if (visit.fault !== null)
      return fail(`${url} ${faultText(visit)} (${visit.detail}).`, mendOf(subject, visit.fault));
    const repair: Repair | null = subject.own ? { kind: 'release', deploymentId: subject.own.deploymentId } : null;
    const { status, sha256, headers } = visit;
    const facts = { [`Server of ${subject.name}`]: [headers.get('server') ?? 'not stated'] };
    if (status === 404 && subject.lacksStartPage) {
      const fix = 'Add an index.html at the top and publish again.';
      return fail(`${url} answers ${status}: the release has no start page.`, fix, { facts });
    }
    if (status >= 400) {
      const fix =
        status >= 500 ? 'The host has a problem: publish again, or ask its operator.' : 'Publish the files again.';
      return fail(`${url} answers ${status}.`, fix, { repair, facts });
    }
    if (status >= 300)
      return warn(
        `${url} redirects ${hops} times without reaching a page.`,
        'Remove redirects until a page is reached.',
        { facts },
      );
    if (entrySha256 !== null && sha256 !== entrySha256)
      return { ...(await judgeOther(subject, visit, tools, repair)), facts };
    const same = entrySha256 === null ? '' : ', with exactly the start page of the release';
    return pass(`${url} answers ${status}${same}.`, { facts });
  },
};

/** Judges a page with other bytes than its release: it is another release, or was changed on the way. */
async function judgeOther({ url, name, witness }: Subject, page: Answered, tools: Tools, repair: Repair | null) {
  const file = witness === null ? null : await tools.visit(new URL(witness.path, url).href);
  const isSame = file === null || file.fault !== null ? null : file.sha256 === witness?.sha256;
  if (isSame === false) {
    return fail(
      `${url} serves files that are not those of the release.`,
      'Publish again, or check which host answers.',
      {
        repair,
      },
    );
  }
  const seen = `${url} answers with content that is not that of the release.`;
  if (isSame === true && page.headers.has('cf-ray')) {
    // Cloudflare's manual, "Email Address Obfuscation": it is on by default, and replaces addresses with links and a
    // script.
    return warn(
      `${url} serves the files of the release, but Cloudflare changes the page on the way.`,
      `Switch off Email Address Obfuscation for ${name} at Cloudflare, and anything else there that rewrites pages.`,
    );
  }
  return warn(seen, 'Publish again. If nothing changes, another host answers there, or a proxy rewrites the page.', {
    repair,
  });
}

async function follow(start: string, tools: Tools) {
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const visit = await tools.visit(url);
    const location =
      visit.fault === null && visit.status >= 300 && visit.status < 400 ? visit.headers.get('location') : null;
    if (location === null || hops === HOPS_MAX || !URL.canParse(location, url)) return { hops, visit };
    url = new URL(location, url).href;
  }
}

function mendOf({ name }: Subject, fault: string): string {
  if (fault === 'tls') return `Fix the certificate of ${name}.`;
  if (fault === 'refused') return `Start the server of ${name}, or open its port.`;
  return `Check whether the host of ${name} is up.`;
}
