import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { RehearsalCheck } from '../../../routers/schemas/certificates.ts';
import type { Providers } from '../../context.ts';
import { ChallengeAnswerModel } from '../../database/models/domains/challenge-answer.ts';
import { canonicalAddress } from '../../dns/queries/canonical-address.ts';
import { CHALLENGE_REDIRECTS, ODD_REMEDY, oddRedirect } from '../../lib/challenge-redirects.ts';
import { textWithinBudget } from '../../lib/egress/answer-budget.ts';
import { EgressError, type EgressRequest } from '../../lib/egress/egress.ts';
import { addressesBehind } from '../records/dns-answers.ts';

/** Looks for our own answer at each address of a name, like an authority that validates from several places. */

/** Ends before the round of a preflight does: after our own end nothing is known of an address. */
const PROBE_MS = 8_000;
const PROBE_MAX_BYTES = 4_096;
const PROBE_KEPT_MS = 60_000;
const HTTP_PORT = 80;
const SHOWN_MAX = 4;
/** Each is requested at once, in a connection of its own: the owner chooses the records, but the sockets are ours. */
const ADDRESSES_MAX = 16;

/** The name servers' answer about a name; null when they give none. */
type Found = { isRegistered: boolean; addresses: readonly string[] } | null;

/**
 * `refused`: something there accepts no connection. `silent`: nothing answered in time. `untried`: nothing is known of
 * it, since there is no way there from here. `private`: nobody gets there from outside. `odd`: a redirect that no
 * authority follows.
 */
type Answer = 'here' | 'refused' | 'silent' | 'untried' | 'private' | { status: number | null } | { odd: string };

/**
 * Tries one name. A name without an address, or at another server that does not give our answer, is sure to fail. If
 * only our own addresses fail the result is open: we may be unable to reach ourselves.
 */
export async function probe(providers: Providers, name: string, signal: AbortSignal): Promise<RehearsalCheck> {
  const found = await addressesOf(providers, name, signal);
  if (found?.isRegistered === false)
    return check('dns', 'fail', `${name} is not registered, or its registrar lists no name servers for it.`);
  if (found?.addresses.length === 0)
    return check('dns', 'fail', `${name} has no address at its name servers: set its records.`);
  if (found !== null && found.addresses.length > ADDRESSES_MAX) {
    const count = found.addresses.length;
    return check('dns', 'fail', `${name} has ${count} addresses, and at most ${ADDRESSES_MAX} are tried: remove some.`);
  }
  const own = new Set((await providers.sitesAddresses()).found.map(canonicalAddress));
  const asked = found?.addresses ?? [null];
  const answers = await withToken(providers, (token) =>
    Promise.all(
      asked.map(async (address) => ({
        address,
        answer: await askAt(providers, { name, address, own, token }, signal),
      })),
    ),
  );
  return judge(name, answers, { own, isOver: signal.aborted });
}

function judge(
  name: string,
  answers: readonly { address: string | null; answer: Answer }[],
  { own, isOver }: { own: ReadonlySet<string>; isOver: boolean },
): RehearsalCheck {
  const other = answers.find(({ answer }) => typeof answer === 'object');
  if (other !== undefined && typeof other.answer === 'object') {
    const said = otherText(addressText(name, other.address), other.answer);
    if ('odd' in other.answer) return check('challenge', 'fail', `${said}. ${ODD_REMEDY}`);
    const remedy = isSix(other.address) ? ` Certificate authorities ask it first: ${SIX_REMEDY}` : '';
    return check('challenge', 'fail', `${said}.${remedy}`);
  }
  const isReached = answers.some(({ answer }) => answer === 'here');
  const isOwn = (address: string | null) => address !== null && own.has(canonicalAddress(address));
  // The silence of one of our own may concern us alone: behind a router there is often no way back in.
  const mayBeHere = (address: string | null) => isOver || isOwn(address);
  const closed = answers.find(
    ({ address, answer }) => answer === 'refused' || (answer === 'silent' && !mayBeHere(address)),
  );
  if (isReached && closed !== undefined) return check('challenge', 'fail', closedText(name, closed.address));
  const silent = answers.find(({ answer }) => answer === 'silent');
  if (isReached && silent !== undefined) {
    return check('challenge', 'unknown', `${name} answers here, but ${silent.address} could not be tried from here.`);
  }
  if (isReached) return check('challenge', 'pass', `${name} answers here.`);
  const addresses = answers.flatMap(({ address }) => address ?? []);
  const isUntried = isOver || answers.some(({ answer }) => answer === 'untried');
  if (isUntried || addresses.length === 0 || addresses.some(isOwn)) {
    return check('challenge', 'unknown', `${name} could not be tried from here.`);
  }
  const shown = addresses.slice(0, SHOWN_MAX).join(', ');
  return check('dns', 'fail', `${name} points to ${shown}, which is not this server, and nothing answers there.`);
}

