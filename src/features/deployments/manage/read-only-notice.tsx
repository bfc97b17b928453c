import { Link } from 'wouter';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { paths } from '../../../lib/paths/paths.ts';
import { readOnlyLabels } from '../read-only-labels.ts';

/** Says why a deployment cannot be changed, and leads to what ends that. */
export function ReadOnlyNotice() {
  const plan = readOnlyLabels(trpc.subscription.allowance.useQuery().data);
  return (
    <Notice
      tone="accent"
      title="Read-only"
      action={
        <Button asChild>
          <Link to={paths.subscriptionPricing}>{plan.action}</Link>
        </Button>
      }
    >
      What is live stays live. {plan.text}
    </Notice>
  );
}
