import * as z from 'zod/mini';
import { listOf } from '../../../../lib/egress/answer-json.ts';
import type { Egress } from '../../../../lib/egress/egress.ts';
import {
  type AuthorityCall,
  AuthorityError,
  type Authorization,
  type CertificateAuthority,
  isValidated,
  type Order,
  type OrderRequest,
  REVOCATION_REASONS,
} from '../authority.ts';
import { parseProblem, senseless, unreachable } from '../problems.ts';
import { leafOf } from '../x509.ts';
import { certIdOf, parseRenewalInfo } from './ari.ts';
import { bindExternalAccount, keyWithin } from './jws.ts';
import { findOpenOrder } from './open-order.ts';
import { type AcmeAnswer, address, createTransport, parse, signerOf, type Transport } from './transport.ts';

export type AcmeOptions = {
  directoryUrl: string;
  /** Receives messages about the account; absent when there is none. */
  email?: string | undefined;
  /** The key in base64url. */
  eab?: { kid: string; hmacKey: string } | undefined;
  /** See `CertificateAuthority`. */
  isPrivate?: boolean;
  egress: Egress;
  now(): Date;
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

/** RFC 8555, section 7.5.1, leaves the pace to the client where `Retry-After` is missing. */
const POLL_MS = 1_000;
const POLL_MAX_MS = 30_000;
/** A validation takes seconds; if it takes longer something is wrong, and the next try reads the order again. */
const POLLS_WHOLE_MS = 5 * 60_000;
const AUTHORIZATIONS_MAX = 100;
const CHALLENGES_MAX = 20;
/** RFC 1035, section 2.3.4. */
const ISSUER_MAX = 253;
const CHAIN = /^-----BEGIN CERTIFICATE-----/;

const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: listOf(address).check(z.maxLength(AUTHORIZATIONS_MAX)),
  finalize: address,
  certificate: z.optional(address),
  error: z.optional(z.unknown()),
});
/** draft-ietf-acme-dns-persist, section 3.1: host names in lower case; an invalid list names nobody. */
const issuerNames = z.catch(
  z.optional(
    listOf(z.string().check(z.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/), z.maxLength(ISSUER_MAX))).check(z.maxLength(10)),
  ),
  undefined,
);
const challengeStatus = z.enum(['pending', 'processing', 'valid', 'invalid']);
const authorizationSchema = z.object({
  identifier: z.object({ value: z.string() }),
  wildcard: z.optional(z.boolean()),
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: listOf(
    z.object({
      type: z.string(),
      url: address,
      token: z.optional(z.catch(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,128}$/)), '')),
      'issuer-domain-names': issuerNames,
      status: challengeStatus,
      error: z.optional(z.unknown()),
    }),
  ).check(z.maxLength(CHALLENGES_MAX)),
});

/** The answer of an order's address, with the addresses for the next steps. */
type OrderAnswer = Order & { finalize: string; certificate: string | undefined; retryAfterMs: number | null };

