import { platformError } from '../failures.ts';
import { addressFrom, type Vendor } from '../http.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { makeUnderName, wantedIn } from '../wanted-name.ts';
import { findApp, type HerokuApp, makeApp, removeApp, setDynos, TITLE } from './api.ts';

/** The number of letters of the destination's id that follow a taken name: names are unique over all of Heroku. */
const SUFFIX_LENGTH = 6;
/** Dev Center, "Platform API Reference", App: 3 to 30 letters, digits and dashes, the first of them a letter. */
const NAME_MAX = 30;
/** A Basic dyno does not sleep. */
const DEFAULT_DYNO = 'basic';

/** The app that a site runs as; an app that a person chose existed before, and stays. */
export type AppRef = { app: string; url: string; dyno: string | null; isChosen: boolean };

/** Returns the app of the destination; null when there is none. */
export function appIn(site: PlatformRef | null): AppRef | null {
  const app = stringField(site, 'app');
  const url = stringField(site, 'url');
  return app === null || url === null
    ? null
    : { app, url, dyno: stringField(site, 'dyno'), isChosen: site?.isChosen === true };
}

/** Returns the app's id. Throws `platform_place_gone` while there is none. */
export function appOf({ destination }: PlatformCall): string {
  const ref = appIn(destination.site);
  if (ref === null) throw platformError('platform_place_gone', TITLE);
  return ref.app;
}

/** Finds the app that a person chose, or makes one; its name is recorded before it is used. */
export async function* ensureApp(vendor: Vendor, call: PlatformCall): AsyncGenerator<PublishEvent, AppRef> {
  const known = appIn(call.destination.site);
  if (known !== null) return known;
  const { app: chosen } = call.destination.options;
  const isChosen = typeof chosen === 'string';
  const found = isChosen ? await chosenApp(vendor, call, chosen) : yield* makeNamed(vendor, call);
  if (!found.web_url) {
    throw platformError('platform_failed', TITLE, {
      said: 'it names no address for this app',
      remedy: 'Give the app a web address at Heroku, or choose another app, then try again.',
    });
  }
  const ref = { app: found.id, url: addressFrom(vendor, found.web_url), dyno: null, isChosen };
  yield { type: 'site', site: ref };
  return ref;
}

async function chosenApp(vendor: Vendor, call: PlatformCall, name: string): Promise<HerokuApp> {
  const found = await findApp(vendor, call, name);
  if (found !== null) return found;
  throw platformError('platform_failed', TITLE, {
    said: `this account has no app with the name ${name}`,
    remedy: 'Check the name of the app, or leave it empty so that an app is created. Then try again.',
  });
}

async function* makeNamed(vendor: Vendor, call: PlatformCall): AsyncGenerator<PublishEvent, HerokuApp> {
  const { slug, id } = call.destination;
  const names = [nameOf(slug), nameOf(slug, `-${id.slice(0, SUFFIX_LENGTH)}`)] as const;
  return yield* makeUnderName(call, names, {
    make: (name, isNoted) => makeApp(vendor, call, name, isNoted),
    isThere: async (name) => (await findApp(vendor, call, name)) !== null,
  });
}

function nameOf(slug: string, suffix = ''): string {
  const lettersFirst = /^[a-z]/.test(slug) && slug.length > 2 ? slug : `site-${slug}`;
  return `${lettersFirst.slice(0, NAME_MAX - suffix.length).replace(/-$/, '')}${suffix}`;
}

/** Starts one process of the chosen kind for the site; called once, when there is a release to run. */
export async function* ensureDyno(vendor: Vendor, call: PlatformCall, ref: AppRef): AsyncGenerator<PublishEvent, void> {
  const { dyno = DEFAULT_DYNO } = call.destination.options;
  if (typeof dyno !== 'string' || ref.dyno === dyno) return;
  await setDynos(vendor, call, ref.app, { quantity: 1, size: dyno });
  yield { type: 'site', site: { ...ref, dyno } };
}

/** Deletes an app that was made here; one that a person chose is only stopped, so that it costs nothing. */
export async function dropApp(vendor: Vendor, call: PlatformCall): Promise<undefined> {
  const { site } = call.destination;
  const ref = appIn(site);
  const wanted = wantedIn(site);
  if (ref === null) {
    const unnoted = wanted === null ? null : await findApp(vendor, call, wanted);
    if (unnoted !== null && !unnoted.slug_size) await nullIfNotFound(removeApp(vendor, call, unnoted.id));
    return;
  }
  if (ref.isChosen) await nullIfNotFound(setDynos(vendor, call, ref.app, { quantity: 0 }));
  else await nullIfNotFound(removeApp(vendor, call, ref.app));
}
