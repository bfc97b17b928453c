import { errorDetails } from './errors.ts';
import {
  cancelAllPublications,
  isPublishing,
  type Publication,
  type PublicationDoors,
  type PublicationRequest,
  startPublication,
} from './publications.ts';
import { session, sessionFetch } from './session.ts';
import type { trpc } from './trpc.ts';
import { createWorkerHasher } from './upload.ts';
import HashWorker from './upload-hash.worker.ts?worker';

const hasher = createWorkerHasher(() => new HashWorker());
let owner: string | null = null;

// The folder of one person is never published by the next; the same person who signed in again goes on.
session.onAccountChange(() => {
  if (owner !== null && session.accountId() !== null && session.accountId() !== owner) cancelAllPublications();
});

// The files are in the page's memory: closing it now would lose the rest of them.
addEventListener('beforeunload', (event) => {
  if (isPublishing()) event.preventDefault();
});

type Client = ReturnType<typeof trpc.useUtils>;

/** Starts to publish a folder on a deployment, through the session of this page. */
export function publish(utils: Client, request: PublicationRequest): Promise<Publication> {
  owner = session.accountId();
  const doors: PublicationDoors = {
    prepare: (input) => utils.client.releases.prepare.mutate(input),
    createRelease: async (input, isRepeated) => {
      const release = await utils.client.releases.create.mutate(input).catch(async (cause: unknown) => {
        // The answer was lost, the release was not: it is the newest of the deployment.
        if (!isRepeated || errorDetails(cause).code !== 'upload_closed') throw cause;
        const { items } = await utils.client.releases.list.query({ deploymentId: input.deploymentId, limit: 1 });
        if (items[0] === undefined) throw cause;
        return items[0];
      });
      await utils.invalidate();
      // Its page opens with its steps in sight; should this fail, the page asks again by itself.
      await utils.releases.get.prefetch({ deploymentId: release.deploymentId, number: release.number });
      return release;
    },
    carrier: sessionFetch,
    hasher,
  };
  return startPublication(request, doors);
}
