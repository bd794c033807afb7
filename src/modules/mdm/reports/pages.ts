/** A table in pages, each read when the one before was taken: by the last id seen, so at any size. */

/** What a page holds: its rows are turned to text without a pause. */
export const PAGE_ROWS = 1000

/**
 * @param read rows with ids smaller than this one, the largest first; of the whole table when it is
 * undefined
 */
export async function* pagesBy<Row extends { id: string }>(
  read: (before: string | undefined, limit: number) => Promise<Row[]>,
  limit = PAGE_ROWS,
): AsyncGenerator<Row[], void> {
  let before: string | undefined
  for (;;) {
    const rows = await read(before, limit)
    yield rows
    if (rows.length < limit) return
    before = rows.at(-1)?.id
  }
}
