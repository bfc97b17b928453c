import { ChevronRight, type LucideIcon, Minus, PenLine, Plus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { Release, ReleaseDiff as ReleaseDifference } from '../../../routers/schemas/releases.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Card, CardHeader } from '../../components/card.tsx';
import { FailedState } from '../../components/failed-state.tsx';
import { Select } from '../../components/select.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { formatSize } from '../../lib/format.ts';
import { useAddress, useVisit } from '../../lib/location.ts';
import { differenceTitle } from './release-labels.ts';

/** As many as one page of the list has: further back the number can be written into the address. */
const OFFERED_RELEASES = 50;
const BEFORE = 'before';

export type ReleaseDiffProps = { release: Pick<Release, 'id' | 'deploymentId' | 'number'> };

/** What differs from another release, file by file: from what was live before, until the person chooses one. */
export function ReleaseDiff({ release }: ReleaseDiffProps) {
  const { others, against, choose } = useOtherRelease(release);
  const diff = trpc.releases.diff.useQuery(
    { releaseId: release.id, ...(against !== null && against !== 'unknown' && { against }) },
    { enabled: against !== 'unknown', placeholderData: (before) => before },
  );
  const failure = shownFailure('The changes could not be loaded', diff.error);
  const card = useAnchor('#changes');
  return (
    <section ref={card} aria-label="Changes">
      <Card className="overflow-hidden">
        <CardHeader
          title={differenceTitle(release.number, diff.data?.previousNumber ?? null)}
          action={
            others.length > 0 && (
              <Select
                label="Compare with"
                value={against ?? BEFORE}
                onValueChange={(chosen) => choose(chosen === BEFORE ? null : chosen)}
                options={[
                  { value: BEFORE, label: release.number === 1 ? 'Nothing (first release)' : 'Previous release' },
                  ...others.map(({ id, number, isCurrent }) => ({
                    value: id,
                    label: `Release ${number}${isCurrent ? ', live' : ''}`,
                  })),
                ]}
                className="min-h-control-sm! shrink-0 px-2.5! py-0! text-sm touch:min-h-control!"
              />
            )
          }
        />
        <FailedState failure={failure} question={diff} />
        {failure === null && diff.data === undefined && (
          <SkeletonGroup label="Loading the changes" className="flex flex-col gap-3 p-4 sm:p-5">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-4 w-32" />
          </SkeletonGroup>
        )}
        {failure === null && diff.data !== undefined && <DiffLists {...diff.data} />}
      </Card>
    </section>
  );
}

/** Which release it is compared with stands in the address, by its number: `?against=3`. */
function useOtherRelease({ id, deploymentId }: ReleaseDiffProps['release']) {
  const [params, setParams] = useSearchParams();
  const list = trpc.releases.list.useQuery({ deploymentId, limit: OFFERED_RELEASES });
  const others = (list.data?.items ?? []).filter((other) => other.id !== id);
  const number = Number(params.get('against'));
  const isOffered = others.some((other) => other.number === number);
  // A release that is not among those offered is looked up by the number in the address.
  const asked = trpc.releases.get.useQuery(
    { deploymentId, number },
    { enabled: Number.isInteger(number) && number > 0 && !list.isPending && !isOffered, meta: { refresh: false } },
  );
  const named = others.find((other) => other.number === number) ?? asked.data;
  const isLookedUp = params.has('against') && (list.isPending || asked.isLoading);
  return {
    others: named === undefined || isOffered ? others : [...others, named],
    /** Its id; null for what was live before, `unknown` while the number in the address is being looked up. */
    against: named?.id ?? (isLookedUp ? ('unknown' as const) : null),
    choose: (otherId: string | null) => {
      const chosen = others.find((other) => other.id === otherId);
      setParams(chosen === undefined ? {} : { against: String(chosen.number) }, { replace: true });
    },
  };
}

/** Where a link with this hash leads. */
function useAnchor(wanted: string) {
  const { hash } = useAddress();
  const visit = useVisit();
  const anchor = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: pressing the same link again leads there again
  useEffect(() => {
    if (hash === wanted) anchor.current?.scrollIntoView({ block: 'start' });
  }, [hash, visit, wanted]);
  return anchor;
}

function DiffLists({ previousNumber, added, changed, removed, counts, isCut }: ReleaseDifference) {
  if (counts.added + counts.changed + counts.removed === 0) {
    return (
      <p className="p-4 text-ink-muted sm:px-5">
        {previousNumber === null ? 'It has no files.' : `The files are the same as in release ${previousNumber}.`}
      </p>
    );
  }
  return (
    <div className="divide-y divide-line">
      <Files
        icon={PenLine}
        look="text-warn"
        word="Changed"
        count={counts.changed}
        files={changed.map(({ path, sizeBytes, previousBytes }) => ({
          path,
          size:
            previousBytes === sizeBytes
              ? formatSize(sizeBytes)
              : `${formatSize(previousBytes)} → ${formatSize(sizeBytes)}`,
        }))}
      />
      <Files
        icon={Plus}
        look="text-good"
        word={previousNumber === null ? 'New' : 'Added'}
        count={counts.added}
        files={added.map(({ path, sizeBytes }) => ({ path, size: formatSize(sizeBytes) }))}
      />
      <Files
        icon={Minus}
        look="text-bad"
        word="Removed"
        count={counts.removed}
        files={removed.map(({ path, sizeBytes }) => ({ path, size: formatSize(sizeBytes) }))}
      />
      {isCut && (
        <p className="px-4 py-2.5 text-sm text-ink-muted sm:px-5">
          Each list ends at {Math.max(added.length, changed.length, removed.length)} names.
        </p>
      )}
    </div>
  );
}

type FilesProps = {
  icon: LucideIcon;
  look: string;
  word: string;
  files: readonly { path: string; size: string }[];
  count: number;
};

/** So few are shown at once: opening them would be a click for nothing. */
const OPEN_UP_TO = 8;

function Files({ icon: Icon, look, word, files, count }: FilesProps) {
  if (count === 0) return null;
  return (
    <details className="group" open={count <= OPEN_UP_TO}>
      <summary className="flex cursor-pointer items-center gap-3 px-4 py-2.5 hover:bg-surface-hover sm:px-5 touch:py-3">
        <Icon className={look} />
        <span className="grow">{word}</span>
        <span className="text-ink-muted tabular-nums">{count.toLocaleString('en')}</span>
        <ChevronRight className="text-ink-faint transition-transform group-open:rotate-90" />
      </summary>
      <ul className="max-h-72 overflow-y-auto px-4 pb-3 text-sm sm:px-5">
        {files.map(({ path, size }) => (
          <li key={path} className="flex gap-4 py-0.5 pl-7">
            <span className="grow font-mono wrap-anywhere">{path}</span>
            <span className="shrink-0 text-ink-muted tabular-nums">{size}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
