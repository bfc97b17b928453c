import { Download } from 'lucide-react';
import { shownFailure } from '../../../api/shown-failure.ts';
import { trpc } from '../../../api/trpc.ts';
import { useDownload } from '../../../api/use-download.ts';
import { Button } from '../../../components/button.tsx';
import { Card, CardHeader } from '../../../components/card.tsx';
import { Setting } from '../../../components/fields/setting.tsx';
import { ListStates } from '../../../components/lists/list-states.tsx';
import { LoadMore } from '../../../components/lists/load-more.tsx';
import { OneLine } from '../../../components/one-line.tsx';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { formatAddress } from '../../../lib/format.ts';

/** A person finds this many at a glance; the others are shown on request. */
const SHOWN = 5;

/** Offers the live sites as ZIPs for publishing at a platform by hand. */
export function DownloadList({ platformTitle }: { platformTitle: string }) {
  const list = trpc.deployments.list.useInfiniteQuery(
    { state: 'live', limit: SHOWN },
    { getNextPageParam: (page) => page.nextCursor },
  );
  const download = useDownload();
  const deployments = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Card>
      <CardHeader title={`Take your files to ${platformTitle} yourself`} />
      <ListStates
        list={list}
        count={deployments.length}
        skeleton={<SkeletonRows rows={2} />}
        failure={shownFailure('Your deployments could not be loaded', list.error)}
        empty={{ icon: Download, text: 'Once a website is live, its files can be downloaded here as a ZIP.' }}
      >
        <ul className="divide-y divide-line">
          {deployments.map(({ id, name, url, currentRelease }) => (
            <li key={id}>
              <Setting
                title={<OneLine>{name}</OneLine>}
                action={
                  currentRelease !== null && (
                    <Button
                      size="sm"
                      aria-label={`Download ${name} as ZIP`}
                      isBusy={download.isPending && download.variables.releaseId === currentRelease.id}
                      busyLabel="Starting…"
                      onClick={() => download.mutate({ releaseId: currentRelease.id })}
                    >
                      Download as ZIP
                    </Button>
                  )
                }
              >
                <p className="font-mono text-xs wrap-anywhere">{formatAddress(url)}</p>
              </Setting>
            </li>
          ))}
        </ul>
        {list.hasNextPage && (
          <div className="border-t border-line pb-4">
            <LoadMore list={list} />
          </div>
        )}
      </ListStates>
    </Card>
  );
}
