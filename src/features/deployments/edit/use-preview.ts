import { useCallback, useEffect, useRef, useState } from 'react';
import { trpc } from '../../../api/trpc.ts';
import { sendEdited } from '../../../uploads/send-edited.ts';
import { failureOf, isUploadLost } from '../../../uploads/sending-failure.ts';
import { type Draft, editedFiles, publishedAnyway } from './draft.ts';

/** Typed text is sent after a pause of this length. */
const PAUSE_MS = 800;

export type Preview = {
  /** The address where the host serves the draft, on an origin of its own; null before that. */
  url: string | null;
  /** Counts the drafts that were sent. */
  version: number;
  isBusy: boolean;
  problem: string | null;
  refresh: () => void;
};

/**
 * Lets the host serve an unpublished draft, through an upload without a release: only files that the server lacks are
 * sent for each draft.
 */
export function usePreview(deploymentId: string, draft: Draft, isOn: boolean): Preview {
  const { client } = trpc.useUtils();
  const [shown, setShown] = useState<{ url: string | null; version: number }>({ url: null, version: 0 });
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const uploadId = useRef<string | null>(null);
  const running = useRef<AbortController>(null);
  const latest = useRef(draft);
  latest.current = draft;

  const show = useCallback(async () => {
    running.current?.abort();
    const cancel = new AbortController();
    const { signal } = cancel;
    running.current = cancel;
    const send = async () => {
      const id = uploadId.current ?? (await client.releases.prepare.mutate({ deploymentId })).uploadId;
      uploadId.current = id;
      await sendEdited(id, editedFiles(latest.current), publishedAnyway(latest.current), signal);
      return client.releases.preview.mutate({ uploadId: id });
    };
    setIsBusy(true);
    try {
      // An idle upload has given its slot to others: the next preview takes a new one.
      const { url } = await send().catch((cause: unknown) => {
        if (signal.aborted || !isUploadLost(cause)) throw cause;
        uploadId.current = null;
        return send();
      });
      if (signal.aborted) return;
      setProblem(null);
      setShown(({ version }) => ({ url, version: version + 1 }));
    } catch (cause) {
      if (signal.aborted) return;
      const { message, hint } = failureOf(cause, false);
      setProblem([message, hint].filter(Boolean).join(' '));
    }
    setIsBusy(false);
  }, [client, deploymentId]);

  const isFirst = shown.url === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each draft is sent
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(show, isFirst ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, isOn, show]);
  useEffect(() => () => running.current?.abort(), []);

  return { ...shown, isBusy, problem, refresh: () => void show() };
}
