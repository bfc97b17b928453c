/** What is told of an address at which a person publishes by hand: by the adapter, and by a simulation of it. */
export function waitingAt(title: string): string {
  return `Waiting for you to publish the files at ${title} and to enter their address`;
}

export function notPublished(url: string, status: number): string {
  return `${url} answers with status ${status}, so it may not be published yet`;
}

export function otherFiles(url: string): string {
  return `${url} answers with another entry page than this release has`;
}
