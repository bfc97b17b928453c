import { expect, test } from 'vitest';
import { DeploymentRows } from '../../src/features/deployments/manage/deployment-rows.tsx';
import { DeploymentTable } from '../../src/features/deployments/manage/deployment-table.tsx';
import { ReleaseScreen } from '../../src/screens/release.tsx';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseDetailOf } from '../support/screen-fixtures.ts';

const [here] = deploymentOf().destinations;
const error = { code: 'credentials_invalid', message: 'Vercel does not accept the token.', hint: null, raw: null };
const destinations = [
  here ?? expect.fail('The deployment is nowhere'),
  { id: 'netlify', platform: 'netlify', url: 'https://harbour.netlify.app', state: 'publishing', error: null } as const,
  { id: 'vercel', platform: 'vercel', url: '', state: 'failed', error } as const,
];

test('lists say on how many platforms a deployment is', () => {
  const deployments = [deploymentOf({ destinations }), deploymentOf({ name: 'alone' })];
  for (const List of [DeploymentTable, DeploymentRows]) {
    using shown = showScreen(<List deployments={deployments} isReadOnly={() => false} />, {});
    expect(shown.page.textContent?.match(/Built-in host( \+2)?/g)).toEqual(['Built-in host +2', 'Built-in host']);
    expect(shown.page.querySelector('[title="Built-in host, Netlify, Vercel"]')).not.toBe(null);
  }
});

test('a release names every platform that it goes to, with its state', async () => {
  const place = { pattern: '/deployments/:deploymentId/releases/:number', path: '/deployments/harbour/releases/3' };
  using shown = showScreen(
    <ReleaseScreen />,
    {
      'releases.get': () =>
        releaseDetailOf({ destinations: destinations.map((one) => ({ ...one, missingLinks: [] })) }),
    },
    place,
  );
  await shown.sees('Built-in host');
  expect(shown.rows('Platforms of this release')).toEqual([
    'Built-in hostLive',
    'NetlifyPublishing',
    'VercelFailedVercel does not accept the token.',
  ]);
});
