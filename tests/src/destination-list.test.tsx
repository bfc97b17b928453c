import { flushSync } from 'react-dom';
import { expect, test, vi } from 'vitest';
import type { LostConnection } from '../../routers/schemas/deployments.ts';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';
import { DestinationDialogs } from '../../src/features/deployments/manage/destination-dialogs.tsx';
import { DestinationList } from '../../src/features/deployments/manage/destination-list.tsx';
import { ConnectInPlace } from '../../src/flows/connect-in-place.tsx';
import { showScreen, submit, typeInto } from '../support/screen.tsx';
import { allowanceOf, connectionOf, deploymentOf } from '../support/screen-fixtures.ts';

const AT_NETLIFY: Destination = { id: 'a', platform: 'netlify', url: 'https://a.example', state: 'live', error: null };
const AT_VERCEL: Destination = { id: 'b', platform: 'vercel', url: 'https://b.example', state: 'live', error: null };

function show(plan: 'BASIC' | 'PRO', destinations: Destination[], lostConnections: LostConnection[] = [], path = '/') {
  const deployment = deploymentOf({ platform: 'netlify', destinations, lostConnections });
  const answers = { 'subscription.allowance': () => allowanceOf({ plan, severalPlatforms: plan === 'PRO' }) };
  return showScreen(<DestinationList deployment={deployment} isReadOnly={false} />, answers, { pattern: '/', path });
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

test.each([
  ['#platforms', 'Add a platform'],
  ['', undefined],
])('an address that ends with “%s” leads to %s', async (hash, name) => {
  const focused: string[] = [];
  using _focus = vi.spyOn(HTMLElement.prototype, 'focus').mockImplementation(function (this: HTMLElement) {
    focused.push(this.textContent.trim());
  });
  using shown = show('PRO', [AT_NETLIFY], [], `/${hash}`);
  await shown.sees('Add a platform');
  await new Promise((resolve) => setTimeout(resolve));
  expect(focused).toEqual(name === undefined ? [] : [name]);
});

test('where a platform waits for the person, they are led to what is left to do', async () => {
  const byHand: Destination = { ...AT_VERCEL, id: 'c', platform: 'replit', url: '', state: 'waiting' };
  using shown = show('PRO', [AT_NETLIFY, byHand]);
  await shown.sees('Finish at Replit');
  expect(shown.linkTo('Finish at Replit')).toBe('/deployments/harbour/releases/3');
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

const adding = (
  <ConnectInPlace>
    <DestinationDialogs
      deployment={deploymentOf({ platform: 'netlify', destinations: [AT_NETLIFY] })}
      asked={{ act: 'add', isMove: false }}
      onAsk={vi.fn()}
      onClose={vi.fn()}
    />
  </ConnectInPlace>
);

test('an account that is missing is connected over the dialog, which is not sent by that', async () => {
  const connected: unknown[] = [];
  const added = vi.fn();
  using _shown = showScreen(adding, {
    'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
    'connections.connect': (input) => {
      connected.push(input);
      return { ...connectionOf({ id: 'vercel-1', provider: 'vercel' }), warnings: [] };
    },
    'deployments.addDestination': added,
  });
  const button = (name: string) =>
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);
  await vi.waitFor(() => expect(button('Add and publish')?.disabled).toBe(true), { timeout: 5_000 });
  expect(document.body.textContent).toContain('To publish there, connect your Vercel account first.');
  button('Connect Vercel')?.click();
  await vi.waitFor(() => typeInto(document, 'token', 'vercel-token-1'), { timeout: 5_000 });
  const forms = [...document.querySelectorAll('form')];
  await submit(forms[1]);
  await vi.waitFor(() => expect(document.querySelectorAll('form')).toHaveLength(1), { timeout: 5_000 });
  expect([forms.length, connected]).toEqual([2, [{ provider: 'vercel', token: 'vercel-token-1' }]]);
  // Nor does the form below refuse it.
  expect(document.querySelector('[role="alert"]')).toBeNull();
  expect(added).not.toHaveBeenCalled();
});

test('a further platform is asked its own settings, as the first one is', async () => {
  const added: unknown[] = [];
  using shown = showScreen(adding, {
    'connections.list': () => ({
      items: [connectionOf({ id: 'heroku-1', provider: 'heroku' })],
      signIn: [],
      tokenPages: {},
    }),
    'connections.targets': () => ({ items: [] }),
    'deployments.addDestination': (input) => void added.push(input),
  });
  document.body.append(shown.page);
  flushSync(() => document.querySelector<HTMLInputElement>('input[value="replit"]')?.click());
  expect(document.body.textContent).toContain('import it there and publish');
  flushSync(() => document.querySelector<HTMLInputElement>('input[value="heroku"]')?.click());
  expect(document.body.textContent).not.toContain('import it there and publish');
  await vi.waitFor(() => typeInto(document, 'options.app', 'harbour-cafe'));
  expect(document.body.textContent).toContain('Basic: $7 a month, always on');
  flushSync(() => document.querySelector<HTMLElement>('[role="checkbox"], input[type="checkbox"]')?.click());
  await submit(document.querySelector('form'));
  await vi.waitFor(() => expect(added).toHaveLength(1));
  expect(added[0]).toMatchObject({
    platform: 'heroku',
    connectionId: 'heroku-1',
    options: { app: 'harbour-cafe', paymentThere: true },
  });
});

test.each<[string, Destination, string[], string, boolean]>([
  ['that works', AT_VERCEL, ['ok'], 'b.example is taken down at Vercel. harbour stays live', false],
  ['that is lost', AT_VERCEL, ['broken'], 'b.example stays as it is and gets no more releases.', true],
  [
    'where a person publishes',
    { ...AT_VERCEL, platform: 'replit' },
    [],
    'b.example stays until you delete the app at Replit yourself.',
    false,
  ],
  ['with no site yet', { ...AT_VERCEL, url: '', state: 'idle' }, ['ok'], 'Nothing is published on Vercel yet.', false],
])(
  'before a platform %s is removed, it is said what becomes of the site',
  async (_, destination, states, text, may) => {
    const deployments = [{ id: 'harbour', name: 'harbour', url: '' }];
    const items = states.map((state) => connectionOf({ provider: 'vercel', state: state as 'ok', deployments }));
    using _shown = showScreen(
      <DestinationDialogs
        deployment={deploymentOf({ platform: 'netlify', destinations: [AT_NETLIFY, destination] })}
        asked={{ act: 'remove', destination }}
        onAsk={vi.fn()}
        onClose={vi.fn()}
      />,
      { 'connections.list': () => ({ items, signIn: [], tokenPages: {} }) },
    );
    const box = () => document.querySelector('[role="alertdialog"]');
    await vi.waitFor(() => expect(box()?.textContent).toContain(text));
    expect(box()?.querySelector('[role="checkbox"], input[type="checkbox"]') !== null).toBe(may);
  },
);
