import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { isLocal } from '../../../routers/rules/this-machine.ts';
import type { MongodSources } from '../../database/embedded/mongod-binary.ts';
import { type Keys, parseKeys } from '../../lib/crypto/secrets.ts';
import type { AddressRange } from '../../lib/egress/rules.ts';
import { isOrigin, isSmtpUrl } from '../../lib/egress/url-rules.ts';
import { LOG_LEVELS, type LogLevel } from '../../lib/log.ts';
import { EXIT_CONFIG, StartError } from '../../lib/start-error.ts';
import type { OAuthClients, PlatformUrls } from '../../publishing/platforms/platform.ts';
import type { StoreChoice } from '../../store/store.ts';
import { type AcmeEnv, acmeFault, acmeVariables, readAcme } from './acme.ts';
import { artifactsUrl, storeChoice } from './artifacts-url.ts';
import { type DnsServer, dnsVariables } from './dns.ts';
import {
  type DomainConnectEnv,
  domainConnectFault,
  domainConnectVariables,
  readDomainConnect,
} from './domain-connect.ts';
import { egressFault, egressVariables, egressWarning, platformUrls } from './egress.ts';
import { oauthClients, oauthVariables, unpairedOauthVariable } from './oauth.ts';
import { hostName, port, readSites, type SitesEnv, sitesFault, sitesVariables, sitesWarnings } from './sites.ts';
import { readStripe, type StripeEnv, stripeFault, stripeVariables } from './stripe.ts';

/** All settings that the operator has made, checked. */
export type Env = SitesEnv & {
  port: number;
  host: string | undefined;
  /** An origin, without a slash at its end. */
  publicUrl: string;
  /** True when only people at this machine can reach the app. */
  isLocal: boolean;
  supportEmail: string;
  operatorEmail: string;
  /** When undefined, mail stays in the outbox. */
  smtp: { url: string; from: string } | undefined;
  dataDir: string;
  mongodbUri: string | undefined;
  mongodSources: MongodSources;
  artifacts: StoreChoice;
  keys: Keys | undefined;
  platformUrls: PlatformUrls;
  egressAllow: readonly AddressRange[];
  dnsAuthorityPort: number;
  /** When undefined, the system's resolvers are asked. */
  dnsResolvers: readonly DnsServer[] | undefined;
  /** When undefined, the app's own authority signs. */
  acme: AcmeEnv | undefined;
  domainConnect: DomainConnectEnv | undefined;
  oauthClients: OAuthClients;
  /** When undefined, there is the test checkout. */
  stripe: StripeEnv | undefined;
  trustProxy: number;
  accessTokenSeconds: number;
  logLevel: LogLevel;
  /** Sentences for the log about settings that work, but perhaps not as intended. */
  warnings: string[];
};

function whole(min: number, max: number): z.ZodMiniType<number, string> {
  const text = `it must be a whole number from ${min} to ${max}`;
  return z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/, text)),
    z.pipe(z.transform(Number), z.number().check(z.minimum(min, text), z.maximum(max, text))),
  );
}

const NO_PROCESSES =
  'PROCESSES is no longer read: for more cores start further instances, each with a DATA_DIR of its own, on one MONGODB_URI.';

const emailAddress = z
  .string()
  .check(z.regex(/^[^\s@<>]+@[^\s@<>]+$/, 'it must be an email address like ops@example.com'));
const smtpUrl = z
  .string()
  .check(z.refine(isSmtpUrl, 'it must be smtp:// or smtps:// with a host, like smtp://mail.example.com:587'));
