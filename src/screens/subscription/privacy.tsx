import { Link } from 'wouter';
import { STORED_COOKIES, STORED_DATA } from '../../features/account/stored-data.ts';
import { SupportLink } from '../../features/contact/support-email.tsx';
import { LegalPage, type LegalSection } from '../../features/subscription/legal-page.tsx';
import { paths } from '../../lib/paths/paths.ts';

const PARTS: readonly LegalSection[] = [
  {
    title: 'What is stored',
    text: (
      <ul aria-label="What is stored" className="divide-y divide-line border-y border-line">
        {STORED_DATA.map(({ what, kept }) => (
          <li key={what} className="py-3">
            <p>{what}</p>
            <p className="mt-0.5 text-sm text-ink-muted">Kept: {kept}</p>
          </li>
        ))}
      </ul>
    ),
  },
  {
    title: 'Cookies',
    text: (
      <>
        <ul aria-label="Cookies" className="list-disc pl-5">
          {STORED_COOKIES.map(({ names, what, days }) => (
            <li key={what}>
              {`${names.length === 1 ? 'One' : 'Two'} ${what} (${days === 365 ? 'a year' : `${days} days`}).`}
            </li>
          ))}
        </ul>
        <p>There are no advertising or tracking cookies, and none on the sites you publish.</p>
      </>
    ),
  },
  {
    title: 'Who else gets your data',
    text: (
      <p>
        Only the services that you use: the hosting platforms and DNS providers you connect, the certificate authority
        for your domains, and the payment service when you make a real payment.
      </p>
    ),
  },
  {
    title: 'Export and erase',
    text: (
      <>
        <p>
          <Link to={paths.account} className="font-medium text-accent underline underline-offset-4">
            Account
          </Link>{' '}
          exports what you made and what you were charged; the README of the export names what is left out. In Account
          you can also delete your account, which takes your sites offline and erases all of the above, except what is
          listed as kept longer. Backups are up to the operator of this Fairlead.
        </p>
        <SupportLink />
      </>
    ),
  },
];

export function SubscriptionPrivacyScreen() {
  return (
    <LegalPage
      title="Privacy"
      summary="What Fairlead stores about you, for how long, and how to have it erased."
      parts={PARTS}
    />
  );
}
