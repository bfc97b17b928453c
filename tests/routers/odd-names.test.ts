import { expect, test } from 'vitest';
import { isServedPath } from '../../routers/rules/uploads/served-path.ts';
import { oddSite } from '../support/odd-names.ts';
import { createPublishingApp, publish } from '../support/publishing.ts';
import { bodyAt } from '../support/visit-name.ts';

test('every odd name is live at the address that a browser makes of it, byte for byte', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Odd', platform: 'built-in' });
  const paths = await oddSite();
  const site = Object.fromEntries(paths.map((path) => [path, path === '_redirects' ? '' : `content of ${path}`]));
  expect((await publish(app, person, deployment, site)).state).toBe('live');
  for (const [path, text] of Object.entries(site)) {
    const expected = isServedPath(path, new Set(paths)) ? [200, text] : [404, expect.any(String)];
    expect(await bodyAt(app, 'odd', path), path).toEqual(expected);
  }
});
