import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Mailer } from '../account/mail/mailer.ts';
import { createOutbox } from '../account/mail/outbox.ts';
import { createCredentialsOf } from '../connections/credentials.ts';
import type { Addresses, Limits, Providers } from '../context.ts';
import { createChangeFeed } from '../database/change-feed.ts';
import { createDomainConnect } from '../dns/domain-connect.ts';
import { createDnsProviders } from '../dns/index.ts';
import { createDnsClient } from '../dns/queries/resolve.ts';
import { createAcmeAuthority } from '../domains/certificates/authority/acme/client.ts';
import { createLocalAuthority } from '../domains/certificates/authority/local-ca.ts';
import { createLocalRoots } from '../domains/certificates/local-root.ts';
import { createSitesAddresses } from '../host/sites-addresses.ts';
import { createPasswordHasher } from '../lib/crypto/password-hasher.ts';
import { createSecrets, type Keys, type Secrets } from '../lib/crypto/secrets.ts';
import { createEgress } from '../lib/egress/egress.ts';
import { createReach } from '../lib/egress/reach.ts';
import { classifyAddress } from '../lib/egress/rules.ts';
import { loadOnce } from '../lib/load-once.ts';
import type { Log } from '../lib/log.ts';
import type { RateCounters } from '../lib/rate-counters.ts';
import { createLoadedLater } from '../plans/payments/loaded-later.ts';
import type { PaymentService } from '../plans/payments/payments.ts';
import { createTestCheckout } from '../plans/payments/test-checkout.ts';
import { createPlatforms } from '../publishing/platforms/index.ts';
import { createSignIn } from '../publishing/platforms/oauth.ts';
import { createCorruptionListener } from '../store/corruption.ts';
import { createDiskStore } from '../store/disk/disk.ts';
import { createFullDiskListener } from '../store/full-disk.ts';
import { openDatabaseSpace } from '../store/gridfs/files.ts';
import { createGridStore } from '../store/gridfs/gridfs.ts';
import { createZipIntake } from '../store/intake.ts';
import { serverText, systemResolvers } from './env/dns.ts';
import type { Env } from './env/env.ts';
import { limitsOf } from './limits.ts';

/** The parts that are there before any adapter. */
type Started = { keys: Keys; log: Log; rateCounters: RateCounters; now: () => Date };

/**
 * Builds every adapter from the environment; the only place that chooses. Needs the open database.
 * Throws an Error with a sentence that names the folder when the artifact store cannot be used.
 */
export async function buildProviders(env: Env, { keys, log, rateCounters, now }: Started): Promise<Providers> {
  const limits = limitsOf(env);
  const isAllowed = (address: string): boolean => classifyAddress(address, env.egressAllow) !== 'refused';
  const providers: Providers = {
    addresses: addressesOf(env),
    sitesAddresses: createSitesAddresses(env.sitesAddresses, {
      sitesDomain: env.sitesDomain,
      nameServers: env.dnsResolvers?.map(serverText),
    }),
    limits,
    ...(await openStorage(env, limits, { log, rateCounters, now })),
    platforms: createPlatforms(env.platformUrls),
    egress: createEgress({
      allow: env.egressAllow,
      bases: Object.values(env.platformUrls),
      ...(env.dnsResolvers !== undefined && { nameServers: env.dnsResolvers.map(serverText) }),
    }),
    reach: createReach({ allow: env.egressAllow }),
    dns: createDnsClient({
      nameServerPort: env.dnsAuthorityPort,
      resolvers: env.dnsResolvers ?? systemResolvers(),
      isAllowed,
    }),
    dnsProviders: createDnsProviders({
      isAllowed,
      askResolvers: (name, type, signal) => providers.dns.askResolvers(name, type, signal),
    }),
    ...createAuthorities(env, createSecrets(keys), now),
    credentialsOf: (accountId, destination) => createCredentialsOf(providers)(accountId, destination),
    signIn: createSignIn(env.oauthClients),
    wait: waitFor,
    mailer: createMailer(env, log),
    payments: createPayments(env, now),
    hasher: createPasswordHasher({ rateCounters }),
    secrets: createSecrets(keys),
    changes: createChangeFeed(log),
    rateCounters,
    log,
    now,
  };
  if (env.domainConnect !== undefined) {
    const { serviceId } = env.domainConnect;
    providers.domainConnect = { serviceId, ...createDomainConnect(providers, env.domainConnect) };
  }
  return providers;
}

