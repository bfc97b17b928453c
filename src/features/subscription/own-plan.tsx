import { DataProvider } from '../../api/data-provider.tsx';
import { PlanView } from './plan-view.tsx';
import { usePlan } from './use-plan.ts';

/** Shows the plans for the signed-in account. */
export function OwnPlan() {
  return (
    <DataProvider>
      <OwnPlanView />
    </DataProvider>
  );
}

function OwnPlanView() {
  return <PlanView situation={usePlan()} />;
}
