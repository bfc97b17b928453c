import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { receiveZip } from '../../server/publishing/uploads/index.ts';
import type { Person } from '../support/app.ts';
import { bytesOf, contextOf, createPublishingApp, type PublishingApp } from '../support/publishing.ts';
import { IS_FULL } from '../support/size.ts';
import { bodyAt } from '../support/visit-name.ts';

const FOLDER = new URL('../support/fixtures/zips/', import.meta.url);
const ARCHIVES = readdirSync(FOLDER).filter((name) => name.endsWith('.zip'));
/** The three that differ most: a program of Windows, one of Unix to a pipe, and one with names of DOS. */
const SOME = ['7-zip.zip', 'info-zip-streamed.zip', 'backslashes.zip'];

async function publishZip(app: PublishingApp, person: Person, deploymentId: string, zip: Buffer) {
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  const { signal } = new AbortController();
  const sent = { body: bytesOf(zip), contentLength: zip.length, publishAnyway: [], signal };
  const { files } = await receiveZip(await contextOf(app, person), uploadId, sent);
  const { id: releaseId } = await person.caller.releases.create({ deploymentId, uploadId });
  await app.jobs.drain();
  expect((await person.caller.releases.get({ releaseId })).state).toBe('live');
  return files;
}

test('what each program packs goes live byte for byte', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  for (const name of IS_FULL ? ARCHIVES : SOME) {
    const slug = name.replace('.zip', '');
    const { id } = await person.caller.deployments.create({ name: slug, platform: 'built-in' });
    const files = await publishZip(app, person, id, readFileSync(new URL(name, FOLDER)));
    expect(files).toHaveLength(45);
    const bodies = await Promise.all(files.map(({ path }) => bodyAt(app, slug, path)));
    expect(bodies, name).toEqual(files.map(({ path }) => [200, `${path}\n`]));
  }
});
