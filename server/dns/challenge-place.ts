import { randomBytes } from 'node:crypto';
import { DnsLookupError, type Lookups, type ServerAnswer } from './dns-client.ts';

/** As resolvers follow them (server/dns/queries/resolve.ts). */
const ALIASES_MAX = 8;

/**
 * Returns where the TXT records of a challenge belong: at its own name, or where a CNAME record leads that stands there
 * itself ("Challenge Types" of Let's Encrypt). What a wildcard answers gives way to the record that is written (RFC 4592,
 * section 2.2.1), and is known by its answering the same for a name beside it that nobody has. Where the name servers do
 * not say, it is the name itself.
 */
export async function challengePlace(
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
    const beside = `${randomBytes(8).toString('hex')}.${at.slice(at.indexOf('.') + 1)}`;
    if ((await aliasOf(beside)) === target) return at;
    at = target;
  }
  return at;
}

function noAnswers(error: unknown): { answers: readonly ServerAnswer[] } {
  if (error instanceof DnsLookupError) return { answers: [] };
  throw error;
}
