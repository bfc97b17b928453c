import { expect, test } from 'vitest';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { orderPublicly } from '../../../server/domains/certificates/order-publicly.ts';
import { HOUR_MS } from '../../../server/lib/durations.ts';
import { acmeClient, startZone } from '../../support/acme.ts';
import { type CertifiedHost, createCertifiedHost } from '../../support/certified-host.ts';
import { issued, NAMES, ZONE } from '../../support/certified-world.ts';
import { startPebble } from '../../support/pebble.ts';
import { handshake } from '../../support/tls-visitor.ts';

const signal = new AbortController().signal;

async function issuerServed({ tlsPort }: CertifiedHost, name: string): Promise<string> {
  const socket = await handshake(tlsPort, name);
  const { issuer } = socket.getPeerCertificate();
  socket.destroy();
  return String(issuer.CN);
}

/** Names an authority to an application that has signed by itself until now. */
async function switchToPebble(world: CertifiedHost) {
  const zone = await startZone(ZONE);
  const pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: world.httpPort });
  world.app.providers.authority = acmeClient(pebble);
  return {
    async [Symbol.asyncDispose]() {
      await pebble[Symbol.asyncDispose]();
      await zone[Symbol.asyncDispose]();
    },
  };
}

async function upkeep({ app }: CertifiedHost): Promise<void> {
  await orderPublicly({ providers: app.providers, signal });
}

test('what the own authority has signed is ordered at the one that is named later, and serves until then', async () => {
  await using world = await createCertifiedHost();
  const { caller, certificateId, certificate: first } = await issued(world);
  expect(first).toMatchObject({ state: 'issued', isPublic: false });
  await upkeep(world);
  expect(await caller.certificates.get({ certificateId })).toEqual(first);

  await using _pebble = await switchToPebble(world);
  await upkeep(world);
  await expect.poll(() => issuerServed(world, ZONE)).toBe(first.issuer);
  await world.app.jobs.drain();
  const second = await caller.certificates.get({ certificateId });
  expect(second).toMatchObject({ state: 'issued', isPublic: true, names: [...NAMES], problem: null });
  expect(second.issuer).toContain('Pebble');
  await expect.poll(() => issuerServed(world, ZONE)).toBe(second.issuer);

  await upkeep(world);
  await world.app.jobs.drain();
  expect((await caller.certificates.get({ certificateId })).serial).toBe(second.serial);
});

test('a name that does not point here keeps the certificate of the own authority until it does', async () => {
  await using world = await createCertifiedHost();
  const { caller, user, certificateId, domainId, certificate: first } = await issued(world);
  await using _pebble = await switchToPebble(world);
  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { pointedNames: [] });
  await upkeep(world);
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toEqual(first);

  await DomainModel.updateOne({ _id: domainId, accountId: user.id }, { pointedNames: [ZONE] });
  world.app.clock.advance(HOUR_MS);
  await upkeep(world);
  await world.app.jobs.drain();
  expect(await caller.certificates.get({ certificateId })).toMatchObject({ isPublic: true, names: [ZONE] });
});

test('a wildcard that no connection can prove is left as it is', async () => {
  await using world = await createCertifiedHost();
  const person = await world.app.trialPerson();
  const domainId = await world.addDomain(person.user.id, [ZONE]);
  const { id: certificateId } = await person.caller.certificates.issue({ domainId, wildcard: true });
  await world.app.jobs.drain();
  await using _pebble = await switchToPebble(world);
  await upkeep(world);
  await world.app.jobs.drain();
  const kept = await person.caller.certificates.get({ certificateId });
  expect(kept).toMatchObject({ state: 'issued', isPublic: false, problem: null });
});

test('many are ordered a few at a time, and what the authority refuses serves on', async () => {
  await using world = await createCertifiedHost();
  const person = await world.app.trialPerson();
  const names = Array.from({ length: 6 }, (_, at) => `n${at}.${ZONE}`);
  for (const name of names) {
    await person.caller.certificates.issue({ domainId: await world.addDomain(person.user.id, [name]) });
  }
  await world.app.jobs.drain();
  await using pebble = await switchToPebble(world);
  const ordered = () => CertificateModel.countDocuments({ accountId: person.user.id, renewAt: { $lte: new Date() } });
  await upkeep(world);
  expect(await ordered()).toBe(4);
  await upkeep(world);
  expect(await ordered()).toBe(6);
  await pebble[Symbol.asyncDispose]();
  await world.app.jobs.drain();
  const { items } = await person.caller.certificates.list();
  expect(items.map(({ state, isPublic, problem }) => [state, isPublic, problem?.type])).toEqual(
    names.map(() => ['issued', false, 'unreachable']),
  );
  await expect.poll(() => issuerServed(world, 'n0.harbour.test')).toBe(items[0]?.issuer);
});
