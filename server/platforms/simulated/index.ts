import { handOff } from './hand-off.ts';
import { upload } from './upload.ts';
import { viaGit } from './via-git.ts';

/**
 * A platform for tests and for Test & Simulation: it plays each of the three ways in which platforms take a site, and
 * fails on demand in any step (vendor/index.ts). Its adapter is like any other: it speaks HTTP, through
 * server/platforms/http.ts, to a vendor that it knows nothing about.
 */
export const simulated = { upload, viaGit, handOff };
