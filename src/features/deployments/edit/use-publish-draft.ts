import { useRef, useState } from 'react';
import type { Release } from '../../../../routers/schemas/releases.ts';
import { trpc } from '../../../api/trpc.ts';
import { sendEdited } from '../../../uploads/send-edited.ts';
import { failureOf } from '../../../uploads/sending-failure.ts';
import { type Draft, editedFiles, publishedAnyway } from './draft.ts';

export type PublishDraft = {
  isBusy: boolean;
  /** The reason why the last attempt stopped. */
  problem: string | null;
  /** Returns the release; null when it stopped. */
  publish: (draft: Draft) => Promise<Release | null>;
  stop: () => void;
};

/** Makes a release of a draft, sending only the files that the server lacks; `onMade` is called once there is one. */
export function usePublishDraft(deploymentId: string, onMade: () => Promise<unknown>): PublishDraft {
  const client = trpc.useUtils();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<AbortController>(null);

  async function publish(draft: Draft): Promise<Release | null> {
    const cancel = new AbortController();
    const { signal } = cancel;
    running.current = cancel;
    setIsBusy(true);
    setProblem(null);
    try {
      const { uploadId } = await client.client.releases.prepare.mutate({ deploymentId });
      await sendEdited(uploadId, editedFiles(draft), publishedAnyway(draft), signal);
      const input = { deploymentId, uploadId, ifChanged: true, source: 'editor' } as const;
      const release = await client.client.releases.create.mutate(input);
      await onMade();
      await client.invalidate();
      return release;
    } catch (cause) {
      if (!signal.aborted) {
        const { message, hint } = failureOf(cause, false);
        setProblem([message, hint].filter(Boolean).join(' '));
      }
      return null;
    } finally {
      setIsBusy(false);
    }
  }

  return { isBusy, problem, publish, stop: () => running.current?.abort() };
}
