import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { platformError } from '../failures.ts';
import { anyObject } from '../git/api.ts';
import { type Repository, repositoryIn } from '../git/repository.ts';
import { addressFrom, ask, makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { makeUnderName, wantedIn } from '../wanted-name.ts';
import { type Deploy, deploySchema, readOwners, TITLE } from './api.ts';

const SUFFIX_LENGTH = 6;
/** The folder of the repository that is published. */
export const PUBLISHED_FOLDER = 'public';

export type Service = { serviceId: string; ownerId: string; url: string };

const serviceSchema = z.object({
  id: z.string(),
  name: z.string(),
  ownerId: z.string(),
  repo: z.optional(z.nullable(z.string())),
  branch: z.optional(z.nullable(z.string())),
  serviceDetails: z.object({ url: z.string() }),
});

/** Returns the service of a stored reference; null when there is none. */
export function serviceIn(site: PlatformRef | null): Service | null {
  const [serviceId, ownerId, url] = ['serviceId', 'ownerId', 'url'].map((field) => stringField(site, field));
  return serviceId && ownerId && url ? { serviceId, ownerId, url } : null;
}

/** Returns the service of the destination. Throws `platform_place_gone` when there is none. */
export function serviceOf({ destination }: PlatformCall): Service {
  const service = serviceIn(destination.site);
  if (service === null) throw platformError('platform_place_gone', TITLE);
  return service;
}

export function urlIn({ serviceId }: Pick<Service, 'serviceId'>, path = ''): string {
  return `/services/${encodeURIComponent(serviceId)}${path}`;
}

/** Makes a static site from the branch, whose first deploy starts by itself; if the name is taken, it uses another. */
export async function* makeService(
  vendor: Vendor,
  call: PlatformCall,
  source: { repository: Repository; address: string },
): AsyncGenerator<PublishEvent, Service> {
  const { slug, id, target } = call.destination;
  const ownerId = target ?? (await readOwners(vendor, call))[0]?.id;
  if (ownerId === undefined) {
    throw platformError('permission_missing', TITLE, {
      said: 'the key opens no workspace',
      remedy:
        'Create an API key with an account that belongs to a workspace at Render, and connect Render with that key.',
    });
  }
  return yield* makeUnderName(call, [slug, `${slug}-${id.slice(0, SUFFIX_LENGTH)}`], {
    make: (name) => makeNamed(vendor, call, { ...source, ownerId, name }),
  });
}

type Wanted = { repository: Repository; address: string; ownerId: string; name: string };

async function makeNamed(vendor: Vendor, call: PlatformCall, wanted: Wanted): Promise<Service> {
  const { repository, address, ownerId, name } = wanted;
  const made = await makeOnce(call, vendor, {
    look: () => findMade(vendor, call, wanted),
    request: {
      withToken: true,
      method: 'POST',
      url: '/services',
      json: {
        type: 'static_site',
        name,
        ownerId,
        repo: address,
        branch: repository.branch,
        autoDeploy: 'no',
        // The files are built already: the command does nothing, since an empty one is not documented.
        serviceDetails: {
          buildCommand: 'true',
          publishPath: PUBLISHED_FOLDER,
          previews: { generation: 'off' },
          routes: routesOf(call),
        },
      },
    },
    shape: z.object({ service: serviceSchema }),
  });
  return serviceFrom(vendor, made);
}

type Found = { service: z.infer<typeof serviceSchema> };

function serviceFrom(vendor: Vendor, { service: { id: serviceId, ownerId, serviceDetails } }: Found): Service {
  return { serviceId, ownerId, url: addressFrom(vendor, serviceDetails.url) };
}

/** Returns the service of this name that uses our repository; null when there is none. */
async function findMade(
  vendor: Vendor,
  call: PlatformCall,
  { repository, address, ownerId, name }: Omit<Wanted, 'ownerId'> & { ownerId: string | null },
): Promise<Found | null> {
  const query = new URLSearchParams({ name, ...(ownerId !== null && { ownerId }), limit: '100' });
  const list = listOf(z.object({ service: serviceSchema }));
  const found = await ask(call, vendor, { withToken: true, url: `/services?${query}` }, list);
  const isOurs = ({ service }: Found) =>
    service.name === name && service.repo === address && service.branch === repository.branch;
  return found.find(isOurs) ?? null;
}

/** Returns the service of a destination that is removed, even if a run had no time to record that it made it. */
export async function serviceToDrop(
  vendor: Vendor,
  call: PlatformCall,
  addressOf: (repository: Repository) => Promise<string | null>,
): Promise<Service | null> {
  const { site, target } = call.destination;
  const noted = serviceIn(site);
  const name = wantedIn(site);
  const repository = repositoryIn(site);
  if (noted !== null || name === null || repository === null) return noted;
  const address = await addressOf(repository);
  const found = address && (await findMade(vendor, call, { repository, address, ownerId: target, name }));
  return found ? serviceFrom(vendor, found) : null;
}

/**
 * Returns the routes. Files take precedence over rules (render.com/docs/redirects-rewrites), so one rule makes a
 * single-page application.
 */
function routesOf({ destination }: PlatformCall) {
  return destination.isSinglePage ? [{ type: 'rewrite', source: '/*', destination: '/index.html' }] : [];
}

/** `PUT /services/{id}/routes`: replaces all of them. */
export async function writeRoutes(vendor: Vendor, call: PlatformCall, service: Service): Promise<void> {
  const request = { withToken: true, method: 'PUT', url: urlIn(service, '/routes'), json: routesOf(call) } as const;
  await ask(call, vendor, request, listOf(anyObject));
}

/** `DELETE /services/{id}`; a missing one is no error. */
export async function dropService(vendor: Vendor, call: PlatformCall, service: Service): Promise<void> {
  await nullIfNotFound(ask(call, vendor, { withToken: true, method: 'DELETE', url: urlIn(service) }, anyObject));
}

/** `GET /services/{id}/deploys`: returns the newest of this commit; null when there is none. */
export async function findDeploy(
  vendor: Vendor,
  call: PlatformCall,
  service: Pick<Service, 'serviceId'>,
  commit: string,
): Promise<Deploy | null> {
  const list = listOf(z.object({ deploy: deploySchema }));
  const found = await ask(call, vendor, { withToken: true, url: urlIn(service, '/deploys?limit=20') }, list);
  return found.find(({ deploy }) => deploy.commit?.id === commit)?.deploy ?? null;
}

/** `GET /services/{id}/deploys/{deployId}`. */
export async function readDeploy(vendor: Vendor, call: PlatformCall, serviceId: string, id: string): Promise<Deploy> {
  return ask(call, vendor, { withToken: true, url: urlIn({ serviceId }, `/deploys/${id}`) }, deploySchema);
}

/** `POST /services/{id}/deploys`; an answer without a deploy means that it waits for another, and is in the list. */
export async function startDeploy(
  vendor: Vendor,
  call: PlatformCall,
  service: Service,
  { commit, mayBeThere }: { commit: string; mayBeThere: boolean },
): Promise<string> {
  let isLookedFor = mayBeThere;
  const started = await makeOnce<{ id?: string | undefined }>(call, vendor, {
    look: async () => {
      const found = isLookedFor ? await findDeploy(vendor, call, service, commit) : null;
      isLookedFor = true;
      return found;
    },
    request: {
      withToken: true,
      method: 'POST',
      url: urlIn(service, '/deploys'),
      json: { clearCache: 'do_not_clear', commitId: commit },
    },
    shape: z.object({ id: z.optional(z.string()) }),
  });
  const id = started.id ?? (await findDeploy(vendor, call, service, commit))?.id;
  if (id === undefined) throw platformError('out_of_sync', TITLE, { said: 'the deploy is not in its list yet' });
  return id;
}
