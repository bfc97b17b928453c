import { Check } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { HOSTING_PLATFORMS, type HostingPlatform } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { Button } from '../components/button.tsx';
import { Page } from '../components/page/page.tsx';
import { PlatformMark } from '../components/states/platform-mark.tsx';
import { QuickDrop } from '../features/deployments/create/quick-drop.tsx';
import { href } from '../lib/paths/paths.ts';
import { reachText } from '../lib/sites-address.ts';

export function HomeScreen() {
  const files = useRef<HTMLElement>(null);
  useEffect(() => {
    // What led here asks for a folder already; browsers open the choice for a press alone.
    if (location.hash && navigator.userActivation?.isActive) files.current?.querySelector('input')?.click();
  }, []);
  return (
    <Page>
      <h1 className="text-2xl font-semibold sm:text-3xl">Publish a website from a folder</h1>
      <p className="mt-3 max-w-reading text-lg text-ink-muted text-balance">
        Watch it go live, step by step. No terminal, no Git account.
      </p>
      <section ref={files} aria-label="Publish a folder or a ZIP" className="mt-7">
        <QuickDrop shape="wide" title="Drop a folder or a ZIP" description="It stays private until you publish." />
      </section>
      <h2 className="mt-12 text-lg font-semibold">Choose your preferred hosting platform below</h2>
      <p className="mt-1 text-ink-muted">
        No preference? What you choose above goes to the built-in host{reachText()}.
      </p>
      <ul className="mt-4 grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {HOSTING_PLATFORMS.map((platform) => (
          <PlatformCard key={platform} platform={platform} />
        ))}
      </ul>
    </Page>
  );
}

function PlatformCard({ platform }: { platform: HostingPlatform }) {
  const { title, description, bullets } = PLATFORMS[platform];
  return (
    <li className="flex flex-col rounded-card border border-line bg-surface-raised p-5">
      <h3 className="flex items-center gap-2.5 font-semibold">
        <PlatformMark platform={platform} className="size-5" />
        Deploy to {title}
      </h3>
      <p className="mt-1 text-ink-muted">{description}</p>
      <ul className="mt-3.5 mb-5 flex flex-col gap-1.5">
        {bullets.map((bullet) => (
          <li key={bullet} className="flex items-start gap-2 text-sm text-ink-muted">
            <Check className="mt-0.75 size-3.5 text-good" />
            {bullet}
          </li>
        ))}
      </ul>
      <Button asChild className="mt-auto w-full">
        <Link to={href.deploy(platform)}>Select {title}</Link>
      </Button>
    </li>
  );
}
