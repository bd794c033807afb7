/**
 * A table in pages, each read when the one before was taken: by the last id seen, so at any size. A page
 * is turned to text without a pause, and its text is held until it was taken: both are bounded.
 */

const PAGE_ROWS = 1000

/**
 * Not a generator, which would hold on to a page while the next one is not asked for.
 *
 * @param read rows with ids smaller than this one, the largest first; of the whole table when it is
 * undefined. Fewer than `limit` when they are large, none when there are no more
 */
export function pagesBy<Row extends { id: string }>(
  read: (before: string | undefined, limit: number) => Promise<Row[]>,
  rowsMax = PAGE_ROWS,
): AsyncIterable<Row[]> {
  const iterate = (): AsyncIterator<Row[], undefined> => {
    let before: string | undefined
    let limit = rowsMax
    return {
      next: async () => {
        const rows = await read(before, limit)
        const last = rows.at(-1)
        if (!last) return { done: true, value: undefined }
        before = last.id
        limit = Math.min(rowsMax, limitAfter(rows.length, limit))
        return { done: false, value: rows }
      },
    }
  }
  return { [Symbol.asyncIterator]: iterate }
}

/** Where rows are large, not many more of them are looked at than are taken. */
const limitAfter = (rows: number, limit: number): number =>
  rows < limit ? Math.ceil(rows * 1.25) : limit * 2
