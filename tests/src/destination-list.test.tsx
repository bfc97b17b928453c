import { expect, test } from 'vitest';
import type { LostConnection } from '../../routers/schemas/deployments.ts';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';
import { DestinationList } from '../../src/features/deployments/manage/destination-list.tsx';
import { showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

const AT_NETLIFY: Destination = { id: 'a', platform: 'netlify', url: 'https://a.example', state: 'live', error: null };
const AT_VERCEL: Destination = { id: 'b', platform: 'vercel', url: 'https://b.example', state: 'live', error: null };

function show(plan: 'BASIC' | 'PRO', destinations: Destination[], lostConnections: LostConnection[] = []) {
  const deployment = deploymentOf({ platform: 'netlify', destinations, lostConnections });
  return showScreen(<DestinationList deployment={deployment} isReadOnly={false} />, {
    'subscription.allowance': () => allowanceOf({ plan, severalPlatforms: plan === 'PRO' }),
  });
}

test('a plan with one platform at a time offers a move, and no other one before the first is over', async () => {
  using alone = show('BASIC', [AT_NETLIFY]);
  await alone.sees('Move to another platform');
  expect(alone.page.textContent).not.toContain('Add a platform');
  using moving = show('BASIC', [AT_NETLIFY, AT_VERCEL]);
  await moving.sees('Several at once with Pro');
  expect(moving.page.textContent).not.toContain('Move to another platform');
});

test('a plan with several platforms at once adds one', async () => {
  using shown = show('PRO', [AT_NETLIFY, AT_VERCEL]);
  await shown.sees('Add a platform');
});

test('where a platform does not accept the token, replacing it comes before another try', async () => {
  const lost: LostConnection = {
    destinationId: 'b',
    provider: 'vercel',
    connectionId: 'vercel-1',
    message: 'Refused.',
  };
  const failed = { ...AT_VERCEL, state: 'failed' } as const;
  using shown = show('PRO', [AT_NETLIFY, failed], [lost]);
  await shown.sees('Replace token');
  expect(shown.linkTo('Replace token for Vercel')).toBe('/settings?replace=vercel-1');
  expect(shown.button('Try again on Vercel').dataset.variant).toBe('secondary');
  using other = show('PRO', [AT_NETLIFY, failed], [{ ...lost, destinationId: 'a' }]);
  await other.sees('Try again');
  expect(other.page.textContent).not.toContain('Replace token');
});
