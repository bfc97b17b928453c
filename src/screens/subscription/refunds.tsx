import { SupportLink } from '../../features/contact/support-email.tsx';
import { LegalPage } from '../../features/subscription/legal-page.tsx';

export function SubscriptionRefundsScreen() {
  return (
    <LegalPage
      title="Refunds"
      summary="Ask within 14 days of a payment and you get all of it back."
      parts={[
        {
          title: 'How to ask',
          text: (
            <>
              <p>
                Write to us from the email address of your account, with the number on the receipt. You find your
                receipts in Account. You do not have to give a reason.
              </p>
              <SupportLink />
            </>
          ),
        },
        {
          title: 'What happens next',
          text: (
            <p>
              The money goes back the way it came. The plan that it paid for ends at once. What you published stays live
              and becomes read-only.
            </p>
          ),
        },
        {
          title: 'After 14 days',
          text: (
            <p>
              Cancel in Account: the plan runs to the end of the period you paid for and does not renew. If something
              broke for you, write to us all the same.
            </p>
          ),
        },
        {
          title: 'Test checkout and license keys',
          text: (
            <p>
              No money moves in the test checkout, and none is charged for a license key, so there is nothing to refund.
            </p>
          ),
        },
      ]}
    />
  );
}
