import * as z from 'zod/mini';
import { DAY_MS } from '../../../../lib/durations.ts';
import { textWithinBudget } from '../../../../lib/egress/answer-budget.ts';
import { listOf, parseAnswer } from '../../../../lib/egress/answer-json.ts';
import { type Egress, EgressError } from '../../../../lib/egress/egress.ts';
import { type AuthorityCall, AuthorityError } from '../authority.ts';
import { parseProblem, senseless, unreachable } from '../problems.ts';
import { type JwsHeader, jwkOf, signJws } from './jws.ts';

/** The signer of a request: an account, or a key that has none yet. */
export type Signer = { key: string; url: string | null };

export type Directory = z.infer<typeof directorySchema>;

export type AcmeAnswer = {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when it is not JSON. */
  json: unknown;
  retryAfterMs: number | null;
};

export type Transport = {
  directory(signal: AbortSignal): Promise<Directory>;
  /** Sends a signed request; an undefined `payload` reads the address. Throws `AuthorityError` for a refusal. */
  post(url: string, signer: Signer, payload: unknown, signal: AbortSignal): Promise<AcmeAnswer>;
  /** Reads an address that needs no account. */
  get(url: string, signal: AbortSignal): Promise<AcmeAnswer>;
};

export type TransportOptions = { directoryUrl: string; egress: Egress; now(): Date };

/** A chain of five certificates of 4096-bit RSA has some 10 KB. */
const ANSWER_MAX_BYTES = 256 * 1024;
/** An order of a hundred names has some two hundred values. */
const VALUES_MAX = 5_000;
const IDENTITIES_MAX = 10;
const WHOLE_MS = 60_000;
const SILENCE_MS = 30_000;
/** If 60 % of nonces are refused, 20 in a row are one in 27,000. */
const NONCE_TRIES = 20;
const NONCES_MAX = 10;
/** An authority changes its addresses rarely, and announces it ahead. */
const DIRECTORY_MS = DAY_MS;
/** A longer wait would outlast the certificate that is to be renewed (Let's Encrypt's own limits last a week). */
const RETRY_AFTER_MAX_MS = 7 * DAY_MS;
const RETRY_AFTER_MIN_MS = 1_000;
/** RFC 8555, section 6.1: a client identifies itself. */
const USER_AGENT = 'Fairlead ACME client';

export const address = z.string().check(z.startsWith('https://'));
const directorySchema = z.object({
  newNonce: address,
  newAccount: address,
  newOrder: address,
  revokeCert: address,
  renewalInfo: z.catch(z.optional(address), undefined),
  meta: z.catch(
    z.optional(
      z.object({
        caaIdentities: z.catch(z.optional(listOf(z.string()).check(z.maxLength(IDENTITIES_MAX))), undefined),
        externalAccountRequired: z.catch(z.optional(z.boolean()), undefined),
        profiles: z.catch(z.optional(z.record(z.string(), z.unknown())), undefined),
      }),
    ),
    undefined,
  ),
});

/**
 * Connects to one authority: it reads the directory, keeps nonces, and signs a request again when its nonce was
 * refused.
 */
export function createTransport({ directoryUrl, egress, now }: TransportOptions): Transport {
  let known: { directory: Directory; readAt: number } | undefined;
  const nonces: string[] = [];
  const exchange = createExchange(egress, now, storeNonce);

  function storeNonce(nonce: string | null): void {
    if (nonce !== null && nonces.length < NONCES_MAX) nonces.push(nonce);
  }

  async function nextNonce(signal: AbortSignal): Promise<string> {
    if (nonces.length === 0) {
      const { newNonce } = await directory(signal);
      const answer = await exchange('HEAD', newNonce, undefined, signal);
      if (answer.status >= 400) throw refusalOf(answer);
    }
    const nonce = nonces.pop();
    if (nonce === undefined) throw new AuthorityError(unreachable('The authority gave no nonce.'));
    return nonce;
  }

  async function directory(signal: AbortSignal): Promise<Directory> {
    const at = now().getTime();
    if (known !== undefined && Math.abs(at - known.readAt) < DIRECTORY_MS) return known.directory;
    const answer = await exchange('GET', directoryUrl, undefined, signal);
    if (answer.status >= 400) throw refusalOf(answer);
    const parsed = directorySchema.safeParse(answer.json);
    if (!parsed.success)
      throw new AuthorityError(unreachable('This address is not the directory of a certificate authority.'));
    known = { directory: parsed.data, readAt: at };
    return parsed.data;
  }

  return {
    directory,
    async post(url, { key, url: kid }, payload, signal) {
      for (let left = NONCE_TRIES; ; left -= 1) {
        const nonce = await nextNonce(signal);
        const header: JwsHeader = kid === null ? { nonce, url, jwk: jwkOf(key) } : { nonce, url, kid };
        const answer = await exchange('POST', url, signJws(key, header, payload), signal);
        if (answer.status < 400) return answer;
        const refusal = refusalOf(answer);
        if (refusal.problem.type !== 'badNonce' || left === 1) throw refusal;
      }
    },
    async get(url, signal) {
      const answer = await exchange('GET', url, undefined, signal);
      if (answer.status >= 400) throw refusalOf(answer);
      return answer;
    },
  };
}

