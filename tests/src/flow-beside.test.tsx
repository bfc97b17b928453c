import { expect, test, vi } from 'vitest';
import { DeploymentFlow } from '../../src/flows/deployment-flow.tsx';
import { DeploymentsScreen } from '../../src/screens/deployments.tsx';
import { ReleaseScreen } from '../../src/screens/release.tsx';
import { type ShownScreen, showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseDetailOf } from '../support/screen-fixtures.ts';

vi.mock('../../src/features/releases/progress/progress-states.tsx', () => ({
  get ProgressBadge() {
    throw new TypeError('Failed to fetch dynamically imported module: /assets/progress-states.js');
  },
}));

const { leftSites, missingLinks } = vi.hoisted(() => {
  const file = () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    return { arrived, arrive };
  };
  return { leftSites: file(), missingLinks: file() };
});
vi.mock('../../src/features/deployments/manage/left-sites.tsx', async () => {
  await leftSites.arrived;
  return { LeftSites: () => <p>The notice</p> };
});
vi.mock('../../src/features/releases/history/missing-links.tsx', async () => {
  await missingLinks.arrived;
  return { MissingLinks: () => <p>The notice</p> };
});

/** Returns whether a place is held for something without a name yet. */
const isHeld = ({ page }: ShownScreen) =>
  [...page.querySelectorAll('[role=status] > .sr-only')].some(({ textContent }) => textContent === 'Loading');

async function expectHeldUntil(arrive: () => void, shown: ShownScreen): Promise<void> {
  expect(isHeld(shown)).toBe(true);
  arrive();
  await shown.sees('The notice');
  expect(isHeld(shown)).toBe(false);
}

test('a notice whose file is on its way holds its place above the rest of its screen', async () => {
  {
    const sites = [{ id: 'left', title: 'Harbour stays at Netlify', message: '', url: null }];
    const answers = {
      'deployments.leftSites': () => ({ items: sites }),
      'deployments.list': () => ({ items: [], nextCursor: null }),
    };
    using shown = showScreen(<DeploymentsScreen />, answers);
    await shown.sees('No deployments yet.');
    await expectHeldUntil(leftSites.arrive, shown);
  }
  const release = releaseDetailOf();
  const destinations = release.destinations.map((one) => ({ ...one, missingLinks: ['/a.css'] }));
  const answers = {
    'releases.get': () => ({ ...release, destinations }),
    'deployments.get': () => deploymentOf(),
  };
  const place = { pattern: '/deployments/:deploymentId/releases/:number', path: '/deployments/harbour/releases/3' };
  using shown = showScreen(<ReleaseScreen />, answers, place);
  await shown.sees('About this release');
  await expectHeldUntil(missingLinks.arrive, shown);
});

test('a badge whose file does not come takes nothing else of its screen away', async () => {
  const failed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const flow = (
    <DeploymentFlow title="Quick Deploy" description="" renderProgress={() => <p>The steps</p>}>
      <p>The choice</p>
    </DeploymentFlow>
  );
  const place = { pattern: '/quick-deploy', path: '/quick-deploy?deployment=harbour' };
  using shown = showScreen(flow, {}, place);
  await expect.poll(() => failed).toHaveBeenCalled();
  expect(shown.page.textContent).toContain('The steps');
});
