import { PageHeader } from '../components/page-header.tsx';
import { PlanChooser } from '../features/subscription/plan-chooser.tsx';

/** In the sidebar layout, which gives the column. */
export function PricingScreen() {
  return (
    <>
      <PageHeader
        title="Pricing & Trial"
        description="Try everything for 14 days. What differs between the plans is below."
      />
      <PlanChooser />
    </>
  );
}
