import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import * as z from 'zod/mini';
import { type AddressRange, parseRange } from '../../lib/egress/rules.ts';

const directoryUrl = z
  .string()
  .check(
    z.refine(
      isDirectoryUrl,
      'it must be the https:// address of an ACME directory, like https://acme-v02.api.letsencrypt.org/directory',
    ),
  );
const hmacKey = z
  .string()
  .check(
    z.refine(
      (text) => /^[A-Za-z0-9_-]{16,1024}$/.test(base64urlOf(text)),
      'it must be a key in base64url, as the authority shows it',
    ),
  );

/** A certificate authority; without it the app's own signs. */
export const acmeVariables = {
  ACME_DIRECTORY_URL: z.optional(directoryUrl),
  ACME_STAGING_DIRECTORY_URL: z.optional(directoryUrl),
  ACME_EMAIL: z.optional(
    z.string().check(z.regex(/^[^\s@<>]+@[^\s@<>]+$/, 'it must be an email address like ops@example.com')),
  ),
  ACME_EAB_KID: z.optional(z.string().check(z.minLength(1))),
  ACME_EAB_HMAC: z.optional(hmacKey),
  ACME_CA_FILE: z.optional(z.string()),
};

type Values = z.infer<z.ZodMiniObject<typeof acmeVariables>>;

export type AcmeEnv = {
  directoryUrl: string;
  /** The directory in which renewals are rehearsed, if there is one. */
  stagingUrl: string | undefined;
  email: string | undefined;
  eab: { kid: string; hmacKey: string } | undefined;
  /** Authorities that the directory's own certificate may come from; those of Node when absent. */
  ca: string[] | undefined;
  /** The operator has named a directory at these addresses, so they may be reached although they are not public. */
  allow: AddressRange[];
};

/**
 * Converts to unpadded base64url: authorities show their keys in either alphabet, with or without padding, and a
 * pasted key may hold line breaks.
 */
function base64urlOf(text: string): string {
  return text
    .replace(/\s/g, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}

function isDirectoryUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).username === '';
}

/** Returns the authority that the operator has chosen; undefined for the app's own. */
export function readAcme(values: Values): AcmeEnv | undefined {
  const { ACME_DIRECTORY_URL: url, ACME_EAB_KID: kid, ACME_EAB_HMAC: hmac, ACME_CA_FILE: caFile } = values;
  if (url === undefined) return undefined;
  const stagingUrl = values.ACME_STAGING_DIRECTORY_URL;
  const hosts = [url, ...(stagingUrl === undefined ? [] : [stagingUrl])].map((one) => new URL(one).hostname);
  return {
    directoryUrl: url,
    stagingUrl,
    email: values.ACME_EMAIL,
    eab: kid !== undefined && hmac !== undefined ? { kid: kid.trim(), hmacKey: base64urlOf(hmac) } : undefined,
    ca: caFile === undefined ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')],
    allow: hosts.flatMap(ownRanges),
  };
}

function ownRanges(host: string): AddressRange[] {
  const ranges = host === 'localhost' ? ['127.0.0.1', '::1'] : [host.replace(/^\[|\]$/g, '')];
  return ranges.map(parseRange).filter((range) => range !== null);
}

const BESIDE_DIRECTORY = [
  'ACME_STAGING_DIRECTORY_URL',
  'ACME_EMAIL',
  'ACME_EAB_KID',
  'ACME_EAB_HMAC',
  'ACME_CA_FILE',
] as const;

/** Returns the first variable that contradicts the others, and why; null when there is none. */
export function acmeFault(values: Values): { name: string; fault: string } | null {
  const lone = BESIDE_DIRECTORY.find((name) => values[name] !== undefined);
  if (lone !== undefined && values.ACME_DIRECTORY_URL === undefined) {
    return { name: lone, fault: 'it needs ACME_DIRECTORY_URL as well' };
  }
  const { ACME_EAB_KID: kid, ACME_EAB_HMAC: hmac, ACME_CA_FILE: caFile } = values;
  const { ACME_DIRECTORY_URL: url, ACME_STAGING_DIRECTORY_URL: stagingUrl } = values;
  if (stagingUrl !== undefined && stagingUrl === url) {
    return { name: 'ACME_STAGING_DIRECTORY_URL', fault: 'it must differ from ACME_DIRECTORY_URL' };
  }
  if (kid !== undefined && hmac === undefined) return { name: 'ACME_EAB_KID', fault: 'it needs ACME_EAB_HMAC as well' };
  if (hmac !== undefined && kid === undefined) return { name: 'ACME_EAB_HMAC', fault: 'it needs ACME_EAB_KID as well' };
  if (caFile !== undefined && !holdsCertificate(caFile)) {
    return { name: 'ACME_CA_FILE', fault: 'it cannot be read as a certificate; name a file in PEM' };
  }
  return null;
}

function holdsCertificate(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN CERTIFICATE-----');
  } catch {
    return false;
  }
}
