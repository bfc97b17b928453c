import { useState } from 'react';
import { Link } from 'wouter';
import type { Allowance } from '../../../../routers/schemas/subscription.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import { paths } from '../../../lib/paths/paths.ts';
import { overCapLabels } from '../plan-labels.ts';

const WritableDialog = lazyDialog(async () => (await import('./writable-dialog.tsx')).WritableDialog);

/** Says that the plan allows fewer deployments than there are, and offers to choose those that can be changed. */
export function WritableNotice({ allowance }: { allowance: Allowance | undefined }) {
  const [isChoosing, setChoosing] = useState(false);
  const labels = allowance === undefined ? null : overCapLabels(allowance);
  if (allowance === undefined || labels === null) return null;
  return (
    <>
      <Notice
        tone="warn"
        title={labels.title}
        className="mb-4"
        action={
          allowance.mayChooseWritable ? (
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
        {labels.text}
      </Notice>
      {isChoosing && <WritableDialog allowance={allowance} onClose={() => setChoosing(false)} />}
    </>
  );
}
