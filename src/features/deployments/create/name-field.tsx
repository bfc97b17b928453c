import { Link } from 'wouter';
import type { AddressCheck, Deployment } from '../../../../routers/schemas/deployments.ts';
import { DEPLOYMENT_NAME_MAX } from '../../../../routers/schemas/limits.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { PAGE_SIZE_MAX } from '../../../../routers/schemas/primitives.ts';
import { NAME_TOO_LONG, nextNumbered, slugFromName } from '../../../../routers/schemas/slug.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button, type ButtonProps } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { HostName, type HostNameProps } from '../../../components/host-name.tsx';
import { useDebounced } from '../../../lib/browser/use-debounced.ts';
import { formatAddress } from '../../../lib/format.ts';
import { href } from '../../../lib/paths/paths.ts';
import { addressOfSlug, reachText } from '../../../lib/sites-address.ts';
import { setChosen } from '../../../uploads/chosen-selections.ts';
import { namesakesText, useNamesakesOf } from '../namesakes.ts';
import { nameFromFolder } from './name-from-folder.ts';
import { isRequestOpen, storeTypedName, useNewDeployment, useNewDeploymentFields } from './new-deployment-form.tsx';
import { TwinText, useTwin } from './twin.tsx';
import { usePlanBlocker } from './use-plan-blocker.ts';
import { useStartedDeployment } from './use-started-deployment.ts';

/** Asks for the name of a new deployment, and shows its address. */
export function NameField() {
  const { register, watch } = useNewDeploymentFields();
  const { name, problem, address } = useNewName();
  const { chosen } = useNewDeployment();
  const { blocker } = usePlanBlocker();
  const isOwn = (useNamesakes() ?? []).length > 0;
  const field = register('name', {
    onChange: ({ target }: { target: HTMLInputElement }) =>
      storeTypedName(target.value, nameFromFolder(chosen.selection)),
  });
  return (
    <Field
      label="Name"
      error={problem}
      hint={
        <>
          <NamesakeHint />
          <TwinHint />
          {blocker === null && !isOwn && <AddressHint platform={watch('platform')} name={name} check={address} />}
        </>
      }
    >
      <Input {...field} autoComplete="off" spellCheck={false} />
    </Field>
  );
}

type NameCheck = {
  /** The server's answer about the address; undefined before there is one for exactly this name, or if that failed. */
  address: AddressCheck | undefined;
  /** True once there is an answer, or none will come. */
  isChecked: boolean;
};

/** Returns the name in the form, the reason why it cannot be used, and what is known of its address. */
export function useNewName(): NameCheck & { name: string; problem: string | undefined } {
  const { watch, formState } = useNewDeploymentFields();
  const { isPublishing } = useNewDeployment();
  const { deploymentId } = useStartedDeployment();
  const name = watch('name');
  const isTooLong = name.trim().length > DEPLOYMENT_NAME_MAX;
  return {
    name,
    problem: isTooLong ? NAME_TOO_LONG : formState.errors.name?.message,
    // A deployment that is being created takes the address itself.
    ...useNameCheck(name, isPublishing || deploymentId !== null),
  };
}

function useNameCheck(name: string, isPaused: boolean): NameCheck {
  const debounced = useDebounced(name.trim());
  const isAsked = debounced !== '' && debounced.length <= DEPLOYMENT_NAME_MAX && !isPaused;
  const { data, isPending } = trpc.deployments.checkAddress.useQuery({ name: debounced }, { enabled: isAsked });
  const isCurrent = debounced === name.trim();
  return { address: isCurrent ? data : undefined, isChecked: isCurrent && !isPending };
}

/**
 * Returns the deployments of the account with exactly the name in the form: live ones first, then the oldest. One that
 * was made here and never sent is none: Publish goes on with it. Undefined until the server has answered for this name.
 */
export function useNamesakes(): readonly Deployment[] | undefined {
  const { name } = useNewName();
  const { isPublishing } = useNewDeployment();
  // One that is being created has the name as well.
  return useNamesakesOf(name, isPublishing)
    ?.filter(({ releaseCount }) => releaseCount > 0 || !isRequestOpen())
    .sort(
      (a, b) => Number(a.currentRelease === null) - Number(b.currentRelease === null) || +a.createdAt - +b.createdAt,
    );
}

/** The choices for a name that a deployment has already; on a small screen they are far below the files. */
export const CHOICES = 'publish-choices';

export function focusChoices(): void {
  document.querySelector<HTMLElement>(`#${CHOICES} :is(a, button)`)?.focus();
}

/** A button with a name in it, which may be longer than a line. */
const NAMES = 'h-auto! min-h-control py-1.5 text-center whitespace-normal! wrap-anywhere';

/** Leads to a deployment that has the name already, with the chosen files: most often a new release is meant. */
export function ContinueThere({
  namesakes,
  variant,
}: { namesakes: readonly Deployment[] } & Pick<ButtonProps, 'variant'>) {
  const { chosen } = useNewDeployment();
  const linkTo = ({ id }: Deployment, label: string, className?: string) => (
    <Link
      key={id}
      to={href.deployment(id)}
      onClick={() => {
        setChosen(id, chosen.selection);
        chosen.choose(null);
      }}
      className={className}
    >
      {label}
    </Link>
  );
  const [first, ...others] = namesakes;
  if (first === undefined) return null;
  if (others.length === 0) {
    return (
      <Button variant={variant} className={NAMES} asChild>
        {linkTo(first, `Publish as new release of ${first.name}…`)}
      </Button>
    );
  }
  const links = namesakes.map((one) =>
    linkTo(
      one,
      formatAddress(one.url) || PLATFORMS[one.platform].title,
      'rounded-tight text-accent underline wrap-anywhere',
    ),
  );
  return (
    <p className="text-sm">
      Publish as new release of: {links.flatMap((link, index) => (index === 0 ? link : [', ', link]))}.
    </p>
  );
}

