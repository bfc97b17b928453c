import { Link } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { paths } from '../../lib/paths.ts';

export function SubscriptionCancelScreen() {
  return (
    <Page width="reading">
      <h1 className="text-2xl font-semibold">Nothing was charged</h1>
      <p className="mt-2 text-lg text-ink-muted text-pretty">
        No money has moved and your plan is what it was. The 14-day trial of Pro needs no card.
      </p>
      <div className="mt-6 flex flex-wrap gap-2">
        <Button asChild variant="primary">
          <Link to={paths.subscriptionPricing}>See the plans</Link>
        </Button>
        <Button asChild>
          <Link to={paths.dashboard}>Go to Dashboard</Link>
        </Button>
      </div>
    </Page>
  );
}
