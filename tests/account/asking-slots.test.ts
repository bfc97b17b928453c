import { expect, test } from 'vitest';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { newId } from '../../server/database/mongo.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';
import { startWithholding } from '../support/withholding-provider.ts';

const MIB = 1024 ** 2;

/** Makes calls at once, and notes the code of each that ends in a refusal as it comes. */
function callEach(calls: readonly (() => Promise<unknown>)[], refused: string[]): Promise<unknown> {
  const note = async (error: unknown) => refused.push((await refusalOf(Promise.reject(error))).code);
  return Promise.all(calls.map((call) => call().catch(note)));
}

test('of one account two providers are asked at once, and four calls wait', async () => {
  await using provider = await startWithholding(MIB / 4);
  await using app = await createTestApp();
  const { connections } = (await app.trialPerson()).caller;
  const input = { provider: 'powerdns', fields: { url: provider.url, apiKey: 'key' } } as const;
  const refused: string[] = [];
  const all = callEach(
    Array.from({ length: 40 }, () => () => connections.connect(input)),
    refused,
  );
  await expect.poll(() => refused.length).toBe(34);
  await expect.poll(() => provider.waiting.size).toBe(2);
  expect(new Set(refused)).toEqual(new Set(['rate_limited']));

  provider.letGo(401);
  await all;
  expect(provider.heard.most).toBe(2);
  expect(refused.slice(34)).toEqual(Array.from({ length: 6 }, () => 'credentials_invalid'));
});

test('of an account two renewals are rehearsed at once, and of one certificate one', async () => {
  await using app = await createTestApp();
  const { caller, user } = await app.trialPerson();
  const asked = { open: 0, most: 0 };
  let letGo = (): void => undefined;
  const goOn = new Promise<void>((resolve) => (letGo = resolve));
  const register = async () => {
    asked.open += 1;
    asked.most = Math.max(asked.most, asked.open);
    await goOn;
    asked.open -= 1;
    return 'https://authority.test/account/1';
  };
  app.providers.authority = { ...app.providers.authority, register };
  const ids = Array.from({ length: 9 }, () => newId());
  const row = { accountId: user.id, names: ['shop.test'], isWildcard: false, isWanted: true, history: [] };
  await CertificateModel.create(ids.map((_id) => ({ ...row, _id, domainId: newId() })));
  const refused: string[] = [];
  const rehearse = (certificateId: string) => () => caller.certificates.rehearse({ certificateId });
  const first = caller.certificates.rehearse({ certificateId: ids[0] ?? '' });
  await expect.poll(() => asked.open).toBe(1);
  const all = callEach(ids.map(rehearse), refused);
  await expect.poll(() => refused).toEqual(['rate_limited', 'rate_limited', 'rate_limited']);
  await expect.poll(() => asked.open).toBe(2);

  letGo();
  await Promise.all([first, all]);
  expect(asked.most).toBe(2);
  expect(refused).toHaveLength(3);
});
