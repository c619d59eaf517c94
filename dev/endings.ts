// What has to be undone when a test file, or a run of `npm run torture`, is over: folders, mounts, servers.

const works: (() => void | Promise<void>)[] = [];

/** Does this work at the end; what was asked for last is done first. */
export function atEnd(work: () => void | Promise<void>): void {
  works.push(work);
}

export async function endAll(): Promise<void> {
  for (const work of works.splice(0).reverse()) await work();
}
