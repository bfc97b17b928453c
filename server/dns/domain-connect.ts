import { type KeyObject, sign } from 'node:crypto';
import * as z from 'zod/mini';
import { textWithinBudget } from '../lib/egress/answer-budget.ts';
import { parseAnswer } from '../lib/egress/answer-json.ts';
import { type Egress, EgressError } from '../lib/egress/egress.ts';
import { type DnsClient, DnsLookupError } from './dns-client.ts';

/**
 * Domain Connect (draft-ietf-dconn-domainconnect; github.com/Domain-Connect/spec, 2026-03): a person need not copy
 * records, but follows a link to their DNS provider and agrees there. It needs no connection of theirs.
 *
 * Discovery: the TXT record at `_domainconnect.{apex}` names the provider's host, whose settings for the domain hold
 * the addresses to query and to send people to. The provider may or may not know the operator's template. The link
 * carries the values of the template and a signature over its query, so that nobody can send people a link with other
 * values: the provider looks the public key up in DNS, at the `key` host below the template's `syncPubKeyDomain`.
 *
 * The host comes from a stranger's zone. So it is asked only over https and through the guarded way out
 * (server/lib/egress/egress.ts), no redirect is followed, an answer has 64 KB and 5 s, and the link must be https.
 * After any error no link is offered: the record may be left from an earlier provider, which no longer knows the
 * domain.
 */
export type DomainConnect = {
  /**
   * Returns the link that applies a template to a name of this zone; null when its provider does not offer that.
   * Throws the reason of the signal, and `overloaded`.
   */
  linkFor(wanted: WantedTemplate, signal: AbortSignal): Promise<DomainConnectLink | null>;
};

export type WantedTemplate = {
  /** The whole name of the zone. */
  apex: string;
  /** The name below it, such as `www`; empty for the zone's own. */
  host: string;
  /** The published id of the operator's template. */
  serviceId: string;
  /** The variables of the template. */
  values: Readonly<Record<string, string>>;
  /** The provider sends the person back to this address, with the `state`. */
  returnTo?: { url: string; state: string };
};

export type DomainConnectLink = { providerName: string; url: string };

/** Identifies the operator to DNS providers. */
export type DomainConnectIdentity = {
  /** The `providerId` of the published templates: a domain of the operator's. */
  providerId: string;
  /** The name below the templates' `syncPubKeyDomain` that has the public key. */
  keyHost: string;
  key: KeyObject;
};

const EXCHANGE_MS = 5_000;
const ANSWER_MAX_BYTES = 64 * 1024;
const ALIASES_MAX = 3;
/** A host, and a path below it, as Cloudflare has. */
const HOST = /^[a-z0-9.-]{1,253}(:\d{1,5})?(\/[a-z0-9._~/-]{0,100})?$/i;

const address = z.string().check(z.maxLength(500), z.refine(isBase));
const settingsSchema = z.object({
  providerName: z.string().check(z.minLength(1), z.maxLength(100)),
  providerDisplayName: z.optional(z.string().check(z.maxLength(100))),
  urlSyncUX: z.optional(z.nullable(z.string())),
  urlAPI: address,
});

function isBase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === 'https:' && `${username}${password}${search}${hash}` === '';
}

/** Makes links in the operator's name. */
export function createDomainConnect(
  { egress, dns }: { egress: Egress; dns: Pick<DnsClient, 'askNameServers'> },
  identity: DomainConnectIdentity,
): DomainConnect {
  return {
    async linkFor(wanted, signal) {
      const host = await discover(dns, wanted.apex, signal);
      if (host === null) return null;
      const read = (url: string): Promise<string | null> => readText(egress, url, signal);
      const settings = settingsIn(await read(`https://${host}/v2/${encodeURIComponent(wanted.apex)}/settings`));
      if (settings === null) return null;
      const template = `/v2/domainTemplates/providers/${encodeURIComponent(identity.providerId)}/services/${encodeURIComponent(wanted.serviceId)}`;
      if ((await read(`${settings.api}${template}`)) === null) return null;
      return { providerName: settings.name, url: `${settings.ux}${template}/apply?${signedQuery(wanted, identity)}` };
    },
  };
}

/** Asks the zone's own name servers; the record may be an alias into the provider's zone. */
async function discover(
  dns: Pick<DnsClient, 'askNameServers'>,
  apex: string,
  signal: AbortSignal,
): Promise<string | null> {
  let name = `_domainconnect.${apex}`;
  try {
    for (let alias = 0; alias <= ALIASES_MAX; alias += 1) {
      const { answers } = await dns.askNameServers(name, 'TXT', signal);
      const host = answers.flatMap(({ values }) => values ?? []).find((value) => HOST.test(value));
      if (host !== undefined) return host.replace(/\/$/, '');
      const next = answers.find(({ cname }) => cname !== null)?.cname ?? null;
      if (next === null) return null;
      name = next;
    }
  } catch (error) {
    if (!(error instanceof DnsLookupError)) throw error;
  }
  return null;
}

/** Returns null for everything except a success within the limits. */
async function readText(egress: Egress, url: string, signal: AbortSignal): Promise<string | null> {
  const request = {
    headers: () => ({ accept: 'application/json', 'user-agent': 'Fairlead' }),
    signal,
    maxBytes: ANSWER_MAX_BYTES,
    wholeMs: EXCHANGE_MS,
  };
  try {
    return await egress.request(url, request, async ({ status, body }) =>
      status >= 200 && status < 300 ? textWithinBudget(body) : null,
    );
  } catch (error) {
    if (error instanceof EgressError) return null;
    throw error;
  }
}

function settingsIn(text: string | null): { name: string; api: string; ux: string } | null {
  const { data } = settingsSchema.safeParse(text === null ? null : parseAnswer(text));
  const { urlSyncUX: ux } = data ?? {};
  if (data === undefined || typeof ux !== 'string' || !address.safeParse(ux).success) return null;
  const withoutSlash = (url: string): string => url.replace(/\/$/, '');
  return { name: data.providerDisplayName || data.providerName, api: withoutSlash(data.urlAPI), ux: withoutSlash(ux) };
}

/** Signs the query: everything except the signature and the name of the key, encoded as it is sent. */
function signedQuery({ apex, host, values, returnTo }: WantedTemplate, identity: DomainConnectIdentity): string {
  const back =
    returnTo === undefined ? [] : [['redirect_uri', returnTo.url] as const, ['state', returnTo.state] as const];
  const query = queryOf([['domain', apex], ['host', host], ...Object.entries(values), ...back]);
  const signature = sign('sha256', Buffer.from(query), identity.key).toString('base64');
  return `${query}&${queryOf([
    ['sig', signature],
    ['key', identity.keyHost],
  ])}`;
}

function queryOf(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map((pair) => pair.map(encoded).join('=')).join('&');
}

/** RFC 3986, section 2.3: `encodeURIComponent` leaves five characters that a provider may encode before it verifies. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
