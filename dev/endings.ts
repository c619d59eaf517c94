// Cleanup at the end of a test file, or of a run of `npm run torture`: folders, mounts, servers.

const works: (() => void | Promise<void>)[] = [];

/** Registers work for the end; the last registered is done first. */
export function atEnd(work: () => void | Promise<void>): void {
  works.push(work);
}

export async function endAll(): Promise<void> {
  for (const work of works.splice(0).reverse()) await work();
}