/**
 * Opens what files are kept in: the store, the room of the database beside it, and the folder of arriving archives. A
 * store in the database needs its open connection. Throws an Error with a sentence that names a folder that cannot be
 * used.
 */
async function openStorage(
  { artifacts, dataDir, mongodbUri }: Env,
  { minFreeDiskBytes: minFreeBytes }: Limits,
  { log, rateCounters, now }: Omit<Started, 'keys'>,
): Promise<Pick<Providers, 'store' | 'databaseSpace' | 'zips'>> {
  const onDiskFull = createFullDiskListener(log);
  const databaseFolder = mongodbUri === undefined ? dataDir : undefined;
  const onCorruption = createCorruptionListener(log);
  const options = { minFreeBytes, rateCounters, databaseFolder, onDiskFull, onCorruption, now };
  return {
    store:
      artifacts.kind === 'gridfs'
        ? await createGridStore(options)
        : await createDiskStore({ folder: artifacts.folder, ...options }),
    // Half of what uploads must leave free: below this, everything else that grows stops as well.
    databaseSpace: openDatabaseSpace({ databaseFolder, minFreeBytes: minFreeBytes / 2, rateCounters }),
    zips: await createZipIntake({ path: join(dataDir, 'incoming'), minFreeBytes, onDiskFull }, rateCounters),
  };
}

function addressesOf(env: Env): Addresses {
  return {
    publicUrl: env.publicUrl,
    sitesDomain: env.sitesDomain,
    sitesUrl: env.sitesUrl,
    sitesHttpPort: env.sitesPort,
    sitesTlsPort: env.tlsPort,
    sitesListener:
      env.sitesTls === undefined
        ? { protocol: 'http:', host: connectableHost(env.host), port: env.sitesPort }
        : { protocol: 'https:', host: connectableHost(env.host), port: env.sitesTls.port },
    supportEmail: env.supportEmail,
    operatorEmail: env.operatorEmail,
    trustedProxies: env.trustProxy,
  };
}

/** Loads the SMTP library with the first mail: it is larger than all our platforms together. */
function createMailer({ smtp, dataDir }: Env, log: Log): Mailer {
  if (smtp === undefined) return createOutbox(join(dataDir, 'outbox'), log);
  const mailer = loadOnce(async () => (await import('../account/mail/smtp.ts')).createSmtpMailer(smtp, log));
  return { keepsMail: false, deliver: async (mail) => (await mailer()).deliver(mail) };
}

/** Creates Stripe payments when the operator has set them up; there is no test checkout then. */
function createPayments({ stripe, publicUrl, egressAllow }: Env, now: () => Date): PaymentService {
  if (stripe === undefined) return createTestCheckout({ publicUrl });
  return createLoadedLater(async () => {
    const { createStripePayments } = await import('../plans/payments/stripe/index.ts');
    const egress = createEgress({ allow: egressAllow, bases: [stripe.apiUrl] });
    return createStripePayments({ ...stripe, publicUrl, egress, now });
  });
}

/**
 * Creates the authority that the operator names, or the app's own. It comes with the directory for rehearsals, which
 * does not know the external account of the main one.
 */
function createAuthorities(
  { acme, egressAllow, dataDir }: Env,
  secrets: Secrets,
  now: () => Date,
): Pick<Providers, 'authority' | 'staging'> {
  if (acme === undefined) {
    return { authority: createLocalAuthority({ roots: createLocalRoots(join(dataDir, 'secrets')), secrets, now }) };
  }
  const { stagingUrl, email, ca } = acme;
  const allow = [...egressAllow, ...acme.allow];
  const at = (directoryUrl: string) => {
    const egress = createEgress({ allow, bases: [directoryUrl], ...(ca !== undefined && { ca }) });
    return { directoryUrl, email, egress, now, wait: waitFor };
  };
  return {
    authority: createAcmeAuthority({ ...at(acme.directoryUrl), eab: acme.eab, isPrivate: ca !== undefined }),
    ...(stagingUrl !== undefined && { staging: createAcmeAuthority(at(stagingUrl)) }),
  };
}

/** Returns an address to connect to: a server may listen on "all addresses", but a client needs one. */
function connectableHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Resolves after `ms`; rejects with the reason of the signal, which an aborted timer of Node does not do. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
