import { expect, test } from 'vitest';
import { CHECK_IDS } from '../../routers/schemas/diagnostics.ts';
import type { SimulatedScene } from '../../routers/schemas/simulation.ts';
import { createTestApp } from '../support/app.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { refusalOf } from '../support/refusal.ts';

/** Returns the texts that a person reads in the end, if something went wrong. */
const endOf = ({ release, domain, certificate, report }: SimulatedScene) => [
  release.error?.message,
  ...release.steps.flatMap(({ log }) => log.map(({ text }) => text)),
  domain?.problem?.message,
  domain?.lostTo && 'Another account has proved that it owns this domain.',
  ...(domain?.atPlatform?.answers.map((answer) => answer.certificate.text) ?? []),
  certificate?.problem?.message,
  ...(report?.checks.map(({ seen }) => seen) ?? []),
];

const without = (text: string | undefined) => text?.replaceAll('Simulated ', '').replace(/ Trying again.*/, '');

test('whatever may go wrong is played to the sentence that the list says, and leaves everything as it was', async () => {
  await using app = await createTestApp();
  for (const platform of ['built-in', 'netlify', 'replit'] as const) {
    const { caller } = await app.trialPerson();
    const before = await everythingStored();
    const place = { platform, withDomain: true };
    const failures = await caller.simulation.failures(place);
    expect(new Set(failures.map(({ id }) => id)).size).toBe(failures.length);
    for (const { id, message } of failures) {
      expect(message, id).not.toBe('');
      const { scenes } = await caller.simulation.run({ ...place, failure: id });
      const end = scenes.at(-1) ?? expect.fail('Nothing is shown.');
      expect(endOf(end).map(without), `${platform} ${id}`).toContain(message);
      expect(scenes.map(({ atMs }) => atMs)).toEqual(scenes.map(({ atMs }) => atMs).sort((a, b) => a - b));
      expect(scenes.every(({ release }) => release.platform === 'simulated')).toBe(true);
      // Where a check was to fail, it is the first that does.
      if (id.startsWith('checks.')) expect(end.report?.cause, id).toBe(id.replace('checks.', ''));
    }
    expect(await everythingStored()).toEqual(before);
  }
});

test('where nothing goes wrong all of it is done, and a failed step leaves the later ones waiting', async () => {
  await using app = await createTestApp();
  const { caller } = await app.trialPerson();
  const place = { platform: 'built-in', withDomain: true } as const;
  const well = (await caller.simulation.run({ ...place, files: { count: 3, totalBytes: 30 } })).scenes.at(-1);
  expect(well).toMatchObject({
    release: { state: 'live', fileCount: 3, url: 'https://your-site.example', deploymentName: 'Your site' },
    domain: { state: 'active', problem: null },
    certificate: { state: 'issued' },
    report: { state: 'done', cause: null, checkCount: CHECK_IDS.length },
  });
  expect(new Set(well?.report?.checks.map(({ id, verdict }) => `${id}: ${verdict}`))).toEqual(
    new Set(CHECK_IDS.map((id) => `${id}: pass`)),
  );
  expect(well?.release.steps.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done']);
  expect(well?.domain?.records.map(({ type, state }) => [type, state])).toEqual([
    ['TXT', 'ok'],
    ['A', 'ok'],
    ['CNAME', 'ok'],
  ]);
  const netlify = { platform: 'netlify', withDomain: false, failure: 'uploading.payment_required' } as const;
  const paid = (await caller.simulation.run(netlify)).scenes.at(-1);
  expect(paid).toMatchObject({ domain: null, certificate: null });
  expect(paid?.release).toMatchObject({
    state: 'failed',
    error: {
      code: 'payment_required',
      message: 'Simulated Netlify asks for a payment or a payment method first.',
      hint: 'Settle it at Simulated Netlify, then try again.',
    },
  });
  expect(paid?.release.steps.map(({ state }) => state)).toEqual(['done', 'failed', 'waiting', 'waiting']);
  const elsewhere = await refusalOf(caller.simulation.run({ ...place, failure: 'uploading.payment_required' }));
  expect(elsewhere).toMatchObject({ code: 'validation_failed', field: 'failure' });
});

test('where a person publishes by hand, it waits for them, and an address that is refused is asked for again', async () => {
  await using app = await createTestApp();
  const { caller } = await app.trialPerson();
  const place = { platform: 'replit', withDomain: true } as const;
  const held = async (failure?: string) => {
    const { scenes } = await caller.simulation.run({ ...place, ...(failure && { failure }) });
    return { last: scenes.at(-1), held: scenes.filter(({ isHeld }) => isHeld) };
  };
  const well = await held();
  expect(well.held).toMatchObject([
    { release: { state: 'processing', destinations: [{ state: 'waiting', error: null }] }, domain: null },
  ]);
  expect(well.held[0]?.handOff?.steps.map(({ text }) => text)).toContainEqual(expect.stringContaining('import page'));
  expect(well.last).toMatchObject({
    release: { state: 'live' },
    handOff: null,
    report: { state: 'done', cause: null },
  });

  const refused = await held('processing.other_files');
  const message = 'The start page at https://your-site.example is not the one of this release.';
  expect(refused.held.map(({ release }) => release.destinations[0]?.error?.message)).toEqual([undefined, message]);
  expect(refused.last?.release.state).toBe('live');

  const late = await held('processing.too_slow');
  expect(late).toMatchObject({ held: [], last: { release: { state: 'failed' } } });
});
