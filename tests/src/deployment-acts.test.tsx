import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RELEASE_STEPS } from '../../routers/schemas/states.ts';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { type DeploymentAct, DeploymentDialog } from '../../src/features/deployments/manage/deployment-dialog.tsx';
import { DeploymentSettings } from '../../src/features/deployments/manage/deployment-settings.tsx';
import { ServingSettings } from '../../src/features/deployments/manage/serving-settings.tsx';
import { ReleaseScreen } from '../../src/screens/release.tsx';
import { type Answers, showScreen, submit } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseDetailOf, stepOf } from '../support/screen-fixtures.ts';

beforeEach(
  () => void vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 401 })),
);
afterEach(() => {
  vi.restoreAllMocks();
  clearToasts();
  document.body.replaceChildren();
});

/** An id of the required form. */
const HARBOUR = 'harbour0000000000000';
const patiently = <Found,>(look: () => Found) => vi.waitFor(look);
const toast = () => toasts.get().at(-1);

const ANSWERS: Answers = {
  'domains.list': () => ({ items: [], nextCursor: null }),
  'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
};

/** The dialog of an act on harbour; `write` types into its one field. */
async function openDialog(act: DeploymentAct, answers: Answers) {
  const [onClose, onRemoved] = [vi.fn(), vi.fn()];
  const dialog = <DeploymentDialog {...{ act, onClose, onRemoved }} deployment={deploymentOf({ id: HARBOUR })} />;
  const shown = showScreen(dialog, { ...ANSWERS, ...answers });
  const box = await patiently(
    () => document.querySelector<HTMLElement>('[role=dialog], [role=alertdialog]') ?? expect.fail(),
  );
  return Object.assign(shown, {
    box,
    onClose,
    onRemoved,
    send: () => submit(box.querySelector('form')),
    write: (text: string) => {
      const field = box.querySelector('input');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
      field?.dispatchEvent(new Event('input', { bubbles: true }));
    },
  });
}

test('a deployment is renamed, and told that its address stays', async () => {
  const update = vi.fn((_input: unknown) => deploymentOf({ name: 'Quay' }));
  const other = deploymentOf({ id: 'quay', name: 'Quay' });
  using dialog = await openDialog('rename', {
    'deployments.update': update,
    'deployments.list': () => ({ items: [deploymentOf({ id: HARBOUR }), other], nextCursor: null }),
  });
  expect(dialog.box.textContent).toContain('Rename harbour');
  expect(dialog.box.textContent).toContain('The address stays as it is.');
  expect(dialog.box.textContent).not.toContain('You already have');
  dialog.write('Quay');
  await patiently(() => expect(dialog.box.textContent).toContain('You already have a deployment with this name.'));
  await dialog.send();
  await patiently(() => expect(toast()?.description).toBe('harbour is now called Quay.'));
  expect(update.mock.calls[0]?.[0]).toEqual({ deploymentId: HARBOUR, name: 'Quay' });
  expect(dialog.onClose).toHaveBeenCalledOnce();
});

test('an address that breaks the rule or is taken is told while it is typed, and a change when it is done', async () => {
  const update = vi.fn((_input: unknown) => deploymentOf({ slug: 'quay' }));
  using dialog = await openDialog('address', {
    'deployments.update': update,
    'deployments.checkAddress': (input) => {
      const { slug, name } = input as { slug?: string; name: string };
      if (slug === undefined)
        return name === 'taken' ? { wanted: name, slug: 'taken-2' } : { wanted: '', slug: 'not-an-address-2' };
      return { wanted: slug, slug: slug === 'taken' ? null : slug };
    },
  });
  const sees = (text: string) => patiently(() => expect(dialog.box.textContent).toContain(text));
  await sees('Links to the old address stop working at once. We reserve it for you for up to 30 days.');
  dialog.write('Not an address');
  // The one without a number is taken as well.
  await sees('Use lowercase letters, digits and hyphens only. Try not-an-address-2.');
  await dialog.send();
  await sees('Try not-an-address-2.');
  dialog.write('taken');
  await sees('is taken. Try taken-2.');
  await dialog.send();
  expect(update).not.toHaveBeenCalled();
  dialog.write('quay');
  await sees('Live at quay');
  await dialog.send();
  await patiently(() => expect(toast()?.title).toBe('Address changed'));
  expect(update.mock.calls.map(([input]) => input)).toEqual([{ deploymentId: HARBOUR, slug: 'quay' }]);
});

