import { useState } from 'react';
import { Link } from 'wouter';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { paths } from '../../lib/paths/paths.ts';

const DomainChoiceDialog = lazyDialog(async () => (await import('./domain-choice-dialog.tsx')).DomainChoiceDialog);

export type DomainChoiceProps = { deploymentId: string; domains: readonly Domain[]; limit: number };

/** Says that the plan allows a deployment fewer domains than it has, and offers to choose those that can be changed. */
export function DomainChoice({ deploymentId, domains, limit }: DomainChoiceProps) {
  const [isChoosing, setChoosing] = useState(false);
  const mayChoose = domains.some(({ mayBeChosen }) => mayBeChosen);
  return (
    <>
      <Notice
        tone="warn"
        title={`Your plan allows ${formatCount(limit, 'domain')} for a deployment`}
        className="mb-4"
        action={
          mayChoose ? (
            <Button size="sm" onClick={() => setChoosing(true)}>
              Choose
            </Button>
          ) : (
            <Button size="sm" asChild>
              <Link to={paths.subscriptionPricing}>See the plans</Link>
            </Button>
          )
        }
      >
        The others stay live and are read-only.{' '}
        {mayChoose ? 'Once a month you can choose which ones you can change.' : ''}
      </Notice>
      {isChoosing && (
        <DomainChoiceDialog
          deploymentId={deploymentId}
          domains={domains}
          limit={limit}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}