const mailFrom = z
  .string()
  .check(
    z.regex(
      /^([^<>@\p{Cc}]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u,
      'it must be an address like fairlead@example.com or Fairlead <fairlead@example.com>',
    ),
  );
const listenAddress = z
  .string()
  .check(z.regex(/^[0-9a-fA-F.:]+$|^[a-z0-9.-]+$/, 'it must be an address of this machine like 127.0.0.1 or 0.0.0.0'));
const origin = z
  .string()
  .check(
    z.refine(isOrigin, 'it must be http:// or https:// with a host and nothing after it, like https://app.example.com'),
  );
const mongodbUri = z
  .string()
  .check(z.regex(/^mongodb(\+srv)?:\/\/[^/\s]+/, 'it must begin with mongodb:// or mongodb+srv:// and name a host'));
const keysJson = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const keys = parseKeys(text);
    if (keys === null)
      context.issues.push({ code: 'custom', input: text, message: 'it must be the JSON of a keys.json' });
    return keys ?? { current: '', keys: {} };
  }),
);

/** Lists every variable that the app reads; other names are ignored. */
const variables = z.object({
  PORT: z._default(port, 3000),
  ...sitesVariables,
  HOST: z.optional(listenAddress),
  PUBLIC_URL: z.optional(origin),
  SUPPORT_EMAIL: z.optional(emailAddress),
  OPERATOR_EMAIL: z.optional(emailAddress),
  SMTP_URL: z.optional(smtpUrl),
  MAIL_FROM: z.optional(mailFrom),
  DATA_DIR: z._default(z.string(), 'data'),
  MONGODB_URI: z.optional(mongodbUri),
  MONGOMS_SYSTEM_BINARY: z.optional(z.string()),
  ARTIFACTS_URL: z.optional(artifactsUrl),
  ...egressVariables,
  DNS_AUTHORITY_PORT: z._default(port, 53),
  ...dnsVariables,
  ...oauthVariables,
  ...acmeVariables,
  ...domainConnectVariables,
  ...stripeVariables,
  FUNCTION_API_HOST: z.optional(hostName),
  FAIRLEAD_KEYS: z.optional(keysJson),
  TRUST_PROXY: z._default(whole(0, 10), 0),
  ACCESS_TOKEN_SECONDS: z._default(whole(1, 86_400), 900),
  LOG_LEVEL: z._default(z.enum(LOG_LEVELS, `it must be one of ${LOG_LEVELS.join(', ')}`), 'info'),
  PATH: z.optional(z.string()),
  XDG_CACHE_HOME: z.optional(z.string()),
});

/** The values of these are never repeated, on a screen or in a log. */
const PRIVATE = new Set([
  'NETLIFY_CLIENT_SECRET',
  'VERCEL_CLIENT_SECRET',
  'GITHUB_CLIENT_SECRET',
  'HEROKU_CLIENT_SECRET',
  'FAIRLEAD_KEYS',
  'MONGODB_URI',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'ACME_EAB_HMAC',
  'SMTP_URL',
]);

/**
 * Reads and checks the whole environment. An empty variable counts as not set. Throws StartError with one sentence
 * that names the variable, its value and what would be right.
 */
