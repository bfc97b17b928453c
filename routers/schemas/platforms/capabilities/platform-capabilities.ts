import type { ConnectionProvider } from '../ids.ts';

/**
 * What can be done at a platform, as data that screens and services read alike: they ask this, never which platform it
 * is. Numbers are the platform's own and name their source where they stand (capabilities/<platform>.ts).
 */
export type PlatformCapabilities = {
  /** Files are uploaded, go through a Git repository, or are handed to a person who finishes there. */
  publish: 'upload' | 'viaGit' | 'handOff';
  /** What a person must have or agree to; shown before the first click. */
  requires: readonly PlatformRequirement[];
  /** Connections to other platforms that it publishes through; the option of this name holds the id of each. */
  furtherConnections: readonly FurtherConnection[];
  limits: PlatformLimits;
  /** File names that the platform does not take. */
  refusedNames: RegExp | null;
  /** Names that differ in capital letters alone are one address there. */
  foldsCase: boolean;
  /** Files that the platform reads instead of serving. */
  specialFiles: readonly string[];
  /** A site below a folder breaks links that begin with a slash, until it has a domain of its own. */
  basePath: 'root' | 'repositoryFolder';
  /** Publishing leaves the public address as it is, so that a release can be looked at before it goes public. */
  draft: boolean;
  /** An earlier release can be made the public one without sending its files again; null where it cannot. */
  rollBack: RollBackCapability | null;
  /** A release that is on its way can be stopped there. */
  cancel: boolean;
  /** The platform keeps a log of each release that can be read from here. */
  log: boolean;
  serving: ServingCapabilities;
  /** Null where the platform takes no names of the person's own. */
  domain: DomainCapabilities | null;
};

export type PlatformRequirement = 'connection' | 'paymentThere' | 'publicFiles';

/**
 * How long it is until visitors see the earlier release, as the platform's own pages say or as long as it is waited for
 * (`settleMs`), and what the platform does again for that.
 */
export type RollBackCapability = { takes: string; again?: 'builds' | 'deploys' };

export type FurtherConnection = { provider: ConnectionProvider; option: string };

export type PlatformLimits = {
  /** Checked before anything is sent, naming the file. */
  maxFiles?: number;
  maxFileBytes?: number;
  maxTotalBytes?: number;
  /** How long the platform may take for one release, or to go back to one. */
  releaseMs: number;
  /** How long its edge may go on serving the old files after the platform said that it is done. */
  settleMs: number;
};

/** How the platform answers visitors: what verification may expect there. */
export type ServingCapabilities = {
  /** A page that does not exist shows the site's `404.html`, with status 404. */
  notFoundPage: boolean;
  /** A deployment's single-page setting is followed: a page that does not exist shows `index.html`, with status 200. */
  singlePage: boolean;
  /** The rules in the site's `_redirects` are followed. */
  redirects: boolean;
  /** It reads `_redirects` and `_headers` by itself: what is not followed here may be followed there. */
  ownRules?: true;
  /** Files that are packed already, such as a game's, are sent with the header that has browsers unpack them. */
  packedFiles: boolean;
};

export type DomainCapabilities = {
  /** Known beforehand, answered by the platform, or read there by a person: then no operation is there. */
  records: 'fixed' | 'fromApi' | 'fromPerson';
  /** Whether `www` comes with the name below it, and the other way round. */
  counterpart: 'automatic' | 'manual';
  certificate: {
    /** `full`: state and end; `perDomain`: the state alone; `none`: only a TLS handshake tells. */
    status: 'full' | 'perDomain' | 'none';
    /** The authorities that sign there, each of which CAA records have to allow, as they call themselves in them. */
    issuers: readonly string[];
  };
};
