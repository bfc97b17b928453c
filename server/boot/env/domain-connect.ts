import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const label = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,5}$/, 'it must be a DNS name like _dck1'));

/** These identify the operator to DNS providers, in links that set up records there. */
export const domainConnectVariables = {
  DOMAIN_CONNECT_PROVIDER_ID: z.optional(
    z.string().check(z.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'it must be your domain, like fairlead.example')),
  ),
  DOMAIN_CONNECT_SERVICE_ID: z._default(
    z.string().check(z.regex(/^[A-Za-z0-9._-]{1,64}$/, 'it must be the serviceId of your template, like site')),
    'site',
  ),
  DOMAIN_CONNECT_KEY_FILE: z.optional(z.string()),
  DOMAIN_CONNECT_KEY_HOST: z.optional(label),
};

type Values = z.infer<z.ZodMiniObject<typeof domainConnectVariables>>;

export type DomainConnectEnv = { providerId: string; serviceId: string; keyHost: string; key: KeyObject };

/** Returns the settings for signing links, or undefined when the operator offers none. */
export function readDomainConnect(values: Values): DomainConnectEnv | undefined {
  const { DOMAIN_CONNECT_PROVIDER_ID: providerId, DOMAIN_CONNECT_KEY_HOST: keyHost } = values;
  const { DOMAIN_CONNECT_KEY_FILE: keyFile, DOMAIN_CONNECT_SERVICE_ID: serviceId } = values;
  if (providerId === undefined || keyHost === undefined || keyFile === undefined) return undefined;
  const key = readKey(keyFile);
  return key === null ? undefined : { providerId, serviceId, keyHost, key };
}

/** Returns the variable that is missing or contradicts the others, and why; null when there is none. */
export function domainConnectFault(values: Values): { name: string; fault: string } | null {
  const names = ['DOMAIN_CONNECT_PROVIDER_ID', 'DOMAIN_CONNECT_KEY_FILE', 'DOMAIN_CONNECT_KEY_HOST'] as const;
  const given = names.find((name) => values[name] !== undefined);
  const missing = names.find((name) => values[name] === undefined);
  if (given !== undefined && missing !== undefined) return { name: given, fault: `it needs ${missing} as well` };
  const { DOMAIN_CONNECT_KEY_FILE: keyFile } = values;
  if (keyFile !== undefined && readKey(keyFile) === null) {
    const fault = 'it cannot be read as an RSA private key of at least 2048 bits; name a file in PEM';
    return { name: 'DOMAIN_CONNECT_KEY_FILE', fault };
  }
  return null;
}

function readKey(path: string): KeyObject | null {
  try {
    return parseSigningKey(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** RFC 7518, section 3.3: RS256 takes keys of 2048 bits and more. */
const MODULUS_MIN_BITS = 2_048;

/** Reads a private key from PEM text; returns null unless it is an RSA key of enough bits. */
export function parseSigningKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= MODULUS_MIN_BITS ? key : null;
  } catch {
    return null;
  }
}