/** Creates an authority that speaks RFC 8555, with renewal information (RFC 9773) where its directory lists it. */
export function createAcmeAuthority(options: AcmeOptions): CertificateAuthority {
  const { directoryUrl } = options;
  const transport = createTransport(options);
  const until = createPolling(transport, options.wait);

  return {
    id: directoryUrl,
    name: new URL(directoryUrl).host,
    isPublic: true,
    isPrivate: options.isPrivate === true,
    register: (accountKey, signal) => registerAccount(transport, options, accountKey, signal),
    async order(call, request) {
      const { newOrder, meta } = await transport.directory(call.signal);
      const profile = meta?.profiles !== undefined && Object.hasOwn(meta.profiles, PROFILE) ? PROFILE : undefined;
      return placeOrder(transport, call, { ...request, newOrder, profile });
    },
    openOrder: (call, names) => findOpenOrder(transport, call, names),
    read: (call, url) => readOrder(transport, call, url),
    answer: (call, url) => answerChallenge(transport, call, url),
    awaitValidation: (call, url, challengeUrl) => until(call, url, (order) => isValidated(order, challengeUrl)),
    async finish(call, url, csr) {
      const isSigned = ({ status }: OrderAnswer): boolean => status !== 'processing';
      let order = await until(call, url, isSigned);
      if (order?.status === 'ready') {
        const payload = { csr: Buffer.from(csr).toString('base64url') };
        await transport.post(order.finalize, signerOf(call), payload, call.signal);
        order = await until(call, url, isSigned);
      }
      if (order?.status !== 'valid' || order.certificate === undefined) throw new AuthorityError(unfinished(order));
      const { text } = await transport.post(order.certificate, signerOf(call), undefined, call.signal);
      if (!CHAIN.test(text)) throw new AuthorityError(senseless('The authority sent no certificate in PEM.'));
      return text;
    },
    async revoke(call, chain, reason) {
      const { revokeCert } = await transport.directory(call.signal);
      const payload = { certificate: derOf(chain), reason: REVOCATION_REASONS[reason] };
      await transport.post(revokeCert, signerOf(call), payload, call.signal).catch((error: unknown) => {
        if (!(error instanceof AuthorityError) || error.problem.type !== 'alreadyRevoked') throw error;
      });
    },
    async renewalInfo(chain, signal) {
      const { renewalInfo } = await transport.directory(signal);
      const certId = await certIdOf(chain);
      if (renewalInfo === undefined || certId === null) return null;
      const { json, retryAfterMs } = await transport.get(`${renewalInfo.replace(/\/$/, '')}/${certId}`, signal);
      return parseRenewalInfo(json, retryAfterMs);
    },
    caaIdentities: async (signal) => (await transport.directory(signal)).meta?.caaIdentities ?? [],
  };
}

/** Returns the function that reads an order, at the pace that the authority asks for, until it is settled or gone. */
function createPolling(transport: Transport, wait: AcmeOptions['wait']) {
  return async (
    call: AuthorityCall,
    url: string,
    isSettled: (order: OrderAnswer) => boolean,
  ): Promise<OrderAnswer | null> => {
    for (let waitedMs = 0; ; ) {
      const order = await readOrder(transport, call, url);
      if (order === null || isSettled(order)) return order;
      if (waitedMs >= POLLS_WHOLE_MS) throw new AuthorityError(unreachable('The authority did not decide in time.'));
      const pauseMs = Math.min(Math.max(order.retryAfterMs ?? POLL_MS, POLL_MS / 4), POLL_MAX_MS);
      await wait(pauseMs, call.signal);
      waitedMs += pauseMs;
    }
  };
}

/** Tries once more when the key of the external account is refused and seems to have been encoded twice. */
async function registerAccount(
  transport: Transport,
  { email, eab }: AcmeOptions,
  accountKey: string,
  signal: AbortSignal,
): Promise<string> {
  const { newAccount } = await transport.directory(signal);
  const register = async (bound: AcmeOptions['eab']): Promise<string> => {
    const payload = {
      termsOfServiceAgreed: true,
      ...(email !== undefined && { contact: [`mailto:${email}`] }),
      ...(bound !== undefined && { externalAccountBinding: bindExternalAccount(accountKey, bound, newAccount) }),
    };
    return locationOf(await transport.post(newAccount, { key: accountKey, url: null }, payload, signal));
  };
  const inner = eab === undefined ? null : keyWithin(eab.hmacKey);
  if (eab === undefined || inner === null) return register(eab);
  return register(eab).catch((error: unknown) => {
    if (!(error instanceof AuthorityError) || error.problem.type !== 'unauthorized') throw error;
    return register({ ...eab, hmacKey: inner });
  });
}

/**
 * Most clients get this profile anyway (Let's Encrypt, "Profiles", 2026-07-14); without it some authorities pick one
 * at random.
 */
const PROFILE = 'classic';

type PlacedOrder = OrderRequest & { newOrder: string; profile: string | undefined };

/**
 * Orders once more without the optional part that the authority rejects: neither part is worth losing the certificate.
 */
