import { expect, test } from 'vitest';
import { LISTED_DEPLOYMENT_STATES } from '../../routers/schemas/state-names.ts';
import {
  CERTIFICATE_MOVES,
  DEPLOYMENT_MOVES,
  DOMAIN_MOVES,
  PAYMENT_MOVES,
  RELEASE_MOVES,
  RELEASE_STEPS,
} from '../../routers/schemas/states.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { newId } from '../../server/database/mongo.ts';
import { shownState } from '../../src/lib/waiting.ts';
import { createTestApp } from '../support/app.ts';

type Moves = Record<string, readonly string[]>;

function statesBefore(moves: Moves, state: string): string[] {
  return Object.keys(moves).filter((from) => moves[from]?.includes(state));
}

test.each<[string, Moves, string[]]>([
  ['deployment', DEPLOYMENT_MOVES, ['deleting']],
  ['release', RELEASE_MOVES, ['failed', 'cancelled']],
  ['domain', DOMAIN_MOVES, ['removing']],
  ['certificate', CERTIFICATE_MOVES, []],
  ['payment', PAYMENT_MOVES, ['failed', 'expired']],
])('a %s never leaves a state that is its end', (_, moves, ends) => {
  expect(Object.keys(moves).filter((state) => moves[state]?.length === 0)).toEqual(ends);
});

test.each<[string, Moves, string, string[]]>([
  ['a deployment is live', DEPLOYMENT_MOVES, 'live', ['deploying']],
  ['a release is live', RELEASE_MOVES, 'live', ['verifying']],
  ['a domain is active', DOMAIN_MOVES, 'active', ['pending_dns', 'misconfigured']],
  ['a domain is proved', DOMAIN_MOVES, 'pending_dns', ['unverified', 'active', 'misconfigured']],
  ['a certificate is issued', CERTIFICATE_MOVES, 'issued', ['validating', 'renewing']],
  ['a payment is paid', PAYMENT_MOVES, 'paid', ['pending', 'refunded']],
])('%s only after what comes before it', (_, moves, state, before) => {
  expect(statesBefore(moves, state)).toEqual(before);
});

test('a release goes through its steps in their order, and can fail or be cancelled in each', () => {
  const steps = ['queued', ...RELEASE_STEPS] as const;
  for (const [index, step] of steps.entries()) {
    expect(RELEASE_MOVES[step].slice(0, 3)).toEqual([steps[index + 1] ?? 'live', 'failed', 'cancelled']);
  }
  expect(statesBefore(RELEASE_MOVES, 'superseded')).toEqual(['verifying', 'live']);
});

test('a filter by state finds the rows that show this state, wherever a platform waits for the person', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { create, list } = person.caller.deployments;
  const place = async (name: string, state: 'live' | 'deploying', primary: string, further: string) => {
    const ofIt = { _id: (await create({ name, platform: 'built-in' })).id, accountId: person.user.id };
    const { primaryId } = await DeploymentModel.findOne(ofIt).orFail();
    const there = { _id: newId(), platform: 'replit', state: further };
    const destinations = [there, { _id: primaryId, platform: 'built-in', state: primary }];
    await DeploymentModel.updateOne(ofIt, { $set: { state, destinations } });
  };
  await place('Elsewhere', 'live', 'live', 'waiting');
  await place('Yours', 'deploying', 'waiting', 'idle');
  await place('Again', 'deploying', 'publishing', 'waiting');
  const found = await Promise.all(
    LISTED_DEPLOYMENT_STATES.map(async (state) => {
      const { items } = await list({ state });
      for (const one of items) expect(shownState(one), one.name).toBe(state);
      return items.map(({ name }) => name);
    }),
  );
  expect(found.flat().sort()).toEqual(['Again', 'Elsewhere', 'Yours']);
});
