import { afterEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../routers/schemas/connections.ts';
import { type ConnectionProvider, HOSTING_PLATFORMS } from '../../routers/schemas/platforms/ids.ts';
import { optionFieldsOf } from '../../routers/schemas/platforms/option-fields.ts';
import { PLATFORM_OPTIONS } from '../../routers/schemas/platforms/options.ts';
import { optionProblem, optionsIn, pathToNew } from '../../src/features/deployments/create/destination-fields.ts';
import { NewDeploymentScreen } from '../../src/screens/new-deployment.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { type Answers, type ShownScreen, showScreen } from '../support/screen.tsx';
import { allowanceOf } from '../support/screen-fixtures.ts';

afterEach(() => {
  setWaiting(null);
  sessionStorage.clear();
  document.body.replaceChildren();
});

function connectionTo(provider: ConnectionProvider): Connection {
  const at = new Date(0);
  const nothing = { problem: null, warnings: [], expiresAt: null, deployments: [] };
  return {
    id: `${provider.replaceAll('-', '')}00000000000000000000`.slice(0, 20),
    provider,
    kind: 'platform',
    identity: 'pat',
    state: 'ok',
    ...nothing,
    testedAt: at,
    createdAt: at,
  };
}

/** The form for this platform with a folder chosen, and what is sent when it is published. */
async function showNew(
  platform: ConnectionProvider,
  providers: readonly ConnectionProvider[],
  page = '<h1>Harbour</h1>',
) {
  const sent: unknown[] = [];
  const answers: Answers = {
    'subscription.allowance': () =>
      allowanceOf({ plan: 'STANDARD', deploymentLimit: 3, deploymentCount: 0, remaining: 3 }),
    'deployments.checkAddress': () => ({ wanted: 'harbour', slug: 'harbour' }),
    'deployments.list': () => ({ items: [], nextCursor: null }),
    'connections.list': () => ({ items: providers.map(connectionTo), signIn: [], tokenPages: {} }),
    'deployments.create': (input) => {
      sent.push(input);
      return new Promise(() => undefined);
    },
  };
  setWaiting({ name: 'harbour', files: [{ path: 'index.html', file: new File([page], 'index.html') }] });
  const place = { pattern: '/new-deployment', path: `/new-deployment?platform=${platform}` };
  const shown = showScreen(<NewDeploymentScreen />, answers, place);
  // A form outside of the document is not sent.
  document.body.append(shown.page);
  await shown.sees(`1 file, ${page.length} B`);
  return { shown, sent };
}

test('only GitHub, which serves one website a repository, is said to replace the one that is there', () => {
  const hintAt = (platform: ConnectionProvider) =>
    optionFieldsOf(platform).find(({ name }) => name === 'repository')?.hint;
  expect(hintAt('github-pages')).toContain('replaces a website');
  expect(hintAt('render')).not.toContain('replaces');
});

const patiently = (look: () => void) => vi.waitFor(look);

function tick(shown: ShownScreen): void {
  const box = shown.page.querySelector<HTMLButtonElement>('button[role=checkbox]');
  if (box === null) throw new Error('There is nothing to agree to.');
  box.click();
}

test('GitHub Pages: nothing is made before the person agreed that the files may be public', async () => {
  const { shown, sent } = await showNew('github-pages', ['github-pages']);
  using _screen = shown;
  await shown.sees('My files may be public in a GitHub repository.');
  await shown.sees('Repository (optional)');
  expect(shown.page.querySelector('input[type=radio]:checked')?.closest('label')?.textContent).toContain(
    'GitHub Pages',
  );
  await shown.sees('First tick the box to agree.');
  expect(shown.button('Publish').disabled).toBe(true);
  tick(shown);
  await shown.sees('1 of 3 deployments');
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await patiently(() => expect(sent).toMatchObject([{ platform: 'github-pages', options: { publicFiles: true } }]));
});

test('what was agreed to for one platform is not sent to another', async () => {
  const { shown, sent } = await showNew('netlify', ['netlify']);
  using _screen = shown;
  expect(shown.page.querySelector('button[role=checkbox]')).toBe(null);
  await shown.sees('1 of 3 deployments');
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await patiently(() => expect(sent).toMatchObject([{ platform: 'netlify' }]));
});

test('Heroku: the dyno and an app of the person’s own are asked for, by their rules', async () => {
  const { shown, sent } = await showNew('heroku', ['heroku']);
  using _screen = shown;
  await shown.sees('Basic: $7 a month, always on');
  await shown.sees('App (optional)');
  tick(shown);
  const app = shown.page.querySelector<HTMLInputElement>('input[name="options.app"]');
  // Inside the card that was chosen.
  expect(shown.page.querySelector('input[type=radio]:checked')?.closest('div')?.contains(app)).toBe(true);
  if (app === null) throw new Error('There is no field for the app.');
  const type = (text: string) => {
    // React notices what the field itself was told, and not what its own property was.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(app, text);
    app.dispatchEvent(new Event('input', { bubbles: true }));
  };
  type('No App');
  await shown.sees('Enter the name of an app as Heroku shows it.');
  expect(shown.button('Publish').disabled).toBe(true);
  type('harbour-app');
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await patiently(() =>
    expect(sent).toMatchObject([{ platform: 'heroku', options: { paymentThere: true, app: 'harbour-app' } }]),
  );
});

test('settings that were chosen on the page of a platform come along, and no others', () => {
  const path = pathToNew({ platform: 'heroku', options: { dyno: 'eco', app: 'harbour-app', repository: 'none' } });
  expect(path).toBe('/new-deployment?platform=heroku&dyno=eco&app=harbour-app');
  const search = new URLSearchParams('dyno=eco&app=Not%20An%20App&paymentThere=true');
  // Without the name that was typed a new app would be made, and paid for.
  expect(optionsIn('heroku', search)).toEqual({ dyno: 'eco', app: 'Not An App' });
  expect(optionsIn('heroku', new URLSearchParams('dyno=huge'))).toEqual({});
  expect(pathToNew({ platform: 'netlify' })).toBe('/new-deployment?platform=netlify');
});

test('every field of a platform is one of its options, and so is each of its choices', () => {
  for (const platform of HOSTING_PLATFORMS) {
    for (const { name, choices } of optionFieldsOf(platform)) {
      const values = choices?.map(({ value }) => value) ?? ['harbour'];
      for (const value of values) expect(optionProblem({ platform, options: { [name]: value } }, name)).toBe(undefined);
      expect(PLATFORM_OPTIONS[platform].safeParse({ [name]: {} }).error?.issues.map(({ path }) => path[0])).toContain(
        name,
      );
    }
  }
});

test('links that would break below the folder of a repository are named with what helps', async () => {
  const { shown } = await showNew('github-pages', ['github-pages'], '<a href="/">Home</a>');
  using _screen = shown;
  await shown.sees('1 link begins with a slash.');
  await shown.sees('What pat.github.io shows now would be replaced.');
  shown.button('Use pat.github.io instead').click();
  await patiently(() => expect(shown.page.textContent).not.toContain('begins with a slash'));
  const repository = [...shown.page.querySelectorAll('input')].find(({ value }) => value === 'pat.github.io');
  expect(repository).toBeDefined();
});

test('a copy with relative links takes the place of what was chosen, and says so', async () => {
  const { shown } = await showNew('github-pages', ['github-pages'], '<a href="/">Home</a>');
  using _screen = shown;
  await shown.sees('1 link begins with a slash.');
  shown.button('Make a copy with relative links').click();
  await shown.sees('1 link rewritten without the leading slash in the published copy');
  expect(shown.page.textContent).not.toContain('begins with a slash');
});
