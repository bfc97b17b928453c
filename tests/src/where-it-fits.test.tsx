import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { PublishSection } from '../../src/features/deployments/manage/publish-section.tsx';
import { DeploymentSetupScreen } from '../../src/screens/deployment-setup.tsx';
import { GuidedDeploymentScreen } from '../../src/screens/guided-deployment.tsx';
import { NewDeploymentScreen } from '../../src/screens/new-deployment.tsx';
import { QuickDeployScreen } from '../../src/screens/quick-deploy.tsx';
import { TestSimulationScreen } from '../../src/screens/test-simulation.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { type Answers, type ShownScreen, showScreen, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf, releaseOf, secondsLater } from '../support/screen-fixtures.ts';

const answers: Answers = {
  'subscription.allowance': () => allowanceOf(),
  'deployments.checkAddress': () => ({ wanted: 'harbour', slug: 'harbour' }),
  'releases.room': () => ({ refusal: null }),
  'releases.list': () => ({ items: [], rollBacks: [], nextCursor: null }),
};
const SUM = '2 files (limit 20,000); 16 B (limit 1 GB); largest file 13 B (limit 500 MB).';
const PLAIN = { 'index.html': '<h1>Quay</h1>', 'a.css': 'a{}' };

afterEach(() => {
  setWaiting(null);
  sessionStorage.clear();
  document.body.replaceChildren();
});

function choose(site: Record<string, string>): void {
  const files = Object.entries(site).map(([path, text]) => ({ path, file: new File([text], path) }));
  setWaiting({ name: 'harbour', files });
}

function pickHarbour({ page }: ShownScreen): void {
  const picker = page.querySelector<HTMLInputElement>('input[type=file]');
  const file = new File(['<h1>Quay</h1>'], 'index.html');
  Object.defineProperty(file, 'webkitRelativePath', { value: 'harbour/index.html' });
  Object.defineProperty(picker, 'files', { value: [file] });
  picker?.dispatchEvent(new Event('change', { bubbles: true }));
}

const placeQuestion = () =>
  showScreen(<GuidedDeploymentScreen />, answers, {
    pattern: '/guided-deployment',
    path: '/guided-deployment?step=place',
  });

const rowOf = ({ page }: ShownScreen, title: string) =>
  [...page.querySelectorAll('[role=radiogroup] label')].find((row) => row.textContent?.includes(title))?.textContent;

function tick({ page }: ShownScreen, label: string): void {
  const found = [...page.querySelectorAll('label')].find((one) => one.textContent?.startsWith(label));
  page.querySelector<HTMLElement>(`[id="${found?.htmlFor}"]`)?.click();
}

test('what the files are decides what is recommended, with the arithmetic and its source', async () => {
  choose(PLAIN);
  using shown = placeQuestion();
  await shown.sees('Easiest to try');
  expect(rowOf(shown, 'Built-in host')).toContain('Easiest to try');
  expect(rowOf(shown, 'Netlify')).not.toContain('Recommended');
  await shown.sees(SUM);
  const reasons = shown.rows('Why the built-in host is easiest to try').join();
  expect(reasons).toContain(SUM);
  expect(reasons).toContain('Sites on the built-in host open only on this computer.');
  shown.page.querySelector<HTMLInputElement>('input[value=vercel]')?.click();
  await shown.sees('Why Vercel fits as well');
  const vercels = shown.rows('Why Vercel fits as well').join();
  expect(vercels).toContain('Source: vercel.com/docs/limits, read 2026-03-02');
  expect(vercels).not.toContain('this computer');
});

test('each question names the places that its answer changes', async () => {
  choose(PLAIN);
  using shown = placeQuestion();
  await shown.sees('Some platforms ignore the _redirects file: GitHub Pages, Render, Replit.');
  expect(shown.page.textContent).toContain('Some platforms publish from one: GitHub Pages, Render.');
  expect(shown.page.textContent).toContain('On some platforms you have to add it there yourself: Replit.');
  expect(shown.page.textContent).toContain('Fairlead publishes files only: no platform here can do that.');
});

