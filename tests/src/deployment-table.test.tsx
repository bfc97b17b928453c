import { expect, test } from 'vitest';
import { DeploymentTable } from '../../src/features/deployments/manage/deployment-table.tsx';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf } from '../support/screen-fixtures.ts';

test('a list says which deployment lost its connection, and what visitors type', () => {
  const lost = { destinationId: 'lost-here', provider: 'netlify' as const, connectionId: null, message: 'Removed.' };
  const elsewhere = { ...lost, destinationId: 'another of its platforms' };
  const tried = { ...lost, destinationId: 'tried-here' };
  const deployments = [
    deploymentOf({ name: 'lost', lostConnections: [lost] }),
    deploymentOf({ name: 'tried', state: 'failed', currentRelease: null, lostConnections: [tried] }),
    deploymentOf({ name: 'halved', lostConnections: [elsewhere] }),
    deploymentOf({ name: 'fine' }),
    deploymentOf({ name: 'named', visitUrl: 'https://shop.example' }),
    deploymentOf({ name: 'new', url: '', state: 'draft', currentRelease: null }),
  ];
  using shown = showScreen(<DeploymentTable deployments={deployments} isReadOnly={() => false} />, {});
  const rows = [...shown.page.querySelectorAll('tbody tr')].map(({ textContent }) => textContent);
  expect(rows).toEqual([
    expect.stringContaining('lostNot connected'),
    expect.stringContaining('triedNot connected'),
    expect.stringContaining('halvedLiveRemoved.'),
    expect.stringMatching(/^fineLivefine/),
    expect.stringMatching(/^namedLive.*shop\.example/),
    expect.stringContaining('newDraftNo address yet'),
  ]);
});
