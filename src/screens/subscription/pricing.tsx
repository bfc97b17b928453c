import { Page } from '../../components/page/page.tsx';
import { PLAN_CHOICE, PlanChooser } from '../../features/subscription/plan-chooser.tsx';

export function SubscriptionPricingScreen() {
  return (
    <Page className="sm:pt-12">
      <h1 className="text-2xl font-semibold">Choose a plan</h1>
      <p className="mt-2 mb-8 text-lg text-ink-muted">{PLAN_CHOICE}</p>
      <PlanChooser />
    </Page>
  );
}
