import { afterAll, expect, test } from 'vitest';
import type { CertificateAuthority } from '../../../server/domains/certificates/authority/authority.ts';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { acmeClient } from '../../support/acme.ts';
import { type CertifiedHost, createCertifiedHost } from '../../support/certified-host.ts';
import { startChallengeServer } from '../../support/challenge-server.ts';
import { startDnsLab } from '../../support/dns-lab.ts';
import { get } from '../../support/get.ts';
import { makeDue } from '../../support/make-due.ts';
import { type Pebble, type PebbleOptions, startPebble } from '../../support/pebble.ts';
import { ownEgress } from '../../support/platforms.ts';
import { startRefusingAuthority } from '../../support/standins/acme.ts';

const lab = await startDnsLab();
afterAll(() => lab[Symbol.asyncDispose]());

/** Collects the resources that a test has opened, and closes them in reverse. */
function createOpened() {
  const opened: AsyncDisposable[] = [];
  const pebbles: Pebble[] = [];
  return {
    pebbles,
    use<T extends AsyncDisposable>(one: T): T {
      opened.push(one);
      return one;
    },
    async [Symbol.asyncDispose]() {
      for (const one of opened.reverse()) await one[Symbol.asyncDispose]();
    },
  };
}
type Opened = ReturnType<typeof createOpened>;

type Setup = { authority: CertificateAuthority; portOfNames: number };
type Fault = {
  fault: string;
  name: string;
  /** A second name of the same order. */
  counterpart?: string;
  sets?: Record<string, string[]>;
  /** Brings the authority, and where port 80 of the name leads. */
  open(stack: Opened, httpPort: number): Promise<Setup>;
  type: string;
  message: string;
  detail: string | RegExp;
  /** The validations of the authority within a day that fail, by its own count. */
  looks: number;
};

async function pebbleAt(stack: Opened, httpPort: number, options: PebbleOptions = {}) {
  const dnsServer = `${lab.resolver.address}:${lab.resolver.port}`;
  const pebble = stack.use(await startPebble({ dnsServer, httpPort, ...options }));
  stack.pebbles.push(pebble);
  return acmeClient(pebble);
}

