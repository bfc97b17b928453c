import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appRouter } from '../../routers/_app.ts';
import type { RegisterInput, SignedIn } from '../../routers/schemas/auth.ts';
import type { CreatedToken, Scope } from '../../routers/schemas/tokens.ts';
import { createCaller } from '../../routers/trpc.ts';
import { authenticate } from '../../server/account/auth/index.ts';
import type { Mail } from '../../server/account/mail/mailer.ts';
import { jobHandlers } from '../../server/boot/jobs.ts';
import { waitFor } from '../../server/boot/providers.ts';
import { createCredentialsOf } from '../../server/connections/credentials.ts';
import type { Actor, CookieJar, JarName, Limits, Providers, ServiceContext } from '../../server/context.ts';
import type { ChangeFeed, ChangeListener } from '../../server/database/change-feed.ts';
import { createDnsProviders } from '../../server/dns/index.ts';
import { createDnsClient } from '../../server/dns/queries/resolve.ts';
import { createLocalAuthority } from '../../server/domains/certificates/authority/local-ca.ts';
import { createPasswordHasher } from '../../server/lib/crypto/password-hasher.ts';
import { createSecrets, newKeys } from '../../server/lib/crypto/secrets.ts';
import type { Log } from '../../server/lib/log.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createTestCheckout } from '../../server/plans/payments/test-checkout.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createZipIntake } from '../../server/store/intake.ts';
import { ownRoots } from './local-roots.ts';
import { platforms, testEgress, testReach } from './platforms.ts';
import { storePerson, storeTrial } from './stored-person.ts';
import { WIDE_LIMITS } from './wide-limits.ts';

/** Creates a jar that a test can look into: the browser's side of `CookieJar`. */
export function createJar(): CookieJar & { cookies: Map<JarName, string> } {
  const cookies = new Map<JarName, string>();
  return {
    cookies,
    read: (name) => cookies.get(name),
    write: (name, value) => {
      if (value === null) cookies.delete(name);
      else cookies.set(name, value);
    },
  };
}

export type Clock = { now(): Date; advance(ms: number): void };

function createClock(): Clock {
  let shiftMs = 0;
  return {
    now: () => new Date(Date.now() + shiftMs),
    advance: (ms) => {
      shiftMs += ms;
    },
  };
}

