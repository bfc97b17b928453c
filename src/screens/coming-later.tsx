import { Hourglass } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import { HOSTING_PLATFORMS, PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { matchesPath, type PathName, paths } from '../lib/paths.ts';

type Later = { name: PathName; title: string; text: string };

/** What each screen will hold. The platforms' pages are named after the platform in the address. */
const laterScreens: readonly Later[] = [
  { name: 'analytics', title: 'Analytics', text: 'Visits, bandwidth, top pages and how releases went.' },
  {
    name: 'quickDeploy',
    title: 'Quick Deploy',
    text: 'Drop a folder or a ZIP, and it is live on the platform that fits.',
  },
  {
    name: 'guidedDeployment',
    title: 'Guided Deployment',
    text: 'One question a step, each explained for a first time.',
  },
  {
    name: 'unifiedDeployment',
    title: 'All-in-One Deployment',
    text: 'Files, platform, domain and certificate on one screen.',
  },
  {
    name: 'testSimulation',
    title: 'Test & Simulation',
    text: 'The whole way of a deployment, without touching anything real.',
  },
  {
    name: 'diagnostics',
    title: 'System Diagnostics',
    text: 'Whether a domain resolves, its certificate is valid and the address is up.',
  },
  { name: 'domains', title: 'Domains', text: 'Your own names, and the DNS records that each of them needs.' },
  {
    name: 'certificates',
    title: 'SSL Certificates',
    text: 'Every certificate with its names, its dates and its state.',
  },
  { name: 'licenseManagement', title: 'License Management', text: 'License keys that you hold, redeem or pass on.' },
  {
    name: 'deploymentEditor',
    title: 'Deployment editor',
    text: 'The files of a deployment, edited in the browser and saved as a new release.',
  },
  { name: 'paymentSuccess', title: 'Payment success', text: 'The receipt of a payment.' },
];

/** The calm truth about an address whose screen is later work. */
export function ComingLaterScreen() {
  const { pathname } = useLocation();
  const { user } = useUser();
  const { title, text, notice } = laterScreen(pathname);
  const isSignedIn = user !== null;
  const isPlatform = notice !== NOT_AVAILABLE;
  return (
    <div className="mx-auto flex w-full max-w-reading flex-col items-center px-4 py-16 text-center sm:py-24">
      <span className="flex size-11 items-center justify-center rounded-card border border-line bg-surface-raised text-ink-muted">
        <Hourglass className="size-5" />
      </span>
      <h1 className="mt-5 text-xl font-semibold">{title}</h1>
      {isPlatform && <p className="mt-1 max-w-96 text-pretty">{notice}.</p>}
      <p className="mt-1 max-w-96 text-ink-muted text-pretty">{text}</p>
      {!isPlatform && <p className="mt-4 text-sm font-medium">{notice}</p>}
      <div className="mt-6 flex flex-wrap justify-center gap-2">
        {isSignedIn && (
          <Button
            asChild
            variant={isPlatform ? 'primary' : 'secondary'}
            className={isPlatform ? undefined : 'order-last'}
          >
            <Link to={paths.newDeployment}>{isPlatform ? 'Publish on the built-in host' : 'New deployment'}</Link>
          </Button>
        )}
        <Button asChild variant={isPlatform ? 'secondary' : 'primary'}>
          <Link to={isSignedIn ? paths.dashboard : paths.home}>{isSignedIn ? 'Go to Dashboard' : 'Back to Home'}</Link>
        </Button>
      </div>
    </div>
  );
}

const NOT_AVAILABLE = 'Not available in this version';

function laterScreen(pathname: string): Omit<Later, 'name'> & { notice: string } {
  const known = laterScreens.find(({ name }) => matchesPath(paths[name], pathname));
  if (known) return { ...known, notice: NOT_AVAILABLE };
  const platform = HOSTING_PLATFORMS.find((id) => id === pathname.split('/').filter(Boolean).at(-1));
  if (platform === undefined) {
    return {
      title: 'This screen',
      text: 'What stands at this address comes in a later version.',
      notice: NOT_AVAILABLE,
    };
  }
  const { title } = PLATFORMS[platform];
  return {
    title: `Deploy to ${title}`,
    text: 'The built-in host takes the same files now, and needs no account anywhere else.',
    notice: `Publishing to ${title} is not available in this version`,
  };
}