export function readEnv(environment: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0] ?? '');
    throw refusal(name, given[name], issue?.message ?? 'it is not understood');
  }
  const values = parsed.data;
  const publicUrl = new URL(values.PUBLIC_URL ?? `http://localhost:${values.PORT}`).origin;
  const publicHost = new URL(publicUrl).hostname;
  const wrong =
    sitesFault(values, given, publicHost) ?? acmeFault(values) ?? domainConnectFault(values) ?? stripeFault(values);
  if (wrong !== null) throw refusal(wrong.name, given[wrong.name], wrong.fault);
  refuseContradictions(publicHost, given);
  const sites = readSites(values, given);
  const dataDir = resolve(values.DATA_DIR);
  const supportEmail = values.SUPPORT_EMAIL ?? `support@${publicHost}`;
  return {
    port: values.PORT,
    ...sites,
    host: values.HOST ?? (isLocal(publicHost) ? '127.0.0.1' : undefined),
    publicUrl,
    isLocal: isLocal(publicHost),
    supportEmail,
    operatorEmail: values.OPERATOR_EMAIL ?? supportEmail,
    smtp:
      values.SMTP_URL === undefined
        ? undefined
        : { url: values.SMTP_URL, from: values.MAIL_FROM ?? `Fairlead <${supportEmail}>` },
    dataDir,
    mongodbUri: values.MONGODB_URI,
    mongodSources: readMongodSources(given),
    artifacts: storeChoice(values.ARTIFACTS_URL, dataDir),
    keys: values.FAIRLEAD_KEYS,
    platformUrls: platformUrls(values),
    egressAllow: values.EGRESS_ALLOW,
    dnsAuthorityPort: values.DNS_AUTHORITY_PORT,
    dnsResolvers: values.DNS_RESOLVERS,
    acme: readAcme(values),
    domainConnect: readDomainConnect(values),
    oauthClients: oauthClients(values, platformUrls(values)),
    stripe: readStripe(values),
    trustProxy: values.TRUST_PROXY,
    accessTokenSeconds: values.ACCESS_TOKEN_SECONDS,
    logLevel: values.LOG_LEVEL,
    warnings: [
      ...(given.PROCESSES === undefined ? [] : [NO_PROCESSES]),
      ...warningsOf(publicUrl, publicHost, values.SITES_DOMAIN),
      ...sitesWarnings(sites),
      ...egressWarning(given.EGRESS_ALLOW),
    ],
  };
}

/** Refuses values that are valid alone and contradict one another. */
function refuseContradictions(publicHost: string, given: Record<string, string | undefined>): void {
  const lone = unpairedOauthVariable(given);
  if (lone !== null) throw refusal(lone.name, undefined, `it needs ${lone.needs} as well`);
  if (given.MAIL_FROM !== undefined && given.SMTP_URL === undefined) {
    throw refusal(
      'MAIL_FROM',
      given.MAIL_FROM,
      'email stays in the outbox without SMTP_URL; set that too, or unset MAIL_FROM',
    );
  }
  if (given.STRIPE_API_URL !== undefined && given.STRIPE_SECRET_KEY === undefined) {
    throw refusal(
      'STRIPE_API_URL',
      given.STRIPE_API_URL,
      'it has no effect without STRIPE_SECRET_KEY; set that too, or unset STRIPE_API_URL',
    );
  }
  const egress = egressFault(given.EGRESS_ALLOW, isLocal(publicHost));
  if (egress !== null) throw refusal('EGRESS_ALLOW', given.EGRESS_ALLOW, egress);
}

/** Returns whether a failed start prints its stack. It reads the raw environment, because that may be what is wrong. */
export function showsStackTraces(environment: Record<string, string | undefined>): boolean {
  return environment.LOG_LEVEL === 'debug';
}

/** Returns the places where a `mongod` is looked for; the tests use the same ones. */
export function readMongodSources(environment: Record<string, string | undefined>): MongodSources {
  return {
    systemBinary: environment.MONGOMS_SYSTEM_BINARY || undefined,
    searchPath: environment.PATH ?? '',
    cacheFolder: join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fairlead'),
  };
}

function refusal(name: string, value: string | undefined, right: string): StartError {
  const shown = PRIVATE.has(name) && value !== undefined ? 'set to a value that is not shown' : `"${value ?? ''}"`;
  return new StartError(EXIT_CONFIG, `${name} is ${shown}, but ${right}.`);
}

function warningsOf(publicUrl: string, publicHost: string, sitesDomain: string): string[] {
  const warnings: string[] = [];
  if (isLocal(publicHost)) return warnings;
  if (sitesDomain === 'localhost') {
    warnings.push(
      `SITES_DOMAIN is localhost while PUBLIC_URL is ${publicUrl}: sites can be opened on this machine only; set SITES_DOMAIN to a domain whose subdomains point to this machine.`,
    );
  }
  if (publicUrl.startsWith('http:')) {
    warnings.push(
      `PUBLIC_URL is ${publicUrl}: passwords cross the network unencrypted; put a proxy with TLS in front and set PUBLIC_URL to its https address.`,
    );
  }
  return warnings;
}
