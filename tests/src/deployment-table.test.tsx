import { expect, test } from 'vitest';
import { DeploymentTable } from '../../src/features/deployments/manage/deployment-table.tsx';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseRefOf, secondsLater } from '../support/screen-fixtures.ts';

test('a list says which deployment lost its connection, what visitors type, and that they miss files', () => {
  const lost = { destinationId: 'lost-here', provider: 'netlify' as const, connectionId: null, message: 'Removed.' };
  const elsewhere = { ...lost, destinationId: 'another of its platforms' };
  const tried = { ...lost, destinationId: 'tried-here' };
  const deployments = [
    deploymentOf({ name: 'lost', lostConnections: [lost] }),
    deploymentOf({ name: 'tried', state: 'failed', currentRelease: null, lostConnections: [tried] }),
    deploymentOf({ name: 'halved', lostConnections: [elsewhere] }),
    deploymentOf({ name: 'fine' }),
    deploymentOf({ name: 'named', visitUrl: 'https://shop.example' }),
    deploymentOf({ name: 'bare', currentRelease: releaseRefOf({ hasStartPage: false }) }),
    deploymentOf({
      name: 'torn',
      currentRelease: releaseRefOf({ missing: { files: 1, links: 0, example: '/a.css' } }),
    }),
    deploymentOf({ name: 'raw', currentRelease: releaseRefOf({ needsBuild: true }) }),
    deploymentOf({ name: 'linked', currentRelease: releaseRefOf({ missing: { files: 0, links: 1, example: '/a' } }) }),
    deploymentOf({
      name: 'back',
      state: 'deploying',
      latestRelease: releaseRefOf({ number: 1, state: 'verifying', finishedAt: secondsLater(0) }),
    }),
    deploymentOf({ name: 'new', url: '', state: 'draft', currentRelease: null }),
  ];
  using shown = showScreen(<DeploymentTable deployments={deployments} isReadOnly={() => false} />, {});
  expect(shown.page.querySelector('thead')?.textContent, 'another may be live, and a newer one there').toContain(
    'Last activity',
  );
  const rows = [...shown.page.querySelectorAll('tbody tr')].map(({ textContent }) => textContent);
  expect(rows).toEqual([
    expect.stringContaining('lostNot connected'),
    expect.stringContaining('triedNot connected'),
    expect.stringContaining('halvedLiveRemoved.'),
    expect.stringMatching(/^fineLivefine/),
    expect.stringMatching(/^namedLive.*shop\.example/),
    expect.stringContaining('bareLiveFiles missing'),
    expect.stringContaining('tornLiveFiles missing'),
    expect.stringContaining('rawLiveNot built'),
    expect.stringContaining('linkedLiveBroken links'),
    expect.stringContaining('backSwitching'),
    expect.stringContaining('newDraftNo address yet'),
  ]);
});
