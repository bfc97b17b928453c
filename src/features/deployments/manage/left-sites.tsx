import { ExternalLink } from 'lucide-react';
import type { LeftSite } from '../../../../routers/schemas/deployments.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Notice } from '../../../components/notice.tsx';

export type LeftSitesProps = { sites: readonly LeftSite[] };

/** Lists sites of deleted deployments that stay at platforms, each with its address, until they were read. */
export function LeftSites({ sites }: LeftSitesProps) {
  const dismiss = trpc.deployments.dismissLeftSite.useMutation();
  return sites.map(({ id, title, message, url }) => (
    <Notice
      key={id}
      tone="warn"
      title={title}
      className="mb-4"
      action={
        <span className="flex flex-wrap items-center gap-2">
          {url !== null && (
            <>
              <Button size="sm" asChild>
                <a href={url} target="_blank" rel="noreferrer">
                  Open <ExternalLink />
                </a>
              </Button>
              <CopyButton text={url} label="Copy address" />
            </>
          )}
          <Button
            size="sm"
            isBusy={dismiss.isPending && dismiss.variables.id === id}
            busyLabel="Dismissing…"
            onClick={() => dismiss.mutate({ id })}
          >
            Dismiss
          </Button>
        </span>
      }
    >
      <span className="wrap-anywhere">{message}</span>
    </Notice>
  ));
}