type Exchange = (
  method: 'GET' | 'HEAD' | 'POST',
  url: string,
  body: string | undefined,
  signal: AbortSignal,
) => Promise<AcmeAnswer>;

/** Returns the function that sends one request; `storeNonce` gets the nonce that may come with its answer. */
function createExchange(egress: Egress, now: () => Date, storeNonce: (nonce: string | null) => void): Exchange {
  return async (method, url, body, signal) => {
    const request = {
      method,
      headers: () => ({
        'user-agent': USER_AGENT,
        ...(body !== undefined && { 'content-type': 'application/jose+json' }),
      }),
      ...(body !== undefined && { body: Buffer.from(body) }),
      signal,
      maxBytes: ANSWER_MAX_BYTES,
      silenceMs: SILENCE_MS,
      wholeMs: WHOLE_MS,
    };
    try {
      return await egress.request(url, request, async ({ status, headers, body: sent }) => {
        storeNonce(headers.get('replay-nonce'));
        return answerOf(status, headers, await textWithinBudget(sent), now());
      });
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      throw new AuthorityError(unreachable(error.message), error);
    }
  };
}

function answerOf(status: number, headers: Headers, text: string, now: Date): AcmeAnswer {
  return { status, headers, text, json: parseAnswer(text, VALUES_MAX), retryAfterMs: retryAfterMsOf(headers, now) };
}

function refusalOf({ status, headers, json, retryAfterMs }: AcmeAnswer): AuthorityError {
  return new AuthorityError(
    parseProblem(json, { status, retryAfterMs, termsLink: linkOf(headers, 'terms-of-service') }),
  );
}

/** Returns the address of a link in the headers of an answer (RFC 8288); null when there is none. */
export function linkOf(headers: Headers, relation: string): string | null {
  const link = (headers.get('link') ?? '').split(',').find((part) => part.includes(`rel="${relation}"`));
  const [start, end] = [link?.indexOf('<') ?? -1, link?.indexOf('>') ?? -1];
  return link === undefined || start < 0 || end < start ? null : link.slice(start + 1, end);
}

/** RFC 9110, section 5.6.7, without its obsolete forms and the other texts that V8 takes for dates. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function dateIn(headers: Headers, name: string): number | null {
  const value = headers.get(name) ?? '';
  return HTTP_DATE.test(value) ? Date.parse(value) : null;
}

/**
 * Returns seconds, or the time until a date by the sender's clock (RFC 9110, section 10.2.3); null for anything else.
 */
function retryAfterMsOf(headers: Headers, now: Date): number | null {
  const seconds = /^\d+$/.exec(headers.get('retry-after') ?? '')?.[0];
  const at = dateIn(headers, 'retry-after');
  const dateMs = at === null ? null : at - (dateIn(headers, 'date') ?? now.getTime());
  const ms = seconds === undefined ? dateMs : Number(seconds) * 1_000;
  return ms === null || Number.isNaN(ms) ? null : Math.min(Math.max(ms, RETRY_AFTER_MIN_MS), RETRY_AFTER_MAX_MS);
}

export function signerOf({ accountKey, accountUrl }: AuthorityCall): Signer {
  return { key: accountKey, url: accountUrl };
}

/** Reads an answer by its schema; throws `AuthorityError` when it cannot be understood. */
export function parse<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AuthorityError(senseless('The answer of the authority could not be understood.'), parsed.error);
}
