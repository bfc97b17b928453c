import { PageHeader } from '../components/page-header.tsx';
import { PLAN_CHOICE, PlanChooser } from '../features/subscription/plan-chooser.tsx';

/** In the sidebar layout, which gives the column. */
export function PricingScreen() {
  return (
    <>
      <PageHeader title="Pricing & Trial" description={PLAN_CHOICE} />
      <PlanChooser />
    </>
  );
}
