import type { ConnectionProvider } from '../ids.ts';

/**
 * The capabilities of a platform, as data for screens and services: they check this, never which platform it is. The
 * numbers are the platform's own, each with its source (capabilities/<platform>.ts).
 */
export type PlatformCapabilities = {
  /** Files are uploaded, go through a Git repository, or are handed to a person who finishes there. */
  publish: 'upload' | 'viaGit' | 'handOff';
  /** Requirements that a person must meet or agree to; shown before the first click. */
  requires: readonly PlatformRequirement[];
  /** Connections to other platforms that it publishes through; the option of this name holds the id of each. */
  furtherConnections: readonly FurtherConnection[];
  limits: PlatformLimits;
  /** Matches file names that the platform refuses. */
  refusedNames: RegExp | null;
  /** True when names that differ only in capital letters are one address there. */
  foldsCase: boolean;
  /** Files that the platform reads and does not serve. */
  specialFiles: readonly string[];
  /**
   * `repositoryFolder`: the site is below a folder, which breaks links that begin with a slash, until it has a domain
   * of its own.
   */
  basePath: 'root' | 'repositoryFolder';
  /** True when publishing leaves the public address as it is, so that a release can be viewed before it goes public. */
  draft: boolean;
  /** The terms of making an earlier release public again without sending its files; null when that is impossible. */
  rollBack: RollBackCapability | null;
  /** True when a running release can be stopped there. */
  cancel: boolean;
  /** True when the platform has a log of each release that can be read from here. */
  log: boolean;
  serving: ServingCapabilities;
  /** Null when the platform takes no custom names. */
  domain: DomainCapabilities | null;
};

export type PlatformRequirement = 'connection' | 'paymentThere' | 'publicFiles';

/**
 * The time until visitors see the earlier release, from the platform's own pages or the longest wait (`settleMs`), and
 * the work that the platform repeats for it.
 */
export type RollBackCapability = { takes: string; again?: 'builds' | 'deploys' };

export type FurtherConnection = { provider: ConnectionProvider; option: string };

export type PlatformLimits = {
  /** Checked before anything is sent; the refusal names the file. */
  maxFiles?: number;
  maxFileBytes?: number;
  maxTotalBytes?: number;
  /** The longest time for one release, or for a rollback. */
  releaseMs: number;
  /** The longest time for which its edge may serve the old files after the platform has finished. */
  settleMs: number;
};

/** The platform's way of answering visitors, which verification expects. */
export type ServingCapabilities = {
  /** A missing page shows the site's `404.html`, with status 404. */
  notFoundPage: boolean;
  /** A deployment's single-page setting is followed: a missing page shows `index.html`, with status 200. */
  singlePage: boolean;
  /** The rules in the site's `_redirects` are followed. */
  redirects: boolean;
  /** It reads `_redirects` and `_headers` by itself: rules that are not followed here may be followed there. */
  ownRules?: true;
  /** Compressed files, such as a game's, are sent with the header that makes browsers unpack them. */
  packedFiles: boolean;
};

export type DomainCapabilities = {
  /**
   * Records are known beforehand, returned by the platform, or read there by a person: in that case there is no
   * operation.
   */
  records: 'fixed' | 'fromApi' | 'fromPerson';
  /** Says whether `www` comes with the domain, and the other way round. */
  counterpart: 'automatic' | 'manual';
  certificate: {
    /** `full`: state and expiry; `perDomain`: the state alone; `none`: only a TLS handshake shows it. */
    status: 'full' | 'perDomain' | 'none';
    /** The authorities that sign there, by their names in CAA records, which must allow each of them. */
    issuers: readonly string[];
  };
};
