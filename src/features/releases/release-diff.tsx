import { ChevronRight, type LucideIcon, Minus, PenLine, Plus } from 'lucide-react';
import {
  DIFF_FILES_MAX,
  type DifferingFile,
  type ReleaseDiff as ReleaseDifference,
} from '../../../routers/schemas/releases.ts';
import { errorMessage } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Card, CardHeader } from '../../components/card.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { formatSize } from '../../lib/format.ts';

/** What differs from the release before, by name. */
export function ReleaseDiff({ releaseId }: { releaseId: string }) {
  const diff = trpc.releases.diff.useQuery({ releaseId });
  return (
    <Card className="overflow-hidden">
      <CardHeader
        title={
          diff.data && diff.data.previousNumber !== null
            ? `Changes since release ${diff.data.previousNumber}`
            : 'Changes'
        }
      />
      {diff.isPending && (
        <SkeletonGroup className="flex flex-col gap-3 p-4 sm:p-5">
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-32" />
        </SkeletonGroup>
      )}
      {diff.error && (
        <ErrorState
          title="The changes could not be fetched"
          onRetry={() => void diff.refetch()}
          isRetrying={diff.isFetching}
        >
          {errorMessage(diff.error)}
        </ErrorState>
      )}
      {diff.data && <DiffLists {...diff.data} />}
    </Card>
  );
}

function DiffLists({ previousNumber, added, changed, removed, counts, isCut }: ReleaseDifference) {
  if (counts.added + counts.changed + counts.removed === 0) {
    return <p className="p-4 text-ink-muted sm:px-5">The files are the same as before.</p>;
  }
  return (
    <div className="divide-y divide-line">
      <Files icon={PenLine} look="text-warn" word="Changed" files={changed} count={counts.changed} />
      <Files
        icon={Plus}
        look="text-good"
        word={previousNumber === null ? 'New' : 'Added'}
        files={added}
        count={counts.added}
      />
      <Files icon={Minus} look="text-bad" word="Removed" files={removed} count={counts.removed} />
      {isCut && <p className="px-4 py-2.5 text-sm text-ink-muted sm:px-5">The lists end at {DIFF_FILES_MAX} names.</p>}
    </div>
  );
}

type FilesProps = { icon: LucideIcon; look: string; word: string; files: DifferingFile[]; count: number };

function Files({ icon: Icon, look, word, files, count }: FilesProps) {
  if (count === 0) return null;
  return (
    <details className="group">
      <summary className="flex cursor-pointer items-center gap-3 px-4 py-2.5 hover:bg-surface-hover sm:px-5 touch:py-3">
        <Icon className={look} />
        <span className="grow">{word}</span>
        <span className="text-ink-muted tabular-nums">{count.toLocaleString('en')}</span>
        <ChevronRight className="text-ink-faint transition-transform group-open:rotate-90" />
      </summary>
      <ul className="max-h-72 overflow-y-auto px-4 pb-3 font-mono text-sm sm:px-5">
        {files.map(({ path, sizeBytes }) => (
          <li key={path} className="flex gap-4 py-0.5 pl-7">
            <span className="grow wrap-anywhere">{path}</span>
            <span className="shrink-0 text-ink-muted tabular-nums">{formatSize(sizeBytes)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
