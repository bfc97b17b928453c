import { ChevronRight, type LucideIcon, Minus, PenLine, Plus } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Release, ReleaseDiff as ReleaseDifference } from '../../../../routers/schemas/releases.ts';
import { shownFailure } from '../../../api/shown-failure.ts';
import { trpc } from '../../../api/trpc.ts';
import { Card, CardHeader } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { Select } from '../../../components/fields/select.tsx';
import { FailedState } from '../../../components/page/failed-state.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/skeleton.tsx';
import { useAddress, useVisit } from '../../../lib/browser/location.ts';
import { formatSize } from '../../../lib/format.ts';
import { lazyComponent } from '../../../lib/lazy-component.tsx';
import { mayBeText, TEXT_MAX_BYTES } from '../../../lib/texts.ts';
import { differenceTitle } from '../release-labels.ts';
import type { LineDiffProps } from './line-diff.tsx';

/** Equals one page of the list: further back the number can be written into the address. */
const OFFERED_RELEASES = 50;
const BEFORE = 'before';

/** Compares texts, which most people who view a release do not ask for. */
const lineDiff = lazyComponent<LineDiffProps>(async () => (await import('./line-diff.tsx')).LineDiff);

export type ReleaseDiffProps = { release: Pick<Release, 'id' | 'deploymentId' | 'number'> };

/**
 * Shows the differences between this release and another one, file by file, from the older to the newer. The other one
 * is the previously live release, until the person chooses another.
 */
export function ReleaseDiff({ release }: ReleaseDiffProps) {
  const { others, named, against, choose } = useOtherRelease(release);
  const isOlder = named !== undefined && named.number > release.number;
  const newer = isOlder ? named : release;
  const diff = trpc.releases.diff.useQuery(
    { releaseId: newer.id, ...(named !== undefined && { against: isOlder ? release.id : named.id }) },
    { enabled: against !== 'unknown' },
  );
  const failure = shownFailure('The changes could not be loaded', diff.error);
  const card = useAnchor('#changes');
  return (
    <section ref={card} aria-label="Changes">
      <Card className="overflow-hidden">
        <CardHeader
          title={differenceTitle(newer.number, diff.data?.previousNumber ?? null)}
          action={
            others.length > 0 && (
              <Select
                label="Compare with"
                value={against ?? BEFORE}
                onValueChange={(chosen) => choose(chosen === BEFORE ? null : chosen)}
                options={[
                  { value: BEFORE, label: release.number === 1 ? 'No earlier release' : 'Previously live' },
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
        {failure === null && diff.data !== undefined && (
          <DiffLists
            {...diff.data}
            releaseId={newer.id}
            otherNumber={isOlder ? newer.number : diff.data.previousNumber}
          />
        )}
      </Card>
    </section>
  );
}

/** Holds the release for the comparison in the address, by its number: `?against=3`. */
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
    named,
    /** The id; null for the previously live release, `unknown` while the number in the address is being looked up. */
    against: named?.id ?? (isLookedUp ? ('unknown' as const) : null),
    choose: (otherId: string | null) => {
      const chosen = others.find((other) => other.id === otherId);
      setParams(chosen === undefined ? {} : { against: String(chosen.number) }, { replace: true });
    },
  };
}

/** Scrolls to the element when a link with this hash is followed. */
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

type DiffListsProps = Omit<ReleaseDifference, 'previousNumber'> & {
  /** The newer of the two. */
  releaseId: string;
  /** The one that the page of the release compares it with; null for none. */
  otherNumber: number | null;
};

function DiffLists({ releaseId, otherNumber, previousId, added, changed, removed, counts, isCut }: DiffListsProps) {
  if (counts.added + counts.changed + counts.removed === 0) {
    return (
      <p className="p-4 text-ink-muted sm:px-5">
        {otherNumber === null ? 'It has no files.' : `The files are the same as in release ${otherNumber}.`}
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
        files={changed.map(({ path, sizeBytes, sha256, previousBytes, previousSha256 }) => ({
          path,
          ...(previousId !== null &&
            mayBeText(path) &&
            Math.max(sizeBytes, previousBytes) <= TEXT_MAX_BYTES && {
              before: { releaseId: previousId, sha256: previousSha256 },
              after: { releaseId, sha256 },
            }),
          size:
            previousBytes === sizeBytes
              ? formatSize(sizeBytes)
              : `${formatSize(previousBytes)} → ${formatSize(sizeBytes)}`,
        }))}
      />
      <Files
        icon={Plus}
        look="text-good"
        word="New"
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
          Each list shows at most {Math.max(added.length, changed.length, removed.length)} names.
        </p>
      )}
    </div>
  );
}

type FilesProps = {
  icon: LucideIcon;
  look: string;
  word: string;
  /** Files with two versions can open their lines. */
  files: readonly ({ path: string; size: string } & Partial<LineDiffProps>)[];
  count: number;
};

/** This few are opened at once: a click to open them would be pointless. */
const OPEN_UP_TO = 8;

function Files({ icon: Icon, look, word, files, count }: FilesProps) {
  const [openPath, setOpenPath] = useState<string | null>(null);
  if (count === 0) return null;
  return (
    <details className="group" open={count <= OPEN_UP_TO}>
      <summary className="flex cursor-pointer items-center gap-3 px-4 py-2.5 hover:bg-surface-hover sm:px-5 touch:py-3">
        <Icon className={look} />
        <span className="grow">{word}</span>
        <span className="text-ink-muted tabular-nums">{count.toLocaleString('en')}</span>
        <ChevronRight className="text-ink-faint transition-transform group-open:rotate-90" />
      </summary>
      {/* One list scrolls, not one in another. */}
      <ul className={classNames('px-4 pb-3 text-sm sm:px-5', openPath === null && 'max-h-72 overflow-y-auto')}>
        {files.map(({ path, size, before, after }) => (
          <li key={path} className="py-0.5 pl-7">
            <div className="flex gap-4">
              {before === undefined || after === undefined ? (
                <span className="grow font-mono wrap-anywhere">{path}</span>
              ) : (
                <button
                  type="button"
                  aria-expanded={openPath === path}
                  onClick={() => setOpenPath(openPath === path ? null : path)}
                  className="-ml-5 flex min-h-6 grow items-start gap-1 rounded-tight text-left font-mono wrap-anywhere hover:underline touch:min-h-11 touch:items-center"
                >
                  <ChevronRight
                    className={classNames('mt-0.5 transition-transform touch:mt-0', openPath === path && 'rotate-90')}
                  />
                  {path}
                </button>
              )}
              <span className="shrink-0 text-ink-muted tabular-nums touch:self-center">{size}</span>
            </div>
            {openPath === path && before !== undefined && after !== undefined && (
              <Suspense>
                <lineDiff.Component path={path} before={before} after={after} />
              </Suspense>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