test('an answer changes the order, and says what would have to change', async () => {
  choose(PLAIN);
  using shown = placeQuestion();
  await shown.sees('Easiest to try');
  tick(shown, 'Hosting without a public Git repository');
  shown.button('4 more platforms').click();
  await shown.sees(
    'GitHub Pages takes the files from a public repository. To use it, agree to make your files public.',
  );
  expect(rowOf(shown, 'GitHub Pages')).toContain('Does not fit');
  const rows = [...shown.page.querySelectorAll('[role=radiogroup] input')].map((one) => one.getAttribute('value'));
  expect(rows).toEqual(['built-in', 'netlify', 'vercel', 'heroku', 'replit', 'github-pages', 'render']);
});

test('redirects among the files are a need that nobody has to be asked for', async () => {
  choose({ ...PLAIN, _redirects: '/a /b 301' });
  using shown = placeQuestion();
  await shown.sees('Easiest to try');
  shown.button('4 more platforms').click();
  await vi.waitFor(() => expect(rowOf(shown, 'Render')).toContain('Does not fit'));
});

test('where no platform takes the files as they are, none is recommended and it is said why', async () => {
  choose({ 'package.json': '{"devDependencies":{"astro":"5"}}', 'src/pages/index.astro': 'x' });
  using shown = placeQuestion();
  await shown.sees('Why the built-in host does not fit');
  expect(shown.page.textContent).not.toMatch(/Recommended|Easiest to try/);
  expect(shown.rows('Why the built-in host does not fit').join()).toContain(
    'This is Astro source, and Fairlead publishes finished files.Build it',
  );
});

test('before there are files or answers nothing is recommended', async () => {
  using shown = showScreen(<NewDeploymentScreen />, answers, {
    pattern: '/new-deployment',
    path: '/new-deployment',
  });
  await shown.sees('Built-in host');
  expect(shown.page.textContent).not.toMatch(/Recommended|Easiest to try/);
  const details = shown.page.querySelector('details');
  if (details !== null) details.open = true;
  details?.dispatchEvent(new Event('toggle'));
  await shown.sees('A custom domain');
  tick(shown, 'A custom domain');
  await shown.sees('Recommended');
});

test('Quick Deploy says why it goes to the built-in host', async () => {
  choose(PLAIN);
  using shown = showScreen(<QuickDeployScreen />, answers, { pattern: '/quick-deploy', path: '/quick-deploy' });
  await shown.sees('Why the built-in host is easiest to try');
  expect(shown.page.textContent).toContain(SUM);
});

function quickDeploy(more: Answers): ShownScreen {
  const place = { pattern: '/quick-deploy', path: '/quick-deploy' };
  const shown = showScreen(<QuickDeployScreen />, { ...answers, ...more }, place);
  // A form outside of the document is not sent.
  document.body.append(shown.page);
  return shown;
}

const listed = (...items: Deployment[]) => ({ items, nextCursor: null });

