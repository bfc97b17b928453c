import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobHandlers } from '../../../server/boot/jobs.ts';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { createLocalAuthority } from '../../../server/domains/certificates/authority/local-ca.ts';
import { createRequest, makeKey } from '../../../server/domains/certificates/authority/x509.ts';
import { renewDue } from '../../../server/domains/certificates/maintenance.ts';
import { createSecrets, newKeys } from '../../../server/lib/crypto/secrets.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { createWorker } from '../../../server/queue/worker.ts';
import { acmeClient, startZone } from '../../support/acme.ts';
import { createCertifiedHost } from '../../support/certified-host.ts';
import { issued, ZONE } from '../../support/certified-world.ts';
import { ownRoots } from '../../support/local-roots.ts';
import { makeDue } from '../../support/make-due.ts';
import { startPebble } from '../../support/pebble.ts';
import { IS_FULL } from '../../support/size.ts';
import {
  type AcmeAsked,
  type Lie,
  type LyingAuthority,
  startLyingAuthority,
} from '../../support/standins/lying-acme.ts';
import { handshake } from '../../support/tls-visitor.ts';

/** The patience for an answer that never comes; a real answer may take longer on a busy machine. */
const SILENCE_MS = 200;
const { signal } = new AbortController();
const isAt = (path: string) => (asked: AcmeAsked) => asked.path.startsWith(path);

let zone: Awaited<ReturnType<typeof startZone>>;
beforeAll(async () => {
  zone = await startZone(ZONE);
});
afterAll(() => zone[Symbol.asyncDispose]());

