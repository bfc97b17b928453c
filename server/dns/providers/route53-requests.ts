import { AwsV4Signer } from 'aws4fetch';
import type * as z from 'zod/mini';
import type { DnsProviderCall } from '../provider.ts';
import type { DnsFailure } from './failures.ts';
import { askOnce, type DnsVendor } from './http.ts';
import { elementAt, elementsIn, rootOf } from './xml-answers.ts';

/**
 * All requests to Route 53 are signed (docs.aws.amazon.com, "Signature Version 4"); answers and refusals are XML.
 * "Slow down" comes with status 400, so a refusal is sorted by its code.
 */
export const ROUTE53_TITLE = 'Route 53';
/** It is one worldwide service, whose signatures use this region. */
const SERVICE = { service: 'route53', region: 'us-east-1' };

type Call = DnsProviderCall<'route53'>;

/** Returns the API as opened for one call. */
export function openRoute53({ credentials: { secretAccessKey } }: Call, apiUrl: string): DnsVendor {
  const headers = { accept: 'text/xml' };
  return { title: ROUTE53_TITLE, apiUrl, headers, secrets: [secretAccessKey], answersText: true, sort, words };
}

const FAILURES: Readonly<Record<string, DnsFailure>> = {
  InvalidClientTokenId: 'credentials_invalid',
  UnrecognizedClientException: 'credentials_invalid',
  SignatureDoesNotMatch: 'credentials_invalid',
  IncompleteSignature: 'credentials_invalid',
  MissingAuthenticationToken: 'credentials_invalid',
  ExpiredToken: 'credentials_invalid',
  AccessDenied: 'permission_missing',
  AccessDeniedException: 'permission_missing',
  // Our own clock is wrong.
  RequestExpired: 'platform_failed',
  Throttling: 'rate_limited',
  ThrottlingException: 'rate_limited',
  RequestLimitExceeded: 'rate_limited',
  PriorRequestNotComplete: 'rate_limited',
  NoSuchHostedZone: 'zone_not_found',
  InvalidChangeBatch: 'records_refused',
  InvalidInput: 'records_refused',
};
const WRONG_CLOCK = /signature (expired|not yet current)/i;

function sort(_status: number, body: unknown): DnsFailure | undefined {
  const { code, message } = refusalIn(body);
  if (WRONG_CLOCK.test(message)) return 'platform_failed';
  return Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
}

function words(body: unknown): string | null {
  return refusalIn(body).message || null;
}

/**
 * Reads a refusal. Most errors are in an ErrorResponse; InvalidChangeBatch may also be the root, with several
 * messages.
 */
function refusalIn(body: unknown): { code: string; message: string } {
  const root = typeof body === 'string' ? rootOf(body) : null;
  const error = elementAt(root, 'Error');
  if (error !== null) {
    return { code: elementAt(error, 'Code')?.text ?? '', message: elementAt(error, 'Message')?.text ?? '' };
  }
  const messages = elementsIn(elementAt(root, 'Messages'), 'Message');
  return { code: root?.name ?? '', message: messages.map(({ text }) => text).join(' ') };
}

type SignedRequest = { method?: 'GET' | 'POST'; url: string; text?: string };

/** Sends a request once, signed at this moment. Throws as `askOnce` does. */
export async function askSigned<T>(
  call: Call,
  vendor: DnsVendor,
  { method = 'GET', url, text }: SignedRequest,
  shape: z.ZodMiniType<T>,
): Promise<T> {
  const signer = new AwsV4Signer({
    ...call.credentials,
    ...SERVICE,
    method,
    url: `${vendor.apiUrl}${url}`,
    headers: text === undefined ? {} : { 'content-type': 'text/xml' },
    ...(text !== undefined && { body: text }),
    datetime: call
      .now()
      .toISOString()
      .replace(/[:-]|\.\d{3}/g, ''),
  });
  const { headers } = await signer.sign();
  const body = text === undefined ? {} : { body: async () => Buffer.from(text) };
  return askOnce(call, vendor, { method, url, headers: Object.fromEntries(headers), ...body }, shape);
}
