import { isIP } from 'node:net';
import { CHALLENGE_REDIRECTS, ODD_REMEDY, oddRedirect } from '../../../lib/challenge-redirects.ts';
import {
  type Check,
  fail,
  faultText,
  isOurs,
  namesOf,
  pass,
  recordsRepair,
  type ServerAddress,
  type Subject,
  type Tools,
  unknown,
  warn,
} from '../check.ts';

/** `fix`: what to do at our own address, where it is not the port. */
type Problem = { problem: string; fix?: string };
export type Probe = { server: ServerAddress; outcome: 'here' | 'unknown' | Problem | { via: string } };

/** Checks whether our own answer is found at each IPv4 address of the name, as a certificate authority would check. */
export const port80: Check = {
  id: 'port-80',
  why: 'A certificate authority fetches its proof from port 80. Where another server answers, no certificate is issued.',
  applies: ({ own, isDomain }) => isDomain && own?.isServedHere === true,
  async run(subject, tools) {
    const servers = (await tools.serversOf(subject.name)).filter(({ address }) => isIP(address) === 4);
    const probes = await Promise.all(servers.map((server) => probeAt(subject, server, tools)));
    return judgeProbes(probes, subject, `${subject.name} has no IPv4 address to look at.`);
  },
};

/** Judges the results of the probes of one address family. */
export function judgeProbes(probes: readonly Probe[], subject: Subject, nothing: string) {
  const { name } = subject;
  const bad = probes.flatMap(({ server, outcome }) =>
    typeof outcome === 'object' && 'problem' in outcome ? [{ server, ...outcome }] : [],
  );
  const [first] = bad;
  if (first !== undefined) {
    const isElsewhere = !first.server.isOwn;
    const fix = isElsewhere
      ? `Remove the address ${first.server.address}, or replace it with this server’s.`
      : (first.fix ??
        `Open port 80 of ${first.server.address} to everybody, and let only the server of this site answer there.`);
    const seen = `${first.server.address} ${first.problem}.`;
    const isReached = probes.some(({ outcome }) => outcome === 'here');
    // Authorities check from several places, and each may use another address.
    return isReached && isElsewhere && isIP(first.server.address) === 4
      ? warn(`${seen} Another address of ${name} answers correctly.`, fix, { repair: recordsRepair(subject) })
      : fail(seen, fix, { repair: isElsewhere ? recordsRepair(subject) : null });
  }
  const led = probes.flatMap(({ outcome }) => (typeof outcome === 'object' && 'via' in outcome ? [outcome.via] : []));
  if (led[0] !== undefined) {
    const seen = `A redirect leads from ${addresses(probes)} to ${led[0]}, where our test found the expected answer.`;
    return warn(
      seen,
      `Let ${name} answer at /.well-known/acme-challenge/ itself, so that the proof does not depend on another name.`,
    );
  }
  if (probes.some(({ outcome }) => outcome === 'here'))
    return pass(`Our test found the expected answer at ${addresses(probes)}.`);
  return unknown(probes.length === 0 ? nothing : `${addresses(probes)} could not be tried from here.`);
}

const addresses = (probes: readonly Probe[]): string => probes.map(({ server }) => server.address).join(', ');

/** Requests our own answer, through redirects. */
export async function probeAt(subject: Subject, server: ServerAddress, tools: Tools): Promise<Probe> {
  const { name } = subject;
  const token = await tools.challengeToken();
  let url = `http://${name}/.well-known/acme-challenge/${token}`;
  for (let hop = 0; hop <= CHALLENGE_REDIRECTS; hop += 1) {
    const visit = await tools.visit(url, new URL(url).hostname === name ? server : undefined);
    if (isOurs(visit)) return { server, outcome: 'unknown' };
    if (visit.fault !== null) return { server, outcome: { problem: faultText(visit) } };
    const location = visit.status >= 300 && visit.status < 400 ? visit.headers.get('location') : null;
    if (location === null) {
      const isOurAnswer = visit.status === 200 && visit.text.trim() === token;
      if (!isOurAnswer) return { server, outcome: { problem: `is another server, which answers ${visit.status}` } };
      return { server, outcome: foundAt(subject, url) };
    }
    if (!URL.canParse(location, url))
      return {
        server,
        outcome: {
          problem: `redirects our own test to something that is not an address (${location.slice(0, 80)})`,
          fix: ODD_REMEDY,
        },
      };
    const next = new URL(location, url);
    const odd = oddRedirect(next);
    if (odd !== null) return { server, outcome: { problem: odd, fix: ODD_REMEDY } };
    url = next.href;
  }
  const problem = `redirects our own test more than ${CHALLENGE_REDIRECTS} times, at last to ${url.slice(0, 80)}`;
  return { server, outcome: { problem, fix: ODD_REMEDY } };
}

function foundAt(subject: Subject, url: string): Probe['outcome'] {
  const { hostname } = new URL(url);
  return namesOf(subject).includes(hostname) ? 'here' : { via: hostname };
}