/** A feed for tests in process that need no wake-ups: the worker and the host are driven by hand. */
function silentFeed(): ChangeFeed {
  const listeners = new Set<ChangeListener>();
  return {
    subscribe: (_collections, listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    start: async () => undefined,
    stop: async () => undefined,
  };
}

const SILENT_LOG: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export type TestAppOptions = {
  limits?: Partial<Limits>;
  changes?: ChangeFeed;
  log?: Log;
  providers?: Partial<Providers>;
};

const makeCaller = createCaller(appRouter);
export type Caller = ReturnType<typeof makeCaller>;
export type Person = {
  caller: Caller;
  user: SignedIn;
  accessToken: string;
  password: string;
  jar: ReturnType<typeof createJar>;
};
export type TestApp = Awaited<ReturnType<typeof createTestApp>>;

/** Makes an API token of the person's, as its screen does. */
export function tokenOf({ caller, password }: Person, scopes: Scope[], name: string): Promise<CreatedToken> {
  return caller.tokens.create({ name, scopes, currentPassword: password });
}

/**
 * Creates the whole application in process, on the test file's own database: providers with a cheap password hasher, a
 * store in a temporary folder, an outbox in memory and a clock that can be moved. Dispose of it with `await using`.
 */
export async function createTestApp(options: TestAppOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-'));
  const clock = createClock();
  const outbox: Mail[] = [];
  const rateCounters = createRateCounters();
  const secrets = createSecrets(newKeys());
  const limits = { ...WIDE_LIMITS, ...options.limits };
  const providers: Providers = {
    addresses: {
      publicUrl: 'http://localhost:3000',
      sitesDomain: 'localhost',
      sitesUrl: 'http://{slug}.localhost:3001',
      sitesListener: { protocol: 'http:', host: '127.0.0.1', port: 3001 },
      supportEmail: 'support@localhost',
      operatorEmail: 'operator@localhost',
    },
    sitesAddresses: async () => ({ given: true, found: ['127.0.0.1', '::1'] }),
    limits,
    store: await createDiskStore({ folder: join(folder, 'artifacts'), minFreeBytes: 0, rateCounters }),
    databaseSpace: { freeBytes: async () => Number.POSITIVE_INFINITY },
    zips: await createZipIntake(
      { path: join(folder, 'incoming'), minFreeBytes: limits.minFreeDiskBytes },
      rateCounters,
    ),
    platforms,
    dnsProviders: createDnsProviders({ isAllowed: () => false, askResolvers: async () => [] }),
    egress: testEgress(),
    reach: testReach(),
    // Nobody is asked; a test of DNS brings a lab (dns-lab.ts).
    dns: createDnsClient({ nameServerPort: 1, resolvers: [], isAllowed: () => false }),
    authority: createLocalAuthority({ roots: ownRoots(), secrets, now: () => clock.now() }),
    credentialsOf: (accountId, destination) => createCredentialsOf(providers)(accountId, destination),
    signIn: {},
    wait: waitFor,
    mailer: { keepsMail: true, deliver: async (mail) => void outbox.push(mail) },
    payments: createTestCheckout({ publicUrl: 'http://localhost:3000' }),
    // Argon2id with its real parameters takes tens of milliseconds a login; one test of its own holds the real ones.
    hasher: createPasswordHasher({ memoryKiB: 1024, iterations: 1 }),
    secrets,
    changes: options.changes ?? silentFeed(),
    rateCounters,
    log: options.log ?? SILENT_LOG,
    now: () => clock.now(),
    ...options.providers,
  };
  const worker = createWorker(providers, { handlers: jobHandlers });

  function context(
    actor: Actor,
    jar: CookieJar = createJar(),
    origin: Partial<ServiceContext['origin']> = {},
  ): ServiceContext {
    return {
      actor,
      providers,
      jar,
      origin: { address: '127.0.0.1', userAgent: 'test', bearer: undefined, ...origin },
      now: () => providers.now(),
      requestId: randomBytes(8).toString('hex'),
    };
  }

  const callerOf = (ctx: ServiceContext): Caller => makeCaller(ctx);

  /** Returns a caller that signs in by this bearer token, as a request does. */
  async function callerFor(
    bearer: string,
    jar: CookieJar = createJar(),
    origin: Partial<ServiceContext['origin']> = {},
  ) {
    const { actor } = await authenticate(providers, bearer);
    return callerOf(context(actor, jar, { ...origin, bearer }));
  }

  /** Returns a person who is signed in by `enter`. */
  async function enterBy(
    enter: (ctx: ServiceContext, input: RegisterInput) => Promise<SignedIn>,
    fields: Partial<RegisterInput>,
  ): Promise<Person> {
    const jar = createJar();
    const username = fields.username ?? `person ${randomBytes(5).toString('hex')}`;
    const password = fields.password ?? 'Correct horse 1';
    const email = fields.email ?? `${username.replaceAll(' ', '.')}@example.com`;
    const user = await enter(context({ kind: 'anonymous' }, jar), { username, email, password });
    return { caller: await callerFor(user.accessToken, jar), user, accessToken: user.accessToken, password, jar };
  }

  const person = (fields: Partial<RegisterInput> = {}) => enterBy(storePerson, fields);

  return {
    folder,
    providers,
    clock,
    outbox,
    context,
    callerOf,
    callerFor,
    /** Returns somebody who is signed in. */
    person,
    /** Returns a person who has registered: the mail to confirm the address is on its way. */
    newcomer: (fields: Partial<RegisterInput> = {}) =>
      enterBy((ctx, input) => callerOf(ctx).auth.register(input), fields),
    anonymous: (jar: CookieJar = createJar(), origin: Partial<ServiceContext['origin']> = {}) =>
      callerOf(context({ kind: 'anonymous' }, jar, origin)),
    /** Returns a person with the PRO trial, who may create deployments. */
    async trialPerson(fields: Partial<RegisterInput> = {}): Promise<Person> {
      const someone = await person(fields);
      await storeTrial(someone.user.id, clock.now());
      return someone;
    },
    /** Runs every job that is due, until none is. */
    jobs: { drain: () => worker.drain() },
    async [Symbol.asyncDispose]() {
      await worker.stop();
      // What still ends beside the test may write there.
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
