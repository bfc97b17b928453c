import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { getQueryKey } from '@trpc/react-query';
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { expect, test, vi } from 'vitest';
import type { Deployment, ReleaseRef } from '../../routers/schemas/deployments.ts';
import type { ReleaseDetail, ReleaseDiff } from '../../routers/schemas/releases.ts';
import type { Allowance } from '../../routers/schemas/subscription.ts';
import { trpc, trpcClient } from '../../src/api/trpc.ts';
import { NeedsYou } from '../../src/features/deployments/needs-you.tsx';
import { ReleaseTable } from '../../src/features/releases/release-table.tsx';
import { ReleaseScreen } from '../../src/screens/release.tsx';

const PATTERN = '/deployments/:deploymentId/releases/:number';
const at = new Date('2030-01-01');
const allowance: Allowance = {
  plan: 'PRO',
  deploymentLimit: null,
  deploymentCount: 1,
  remaining: null,
  isTrialAvailable: false,
};

function releaseWith(damagedFiles: string[]): ReleaseDetail {
  return {
    id: 'r',
    deploymentId: 'd',
    deploymentName: 'Harbour',
    deploymentSlug: 'harbour',
    platform: 'built-in',
    number: 3,
    state: 'live',
    isCurrent: true,
    source: 'folder',
    createdBy: 'sailor',
    url: 'http://harbour.localhost:3001',
    previewUrl: 'http://r3--harbour.localhost:3001',
    fileCount: 4,
    totalBytes: 1,
    changedFiles: 1,
    damagedFiles,
    error: null,
    createdAt: at,
    startedAt: at,
    finishedAt: at,
    steps: [],
    servingNumber: 3,
  };
}

function deploymentWith(name: string, damagedFileCount: number): Deployment {
  const release: ReleaseRef = {
    id: `release-of-${name}`,
    number: 3,
    state: 'live',
    createdAt: at,
    finishedAt: at,
    liveSince: at,
    errorMessage: null,
    damagedFileCount,
  };
  return {
    id: name,
    name,
    slug: name.toLowerCase(),
    platform: 'built-in',
    state: 'live',
    url: 'http://harbour.localhost:3001',
    currentRelease: release,
    latestRelease: release,
    releaseCount: 3,
    isSinglePage: false,
    hasCleanUrls: true,
    createdAt: at,
    updatedAt: at,
  };
}

/** The element as a page of the app, with these answers of the server and no others. */
function show(element: ReactNode, answers: (client: QueryClient) => void = () => undefined) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  answers(client);
  const routes = [
    { path: '/', element },
    { path: PATTERN, element },
  ];
  const page = document.createElement('div');
  const root = createRoot(page);
  flushSync(() =>
    root.render(
      <trpc.Provider client={trpcClient} queryClient={client}>
        <QueryClientProvider client={client}>
          <RouterProvider router={createMemoryRouter(routes, { initialEntries: ['/deployments/d/releases/3'] })} />
        </QueryClientProvider>
      </trpc.Provider>,
    ),
  );
  return {
    page,
    linkTo: (text: string) => [...page.querySelectorAll('a')].find((a) => a.textContent === text)?.getAttribute('href'),
    [Symbol.dispose]: () => root.unmount(),
  };
}

const answersWith = (damagedFiles: string[], plan: Allowance['plan']) => (client: QueryClient) => {
  const release = releaseWith(damagedFiles);
  const diff: ReleaseDiff = {
    previousNumber: null,
    added: [],
    changed: [],
    removed: [],
    counts: { added: 0, changed: 0, removed: 0 },
    isCut: false,
  };
  client.setQueryData(getQueryKey(trpc.releases.get, { deploymentId: 'd', number: 3 }, 'query'), release);
  client.setQueryData(getQueryKey(trpc.releases.diff, { releaseId: 'r' }, 'query'), diff);
  client.setQueryData(getQueryKey(trpc.subscription.allowance, undefined, 'query'), { ...allowance, plan });
};

const panelOf = (page: Element) => page.querySelector('[aria-label="Damaged files"]');
const lazyPanel = (page: Element) => vi.waitFor(() => expect(panelOf(page)).not.toBe(null), { timeout: 30_000 });

test('a release names the files that it has lost, and leads to where they are published again', async () => {
  using shown = show(<ReleaseScreen />, answersWith(['index.html', 'a/b.css'], 'PRO'));
  await lazyPanel(shown.page);
  expect(panelOf(shown.page)?.querySelector('h2')?.textContent).toBe('2 files of release 3 are damaged');
  expect([...(panelOf(shown.page)?.querySelectorAll('li') ?? [])].map((row) => row.textContent)).toEqual([
    'index.html',
    'a/b.css',
  ]);
  expect(shown.linkTo('Publish the same files again')).toBe('/deployments/d#publish');
});

test('while no plan is active the files are named, and nothing is offered that would be refused', async () => {
  using shown = show(<ReleaseScreen />, answersWith(['index.html'], 'free'));
  await lazyPanel(shown.page);
  expect(panelOf(shown.page)?.querySelector('h2')?.textContent).toBe('1 file of release 3 is damaged');
  expect(shown.linkTo('Publish the same files again')).toBeUndefined();
});

test('a sound release says nothing of damage', () => {
  using shown = show(<ReleaseScreen />, answersWith([], 'PRO'));
  expect(shown.page.textContent).toContain('Release 3');
  expect(shown.page.textContent).not.toMatch(/damaged/i);
});

test('a list of releases marks the one that is damaged, and no other', () => {
  const releases = [releaseWith(['a.css']), { ...releaseWith([]), id: 's', number: 2, isCurrent: false }];
  using shown = show(<ReleaseTable label="Releases" releases={releases} rollBacks={[]} isReadOnly={false} />);
  const marked = [...shown.page.querySelectorAll('tr')].filter((row) => row.textContent?.includes('Damaged'));
  expect(marked.map((row) => row.querySelector('a')?.textContent)).toEqual(['Release 3']);
});

test('what needs the person names deployments whose live release is damaged', () => {
  const deployments = [deploymentWith('Harbour', 2), deploymentWith('Quay', 0)];
  using shown = show(<NeedsYou deployments={deployments} allowance={allowance} />);
  const rows = [...shown.page.querySelectorAll('li')].map((row) => row.textContent ?? '');
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain('Files of Harbour are damaged');
  expect(rows[0]).toContain('2 files of release 3 cannot be read any more and are not served.');
  expect(shown.linkTo('See what to do')).toBe('/deployments/Harbour/releases/3');

  using quiet = show(<NeedsYou deployments={deployments.slice(1)} allowance={allowance} />);
  expect(quiet.page.textContent).toBe('');
});
