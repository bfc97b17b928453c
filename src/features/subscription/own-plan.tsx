import { DataProvider } from '../../api/data-provider.tsx';
import { PlanView } from './plan-view.tsx';
import { usePlan } from './use-plan.ts';

/** The plans as they stand for the account that is signed in. */
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
