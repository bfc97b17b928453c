/** The progress text of an address at which a person publishes by hand, in the adapter and in simulations. */
export function waitingAt(title: string): string {
  return `Waiting for you to publish the files at ${title} and to enter their address`;
}

export function notPublished(url: string, status: number): string {
  return `${url} answers with status ${status}, so it may not be published yet`;
}

export function otherFiles(url: string): string {
  return `The start page at ${url} is not the one of this release`;
}