function otherText(target: string, answer: Extract<Answer, object>): string {
  if ('odd' in answer) return `${target} ${answer.odd}`;
  const said = answer.status === null ? '' : `: it said ${answer.status} to our own test`;
  return `Another server answers at ${target}${said}`;
}

function closedText(name: string, address: string | null): string {
  const where = `Nothing answers at ${addressText(name, address)}`;
  return isSix(address)
    ? `${where}, which certificate authorities ask first: ${SIX_REMEDY}`
    : `${where}, where certificate authorities may ask.`;
}

const SIX_REMEDY = 'remove its AAAA record, or point it to this server.';

const isSix = (address: string | null): boolean => address !== null && isIP(address) === 6;

const addressText = (name: string, address: string | null): string =>
  address === null ? name : `${name} (${address})`;

function check(id: RehearsalCheck['id'], verdict: RehearsalCheck['verdict'], message: string): RehearsalCheck {
  return { id, verdict, message };
}

async function addressesOf({ dns }: Providers, name: string, signal: AbortSignal): Promise<Found> {
  const asking = dns.withLookups(signal, async (lookups): Promise<Found> => {
    if ((await lookups.zoneOf(name)) === null) return { isRegistered: false, addresses: [] };
    const sets = await Promise.all((['A', 'AAAA'] as const).map((type) => addressesBehind(lookups, { name, type })));
    const isSaid = sets.every((answers) => answers.some(({ values }) => values !== null));
    const addresses = [...new Set(sets.flat().flatMap(({ values }) => values ?? []))];
    return isSaid || addresses.length > 0 ? { isRegistered: true, addresses } : null;
  });
  return asking.catch(() => null);
}

async function withToken<T>({ now }: Providers, work: (token: string) => Promise<T>): Promise<T> {
  const token = randomBytes(24).toString('base64url');
  await ChallengeAnswerModel.create({ _id: token, text: token, expiresAt: new Date(now().getTime() + PROBE_KEPT_MS) });
  try {
    return await work(token);
  } finally {
    await ChallengeAnswerModel.deleteOne({ _id: token });
  }
}

type ProbeTarget = { name: string; address: string | null; own: ReadonlySet<string>; token: string };

/** Requests our own addresses at the port of the sites, or at the proxy's when there is one. */
async function askAt(providers: Providers, target: ProbeTarget, signal: AbortSignal): Promise<Answer> {
  const { name, address, own, token } = target;
  const path = `/.well-known/acme-challenge/${token}`;
  if (address === null) return ask(providers, `http://${name}${path}`, {}, token, signal);
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const there = { headers: (url: URL): Record<string, string> => (url.hostname === host ? { host: name } : {}) };
  const { sitesHttpPort: port } = providers.addresses;
  if (port !== undefined && own.has(canonicalAddress(address))) {
    const listener = { protocol: 'http:', host: address, port } as const;
    const answer = await ask(providers, `http://${name}${path}`, { listener }, token, signal);
    if (typeof answer === 'object' || answer === 'here' || port === HTTP_PORT) return answer;
    const second = await ask(providers, `http://${host}${path}`, there, token, signal);
    return second === 'silent' || second === 'untried' ? answer : second;
  }
  return ask(providers, `http://${host}${path}`, there, token, signal);
}

async function ask(
  { egress }: Providers,
  url: string,
  how: Pick<EgressRequest, 'listener' | 'headers'>,
  token: string,
  signal: AbortSignal,
): Promise<Answer> {
  const limits = { signal, maxBytes: PROBE_MAX_BYTES, wholeMs: PROBE_MS, redirects: CHALLENGE_REDIRECTS };
  try {
    return await egress.request(
      url,
      { ...limits, ...how, onRedirect: refuseOdd, isFresh: true },
      async ({ status, body }) => ((await textWithinBudget(body)) === token ? 'here' : { status }),
    );
  } catch (error) {
    if (error instanceof OddRedirect) return { odd: error.message };
    if (!(error instanceof EgressError) && !signal.aborted) throw error;
    if (!(error instanceof EgressError)) return 'silent';
    if (error.fault === 'too_large' || error.fault === 'redirects') return { status: null };
    if (error.fault === 'refused') return 'private';
    return error.fault === 'silent' || error.fault === 'too_slow' ? 'silent' : (BY_CODE[codeOf(error)] ?? 'untried');
  }
}

class OddRedirect extends Error {}

function refuseOdd(to: URL): void {
  const odd = oddRedirect(to);
  if (odd !== null) throw new OddRedirect(odd);
}

const BY_CODE: Readonly<Record<string, Answer>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
};

function codeOf({ cause }: EgressError): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
