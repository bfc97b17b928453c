import { useState } from 'react';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { Button } from '../../components/button.tsx';
import { lazyDialog } from '../../components/lazy-dialog.tsx';
import { Notice } from '../../components/notice.tsx';

const DomainChoiceDialog = lazyDialog(async () => (await import('./domain-choice-dialog.tsx')).DomainChoiceDialog);

export type DomainChoiceProps = { deploymentId: string; domains: readonly Domain[]; limit: number };

/** Says that the plan allows a deployment fewer domains than it has, and offers to choose those that can be changed. */
export function DomainChoice({ deploymentId, domains, limit }: DomainChoiceProps) {
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <Notice
        tone="warn"
        title={`Your plan allows ${formatCount(limit, 'domain')} for a deployment`}
        className="mb-4"
        action={
          <Button size="sm" onClick={() => setChoosing(true)}>
            Choose
          </Button>
        }
      >
        The others stay live and are read-only. Once in a month you can choose which.
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
