/** Steps that end a benchmark, run from the newest to the oldest, each once. */
export type Cleanup = {
  add(undo: () => Promise<void> | void): void
  run(): Promise<void>
}

export function createCleanup(): Cleanup {
  const undos: (() => Promise<void> | void)[] = []
  return {
    add: (undo) => void undos.push(undo),
    run: async () => {
      for (let undo = undos.pop(); undo; undo = undos.pop()) {
        try {
          await undo()
        } catch (error) {
          process.stderr.write(`cleaning up: ${String(error)}\n`)
        }
      }
    },
  }
}
