import { handOffAt } from './hand-off.ts';
import { uploadAt } from './upload.ts';
import { viaGitAt } from './via-git.ts';

/**
 * Adapters of a platform of our own, for the shared suite and for what releases do at a platform: it plays each of the
 * three ways in which platforms take a site. They know nothing of the stand-in that they speak to (vendor/index.ts).
 */
export const simulated = { upload: uploadAt, viaGit: viaGitAt, handOff: handOffAt };
