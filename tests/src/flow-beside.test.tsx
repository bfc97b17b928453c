import { expect, test, vi } from 'vitest';
import { DeploymentFlow } from '../../src/flows/deployment-flow.tsx';
import { showScreen } from '../support/screen.tsx';

vi.mock('../../src/features/releases/progress/progress-states.tsx', () => ({
  get ProgressBadge() {
    throw new TypeError('Failed to fetch dynamically imported module: /assets/progress-states.js');
  },
}));

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
