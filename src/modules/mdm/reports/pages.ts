/**
 * Streams a table in pages, located by the last id of the page before, so that the size of the table
 * does not matter. A page is bounded, because it is converted without a pause and held in memory.
 */

const PAGE_ROWS = 1000

/**
 * A generator would hold each page in memory until the next one is requested; this iterator does not.
 *
 * @param read returns rows with ids smaller than `before`, or from the start when it is undefined,
 * largest id first; fewer than `limit` when rows are large, none at the end of the table
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

/** Where rows are large, the query should not read many more rows than it returns. */
const limitAfter = (rows: number, limit: number): number =>
  rows < limit ? Math.ceil(rows * 1.25) : limit * 2
