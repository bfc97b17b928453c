import { handOff } from './hand-off.ts';
import { upload } from './upload.ts';
import { viaGit } from './via-git.ts';

/**
 * A platform for tests and for Test & Simulation: it plays each of the three ways in which platforms take a site, and
 * fails on demand in any step (vendor/index.ts). Its adapter is like any other: it speaks HTTP, through
 * server/platforms/http.ts, to a vendor that it knows nothing about. No installation's registry has it: who wants it
 * hands it in together with a vendor (`Providers.platforms` and `Providers.network`); elsewhere a deployment on
 * `simulated` is refused as `platform_unavailable`.
 */
export const simulated = { upload, viaGit, handOff };
