/**
 * Rows of a long list, loaded page by page. A page is requested when it scrolls into view, its request
 * is aborted when it leaves the view before the answer arrives, and the least recently viewed pages are
 * dropped from the cache.
 */

export type Paged<Row> = { rows: readonly Row[]; total: number }

export type LogPages<Row> = {
  /** Undefined until the row is loaded. */
  rowAt(index: number): Row | undefined
  /** The number of rows, known from the first answer. */
  total(): number | undefined
  /** The error of the last request, if it failed. */
  error(): unknown
  /** Requests the missing pages of these rows, `first` and `last` included. */
  show(first: number, last: number): void
  /** Repeats failed requests. */
  retry(): void
  close(): void
}

export type LogPagesOptions<Row> = {
  /** @param page from 1 */
  load: (page: number, signal: AbortSignal) => Promise<Paged<Row>>
  page_size: number
  /** The size of a row in the unit of `weight_max`. */
  weightOf: (row: Row) => number
  weight_max: number
  onChange: () => void
  /** Delay before a request, so that pages that are scrolled past are not requested. */
  settle_ms: number
}

/** Visible pages stay cached whatever their weight. */
const CACHED_PAGES_MAX = 60

export function createLogPages<Row>(options: LogPagesOptions<Row>): LogPages<Row> {
  const { load, page_size, onChange, settle_ms } = options
  /** The least recently viewed page first. */
  const pages = new Map<number, { rows: readonly Row[]; weight: number }>()
  const loading = new Map<number, AbortController>()
  let wanted: readonly number[] = [1]
  let total: number | undefined
  let error: unknown
  let timer: ReturnType<typeof setTimeout> | undefined

  const store = (page: number, rows: readonly Row[]) => {
    const weight = rows.reduce((sum, row) => sum + options.weightOf(row), 0)
    pages.set(page, { rows, weight })
    let sum = [...pages.values()].reduce((all, each) => all + each.weight, 0)
    for (const [number, each] of pages) {
      if (pages.size <= CACHED_PAGES_MAX && sum <= options.weight_max) break
      if (wanted.includes(number)) continue
      pages.delete(number)
      sum -= each.weight
    }
  }
  const request = async (page: number) => {
    const leaving = new AbortController()
    loading.set(page, leaving)
    try {
      const answer = await load(page, leaving.signal)
      if (leaving.signal.aborted) return
      total ??= answer.total
      error = undefined
      store(page, answer.rows)
    } catch (failure) {
      if (leaving.signal.aborted) return
      error = failure
    } finally {
      if (loading.get(page) === leaving) loading.delete(page)
    }
    onChange()
  }
  const requestWanted = () => {
    timer = undefined
    for (const page of wanted) if (!pages.has(page) && !loading.has(page)) void request(page)
  }

  void request(1)
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
      timer = setTimeout(requestWanted, settle_ms)
    },
    retry: () => {
      error = undefined
      requestWanted()
      onChange()
    },
    close: () => {
      clearTimeout(timer)
      for (const leaving of loading.values()) leaving.abort()
      loading.clear()
    },
  }
}