const FAULTS: readonly Fault[] = [
  {
    fault: 'a CAA record forbids the authority',
    ...{ name: 'caa.test', sets: { 'caa.test CAA': ['0 issue "another.example"'] } },
    open: async (stack, port) => ({ authority: await pebbleAt(stack, port), portOfNames: port }),
    type: 'caa',
    message:
      'The CAA records of caa.test do not allow pebble.letsencrypt.org to issue certificates. Add the record 0 issue "pebble.letsencrypt.org".',
    detail:
      'The CAA records of caa.test do not allow pebble.letsencrypt.org to issue certificates. Add the record 0 issue "pebble.letsencrypt.org".',
    looks: 0,
  },
  {
    fault: 'another server answers at port 80, which we see ourselves',
    name: 'other.test',
    async open(stack, port) {
      const other = stack.use(await startChallengeServer({ wrong: true }));
      return { authority: await pebbleAt(stack, port), portOfNames: other.port };
    },
    type: 'rehearsal',
    message: 'Another server answers at other.test (127.0.0.1): it said 404 to our own test.',
    detail: /Another server answers at other\.test \(127\.0\.0\.1\): it said 404 to our own test\./,
    looks: 0,
  },
  {
    fault: 'another server answers the authority, and us it does not reach',
    name: 'split.test',
    async open(stack) {
      const other = stack.use(await startChallengeServer({ wrong: true }));
      return { authority: await pebbleAt(stack, other.port), portOfNames: 1 };
    },
    type: 'unauthorized',
    message: 'The certificate authority found an answer at this name that is not ours.',
    detail: /split\.test: .*404/,
    looks: 3,
  },
  {
    fault: 'another server answers the authority at both names, and us it does not reach',
    ...{ name: 'both.test', counterpart: 'www.both.test' },
    async open(stack) {
      const other = stack.use(await startChallengeServer({ wrong: true }));
      return { authority: await pebbleAt(stack, other.port), portOfNames: 1 };
    },
    type: 'unauthorized',
    message: 'The certificate authority found an answer at this name that is not ours.',
    detail: /both\.test: .*404/,
    looks: 3,
  },
  {
    fault: 'port 80 is closed',
    name: 'closed.test',
    open: async (stack) => ({ authority: await pebbleAt(stack, 1), portOfNames: 1 }),
    type: 'connection',
    message: 'The certificate authority could not connect to this name at port 80.',
    detail: /closed\.test: .*refused/,
    looks: 3,
  },
  {
    fault: 'the authority does not sign for the name',
    name: 'blocked.test',
    open: async (stack, port) => ({
      authority: await pebbleAt(stack, port, { blocked: ['blocked.test'] }),
      portOfNames: port,
    }),
    type: 'rejectedIdentifier',
    message: 'The certificate authority does not issue certificates for this name.',
    detail: /blocked/,
    looks: 0,
  },
  {
    fault: 'the authority wants an external account',
    name: 'bound.test',
    open: async (stack, port) => ({
      authority: await pebbleAt(stack, port, { eab: [{ kid: 'k', hmacKey: Buffer.alloc(32).toString('base64url') }] }),
      portOfNames: port,
    }),
    type: 'externalAccountRequired',
    message:
      'The certificate authority wants an external account: the operator has to set ACME_EAB_KID and ACME_EAB_HMAC.',
    detail: /external/i,
    looks: 0,
  },
  {
    fault: 'a limit of the authority is used up',
    name: 'limited.test',
    async open(stack, port) {
      const standin = stack.use(await startRefusingAuthority());
      const detail = 'too many certificates already issued, retry after 2100-01-01 00:00:00 UTC';
      standin.refuseWith({ status: 429, type: 'rateLimited', detail });
      return { authority: acmeClient(standin), portOfNames: port };
    },
    type: 'rateLimited',
    message: 'A limit of the certificate authority is reached; Fairlead tries again when the authority allows it.',
    detail: /too many certificates/,
    looks: 0,
  },
  {
    fault: 'nobody is at the address of the authority',
    name: 'down.test',
    open: async (_stack, port) => ({
      authority: acmeClient({ directoryUrl: 'https://localhost:1/dir', apiCa: '' }),
      portOfNames: port,
    }),
    type: 'unreachable',
    message: 'The certificate authority cannot be reached. Fairlead tries again automatically.',
    detail: /nothing answers there/,
    looks: 0,
  },
];

async function passADay({ app }: CertifiedHost, nextTryAt: () => Promise<Date | null>): Promise<void> {
  const endsAt = app.providers.now().getTime() + DAY_MS;
  for (;;) {
    const next = (await nextTryAt())?.getTime() ?? Number.POSITIVE_INFINITY;
    if (next >= endsAt) return;
    app.clock.advance(next - app.providers.now().getTime() + 1_000);
    await makeDue();
    await app.jobs.drain();
  }
}

test.each(FAULTS)('$fault: that is what is named ($type)', async ({ name, counterpart, sets = {}, open, ...named }) => {
  await using stack = createOpened();
  const more = counterpart === undefined ? [] : [counterpart];
  const addresses = Object.fromEntries([name, ...more].map((one) => [`${one} A`, ['127.0.0.1']]));
  await lab.registry.createZone(name, { [`${name} NS`]: ['ns.test.'], ...addresses, ...sets });
  let portOfNames = 0;
  const world = stack.use(
    await createCertifiedHost(async (httpPort) => {
      const opened = await open(stack, httpPort);
      portOfNames = opened.portOfNames;
      return opened.authority;
    }),
  );
  Object.assign(world.app.providers, { dns: lab.client(), egress: ownEgress() });
  world.app.providers.addresses.sitesHttpPort = portOfNames;
  const { caller, user } = await world.app.trialPerson();
  const domainId = await world.addDomain(user.id, [name, ...more]);
  await expect.poll(async () => (await get(world.httpPort, name, '/')).text).toBe('PAGE');
  const { id: certificateId } = await caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({
    state: 'failed',
    problem: { type: named.type, message: named.message, detail: expect.stringMatching(named.detail) as unknown },
  });
  const nextTryAt = async () => (await caller.certificates.get({ certificateId })).nextTryAt;
  await passADay(world, nextTryAt);
  const failed = stack.pebbles.flatMap((pebble) => pebble.output().match(/set INVALID by completed challenge/g) ?? []);
  expect(failed).toHaveLength(named.looks);
  expect((await caller.certificates.get({ certificateId })).problem?.type).toBe(named.type);
});
