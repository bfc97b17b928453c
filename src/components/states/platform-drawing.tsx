import herokuIcon from '@iconify-icons/cib/heroku';
import { siGithub, siNetlify, siRender, siReplit, siVercel } from 'simple-icons';
import type { HostingPlatform } from '../../../routers/schemas/platforms/ids.ts';

type Drawing = { path: string; size: number };

/** Simple Icons has removed Heroku's mark at its owner's request; CoreUI's brand icons have it. */
const DRAWINGS: Record<HostingPlatform, Drawing> = {
  netlify: { path: siNetlify.path, size: 24 },
  vercel: { path: siVercel.path, size: 24 },
  'github-pages': { path: siGithub.path, size: 24 },
  render: { path: siRender.path, size: 24 },
  heroku: { path: / d="([^"]+)"/.exec(herokuIcon.body)?.[1] ?? '', size: 32 },
  replit: { path: siReplit.path, size: 24 },
};

/** The drawing of a platform's mark, in the size of its container. */
export function PlatformDrawing({ platform }: { platform: HostingPlatform }) {
  const { path, size } = DRAWINGS[platform];
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className="size-full" fill="currentColor" aria-hidden>
      <path d={path} />
    </svg>
  );
}
