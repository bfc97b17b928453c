import { BETA_MONTHS, TRIAL_DAYS } from '../../../routers/schemas/limits.ts';
import { SupportLink } from '../../features/contact/support-email.tsx';
import { LegalPage } from '../../features/subscription/legal-page.tsx';
import { priceOf } from '../../lib/prices.ts';

export function SubscriptionTermsScreen() {
  return (
    <LegalPage
      title="Terms"
      summary="What you can expect of Fairlead, and what we expect of you."
      parts={[
        {
          title: 'Your account',
          text: (
            <p>
              You need a valid email address. Keep your password and your API tokens to yourself: what is done with them
              counts as done by you. You can delete your account at any time in Account.
            </p>
          ),
        },
        {
          title: 'What you publish',
          text: (
            <p>
              It stays yours, and you are responsible for it. Do not publish anything illegal, malware, phishing, or
              anything that infringes the rights of others. Such sites can be taken offline without notice.
            </p>
          ),
        },
        {
          title: 'Plans',
          text: (
            <>
              <p>
                The trial lasts {TRIAL_DAYS} days, is free and ends automatically. A monthly plan renews until you
                cancel it in Account; it then runs to the end of the paid period. Beta costs {priceOf('BETA').amount}{' '}
                once and lasts {BETA_MONTHS} months.
              </p>
              <p>
                An upgrade starts at once. The value of your unused time is deducted from the price of the new plan;
                what exceeds the price makes the plan last longer. A smaller plan starts when your paid period ends.
              </p>
              <p>When a plan ends, what you published stays live and becomes read-only.</p>
            </>
          ),
        },
        {
          title: 'Beta',
          text: (
            <p>
              Fairlead is beta software and comes without a warranty, as far as the law allows. Keep your own copy of
              your files.
            </p>
          ),
        },
        { title: 'Questions', text: <SupportLink /> },
      ]}
    />
  );
}