test('Quick Deploy says above Publish, before it can be pressed, that a deployment has the name already', async () => {
  choose(PLAIN);
  let answer = (_items: unknown): void => undefined;
  const asked = new Promise((resolve) => {
    answer = resolve;
  });
  let tell = (_address: unknown): void => undefined;
  const told = new Promise((resolve) => {
    tell = resolve;
  });
  using shown = quickDeploy({ 'deployments.list': () => asked, 'deployments.checkAddress': () => told });
  await vi.waitFor(() => expect(shown.button('Publish')).toBeDefined());
  expect(shown.page.textContent, 'the address would move it').not.toContain('Choose another name or platform');
  tell({ wanted: 'harbour', slug: 'harbour-2' });
  await shown.sees('Why the built-in host is easiest to try');
  await shown.sees('harbour.localhost is taken. It will be live at harbour-2.localhost');
  expect(shown.page.textContent).toContain('Choose another name or platform');
  expect(shown.button('Publish').disabled).toBe(true);
  answer(listed(deploymentOf({ name: 'Harbour Cafe' }), deploymentOf({ id: 'same', name: 'Harbour' })));
  await shown.sees('You already have a deployment with this name.');
  const publish = shown.button('Publish as new deployment harbour-2');
  await vi.waitFor(() => expect(publish.disabled).toBe(false));
  expect(publish.closest('form')?.nextElementSibling?.textContent).not.toContain('will be live at');
  expect(publish.nextElementSibling?.textContent).toContain('live at');
  const link = [...shown.page.querySelectorAll('a')].find(
    (one) => one.textContent === 'Publish as new release of Harbour…',
  );
  expect(link?.compareDocumentPosition(publish)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(link?.getAttribute('href')).toBe('/deployments/same');
  link?.click();
  const deployment = deploymentOf({ id: 'same', currentRelease: null });
  using there = showScreen(<PublishSection deployment={deployment} isReadOnly={false} />, {});
  await vi.waitFor(() => expect(there.page.querySelector('[aria-label="Folder harbour"]')).not.toBe(null));
});

test('Quick Deploy leads to another name also where asking for the address failed', async () => {
  choose(PLAIN);
  const refuse = () => {
    throw new Error('refused');
  };
  using shown = quickDeploy({ 'deployments.list': () => listed(), 'deployments.checkAddress': refuse });
  await shown.sees('Choose another name or platform');
  expect(shown.page.textContent).not.toContain('It will be live at');
});

test('Quick Deploy says first that the plan has no room for another deployment, and promises no address', async () => {
  const full = allowanceOf({ plan: 'BASIC', deploymentLimit: 1, deploymentCount: 1, remaining: 0 });
  using shown = quickDeploy({
    'subscription.allowance': () => full,
    'deployments.list': () => listed(deploymentOf({ name: 'Harbour' })),
  });
  await shown.sees('Basic allows 1 deployment. Choose a larger plan');
  expect(shown.linkTo('See the plans')).toBe('/subscription/pricing');
  choose(PLAIN);
  await shown.sees('You already have a deployment with this name.');
  await shown.sees('Why the built-in host is easiest to try');
  expect(shown.page.textContent).not.toMatch(/be live at|goes live as|makes another|Choose another name/);
});

test.each([
  ['publishes a folder by itself', [], 1],
  ['asks first where a deployment has the name already', [deploymentOf()], 0],
])('Quick Deploy %s', async (_what, namesakes, times) => {
  const create = vi.fn(() => new Promise(() => {}));
  using shown = quickDeploy({ 'deployments.list': () => listed(...namesakes), 'deployments.create': create });
  pickHarbour(shown);
  await shown.sees(times === 1 ? 'Publishing…' : 'You already have a deployment with this name.');
  expect(create).toHaveBeenCalledTimes(times);
});

test('Quick Deploy asks first where a deployment of another name serves exactly these files', async () => {
  const sha256 = createHash('sha256').update('<h1>Quay</h1>').digest('hex');
  const fetching = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json([['index.html', sha256, 13]]));
  const create = vi.fn(() => new Promise(() => {}));
  const twin = releaseOf({
    deploymentName: 'quay',
    deploymentSlug: 'quay',
    deploymentId: 'quay-1',
    fileCount: 1,
    totalBytes: 13,
  });
  using shown = quickDeploy({
    'deployments.list': () => listed(),
    'deployments.create': create,
    'releases.list': () => ({ items: [twin], rollBacks: [], nextCursor: null }),
  });
  pickHarbour(shown);
  await shown.sees('already serves exactly these files.');
  expect(shown.linkTo('quay')).toBe('/deployments/quay-1');
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
  expect(create).not.toHaveBeenCalled();
  fetching.mockRestore();
});

test('of several deployments with the name each can be chosen by its address, live ones first, then the oldest', async () => {
  choose(PLAIN);
  const made = (slug: string, minute: number, more: Partial<Deployment> = {}) =>
    deploymentOf({
      id: slug,
      slug,
      url: `http://${slug}.localhost:3001`,
      createdAt: secondsLater(60 * minute),
      ...more,
    });
  const items = [
    made('harbour-4', 4, { state: 'deleting' }),
    made('harbour-3', 3),
    made('harbour-2', 2),
    made('harbour', 1, { currentRelease: null }),
  ];
  using shown = quickDeploy({ 'deployments.list': () => listed(...items) });
  await shown.sees('You already have 3 deployments with this name.');
  const links = [...shown.page.querySelectorAll('a[href^="/deployments/"]')].map((link) => link.textContent);
  expect(links).toEqual(['harbour-2.localhost:3001', 'harbour-3.localhost:3001', 'harbour.localhost:3001']);
});

