import * as z from 'zod/mini';
import { isOwnersSite } from '../../../../routers/schemas/platforms/below-folder.ts';
import { AppError } from '../../../lib/errors.ts';
import { platformError } from '../failures.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platform.ts';
import { nullIfNotFound, numberField, stringField } from '../reference.ts';
import { makeUnderName, wantedIn } from '../wanted-name.ts';
import { anyObject, readLogin } from './api.ts';
import { webOrigin } from './hosts.ts';

/** The number of letters of the destination's id that follow a name which the account already has. */
const SUFFIX_LENGTH = 6;

/** The repository whose branch holds the files. */
export type Repository = {
  /** A repository that was deleted and made again has the same name and another id. */
  id: number;
  /** Has the form `owner/name`. */
  name: string;
  branch: string;
  /** True when it was made for this destination alone; a repository that a person chose is never deleted. */
  isMade: boolean;
};

const repositorySchema = z.object({
  id: z.number(),
  full_name: z.string(),
  default_branch: z.string(),
  description: z.optional(z.nullable(z.string())),
  html_url: z.optional(z.string()),
  archived: z.optional(z.boolean()),
  permissions: z.optional(z.object({ push: z.optional(z.boolean()) })),
});
type Found = z.infer<typeof repositorySchema>;

/** Returns an API address below a repository. */
export function urlIn({ name }: Pick<Repository, 'name'>, path = ''): string {
  return `/repos/${name.split('/').map(encodeURIComponent).join('/')}${path}`;
}

/** Returns the fields that are stored with the destination. */
export function siteOf({ id, name, branch, isMade }: Repository): PlatformRef {
  return { repositoryId: id, repository: name, branch, isMade };
}

/** Returns the repository of a stored reference; null when there is none. */
export function repositoryIn(site: PlatformRef | null): Repository | null {
  const [id, name, branch] = [
    numberField(site, 'repositoryId'),
    stringField(site, 'repository'),
    stringField(site, 'branch'),
  ];
  if (id === null || name === null || branch === null) return null;
  return { id, name, branch, isMade: site?.isMade === true };
}

/** Returns the repository of the destination: the one it has, the one the person chose, or a new one. */
export async function* ensureRepository(
  vendor: Vendor,
  call: PlatformCall,
  branchOfChosen: string,
): AsyncGenerator<PublishEvent, Repository> {
  const before = repositoryIn(call.destination.site);
  if (before !== null) return before;
  const { repository: chosen } = call.destination.options;
  const repository =
    typeof chosen === 'string' && chosen !== ''
      ? yield* choose(vendor, call, chosen, branchOfChosen)
      : yield* make(vendor, call);
  yield { type: 'site', site: siteOf(repository) };
  return repository;
}

/**
 * Finds the chosen repository. A missing one is only made when it is the owner's own, whose website is at the root of
 * its host.
 */
async function* choose(
  vendor: Vendor,
  call: PlatformCall,
  chosen: string,
  branch: string,
): AsyncGenerator<PublishEvent, Repository> {
  const [title = ''] = chosen.split('/').slice(-1);
  const owner = chosen.includes('/') ? chosen.slice(0, -title.length - 1) : await ownerOf(vendor, call);
  const name = `${owner}/${title}`;
  const found = await nullIfNotFound(read(vendor, call, name));
  const isToMake = found === null || found.description === markOf(call);
  if (isToMake && isOwnersSite(title, owner) && owner === (await ownerOf(vendor, call))) {
    return yield* makeUnderName(call, [title, title], { make: (one) => makeNamed(vendor, call, owner, one) });
  }
  if (found === null) {
    const said = `there is no repository ${name}, or this connection has no access to it`;
    const remedy = 'Check the name of the repository, and that the token may use it. Then try again.';
    throw platformError('permission_missing', vendor.title, { said, remedy });
  }
  if (found.archived === true) {
    throw platformError('platform_failed', vendor.title, {
      said: `${name} is archived`,
      remedy: 'Unarchive the repository in its settings at GitHub, or choose another one. Then try again.',
    });
  }
  if (found.permissions?.push === false) {
    throw platformError('permission_missing', vendor.title, {
      said: `this connection may not write to ${name}`,
      remedy: 'Ask its owner for the right to write to it, or choose another repository. Then try again.',
    });
  }
  return { id: found.id, name: found.full_name, branch, isMade: false };
}

