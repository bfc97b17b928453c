import type { AvailablePlatform } from '../../../routers/schemas/platforms/ids.ts';
import { builtIn } from './built-in/index.ts';
import { githubPages } from './github-pages/index.ts';
import { heroku } from './heroku/index.ts';
import { netlify } from './netlify/index.ts';
import type { Platform, PlatformRegistry, PlatformUrls } from './platform.ts';
import { render } from './render/index.ts';
import { replit } from './replit/index.ts';
import { vercel } from './vercel/index.ts';

/** Creates all platforms. */
export function createPlatforms(urls: PlatformUrls): PlatformRegistry {
  return {
    netlify: netlify({ apiUrl: urls.netlify }),
    vercel: vercel({ apiUrl: urls.vercel }),
    'github-pages': githubPages({ apiUrl: urls['github-pages'] }),
    render: render({ apiUrl: urls.render, githubApiUrl: urls['github-pages'] }),
    heroku: heroku({ apiUrl: urls.heroku }),
    replit: replit(),
    'built-in': builtIn,
  } satisfies Record<AvailablePlatform, Platform>;
}
