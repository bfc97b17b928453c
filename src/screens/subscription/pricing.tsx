import { Page } from '../../components/page.tsx';
import { PlanChooser } from '../../features/subscription/plan-chooser.tsx';

export function SubscriptionPricingScreen() {
  return (
    <Page className="sm:pt-12">
      <h1 className="text-2xl font-semibold">Choose a plan</h1>
      <p className="mt-2 mb-8 text-lg text-ink-muted">
        Try everything for 14 days. What differs between the plans is below.
      </p>
      <PlanChooser />
    </Page>
  );
}