async function placeOrder(transport: Transport, call: AuthorityCall, request: PlacedOrder): Promise<string> {
  const { newOrder, names, profile, replaces, beforeNewOrder } = request;
  const certId = replaces === undefined ? null : await certIdOf(replaces);
  if (replaces !== undefined && certId === null) {
    await beforeNewOrder?.();
    return placeOrder(transport, call, { ...request, replaces: undefined });
  }
  const payload = {
    identifiers: names.map((value) => ({ type: 'dns', value })),
    ...(profile !== undefined && { profile }),
    ...(certId !== null && { replaces: certId }),
  };
  try {
    return locationOf(await transport.post(newOrder, signerOf(call), payload, call.signal));
  } catch (error) {
    const { type, status } = error instanceof AuthorityError ? error.problem : { type: '', status: 0 };
    if (profile !== undefined && type === 'invalidProfile') {
      return placeOrder(transport, call, { ...request, profile: undefined });
    }
    // An authority that does not know the old certificate says `malformed`, or fails each time (Pebble).
    const isUnknown = ['alreadyReplaced', 'malformed', 'conflict', 'notFound', 'unauthorized'].includes(type);
    if (certId !== null && (isUnknown || status === 500)) {
      await beforeNewOrder?.();
      return placeOrder(transport, call, { ...request, replaces: undefined });
    }
    throw error;
  }
}

/**
 * Lets the authority validate. One that was told so before a crash may have settled it since it was read, and then
 * refuses: the order says how.
 */
async function answerChallenge(transport: Transport, call: AuthorityCall, url: string): Promise<void> {
  await transport.post(url, signerOf(call), {}, call.signal).catch(async (error: unknown) => {
    if (!(error instanceof AuthorityError) || error.problem.type !== 'malformed') throw error;
    const { json } = await transport.post(url, signerOf(call), undefined, call.signal);
    if (parse(z.object({ status: challengeStatus }), json).status === 'pending') throw error;
  });
}

function locationOf({ headers }: AcmeAnswer): string {
  const location = headers.get('location');
  if (location === null || !location.startsWith('https://')) {
    throw new AuthorityError(senseless('The authority did not say where to find the order or the certificate.'));
  }
  return location;
}

async function readOrder(transport: Transport, call: AuthorityCall, url: string): Promise<OrderAnswer | null> {
  const answer = await ask(transport, call, url);
  if (answer === null) return null;
  const { status, finalize, certificate, error, authorizations } = parse(orderSchema, answer.json);
  const isOpen = status === 'pending' || status === 'invalid';
  const found = isOpen ? await Promise.all(authorizations.map((its) => readAuthorization(transport, call, its))) : [];
  return {
    url,
    status,
    finalize,
    certificate,
    authorizations: found,
    problem: error === undefined ? null : parseProblem(error, { status: statusOf(error) }),
    retryAfterMs: answer.retryAfterMs,
  };
}

/**
 * Returns null for an object that the authority has forgotten, because it was restored from an older copy or is a
 * test's.
 */
async function ask(transport: Transport, call: AuthorityCall, url: string): Promise<AcmeAnswer | null> {
  return transport.post(url, signerOf(call), undefined, call.signal).catch((error: unknown) => {
    if (error instanceof AuthorityError && error.problem.status === 404) return null;
    throw error;
  });
}

async function readAuthorization(transport: Transport, call: AuthorityCall, url: string): Promise<Authorization> {
  const { json } = await transport.post(url, signerOf(call), undefined, call.signal);
  const { identifier, wildcard = false, status, challenges } = parse(authorizationSchema, json);
  return {
    name: identifier.value,
    isWildcard: wildcard,
    status,
    challenges: challenges.map(({ error, token = '', 'issuer-domain-names': issuers, ...challenge }) => ({
      ...challenge,
      token,
      issuers,
      problem: error === undefined ? null : parseProblem(error, { status: statusOf(error) }),
    })),
  };
}

function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : 400;
}

function unfinished(order: OrderAnswer | null) {
  return order?.problem ?? senseless(order === null ? 'The order is gone.' : `The order is ${order.status}.`);
}

function derOf(chain: string): string {
  const body = leafOf(chain)
    .split('\n')
    .filter((line) => !line.startsWith('-----'));
  return Buffer.from(body.join(''), 'base64').toString('base64url');
}
