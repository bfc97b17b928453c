import { expect, test } from 'vitest';
import { licenseWork } from '../../server/cli/license.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

/** Returns the output of the command with these words after `fairlead license`. */
async function said(...words: string[]): Promise<string> {
  let text = '';
  const work = licenseWork(words, (piece) => {
    text += piece;
  });
  await (work ?? expect.fail(`There is no command ${words.join(' ')}`))();
  return text;
}

test('keys are made and printed once, one a line, redeemed, listed and ended', async () => {
  await using app = await createTestApp();
  const ada = await app.person();
  expect(await said()).toBe('There are no license keys; "fairlead license create" creates some.\n');

  const printed = await said('create', '--plan', 'PRO', '--months', '12', '--count', '20', '--note', ' The  office ');

  const keys = printed.trimEnd().split('\n');
  expect(new Set(keys).size).toBe(20);
  for (const key of keys) expect(key).toMatch(/^FL(-[0-9A-HJKMNP-TV-Z]{5}){5}$/);
  const [first = '', second = ''] = keys;
  const { endsAt } = await ada.caller.licenses.redeem({ key: first });
  const listed = await said('list');
  expect(listed.trimEnd().split('\n')).toHaveLength(20);
  for (const key of keys) expect(listed).not.toContain(key.slice(8));
  const line = listed.split('\n').find((one) => one.includes(first.slice(0, 8))) ?? '';
  const day = (date: Date) => date.toISOString().slice(0, 10);
  expect(line).toContain(`PRO  12 mo  created ${day(new Date())}  redeemed ${day(new Date())} by ${ada.user.username}`);
  expect(line).toContain(`until ${day(endsAt)}  The office`);

  const id = line.split('  ')[0] ?? '';
  expect(await said('revoke', id)).toBe(
    `The license "${id}" for Pro is revoked: its holder loses the time that was left.\n`,
  );
  expect(await ada.caller.subscription.allowance()).toMatchObject({ plan: 'free' });
  await expect(said('revoke', id)).rejects.toThrow('This license is already revoked.');
  expect(await said('revoke', second)).toContain('nobody can redeem it now');
  expect(await refusalOf(ada.caller.licenses.redeem({ key: second }))).toMatchObject({ code: 'license_revoked' });
  await expect(said('revoke', 'nobody')).rejects.toThrow('"fairlead license list" shows all of them.');
});

test.each([
  [['--months', '12'], '--plan takes BASIC, STANDARD, PRO, BETA.'],
  [['--plan', 'free', '--months', '12'], '--plan takes BASIC, STANDARD, PRO, BETA, not "free".'],
  [['--plan', 'PRO'], '--months takes a number from 1 to 120.'],
  [['--plan', 'PRO', '--months', '0'], '--months takes a number from 1 to 120, not "0".'],
  [['--plan', 'PRO', '--months', '1.5'], '--months takes a number from 1 to 120, not "1.5".'],
  [['--plan', 'PRO', '--months', '1', '--count', '1001'], '--count takes a number from 1 to 1000, not "1001".'],
  [['--plan', 'BETA', '--months', '12'], 'Beta always lasts 6 months, not "12".'],
  [['--plan', 'PRO', '--months', '1', '--redeem-by', '2099-02-30'], '--redeem-by takes a date like 2030-12-31'],
  [['--plan', 'PRO', '--months', '1', '--redeem-by', '2020-01-01'], '--redeem-by takes today or a later date'],
  [['--plan', 'PRO', '--months', '1', '--note', 'x'.repeat(201)], '--note takes up to 200 characters'],
  [['--plan', 'PRO', '--moths', '1'], "Unknown option '--moths'"],
])('what makes no sense is refused before the database is asked: %j', (words, sentence) => {
  expect(() => licenseWork(['create', ...words], () => undefined)).toThrow(sentence);
});

test('small letters name a plan as well, Beta is its six months, and a date is the last day', async () => {
  await said('create', '--plan', 'beta', '--redeem-by', '2099-12-31');
  expect(await said('list')).toMatch(
    / {2}BETA {2}6 mo {2}created \S+ {2}not redeemed, can be redeemed until 2100-01-01\n$/,
  );
});

test.each([['list', 'all'], ['revoke'], ['revoke', 'one', 'two'], ['sell']])(
  'there is no command %s %s',
  (...words) => {
    expect(licenseWork(words, () => undefined)).toBeNull();
  },
);
