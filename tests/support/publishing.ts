import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { Release, ReleaseDetail, UploadManifestAnswer } from '../../routers/schemas/releases.ts';
import { authenticate } from '../../server/account/auth/index.ts';
import type { AccountContext } from '../../server/context.ts';
import { createChangeFeed } from '../../server/database/change-feed.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { createHost } from '../../server/host/listener.ts';
import { receiveFile, receiveManifest } from '../../server/publishing/uploads/index.ts';
import { createTestApp, type Person, type TestApp, type TestAppOptions } from './app.ts';
import { get } from './get.ts';
import { addRelease, makeLive } from './host.ts';

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export type Site = Record<string, string>;
export type PublishingApp = Awaited<ReturnType<typeof createPublishingApp>>;

/** The test application with the real host and the real change feed, so that a release can be seen live. */
export async function createPublishingApp(options: TestAppOptions = {}) {
  const changes = createChangeFeed(QUIET);
  await changes.start();
  const app = await createTestApp({ changes, ...options });
  const host = createHost(app.providers, { port: 0, host: '127.0.0.1', dataDir: join(app.folder, 'host') });
  await host.start();
  app.providers.addresses.sitesListener.port = host.address.port;

  return {
    ...app,
    host,
    /** Fetches a page of `{name}.localhost`. */
    visit: (name: string, path = '/') => get(host.address.port, `${name}.localhost`, path),
    async [Symbol.asyncDispose]() {
      await host.stop();
      await app[Symbol.asyncDispose]();
      await changes.stop();
    },
  };
}

export function sha256Of(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The context of a signed-in person, as a request has it. */
export async function contextOf(app: Pick<TestApp, 'providers' | 'context'>, person: Person): Promise<AccountContext> {
  const { actor } = await authenticate(app.providers, person.accessToken);
  if (actor.kind === 'anonymous') throw new Error('This person is not signed in.');
  return { ...app.context(actor), actor };
}

export function manifestOf(site: Site) {
  return Object.entries(site).map(([path, text]) => ({
    path,
    sha256: sha256Of(text),
    sizeBytes: Buffer.byteLength(text),
  }));
}

/** Announces the files and sends what is missing; returns the server's answer to the manifest. */
export async function sendSite(ctx: AccountContext, uploadId: string, site: Site): Promise<UploadManifestAnswer> {
  const answer = await receiveManifest(ctx, uploadId, { files: manifestOf(site) });
  const texts = new Map(Object.values(site).map((text) => [sha256Of(text), text]));
  for (const sha256 of answer.missing) {
    await receiveFile(ctx, uploadId, { sha256, body: bytesOf(texts.get(sha256) ?? ''), contentLength: null });
  }
  return answer;
}

export async function* bytesOf(text: string | Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** A release of this content, queued: nothing has worked on it yet. */
export async function startRelease(
  app: Pick<TestApp, 'providers' | 'context'>,
  person: Person,
  deployment: Pick<Deployment, 'id'>,
  site: Site,
): Promise<Release> {
  const { uploadId } = await person.caller.releases.prepare({ deploymentId: deployment.id });
  await sendSite(await contextOf(app, person), uploadId, site);
  return person.caller.releases.create({ deploymentId: deployment.id, uploadId });
}

/**
 * Makes this content live as if it had been published, in place of what was: nothing is uploaded, and no job works on it.
 */
export async function storeLive(
  app: Pick<PublishingApp, 'providers' | 'host'>,
  { slug }: Pick<Deployment, 'slug'>,
  site: Site,
): Promise<Pick<Release, 'id' | 'number'>> {
  const release = await addRelease(app, slug, site, 'live');
  const { deploymentId, releaseId: id, number } = release;
  const before = { deploymentId, state: 'live', _id: { $ne: id } } as const;
  await ReleaseModel.updateMany(before, { $set: { state: 'superseded' } }).setOptions({ acrossAccounts: 'host' });
  await makeLive(release);
  await app.host.refresh();
  return { id, number };
}

/** Publishes this content and waits until the release is over. */
export async function publish(
  app: TestApp,
  person: Person,
  deployment: Pick<Deployment, 'id'>,
  site: Site,
): Promise<ReleaseDetail> {
  const { id } = await startRelease(app, person, deployment, site);
  await app.jobs.drain();
  return person.caller.releases.get({ releaseId: id });
}
