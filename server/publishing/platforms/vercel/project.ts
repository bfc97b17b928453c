import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { platformError } from '../failures.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PublishEvent } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { makeUnderName, wantedIn } from '../wanted-name.ts';
import { anyObject, TITLE, withFailures, withTeam } from './api.ts';

/** The number of letters of the destination's id that follow a name which the account already has. */
const SUFFIX_LENGTH = 6;
/** From the API's documentation; runs of hyphens become one, since not all of them are accepted. */
const NAME_MAX = 100;
/**
 * A variable of the project marks it as ours: a name alone does not, and would let us deploy over a stranger's site.
 */
const MARK = 'FAIRLEAD_DESTINATION';

const projectSchema = z.object({
  id: z.string(),
  env: z.optional(z.nullable(listOf(z.object({ key: z.string(), value: z.optional(z.nullable(z.string())) })))),
});

/** Returns the id of the site's project; throws `platform_place_gone` while there is none. */
export function projectIdOf({ destination }: PlatformCall): string {
  const id = stringField(destination.site, 'projectId');
  if (id === null) throw platformError('platform_place_gone', TITLE);
  return id;
}

/** Returns an API address below the destination's project. */
export function projectUrl(call: PlatformCall, version: string): string {
  return `/${version}/projects/${encodeURIComponent(projectIdOf(call))}`;
}

/** Makes the project, or finds the one of an earlier run; its name is recorded before it is used. */
export async function* makeProject(vendor: Vendor, call: PlatformCall): AsyncGenerator<PublishEvent, string> {
  const { slug, id } = call.destination;
  const name = slug.replace(/-{2,}/g, '-').slice(0, NAME_MAX - SUFFIX_LENGTH - 1);
  const projectId = yield* makeUnderName(call, [name, `${name}-${id.slice(0, SUFFIX_LENGTH)}`], {
    make: (one) => makeNamed(vendor, call, one),
  });
  yield { type: 'site', site: { projectId } };
  return projectId;
}

/** "Create a new project", public from the start: without these fields visitors may be asked to sign in. */
async function makeNamed(vendor: Vendor, call: PlatformCall, name: string): Promise<string> {
  const { id } = call.destination;
  const project = await makeOnce(call, withFailures(vendor, { 409: 'name_taken' }), {
    look: async () => {
      const there = await findProject(vendor, call, name);
      if (there === null || isOurs(there, call)) return there;
      throw platformError('name_taken', TITLE, { said: name });
    },
    request: withTeam(call, {
      method: 'POST',
      url: '/v11/projects',
      json: {
        name,
        framework: null,
        buildCommand: '',
        installCommand: '',
        outputDirectory: '',
        ssoProtection: null,
        environmentVariables: [{ key: MARK, value: id, type: 'plain', target: ['production'] }],
      },
    }),
    shape: projectSchema,
  });
  return project.id;
}

type Project = z.infer<typeof projectSchema>;

async function findProject(vendor: Vendor, call: PlatformCall, name: string): Promise<Project | null> {
  const request = withTeam(call, { url: `/v9/projects/${encodeURIComponent(name)}` });
  return nullIfNotFound(ask(call, vendor, request, projectSchema));
}

function isOurs({ env }: Project, { destination }: PlatformCall): boolean {
  return env?.some(({ key, value }) => key === MARK && value === destination.id) === true;
}

/** "Delete a Project"; one that is gone, or was never made, is no error. */
export async function removeProject(vendor: Vendor, call: PlatformCall): Promise<undefined> {
  const { site } = call.destination;
  const wanted = wantedIn(site);
  const unnoted = wanted === null ? null : await findProject(vendor, call, wanted);
  const id = stringField(site, 'projectId') ?? (unnoted !== null && isOurs(unnoted, call) ? unnoted.id : null);
  if (id === null) return;
  const request = withTeam(call, { method: 'DELETE', url: `/v9/projects/${encodeURIComponent(id)}` });
  await nullIfNotFound(ask(call, vendor, request, anyObject));
}