/** A domain that is served under a certificate of an authority that can be made to lie. */
async function createServed() {
  let pebble: Awaited<ReturnType<typeof startPebble>> | undefined;
  let authority: LyingAuthority | undefined;
  const world = await createCertifiedHost(async (httpPort) => {
    pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort });
    authority = await startLyingAuthority(pebble);
    return acmeClient(authority, undefined, () => (authority?.isSilent() ? SILENCE_MS : undefined));
  });
  if (pebble === undefined || authority === undefined) throw new Error('No authority was opened.');
  const [opened, lying] = [pebble, authority];
  const owned = await issued(world, [ZONE]);
  return {
    ...world,
    ...owned,
    pebble: opened,
    authority: lying,
    get: () => owned.caller.certificates.get({ certificateId: owned.certificateId }),
    async serialServed() {
      const socket = await handshake(world.tlsPort, ZONE);
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    },
    /** The time to renew has come. */
    async renew() {
      const own = { _id: owned.certificateId, accountId: owned.user.id };
      await CertificateModel.updateOne(own, { renewAt: new Date(0) });
      await renewDue({ providers: world.app.providers, signal });
      await world.app.jobs.drain();
      return owned.caller.certificates.get({ certificateId: owned.certificateId });
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await lying[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Has what was asked for signed, by another authority and for another name or key. */
async function signedOtherwise({ key, csr }: { key?: string; csr?: Uint8Array }): Promise<string> {
  const secrets = createSecrets(newKeys());
  const other = createLocalAuthority({ roots: ownRoots(), secrets, now: () => new Date() });
  const request = csr ?? (await createRequest([ZONE], key ?? (await makeKey()).pem));
  const name = csr === undefined ? ZONE : 'another.test';
  return other.finish({ accountKey: '', accountUrl: '', signal }, `local:${name}`, request);
}

/** Returns the payload of an ACME request (RFC 8555, section 6.2). */
function payloadOf({ body }: AcmeAsked): Record<string, string> {
  const { payload } = JSON.parse(body.toString());
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
}

function wrongNames(): Lie {
  let csr: Uint8Array | undefined;
  return async (asked, said) => {
    if (isAt('/finalize-order/')(asked)) csr = Buffer.from(payloadOf(asked).csr ?? '', 'base64url');
    return isAt('/certZ/')(asked) && csr ? { ...said, body: await signedOtherwise({ csr }) } : said;
  };
}

const TROUBLE = 'The certificate authority reported an error. Fairlead tries again automatically.';
const UNREACHABLE = 'The certificate authority cannot be reached. Fairlead tries again automatically.';
const UNUSABLE = 'The certificate that the authority sent cannot be used; Fairlead asks for another one.';
const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>We are back soon.</html>' };

type BadDay = {
  what: string;
  lie(): Lie;
  type: string;
  message: string;
  detail: string;
  silent?: boolean;
  /** A row of each type of problem runs always, the others in the full size. */
  isDetail?: boolean;
};

const BAD_DAYS: readonly BadDay[] = [
  {
    what: 'takes the connection and says nothing',
    isDetail: true,
    lie: () => (asked, said) => (isAt('/order-plz')(asked) ? null : said),
    ...{ type: 'unreachable', message: UNREACHABLE, detail: '', silent: true },
  },
  {
    what: 'falls silent at the last step',
    lie: () => (asked, said) => (isAt('/certZ/')(asked) ? null : said),
    ...{ type: 'unreachable', message: UNREACHABLE, detail: '', silent: true },
  },
  {
    what: 'is down',
    lie: () => () => ({ status: 502, headers: {}, body: '<html>Bad Gateway</html>' }),
    ...{ type: 'serverInternal', message: TROUBLE, detail: 'The authority answered with status 502.' },
  },
  {
    what: 'answers an order with a page',
    isDetail: true,
    lie: () => (asked, said) => (isAt('/order-plz')(asked) ? page : said),
    ...{
      type: 'serverInternal',
      message: TROUBLE,
      detail: 'The authority did not say where to find the order or the certificate.',
    },
  },
  {
    what: 'answers with garbage where the order is',
    isDetail: true,
    lie: () => (asked, said) => (isAt('/my-order/')(asked) ? { ...said, body: '{"status":"perhaps"}' } : said),
    ...{ type: 'serverInternal', message: TROUBLE, detail: 'The answer of the authority could not be understood.' },
  },
  {
    what: 'sends a page for a certificate',
    isDetail: true,
    lie: () => (asked, said) => (isAt('/certZ/')(asked) ? { ...said, body: page.body } : said),
    ...{ type: 'serverInternal', message: TROUBLE, detail: 'The authority sent no certificate in PEM.' },
  },
  {
    what: 'sends a certificate that is none',
    isDetail: true,
    lie: () => (asked, said) =>
      isAt('/certZ/')(asked)
        ? { ...said, body: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' }
        : said,
    ...{ type: 'unusable', message: UNUSABLE, detail: '' },
  },
  {
    what: 'sends a certificate for another key',
    isDetail: true,
    lie: () => async (asked, said) => (isAt('/certZ/')(asked) ? { ...said, body: await signedOtherwise({}) } : said),
    ...{ type: 'unusable', message: UNUSABLE, detail: 'The certificate is for another key.' },
  },
  {
    what: 'signs for another name',
    lie: wrongNames,
    ...{ type: 'unusable', message: UNUSABLE, detail: `The certificate is not for ${ZONE}.` },
  },
];

const TRIED = BAD_DAYS.filter(({ isDetail }) => isDetail !== true || IS_FULL);

test('an authority that has a bad day costs nothing but time, one after the other', async () => {
  await using world = await createServed();
  for (const { what, lie, type, message, detail, silent = false } of TRIED) {
    const { serial } = await world.get();
    await expect.poll(world.serialServed).toBe(serial);
    world.authority.lie(lie(), { silent });
    const failed = await world.renew();
    expect(failed, what).toMatchObject({ state: 'issued', serial, problem: { type, message } });
    expect(failed.problem?.detail, what).toContain(detail);
    const waitMs = (failed.nextTryAt?.getTime() ?? 0) - (failed.problem?.at.getTime() ?? 0);
    expect(waitMs, what).toBe(MINUTE_MS);
    expect(await world.serialServed(), what).toBe(serial);

    world.authority.lie(null);
    world.app.clock.advance(MINUTE_MS + 1_000);
    await makeDue();
    await world.app.jobs.drain();
    const renewed = await world.get();
    expect([renewed.state, renewed.problem, renewed.nextTryAt], what).toEqual(['issued', null, null]);
    await expect.poll(world.serialServed).toBe(renewed.serial);
    expect(new X509Certificate(renewed.chain ?? '').issuer, what).toContain('Pebble');
  }
});

/** In minutes; a quick test has the whole table (renewal.test.ts). */
const WAITS = IS_FULL ? [1, 10, 100, 360, 1_440, 1_440] : [1, 10];

test('an authority that is down for days is asked more and more seldom, and then at once by hand', async () => {
  await using world = await createServed();
  world.authority.lie(() => null, { silent: true });
  const waits: number[] = [];
  for (let next = await world.renew(); waits.length < WAITS.length; next = await world.get()) {
    waits.push(((next.nextTryAt?.getTime() ?? 0) - (next.problem?.at.getTime() ?? 0)) / MINUTE_MS);
    world.app.clock.advance((next.nextTryAt?.getTime() ?? 0) - world.app.providers.now().getTime() + 1_000);
    await makeDue();
    await world.app.jobs.drain();
  }
  expect(waits).toEqual(WAITS);
  expect(await world.serialServed()).toBe(world.certificate.serial);
  world.authority.lie(null);
  await world.caller.certificates.renew({ certificateId: world.certificateId });
  await world.app.jobs.drain();
  expect(await world.get()).toMatchObject({ state: 'issued', problem: null });
});

test('a clock that is an hour off renews nothing, two instances that find the same renewal due order it once, and it is served', async () => {
  await using world = await createServed();
  for (const offMs of [60 * MINUTE_MS, -120 * MINUTE_MS]) {
    world.app.clock.advance(offMs);
    await renewDue({ providers: world.app.providers, signal });
    await makeDue();
    await world.app.jobs.drain();
  }
  expect((await world.get()).serial).toBe(world.certificate.serial);
  const orders = world.authority.count('POST /order-plz');
  const other = createWorker(world.app.providers, { handlers: jobHandlers });
  world.app.clock.advance(61 * DAY_MS);
  const instance = async (drain: () => Promise<void>) => {
    await renewDue({ providers: world.app.providers, signal });
    await drain();
  };
  await Promise.all([instance(() => world.app.jobs.drain()), instance(() => other.drain())]);
  await other.stop();
  // The worker that came second may have put its part off.
  await makeDue();
  await world.app.jobs.drain();
  const renewed = await world.get();
  expect([renewed.state, renewed.serial === world.certificate.serial]).toEqual(['issued', false]);
  expect(world.authority.count('POST /order-plz') - orders).toBe(1);
  expect(world.authority.count('POST /finalize-order')).toBe(2);
  expect(renewed.history.filter(({ what }) => what === 'issued')).toHaveLength(2);
  await expect.poll(world.serialServed).toBe(renewed.serial);
});
