import { errorMessage } from '../../api/errors.ts';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/page/error-state.tsx';
import { betaOffer, isTestCheckout } from '../../lib/prices.ts';
import { PlanGrid } from './plan-grid.tsx';
import type { PlanSituation } from './plan-situation.ts';
import { TrialOffer } from './trial-offer.tsx';

/** Shows the trial, the plans beside one another and the facts about paying, for the person's situation. */
export function PlanView({ situation }: { situation: PlanSituation }) {
  return (
    <div className="flex flex-col gap-6">
      {situation.kind === 'failed' ? (
        <Card aria-label="Your plan">
          <ErrorState title="Your plan could not be loaded" onRetry={situation.retry}>
            {errorMessage(situation.error.cause ?? situation.error)}
          </ErrorState>
        </Card>
      ) : (
        <TrialOffer situation={situation} />
      )}
      <section aria-labelledby="plans-title">
        <h2 id="plans-title" className="mb-4 text-lg font-semibold">
          Plans
        </h2>
        <PlanGrid situation={situation} />
      </section>
      <div className="flex max-w-reading flex-col gap-2 text-sm text-ink-muted">
        <p>{betaOffer()}. Early access, direct support and a Beta Tester badge come with it.</p>
        <p>
          {isTestCheckout() && 'This Fairlead has a test checkout, in which no money moves. '}A monthly plan renews
          until you cancel it in Account. The trial and Beta end automatically.
        </p>
        <p>
          Between paid plans, an upgrade starts at once. The value of your unused time is deducted from the price of the
          new plan; what exceeds the price makes the plan last longer. Choose a smaller plan in Account: it begins when
          your paid period ends.
        </p>
        <p>When a plan ends, nothing you published is taken away: it stays live and becomes read-only.</p>
      </div>
    </div>
  );
}
