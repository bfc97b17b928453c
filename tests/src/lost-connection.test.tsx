import { afterEach, expect, test, vi } from 'vitest';
import type { LostConnection } from '../../routers/schemas/deployments.ts';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';
import { PublishDialog } from '../../src/features/deployments/edit/publish-dialog.tsx';
import { PublishSection } from '../../src/features/deployments/manage/publish-section.tsx';
import { RollBackButton } from '../../src/features/releases/acts/roll-back.tsx';
import { useReleaseActs } from '../../src/features/releases/acts/use-release-acts.ts';
import { ReleaseOutcome } from '../../src/features/releases/progress/release-outcome.tsx';
import { DeploymentEditorScreen } from '../../src/screens/deployment-editor.tsx';
import { setChosen } from '../../src/uploads/chosen-selections.ts';
import { showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseDetailOf, releaseOf } from '../support/screen-fixtures.ts';

const REFUSAL = 'Netlify does not accept the token.';
const LOST: LostConnection = {
  destinationId: 'harbour-here',
  provider: 'netlify',
  connectionId: 'netlify-1',
  message: REFUSAL,
};
const REPLACE = '/settings?replace=netlify-1';

afterEach(() => document.body.replaceChildren());

const soon = (look: () => void) => vi.waitFor(look);
const answers = { 'deployments.get': () => deploymentOf({ platform: 'netlify', lostConnections: [LOST] }) };
/** Dialogs and menus are outside of the page. */
const linkTo = (name: string) =>
  [...document.querySelectorAll('a')].find(({ textContent }) => textContent === name)?.getAttribute('href');

test('before a rollback that would be refused, replacing the token comes first', async () => {
  const target = releaseOf({ number: 1, state: 'superseded', servingNumber: 3, platform: 'netlify' });
  using shown = showScreen(<RollBackButton target={target} />, answers);
  shown.button('Roll back to release 1').click();
  await soon(() => expect(document.body.textContent).toContain(REFUSAL));
  expect(linkTo('Replace token')).toBe(REPLACE);
  const primary = document.querySelectorAll('[role="alertdialog"] [data-variant="primary"]');
  expect([...primary].map(({ textContent }) => textContent)).toEqual(['Replace token']);
});

function Cancelled() {
  const { retry } = useReleaseActs();
  return <ReleaseOutcome release={releaseDetailOf({ state: 'cancelled' })} retry={retry} mayChange />;
}

test('a release that was cancelled is not tried again in vain either', async () => {
  using shown = showScreen(<Cancelled />, answers);
  await shown.sees('Replace token');
  expect(shown.button('Try again').dataset.variant).toBe('secondary');
});

test('the editor says it before anything is changed, and before it is published', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 404 }));
  using editor = showScreen(<DeploymentEditorScreen />, answers, {
    pattern: '/deployment-editor/:deploymentId',
    path: '/deployment-editor/harbour',
  });
  await editor.sees(REFUSAL);
  expect(editor.linkTo('Replace token')).toBe(REPLACE);

  const draft = { base: { releaseId: 'release-3', number: 3, files: new Map() }, changes: new Map() };
  const acts = { onRestore: vi.fn(), onPublish: vi.fn(), onClose: vi.fn() };
  const asked = { draft, number: 4, liveNumber: 3, isBusy: false, isUndecided: false, problem: null, lost: LOST };
  using _dialog = showScreen(<PublishDialog {...asked} {...acts} />, {});
  await soon(() => expect(document.querySelector('[role="dialog"]')?.textContent).toContain(REFUSAL));
  const primary = document.querySelectorAll('[role="dialog"] [data-variant="primary"]');
  expect([...primary].map(({ textContent }) => textContent)).toEqual(['Replace token']);
});

test('files for a deployment that is lost at a further platform are not called ready', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 404 }));
  const further: Destination = { id: 'there', platform: 'netlify', url: '', state: 'idle', error: null };
  const { destinations } = deploymentOf();
  const at = { destinations: [...destinations, further] };
  const file = new File(['<h1>Hi</h1>'], 'index.html');
  setChosen('harbour', { name: 'harbour', files: [{ path: 'index.html', file }] });
  using ready = showScreen(<PublishSection deployment={deploymentOf(at)} isReadOnly={false} />, {});
  await ready.sees('Ready to publish.');
  const lostConnections = [{ ...LOST, destinationId: 'there' }];
  using shown = showScreen(
    <PublishSection deployment={deploymentOf({ ...at, lostConnections })} isReadOnly={false} />,
    {},
  );
  await shown.sees(REFUSAL);
  await shown.sees('To include this one as well, replace the token of Netlify first.');
  expect(shown.page.textContent).not.toContain('Ready to publish.');
  setChosen('harbour', null);
});