/** Makes a repository with the deployment's name; if the account has that already, letters of our own follow it. */
async function* make(vendor: Vendor, call: PlatformCall): AsyncGenerator<PublishEvent, Repository> {
  const { slug, id } = call.destination;
  const owner = await ownerOf(vendor, call);
  return yield* makeUnderName(call, [slug, `${slug}-${id.slice(0, SUFFIX_LENGTH)}`], {
    make: (name) => makeNamed(vendor, call, owner, name),
  });
}

/** Makes the repository with GitHub's own first commit: without a commit it accepts no files. */
async function makeNamed(vendor: Vendor, call: PlatformCall, owner: string, name: string): Promise<Repository> {
  const { target } = call.destination;
  const mark = markOf(call);
  const made = await makeOnce(call, vendor, {
    look: async () => {
      const there = await nullIfNotFound(read(vendor, call, `${owner}/${name}`));
      if (there === null || there.description === mark) return there;
      throw platformError('name_taken', vendor.title, { said: name });
    },
    request: {
      withToken: true,
      method: 'POST',
      url: target === null ? '/user/repos' : `/orgs/${encodeURIComponent(target)}/repos`,
      json: {
        name,
        description: mark,
        private: false,
        auto_init: true,
        has_issues: false,
        has_projects: false,
        has_wiki: false,
      },
    },
    shape: repositorySchema,
  });
  return ours(made);
}

function ours({ id, full_name: name, default_branch: branch }: Found): Repository {
  return { id, name, branch, isMade: true };
}

/** Returns the repository of a destination that is removed, even if a run had no time to record that it made it. */
export async function repositoryToDrop(vendor: Vendor, call: PlatformCall): Promise<Repository | null> {
  const { site } = call.destination;
  const noted = repositoryIn(site);
  const wanted = wantedIn(site);
  if (noted !== null || wanted === null) return noted;
  const found = await nullIfNotFound(read(vendor, call, `${await ownerOf(vendor, call)}/${wanted}`));
  return found !== null && found.description === markOf(call) ? ours(found) : null;
}

/** Returns the mark by which a repository that was made for this destination is recognized. */
function markOf({ destination }: PlatformCall): string {
  return `Website published with Fairlead (${destination.id})`;
}

async function ownerOf(vendor: Vendor, call: PlatformCall): Promise<string> {
  return call.destination.target ?? (await readLogin(vendor, call));
}

/** `GET /repos/{owner}/{repo}`. Throws `platform_place_gone`. */
async function read(vendor: Vendor, call: PlatformCall, name: string): Promise<Found> {
  return ask(call, vendor, { withToken: true, url: urlIn({ name }) }, repositorySchema);
}

/**
 * Returns the page of the repository. Throws `platform_place_gone`, also when another repository has its name by now.
 */
export async function readRepository(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<string> {
  const found = await read(vendor, call, repository.name);
  if (found.id !== repository.id) throw platformError('platform_place_gone', vendor.title);
  return found.html_url ?? '';
}

/**
 * Deletes the repository, or only the branch if the person chose the repository. Returns its address when the token
 * may not delete it.
 */
export async function dropRepository(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
): Promise<string | undefined> {
  const page = await nullIfNotFound(readRepository(vendor, call, repository));
  if (page === null) return undefined;
  const { isMade, branch } = repository;
  const request = {
    withToken: true,
    method: 'DELETE',
    url: urlIn(repository, isMade ? '' : `/git/refs/heads/${branch}`),
  } as const;
  try {
    await nullIfNotFound(ask(call, vendor, request, anyObject));
    return undefined;
  } catch (error) {
    const isLeft = error instanceof AppError && ['permission_missing', 'out_of_sync'].includes(error.code);
    if (!isLeft) throw error;
    // GitHub refuses for a missing branch as for a protected one.
    if (!isMade && !(await isBranchThere(vendor, call, repository))) return undefined;
    return pageOf(vendor, repository, page);
  }
}

/** Returns the page that shows the content of the repository; `page` is its address as GitHub reports it. */
export function pageOf({ apiUrl }: Vendor, { name, branch, isMade }: Repository, page = ''): string {
  const address = page === '' ? `${webOrigin(apiUrl)}/${name}` : page;
  return isMade ? address : `${address}/tree/${branch}`;
}

async function isBranchThere(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<boolean> {
  const url = urlIn(repository, `/git/ref/heads/${repository.branch}`);
  return (await nullIfNotFound(ask(call, vendor, { withToken: true, url }, anyObject))) !== null;
}
