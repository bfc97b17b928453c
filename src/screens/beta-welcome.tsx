import { BadgeCheck, Globe, Layers, type LucideIcon, MessagesSquare, Stethoscope, Zap } from 'lucide-react';
import { BETA_MONTHS } from '../../routers/schemas/limits.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { classNames } from '../components/class-names.ts';
import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page/page.tsx';
import { WaitingNotice } from '../features/deployments/select/waiting-notice.tsx';
import { useReadToEnd } from '../features/disclaimer/use-read-to-end.ts';
import { useWantedPage } from '../features/disclaimer/wanted-page.ts';
import { isTouch } from '../lib/browser/is-touch.ts';
import { useNavigate } from '../lib/browser/location.ts';
import { href, paths } from '../lib/paths/paths.ts';
import { priceOf } from '../lib/prices.ts';

const benefits: readonly { icon: LucideIcon; title: string; text: string }[] = [
  {
    icon: Layers,
    title: 'Unlimited deployments',
    text: 'Publish as many projects as you like, each with its own history of releases.',
  },
  {
    icon: Globe,
    title: 'Custom domains',
    text: 'Your own names on what you publish, as many as you need.',
  },
  {
    icon: Stethoscope,
    title: 'Analytics and diagnostics',
    text: 'Who visits your sites, how your releases went, and all checks of each deployment.',
  },
  {
    icon: Zap,
    title: 'Early access',
    text: 'You use Fairlead while it is being made, and what you report shapes it.',
  },
  { icon: MessagesSquare, title: 'Direct support', text: 'You write to the people who build it, and they answer.' },
  {
    icon: BadgeCheck,
    title: 'Beta Tester badge',
    text: 'On your profile and your deployments, from the moment you pay until your Beta plan ends.',
  },
];

const expectations: readonly { title: string; text: string }[] = [
  {
    title: 'Things change',
    text: 'A feature may look or work differently next week. What is live stays live.',
  },
  {
    title: 'Things break',
    text: 'When something fails you see what failed, why, and what to do. On most platforms you can roll back to an earlier release.',
  },
  {
    title: 'We want to hear from you',
    text: 'Two sentences about what got in your way beat five stars.',
  },
  {
    title: 'No surprises',
    text: `The offer covers ${BETA_MONTHS} months for ${priceOf('BETA').amount}, once. It does not renew, and what you published stays live. New here? Try Pro for 14 days first.`,
  },
];

export function BetaWelcomeScreen() {
  return (
    <Page className="sm:pt-8 lg:pb-6">
      <h1 className="text-2xl font-semibold">Welcome to the beta</h1>
      <p className="mt-2 max-w-reading text-ink-muted text-pretty">
        Thank you for being early. Fairlead puts a folder of web files on the web, every step in sight, without a
        terminal or a Git account.
      </p>

      <h2 className="mt-7 text-lg font-semibold">Your benefits</h2>
      <ul className="mt-3 grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
        {benefits.map(({ icon: Icon, title, text }) => (
          <li key={title} className="flex gap-3">
            <Icon className="mt-0.5 text-accent" />
            <div>
              <h3 className="font-medium">{title}</h3>
              <p className="mt-0.5 text-sm text-ink-muted">{text}</p>
            </div>
          </li>
        ))}
      </ul>

      <h2 className="mt-7 text-lg font-semibold">What to expect</h2>
      <Card className="mt-3 grid divide-line max-lg:divide-y lg:grid-cols-4 lg:divide-x">
        {expectations.map(({ title, text }) => (
          <div key={title} className="px-4 py-3.5 sm:px-5">
            <h3 className="font-medium">{title}</h3>
            <p className="mt-0.5 text-sm text-ink-muted">{text}</p>
          </div>
        ))}
      </Card>

      <Notice tone="warn" title="Important Note" className="mt-5">
        Beta software fails more often than finished software. Keep your own copy of your files, publish nothing that
        must stay secret, and do not rely on Fairlead alone where an outage would harm somebody.
      </Notice>

      <WaitingNotice className="mt-5" />
      <WaysOn />
    </Page>
  );
}

/** Leads on, once the page has been read to its end. */
function WaysOn() {
  const navigate = useNavigate();
  const hasRead = useReadToEnd();
  const wanted = useWantedPage();
  // What Home is for. Its chooser of folders opens on the way, but not on a phone, where a site is mostly a ZIP.
  const isForHome = wanted?.to === paths.home;
  const [choose, place] = isTouch() ? ['Choose your files', paths.home] : ['Choose a folder', `${paths.home}#publish`];
  return (
    <div className="mt-5 flex flex-wrap items-center gap-2">
      {/* Its line stays, so that the buttons do not move when they may be pressed. */}
      <p className={classNames('text-sm text-ink-muted max-sm:w-full sm:order-last sm:ml-2', hasRead && 'invisible')}>
        Scroll to the end to go on.
      </p>
      {wanted !== null && (
        <Button
          variant="primary"
          disabled={!hasRead}
          onClick={() => navigate(isForHome ? place : wanted.to)}
          className="max-sm:w-full"
        >
          {isForHome ? choose : `Continue to ${wanted.title}`}
        </Button>
      )}
      <Button
        variant={wanted === null ? 'primary' : 'secondary'}
        disabled={!hasRead}
        onClick={() => navigate(href.plans(isForHome ? undefined : wanted?.to))}
        className="max-sm:w-full"
      >
        View Pricing Options
      </Button>
      <Button disabled={!hasRead} onClick={() => navigate(paths.dashboard)} className="max-sm:w-full">
        Go to Dashboard
      </Button>
    </div>
  );
}
