import { Hourglass } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { matchesPath, type PathName, paths } from '../lib/paths.ts';

type Later = { name: PathName; title: string; text: string };

/** What each screen will hold. */
const laterScreens: readonly Later[] = [
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
];

/** The calm truth about an address whose screen is later work. */
export function ComingLaterScreen() {
  const { pathname } = useLocation();
  const { user } = useUser();
  const { title, text } = laterScreens.find(({ name }) => matchesPath(paths[name], pathname)) ?? UNNAMED;
  const isSignedIn = user !== null;
  return (
    <div className="mx-auto flex w-full max-w-reading flex-col items-center px-4 py-16 text-center sm:py-24">
      <span className="flex size-11 items-center justify-center rounded-card border border-line bg-surface-raised text-ink-muted">
        <Hourglass className="size-5" />
      </span>
      <h1 className="mt-5 text-xl font-semibold">{title}</h1>
      <p className="mt-1 max-w-96 text-ink-muted text-pretty">{text}</p>
      <p className="mt-4 text-sm font-medium">Not available in this version</p>
      <div className="mt-6 flex flex-wrap justify-center gap-2">
        <Button asChild variant="primary">
          <Link to={isSignedIn ? paths.dashboard : paths.home}>{isSignedIn ? 'Go to Dashboard' : 'Back to Home'}</Link>
        </Button>
        {isSignedIn && (
          <Button asChild>
            <Link to={paths.newDeployment}>New deployment</Link>
          </Button>
        )}
      </div>
    </div>
  );
}

const UNNAMED = { title: 'This screen', text: 'What stands at this address comes in a later version.' };