/** Publishes another deployment than those that have the name, under a free one like `harbour-2`. */
export function PublishAs({ disabled, variant }: Pick<ButtonProps, 'disabled' | 'variant'>) {
  const { publish, isPublishing } = useNewDeployment();
  const { setValue, watch } = useNewDeploymentFields();
  const { name } = useNewName();
  const platform = watch('platform');
  const { stem: whole, next } = nextNumbered(name.trim());
  const stem = whole.slice(0, DEPLOYMENT_NAME_MAX - 5);
  // What merely contains the name may fill the page of `useNamesakesOf`.
  const numbered = trpc.deployments.list.useQuery({ search: `${stem}-`, limit: PAGE_SIZE_MAX }, { gcTime: 0 });
  const ofName = useNameCheck(name, isPublishing);
  const other = freeName(stem, next, numbered.data?.items ?? [], ofName.address);
  // Until the taken names and addresses are known, the free name may still change. Where asking failed, it is a guess.
  const isKnown = !numbered.isPending && ofName.isChecked;
  const { address } = useNameCheck(isKnown ? other : '', isPublishing);
  return (
    <>
      <Button
        className={NAMES}
        variant={variant}
        disabled={disabled || !isKnown}
        onClick={() => {
          setValue('name', other);
          void publish();
        }}
      >
        Publish as new deployment {other}
      </Button>
      {PLATFORMS[platform].isServedHere && (
        <div className="text-xs text-ink-muted">
          <AddressHint platform={platform} name={other} check={address} />
        </div>
      )}
    </>
  );
}

function freeName(stem: string, next: number, alike: readonly Deployment[], address: AddressCheck | undefined): string {
  const taken = new Set(alike.map((other) => other.name.toLowerCase()));
  // Counted from the free address: where `harbour-2` is taken, a site of that name would be at `harbour-2-2`.
  const free = address?.slug && address.slug !== address.wanted ? nextNumbered(address.slug) : null;
  // The address of `Site 2` is numbered on to `site-3`, its name to `Site 2-2`.
  let number = free?.stem === slugFromName(stem) ? free.next - 1 : next;
  while (taken.has(`${stem}-${number}`.toLowerCase())) number += 1;
  return `${stem}-${number}`;
}

function NamesakeHint() {
  const { watch } = useNewDeploymentFields();
  const { allowance } = usePlanBlocker();
  const namesakes = useNamesakes() ?? [];
  const [first] = namesakes;
  if (first === undefined) return null;
  const platform = watch('platform');
  const mayAdd = allowance?.severalPlatforms === true && first.destinations.every((one) => one.platform !== platform);
  return (
    <>
      {namesakesText(namesakes)}
      {mayAdd && namesakes.length === 1 && !PLATFORMS[platform].isServedHere && (
        <Link
          to={`${href.deployment(first.id)}?tab=settings#platforms`}
          className="block w-fit rounded-tight text-accent underline"
        >
          Or add {PLATFORMS[platform].title} to that deployment
        </Link>
      )}
    </>
  );
}

function TwinHint() {
  const twin = useTwin();
  const namesakes = useNamesakes() ?? [];
  if (!twin || namesakes.some(({ id }) => id === twin.deploymentId)) return null;
  return (
    <span className="block">
      <TwinText twin={twin} />
    </span>
  );
}

type AddressHintProps = {
  platform: PlatformId;
  name: string;
  check: AddressCheck | undefined;
  fit?: HostNameProps['fit'];
};

/** Says which address the name leads to, and where `fit` leaves room for it, who can open that. */
export function AddressHint({ platform, name, check, fit = 'wrap' }: AddressHintProps) {
  const slug = slugFromName(name);
  const { isServedHere, title } = PLATFORMS[platform];
  if (!isServedHere) return `${title} makes the address from the name, if that address is free.`;
  if (name.trim() === '') return 'The address is made from the name.';
  if (check === undefined && slug === '') return 'Your site gets an address of its own.';
  const isTaken = check !== undefined && check.slug !== check.wanted;
  const shown = check === undefined ? slug : check.slug;
  // As long as the words for a free address: what is below does not move when they take the place.
  const lead = check === undefined ? 'If free, live at' : `${isTaken ? 'It will' : 'Will'} be live at`;
  return (
    <>
      {isTaken && (
        <span className="flex flex-wrap items-baseline gap-x-1">
          <Address slug={check.wanted} fit={fit} /> is taken.
        </span>
      )}
      {shown === null ? (
        'A few letters are added to it.'
      ) : (
        <span className="flex flex-wrap items-baseline gap-x-1">
          {lead} <Address slug={shown} fit={fit} />
          {fit === 'wrap' && <span className="empty:hidden">{reachText()}</span>}
        </span>
      )}
    </>
  );
}

function Address({ slug, fit }: { slug: string; fit: HostNameProps['fit'] }) {
  return <HostName name={addressOfSlug(slug)} fit={fit} className="text-xs!" />;
}
