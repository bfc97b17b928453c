import { errorDetails } from '../api/errors.ts';
import { session, sessionFetch } from '../api/session.ts';
import type { trpc } from '../api/trpc.ts';
import { createWorkerHasher, recallHashes, recordHashes } from './hash.ts';
import HashWorker from './hash.worker.ts?worker';
import type { Publication } from './publications.ts';
import type { PublishServer } from './publish.ts';
import { type PublicationRequest, startPublication } from './run.ts';
import { isSameSelection, restoredSelections } from './stored-selections.ts';
import { askToReselect, stopReselect } from './waiting.ts';

export type Client = ReturnType<typeof trpc.useUtils>;

/** Publishes what was selected on this page. Where a reload interrupted the same, its upload is still there and goes on. */
export function startSelected(client: Client, request: PublicationRequest): Promise<Publication> {
  const before = stopReselect(request.deployment.id);
  const progress = before?.publication?.progress;
  const isSame = before !== null && isSameSelection(before, request.selection);
  const stored = {
    uploadId: progress?.uploadId ?? null,
    isSent: false,
    load: isSame ? (progress?.load ?? null) : null,
  };
  const resumed = before === null ? null : { stored, isRestored: false };
  return startPublication(request, serverOf(client, request.selection.name), resumed);
}

/** Goes on with what a reload interrupted, and asks for the files again where the browser could not store them. */
export async function resumeInterrupted(client: Client, accountId: string): Promise<void> {
  for (const { record, selection } of await restoredSelections()) {
    const { publication } = record;
    if (publication === null || record.accountId !== accountId || accountId !== session.accountId()) continue;
    const { deployment, publishAnyway, isNew, progress } = publication;
    const isAllSent = progress.isSent && progress.uploadId !== null;
    if (selection === null && !isAllSent) {
      askToReselect(record);
      continue;
    }
    const request = { deployment, selection: selection ?? { name: record.name, files: [] }, publishAnyway, isNew };
    void startPublication(request, serverOf(client, record.name), { stored: progress, isRestored: true });
  }
}

function serverOf(client: Client, name: string): PublishServer {
  const folder = `${session.accountId() ?? ''} ${name}`;
  return {
    prepare: (input) => client.client.releases.prepare.mutate(input),
    createRelease: async (input, isRepeated) => {
      const release = await client.client.releases.create.mutate(input).catch(async (cause: unknown) => {
        // The answer was lost, the release was not: it is the newest of the deployment.
        if (!isRepeated || errorDetails(cause).code !== 'upload_closed') throw cause;
        const { items } = await client.client.releases.list.query({ deploymentId: input.deploymentId, limit: 1 });
        if (items[0] === undefined) throw cause;
        return items[0];
      });
      await client.invalidate();
      // Its page opens with its steps in sight; should this fail, the page asks again by itself.
      await client.releases.get.prefetch({ deploymentId: release.deploymentId, number: release.number });
      return release;
    },
    fetch: sessionFetch,
    hasher: createWorkerHasher(() => new HashWorker()),
    hashes: { recall: (files) => recallHashes(folder, files), record: (files) => recordHashes(folder, files) },
  };
}
