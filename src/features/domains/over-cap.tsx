import { Link } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { href } from '../../lib/paths/paths.ts';

/** Says that a domain is beyond what the plan allows its deployment. */
export function OverCap({ deploymentId }: { deploymentId: string }) {
  return (
    <Notice
      tone="warn"
      title="This deployment has more domains than your plan allows"
      action={
        <Button size="sm" asChild>
          <Link to={`${href.deployment(deploymentId)}?tab=domains`}>See its domains</Link>
        </Button>
      }
    >
      This one stays live and is read-only.
    </Notice>
  );
}
