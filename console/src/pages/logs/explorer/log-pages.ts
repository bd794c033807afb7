/**
 * Rows of a long list, of which only those around the visible ones are kept: pages are asked for as
 * they come into view, given up when they leave it before they are there, and forgotten when they
 * have not been looked at for long.
 */

export type Paged<Row> = { rows: readonly Row[]; total: number }

export type LogPages<Row> = {
  /** Undefined until it is there. */
  rowAt(index: number): Row | undefined
  /** How many there are, once the first answer has told. */
  total(): number | undefined
  /** Why the last page that was asked for is not there. */
  error(): unknown
  /** Asks for what is missing of these rows; both belong to them. */
  show(first: number, last: number): void
  /** Asks again after a failure. */
  retry(): void
  close(): void
}

export type LogPagesOptions<Row> = {
  /** @param page from 1 */
  load: (page: number, signal: AbortSignal) => Promise<Paged<Row>>
  page_size: number
  /** How much of memory a row takes, in any unit. */
  weightOf: (row: Row) => number
  weight_max: number
  onChange: () => void
  /** Before a page is asked for, so that what is scrolled past is not. */
  settle_ms: number
}

/** Those of the window itself are kept whatever they weigh. */
const PAGES_KEPT_MAX = 60

export function createLogPages<Row>(options: LogPagesOptions<Row>): LogPages<Row> {
  const { load, page_size, onChange, settle_ms } = options
  /** In the order in which they were looked at. */
  const pages = new Map<number, { rows: readonly Row[]; weight: number }>()
  const loading = new Map<number, AbortController>()
  let wanted: readonly number[] = [1]
  let total: number | undefined
  let error: unknown
  let timer: ReturnType<typeof setTimeout> | undefined

  const keep = (page: number, rows: readonly Row[]) => {
    const weight = rows.reduce((sum, row) => sum + options.weightOf(row), 0)
    pages.set(page, { rows, weight })
    let sum = [...pages.values()].reduce((all, each) => all + each.weight, 0)
    for (const [number, each] of pages) {
      if (pages.size <= PAGES_KEPT_MAX && sum <= options.weight_max) break
      if (wanted.includes(number)) continue
      pages.delete(number)
      sum -= each.weight
    }
  }
  const ask = async (page: number) => {
    const leaving = new AbortController()
    loading.set(page, leaving)
    try {
      const answer = await load(page, leaving.signal)
      if (leaving.signal.aborted) return
      total ??= answer.total
      error = undefined
      keep(page, answer.rows)
    } catch (failure) {
      if (leaving.signal.aborted) return
      error = failure
    } finally {
      if (loading.get(page) === leaving) loading.delete(page)
    }
    onChange()
  }
  const askForWanted = () => {
    timer = undefined
    for (const page of wanted) if (!pages.has(page) && !loading.has(page)) void ask(page)
  }

  void ask(1)
  return {
    rowAt: (index) => pages.get(Math.floor(index / page_size) + 1)?.rows[index % page_size],
    total: () => total,
    error: () => error,
    show: (first, last) => {
      if (total === undefined) return
      const [from, until] = [first, last].map((index) => Math.floor(index / page_size) + 1)
      wanted = Array.from({ length: (until ?? 0) - (from ?? 0) + 1 }, (_, at) => (from ?? 0) + at)
      for (const [page, leaving] of loading) {
        if (wanted.includes(page)) continue
        leaving.abort()
        loading.delete(page)
      }
      for (const page of wanted) {
        const known = pages.get(page)
        if (!known) continue
        pages.delete(page)
        pages.set(page, known)
      }
      if (wanted.every((page) => pages.has(page) || loading.has(page))) return
      clearTimeout(timer)
      timer = setTimeout(askForWanted, settle_ms)
    },
    retry: () => {
      error = undefined
      askForWanted()
      onChange()
    },
    close: () => {
      clearTimeout(timer)
      for (const leaving of loading.values()) leaving.abort()
      loading.clear()
    },
  }
}