test('a deployment is deleted once its name is typed, after what is lost was named', async () => {
  const remove = vi.fn((_input: unknown) => ({ done: true }));
  using dialog = await openDialog('delete', { 'deployments.remove': remove });
  expect(dialog.box.textContent).toContain('goes offline at once. 3 releases and their files are lost.');
  expect(dialog.box.textContent).toContain('This cannot be undone.');
  const confirm = dialog.box.querySelector<HTMLButtonElement>('[type=submit]');
  expect(confirm?.disabled).toBe(true);
  dialog.write('quay');
  await dialog.send();
  expect(confirm?.disabled).toBe(true);
  expect(remove).not.toHaveBeenCalled();
  dialog.write('harbour');
  await patiently(() => expect(confirm?.disabled).toBe(false));
  await dialog.send();
  await patiently(() => expect(dialog.onRemoved).toHaveBeenCalledOnce());
  expect(remove.mock.calls[0]?.[0]).toEqual({ deploymentId: HARBOUR });
});

test('a switch of the host is told when it is turned', async () => {
  const update = vi.fn((_input: unknown) => deploymentOf({ isSinglePage: true }));
  using shown = showScreen(<ServingSettings deployment={deploymentOf()} isDisabled={false} />, {
    'deployments.update': update,
  });
  const switches = [...shown.page.querySelectorAll<HTMLElement>('[role=switch]')];
  switches.at(-1)?.click();
  await patiently(() => expect(toast()?.title).toBe('Turned on: Single-page app'));
  expect(update.mock.calls[0]?.[0]).toEqual({ deploymentId: 'harbour', isSinglePage: true });
});

test('an address that ends with “#delete” leads to Delete', async () => {
  const settings = <DeploymentSettings deployment={deploymentOf()} isReadOnly={false} onRemoved={() => {}} />;
  using shown = showScreen(settings, ANSWERS, { pattern: '/', path: '/#delete' });
  document.body.append(shown.page);
  await patiently(() => expect(document.activeElement?.textContent).toBe('Delete'));
});

const AT_THE_RELEASE = {
  pattern: '/deployments/:deploymentId/releases/:number',
  path: '/deployments/harbour/releases/1',
};

test('a release that is found in a step shows it, and is cancelled', async () => {
  const cancel = vi.fn((_input: unknown) => ({ done: true }));
  const steps = RELEASE_STEPS.map((name) => stepOf({ name, ...(name === 'processing' && { state: 'running' }) }));
  const running = releaseDetailOf({ number: 1, state: 'processing', finishedAt: null, isCurrent: false, steps });
  using shown = showScreen(
    <ReleaseScreen />,
    { 'releases.get': () => running, 'releases.cancel': cancel },
    AT_THE_RELEASE,
  );
  await shown.sees('Release 1');
  await patiently(() =>
    expect(shown.page.querySelector('[aria-current=step]')?.textContent).toContain('The host puts the files in place'),
  );
  expect(shown.rows('Steps of the release').at(-1)).toContain('Visitors will see this release');
  expect(shown.page.querySelector('[aria-label=Live]')).toBeNull();
  shown.button('Cancel').click();
  await patiently(() => expect(cancel.mock.calls[0]?.[0]).toEqual({ releaseId: 'release-1' }));
});

test('a release that was cancelled says what is live, and is tried again as the next', async () => {
  const retry = vi.fn((_input: unknown) => ({ deploymentId: 'harbour', number: 2 }));
  const cancelled = releaseDetailOf({ number: 1, state: 'cancelled', isCurrent: false, servingNumber: null });
  const answers: Answers = {
    'releases.get': () => cancelled,
    'subscription.allowance': () => allowanceOf(),
    'releases.retry': retry,
  };
  using shown = showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
  await shown.sees('Release 1 was cancelled');
  expect(shown.page.querySelector('[aria-label=Cancelled]')?.textContent).toContain('Nothing was live before.');
  await patiently(() => shown.button('Try again').click());
  await patiently(() => expect(location.pathname).toBe('/deployments/harbour/releases/2'));
  expect(retry.mock.calls[0]?.[0]).toEqual({ releaseId: 'release-1' });
});

test.each([
  ['superseded', 'http://r1--harbour.localhost:3001', 'r1--harbour.localhost'],
  ['superseded', '', ''],
  ['failed', 'http://r1--harbour.localhost:3001', ''],
] as const)(
  'a release that is %s shows no address at which another is live: %j',
  async (state, previewUrl, address) => {
    const release = releaseDetailOf({ number: 1, state, isCurrent: false, servingNumber: 2, previewUrl });
    const answers: Answers = { 'releases.get': () => release, 'subscription.allowance': () => allowanceOf() };
    using shown = showScreen(<ReleaseScreen />, answers, AT_THE_RELEASE);
    await shown.sees('Release 1');
    await patiently(() =>
      expect(shown.page.querySelector('[aria-label=Replaced], [aria-label=Failed]')).not.toBeNull(),
    );
    const header = shown.page.querySelector('h1')?.closest('header')?.textContent;
    expect(header?.match(/\S*localhost/)?.[0] ?? '').toMatch(address === '' ? /^$/ : /r1--harbour\.localhost$/);
  },
);