test('the page of a platform says whether it suits the files that wait, and what would be better', async () => {
  choose({ ...PLAIN, _redirects: '/a /b 301' });
  const place = { pattern: '/deploy/:platform', path: '/deploy/render' };
  using shown = showScreen(<DeploymentSetupScreen />, answers, place);
  await shown.sees('Render does not follow the rules in _redirects.');
  expect(shown.linkTo('Built-in host')).toBe('/new-deployment?platform=built-in');
});

test('somebody who has no files yet sees every platform ranked by the answers alone', async () => {
  using shown = showScreen(<TestSimulationScreen />, answers);
  expect(shown.rows('Where it fits')).toEqual([]);
  shown.button('None of these').click();
  await vi.waitFor(() =>
    expect([...shown.page.querySelectorAll('ol h3')].map((title) => title.textContent)).toEqual([
      ...['Built-in host', 'Netlify', 'Vercel', 'GitHub Pages', 'Render', 'Heroku', 'Replit'],
    ]),
  );
  tick(shown, 'Code that runs on a server');
  await shown.sees('Run them elsewhere, and call them by their address.');
});

test('a dry run sends nothing, a preflight the size of the files alone, and New Deployment goes on with them', async () => {
  const sent = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 401 }));
  const asked: unknown[] = [];
  const step = (name: string, verdict: string, lines: string[] = []) => ({ step: name, verdict, lines, problem: null });
  const problem = { code: 'plan_required', message: 'The Free plan allows no deployments.', hint: 'Choose a plan.' };
  const steps = [
    { ...step('create', 'refused'), problem },
    step('send', 'pass', ['Your browser sends the files to Fairlead.']),
    step('publish', 'unknown'),
    step('verify', 'pass'),
    step('domain', 'absent'),
    step('certificate', 'absent'),
  ];
  const preflight = (input: unknown) => {
    asked.push(input);
    return { steps };
  };
  using shown = showScreen(<TestSimulationScreen />, { ...answers, 'deployments.preflight': preflight });
  // A form outside of the document is not sent.
  document.body.append(shown.page);
  pickHarbour(shown);
  await shown.sees('1 file, 13 B');
  await shown.sees('Nothing was sent.');
  shown.button('Set up a preflight').click();
  await shown.sees('Run the preflight');
  expect(shown.page.querySelector<HTMLInputElement>('input[name=name]')?.value).toBe('harbour');
  typeInto(shown.page, 'name', 'Quay');
  typeInto(shown.page, 'domain', 'no domain');
  shown.button('Run the preflight').click();
  await shown.sees('Type a domain name like example.com');
  typeInto(shown.page, 'domain', 'quay.example');
  shown.button('Run the preflight').click();
  await shown.sees('1 step would be refused');
  expect(asked).toEqual([
    { name: 'Quay', platform: 'built-in', domain: 'quay.example', files: { count: 1, totalBytes: 13 } },
  ]);
  const list = shown.page.querySelector('[aria-label=Preflight]');
  expect([...(list?.children ?? [])].map((item) => item.querySelector('h2')?.textContent)).toEqual([
    ...[
      'Read the files',
      'Create the deployment',
      'Send the files',
      'Publish',
      'Check every file',
      'Domain',
      'Certificate',
    ],
  ]);
  expect(list?.textContent).toContain('harbour: ');
  expect(list?.textContent).toContain('The Free plan allows no deployments.Choose a plan.');
  expect(shown.page.textContent).toContain('Nothing was created, changed or published.');
  shown.button('Continue to New Deployment').click();
  await shown.sees('Elsewhere');
  expect(location.pathname).toBe('/new-deployment');
  // A visitor is asked for a session once, silently.
  expect(sent.mock.calls.filter(([address]) => address !== '/api/refresh-token')).toEqual([]);
  sent.mockRestore();
  using next = showScreen(<NewDeploymentScreen />, answers, { pattern: '/new-deployment', path: '/new-deployment' });
  await next.sees('1 file, 13 B');
});
