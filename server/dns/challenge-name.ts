import { randomBytes } from 'node:crypto';
import { DnsLookupError, type Lookups, type ServerAnswer } from './dns-client.ts';

/** Equals the number that resolvers follow (server/dns/queries/resolve.ts). */
const ALIASES_MAX = 8;

/**
 * Returns the name for the TXT records of a challenge: its own name, or the target of a CNAME record at that name
 * ("Challenge Types" of Let's Encrypt). A wildcard's CNAME does not count, since the new record overrides it (RFC
 * 4592, section 2.2.1); it is recognized because an unused name beside it has the same answer. Without an answer of
 * the name servers, it is the name itself.
 */
export async function findChallengeName(
  { askNameServers }: Pick<Lookups, 'askNameServers'>,
  name: string,
): Promise<string> {
  const aliasOf = async (at: string): Promise<string | null> => {
    const { answers } = await askNameServers(at, 'CNAME').catch(noAnswers);
    return answers.find(({ cname }) => cname !== null)?.cname ?? null;
  };
  let at = name;
  for (let aliases = 0; aliases < ALIASES_MAX; aliases += 1) {
    const target = await aliasOf(at);
    if (target === null) return at;
    if ((await aliasOf(besideName(at))) === target) return at;
    at = target;
  }
  return at;
}

/** Returns an unused name beside another one: only a wildcard has records for it. */
export function besideName(name: string): string {
  return `${randomBytes(8).toString('hex')}.${name.slice(name.indexOf('.') + 1)}`;
}

function noAnswers(error: unknown): { answers: readonly ServerAnswer[] } {
  if (error instanceof DnsLookupError) return { answers: [] };
  throw error;
}
