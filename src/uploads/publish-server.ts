import { errorDetails } from '../api/errors.ts';
import { session, sessionFetch } from '../api/session/session.ts';
import { isNothing } from '../api/shown-failure.ts';
import type { trpc } from '../api/trpc.ts';
import { createWorkerHasher, recallHashes, recordHashes } from './hash.ts';
import HashWorker from './hash.worker.ts?worker';
import type { PublishServer } from './publish.ts';

export type Client = ReturnType<typeof trpc.useUtils>;

/** Returns the functions that a sending uses; the hashes of a folder are recalled by the account and its name. */
export function serverOf(client: Client, name: string): PublishServer {
  const folder = `${session.accountId() ?? ''} ${name}`;
  return {
    prepare: (input) => client.client.releases.prepare.mutate(input),
    createRelease: async (input, isRepeated) => {
      const release = await client.client.releases.create.mutate(input).catch(async (cause: unknown) => {
        // Only the answer was lost, and the release is the newest of the deployment.
        if (!isRepeated || errorDetails(cause).code !== 'upload_closed') throw cause;
        const { items } = await client.client.releases.list.query({ deploymentId: input.deploymentId, limit: 1 });
        if (items[0] === undefined) throw cause;
        return items[0];
      });
      await client.invalidate();
      // The page of the release opens with its steps in sight; should this fail, the page requests them by itself.
      await client.releases.get.prefetch({ deploymentId: release.deploymentId, number: release.number });
      return release;
    },
    isDeploymentGone: (deploymentId) =>
      client.client.deployments.get.query({ deploymentId }).then(({ state }) => state === 'deleting', isNothing),
    fetch: sessionFetch,
    hasher: createWorkerHasher(() => new HashWorker()),
    hashes: { recall: (files) => recallHashes(folder, files), record: (files) => recordHashes(folder, files) },
  };
}
