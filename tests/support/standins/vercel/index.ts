import { type StandIn, startStandIn } from '../stand-in.ts';
import { deploymentRoutes } from './deployments.ts';
import { domainRoutes } from './domains.ts';
import { pageOf } from './edge.ts';
import { accountRoutes, projectRoutes } from './projects.ts';
import { createState, GONE, refused, type VercelState } from './state.ts';

/** Vercel's API and its edge, played (vercel.com/docs/rest-api). */
export function startVercel(): Promise<StandIn<VercelState>> {
  return startStandIn<VercelState>({
    state: createState(),
    description: 'vercel',
    routes: [...accountRoutes, ...projectRoutes, ...deploymentRoutes, ...domainRoutes],
    refusals: { token: refused(403, 'forbidden', 'Not authorized', { invalidToken: true }), unknown: GONE },
    visit: async (state, host, path) => pageOf(state, host, path),
  });
}
