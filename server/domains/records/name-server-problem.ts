import type { ServerFault } from '../../dns/dns-client.ts';
import type { DnsAnswers } from './dns-answers.ts';

export type Problem = { code: string; message: string; hint: string | null };

const CHECKED_AGAIN = 'Fairlead checks again automatically.';
const NAMES_SHOWN_MAX = 4;

/** Returns a sentence about why nothing is known of a domain's records; null when any name server has answered. */
export function noAnswerProblem(unit: string, answers: DnsAnswers): Problem | null {
  const { zone, isUnanswered } = answers;
  if (zone === null && isUnanswered) {
    const message = `${unit} could not be checked from here: no server says which name servers it has.`;
    return { code: 'lookup_failed', message, hint: CHECKED_AGAIN };
  }
  if (zone === null) {
    const message = `${unit} is not registered, or its registrar lists no name servers for it.`;
    return { code: 'zone_missing', message, hint: 'Register the name, or set its name servers at your registrar.' };
  }
  const faults = faultsByServer(answers);
  const all = [...faults.values()].flatMap((found) => [...found]);
  if (all.includes(null)) return null;
  if (all.length > 0 && all.every(isLame)) return lame(unit, [...faults.keys()]);
  if (all.length > 0 && all.every((fault) => isLame(fault) || fault === 'server_failure')) {
    const message = `The name servers of ${unit} answer with a failure (SERVFAIL).`;
    return { code: 'name_servers_failing', message, hint: 'Ask your DNS provider what is wrong with the zone.' };
  }
  const message = `The name servers of ${unit} do not answer.`;
  return { code: 'name_servers_silent', message, hint: CHECKED_AGAIN };
}

/**
 * Returns a sentence about name servers that do not know the domain: visitors whose resolver asks one of them wait or
 * fail.
 */
export function someLameProblem(unit: string, answers: DnsAnswers): Problem | null {
  const servers = [...faultsByServer(answers)].filter(([, faults]) => [...faults].every(isLame));
  return servers.length === 0
    ? null
    : lame(
        unit,
        servers.map(([server]) => server),
      );
}

function lame(unit: string, servers: readonly string[]): Problem {
  const shown = servers.slice(0, NAMES_SHOWN_MAX).join(', ');
  return {
    code: 'name_servers_lame',
    message: `Visitors of ${unit} are sent to name servers that do not know it: ${shown}.`,
    hint: `Add ${unit} there, or enter the name servers of your DNS provider at your registrar.`,
  };
}

/** A lame answer is definite, unlike silence: the server exists and has no such zone. */
function isLame(fault: ServerFault | null): boolean {
  return fault === 'refused' || fault === 'lame';
}

/** Returns the faults of each name server; null for an answered question. */
function faultsByServer({ nameServers }: DnsAnswers): Map<string, Set<ServerFault | null>> {
  const faults = new Map<string, Set<ServerFault | null>>();
  for (const { server, values, error } of [...nameServers.values()].flat()) {
    const known = faults.get(server) ?? new Set();
    faults.set(server, known.add(values === null ? error : null));
  }
  return faults;
}
