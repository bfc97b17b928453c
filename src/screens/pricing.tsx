import { PageHeader } from '../components/page/page-header.tsx';
import { LegalLinks } from '../features/subscription/legal-links.tsx';
import { PLAN_CHOICE, PlanChooser } from '../features/subscription/plan-chooser.tsx';

/** The sidebar layout gives this page its column and no footer. */
export function PricingScreen() {
  return (
    <>
      <PageHeader title="Pricing & Trial" description={PLAN_CHOICE} />
      <PlanChooser />
      <LegalLinks className="mt-4" />
    </>
  );
}
