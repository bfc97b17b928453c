import { expect, test } from 'vitest';
import { isServedPath } from '../../routers/schemas/served-path.ts';
import { ODD_NAMES } from '../support/odd-names.ts';
import { createPublishingApp, publish } from '../support/publishing.ts';
import { bodyAt } from '../support/visit-name.ts';

/** Names of people's programs, published at the built-in host and asked for as a browser does. */
const MORE_NAMES = [
  'Pair.v.html',
  'Pair.V.html',
  'tags/.net/index.html',
  'a+b=c&d;e.txt',
  'Übung/größe.html',
  '日本語/表示.html',
  'история.html',
  "it's (1) [2].png",
  '%2e%2e/x.txt',
  '👩\u200d👩\u200d👧.txt',
  'name.',
  'NUL',
  `${`${'長'.repeat(84)}/`.repeat(4)}x.html`,
];

test('every odd name is live at the address that a browser makes of it, byte for byte', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Odd', platform: 'built-in' });
  const paths = [...ODD_NAMES, ...MORE_NAMES];
  const site = Object.fromEntries(paths.map((path) => [path, path === '_redirects' ? '' : `content of ${path}`]));
  expect(Object.keys(site)).toHaveLength(paths.length);
  expect((await publish(app, person, deployment, site)).state).toBe('live');
  for (const [path, text] of Object.entries(site)) {
    const expected = isServedPath(path, new Set(paths)) ? [200, text] : [404, expect.any(String)];
    expect(await bodyAt(app, 'odd', path), path).toEqual(expected);
  }
});
