import { expect, test } from 'vitest';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { createTestApp, type Person } from '../support/app.ts';

const create = (person: Person, name: string) => person.caller.deployments.create({ name, platform: 'built-in' });

test('a deployment is found by each of its platforms, and only these are named', async () => {
  await using app = await createTestApp();
  const [person, stranger] = [await app.trialPerson(), await app.trialPerson()];
  const { list, platforms } = person.caller.deployments;
  expect(await platforms()).toEqual({ items: [] });
  const [twice, once] = [await create(person, 'Twice'), await create(person, 'Once')];
  await create(stranger, 'Strange');
  const there = { _id: 't'.repeat(20), platform: 'netlify', state: 'live' };
  const own = { _id: twice.id, accountId: person.user.id };
  await DeploymentModel.updateOne(own, { $push: { destinations: there } });
  expect((await platforms()).items.sort()).toEqual(['built-in', 'netlify']);
  const found = async (input: Parameters<typeof list>[0]) => (await list(input)).items.map(({ id }) => id);
  expect(await found({ platform: 'netlify' })).toEqual([twice.id]);
  expect(await found({ platform: 'netlify', state: 'live' })).toEqual([]);
  expect(await found({ platform: 'built-in' }), 'the latest first').toEqual([twice.id, once.id]);
  expect(await found({ platform: 'vercel' })).toEqual([]);
});
