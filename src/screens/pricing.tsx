import { PageHeader } from '../components/page-header.tsx';
import { PLAN_CHOICE, PlanChooser } from '../features/subscription/plan-chooser.tsx';

/** Stands in the sidebar layout, which gives it its column. */
export function PricingScreen() {
  return (
    <>
      <PageHeader title="Pricing & Trial" description={PLAN_CHOICE} />
      <PlanChooser />
    </>
  );
}
