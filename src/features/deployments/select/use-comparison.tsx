import { useEffect, useState } from 'react';
import type { ReleaseRef } from '../../../../routers/schemas/deployments.ts';
import type { SentFiles } from '../../../../routers/schemas/releases.ts';
import { trpc } from '../../../api/trpc.ts';
import type { NamedChanges } from '../../../uploads/compare.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import type { Client } from '../../../uploads/publish-server.ts';
import { type Asking, type PublishQuestion, usePublishQuestion } from './publish-question.tsx';

/** `ask` asks once more before most of the site or an edit is replaced, or when nobody knows what is. */
export type Compared = Asking & {
  /** The changes; null when they are not known, or nothing is live. */
  text: string | null;
  /** The names of the files by kind of change, where the text does not tell them. */
  named: readonly NamedChanges[];
  /** The files that are not live yet, at least; null when that is not known. */
  added: SentFiles | null;
  /** True when the live release is known to have the same files. */
  isEqual: boolean;
  isComparing: boolean;
};

/** Nobody is kept from publishing for longer than this. */
const PATIENCE_MS = 5_000;

type Live = Pick<ReleaseRef, 'id' | 'number' | 'source'>;
type Changes = Pick<Compared, 'text' | 'named' | 'added' | 'isEqual'>;
/** `asked`: null when there is nothing to ask, undefined when the files of the release could not be read. */
type Found = { report: SelectionReport; asked?: PublishQuestion | null; changes?: Changes | null };

const UNKNOWN: Changes = { text: null, named: [], added: null, isEqual: false };

/**
 * Compares the selection with the live release, before anything is sent. With its deployment, it also asks before what
 * was edited here is replaced.
 */
export function useComparison(report: SelectionReport | null, live: Live | null, deploymentId?: string): Compared {
  const client = trpc.useUtils();
  const [found, setFound] = useState<Found | null>(null);
  const liveId = live?.id ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: number and source of a release never change
  useEffect(() => {
    if (report === null || live === null || report.reading.refusal !== null) return;
    const control = new AbortController();
    const signal = AbortSignal.any([control.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const finish = (next: Found) => {
      if (!control.signal.aborted) setFound(next);
    };
    const edited = live.source === 'editor' && deploymentId !== undefined ? { client, deploymentId } : null;
    compare({ report, live, edited, signal }).then(finish, () => finish({ report }));
    return () => control.abort();
  }, [report, liveId, deploymentId, client]);

  const current = found?.report === report ? found : null;
  return {
    ...(current?.changes ?? UNKNOWN),
    isComparing: report !== null && liveId !== null && report.reading.refusal === null && found?.report !== report,
    ...usePublishQuestion(
      current && live && (current.asked === undefined ? unknownQuestion(live.number) : current.asked),
    ),
  };
}

function unknownQuestion(liveNumber: number): PublishQuestion {
  return {
    title: `Replace release ${liveNumber} without a comparison?`,
    description:
      'Your files could not be compared with that release. Any of its files that you did not choose will no longer be served. The release is kept, and you can roll back to it.',
  };
}

type Comparing = {
  report: SelectionReport;
  live: Live;
  /** The deployment whose live release was made in the editor. */
  edited: { client: Client; deploymentId: string } | null;
  signal: AbortSignal;
};

/** Loads the comparison when there is something to compare. */
async function compare({ report, live, edited, signal }: Comparing): Promise<Found> {
  const {
    changesNothing,
    compareWithRelease,
    comparisonText,
    editsQuestion,
    namedChanges,
    readEdits,
    removalQuestion,
  } = await import('../../../uploads/compare.ts');
  const { livePaths, removal, comparison } = await compareWithRelease(report.reading.files, live.id, signal);
  const edits =
    edited && comparison && (await readEdits(edited.client, { ...edited, live, livePaths }, signal).catch(() => null));
  return {
    report,
    asked: removalQuestion(removal, live.number) ?? (edited && editsQuestion(edits, comparison, live.number)),
    changes: comparison && {
      text: comparisonText(comparison),
      named: namedChanges(comparison),
      added: comparison.toSend,
      isEqual: changesNothing(comparison),
    },
  };
}
