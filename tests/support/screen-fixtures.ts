import type { SignedIn } from '../../routers/schemas/auth.ts';
import type { PlatformConnection } from '../../routers/schemas/connections.ts';
import type { Deployment, ReleaseRef } from '../../routers/schemas/deployments.ts';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';
import type { ListedRelease, ReleaseDetail, ReleaseStep } from '../../routers/schemas/releases.ts';
import type { Allowance, Subscription } from '../../routers/schemas/subscription.ts';
import type { Sending } from '../../src/uploads/sendings.ts';
import type { Answers } from './screen.tsx';

/** Answers of a server to a screen: a deployment named harbour, live with its third release. */

export const shownAt = new Date('2030-01-01T12:00:00Z');

export function secondsLater(seconds: number): Date {
  return new Date(shownAt.getTime() + seconds * 1_000);
}

/** Ada, who has accepted the disclaimer and keeps two deployments. */
export const ada: SignedIn = {
  id: 'ada',
  username: 'Ada',
  email: 'ada@example.com',
  emailConfirmed: true,
  pendingEmail: null,
  disclaimerAccepted: true,
  deploymentCount: 2,
  isBetaTester: false,
  createdAt: shownAt,
  accessToken: 'token',
  expiresAt: new Date('2100-01-01'),
};

export function releaseRefOf(fields: Partial<ReleaseRef> = {}): ReleaseRef {
  const { number = 3 } = fields;
  return {
    id: `release-${number}`,
    number,
    state: 'live',
    source: 'folder',
    createdAt: shownAt,
    finishedAt: secondsLater(2),
    liveSince: secondsLater(2),
    errorMessage: null,
    corruptedFileCount: 0,
    hasStartPage: true,
    ...fields,
  };
}

function destinationOf(slug: string): Destination {
  const url = `http://${slug}.localhost:3001`;
  return { id: `${slug}-here`, platform: 'built-in', url, state: 'live', error: null };
}

/** Address and id follow from the name, where they are not given; the first destination is the primary one. */
export function deploymentOf(fields: Partial<Deployment> = {}): Deployment {
  const { name = 'harbour' } = fields;
  const { slug = name.toLowerCase() } = fields;
  const { destinations = [destinationOf(slug)] } = fields;
  return {
    id: name,
    name,
    slug,
    platform: 'built-in',
    state: 'live',
    url: `http://${slug}.localhost:3001`,
    visitUrl: fields.url ?? `http://${slug}.localhost:3001`,
    primaryId: destinations[0]?.id ?? '',
    destinations,
    lostConnections: [],
    currentRelease: releaseRefOf(),
    latestRelease: releaseRefOf(),
    releaseCount: 3,
    isSinglePage: false,
    hasCleanUrls: true,
    createdAt: shownAt,
    updatedAt: shownAt,
    ...fields,
  };
}

/** Returns the one that is live, where no other state is given. */
export function releaseOf(fields: Partial<ListedRelease> = {}): ListedRelease {
  const { number = 3, state = 'live' } = fields;
  const { destinations = [{ ...destinationOf('harbour'), missingLinks: [] }] } = fields;
  return {
    id: `release-${number}`,
    deploymentId: 'harbour',
    deploymentName: 'harbour',
    deploymentSlug: 'harbour',
    platform: 'built-in',
    number,
    state,
    isCurrent: state === 'live',
    servingNumber: 3,
    source: 'folder',
    createdBy: 'sailor',
    url: 'http://harbour.localhost:3001',
    primaryId: destinations[0]?.id ?? '',
    destinations,
    previewUrl: `http://r${number}--harbour.localhost:3001`,
    fileCount: 214,
    totalBytes: 8_400_000,
    changedFiles: 1,
    corruptedFiles: [],
    hasStartPage: true,
    error: null,
    createdAt: shownAt,
    startedAt: shownAt,
    finishedAt: secondsLater(number),
    ...fields,
  };
}

export function releaseDetailOf(fields: Partial<ReleaseDetail> = {}): ReleaseDetail {
  return { ...releaseOf(fields), steps: [], furtherSteps: [], brokenLinks: [], replaced: null, ...fields };
}

/** Returns one that has not begun, where no other state is given. */
export function stepOf(fields: Pick<ReleaseStep, 'name'> & Partial<ReleaseStep>): ReleaseStep {
  return {
    state: 'waiting',
    startedAt: null,
    endedAt: null,
    done: 0,
    total: 0,
    doneBytes: 0,
    totalBytes: 0,
    doneBefore: null,
    doneBytesBefore: null,
    log: [],
    ...fields,
  };
}

/** Returns the first of a new deployment, which has just begun and does nothing when a button is pressed. */
export function sendingOf(fields: Partial<Sending> = {}): Sending {
  return {
    deploymentId: 'd',
    deploymentName: 'Harbour',
    url: 'http://harbour.localhost:3001/',
    selection: {
      name: 'harbour',
      files: [{ path: 'index.html', file: new File(['<h1>Harbour</h1>'], 'index.html') }],
    },
    extent: { fileCount: 1, totalBytes: 16 },
    isNew: true,
    isRestored: false,
    state: 'sending',
    progress: null,
    result: null,
    release: null,
    failure: null,
    control: {
      retry: () => Promise.reject(new Error('Nobody tries again.')),
      publishUnchanged: () => Promise.reject(new Error('Nobody publishes what is unchanged.')),
      cancel: () => undefined,
      forget: () => undefined,
    },
    ...fields,
  };
}

/** Returns one at Netlify that works and that nothing uses, where nothing else is given. */
export function connectionOf(fields: Partial<PlatformConnection> = {}): PlatformConnection {
  return {
    id: 'netlify-1',
    provider: 'netlify',
    kind: 'platform',
    identity: 'anna@example.com',
    state: 'ok',
    problem: null,
    warnings: [],
    expiresAt: null,
    testedAt: shownAt,
    createdAt: shownAt,
    deployments: [],
    ...fields,
  };
}

/** The trial of Pro, begun when it is shown: it ends on Jan 15, 2030. */
export const trial: Subscription = {
  status: 'trialing',
  plan: 'PRO',
  startedAt: shownAt,
  endsAt: secondsLater(14 * 86_400),
  renews: false,
  cancelAtEnd: false,
  nextPlan: null,
};

export function allowanceOf(fields: Partial<Allowance> = {}): Allowance {
  return {
    plan: 'PRO',
    deploymentLimit: null,
    deploymentCount: 2,
    remaining: null,
    isTrialAvailable: false,
    comingPayment: null,
    writableIds: null,
    mayChooseWritable: false,
    customDomains: null,
    severalPlatforms: true,
    earlyAccess: true,
    ...fields,
  };
}

/** Returns the answers to the tools of an account on Pro with these deployments, which have nothing else yet. */
export const deploymentsAre = (...items: Deployment[]): Answers => ({
  'subscription.allowance': () => allowanceOf(),
  'deployments.list': () => ({ items, nextCursor: null }),
  'domains.list': () => ({ items: [], nextCursor: null }),
  'certificates.list': () => ({ items: [], localRoot: null }),
  'diagnostics.health': () => ({ items: [] }),
});
