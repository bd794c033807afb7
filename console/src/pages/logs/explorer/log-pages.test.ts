import { describe, expect, it, vi } from 'vitest'
import { createLogPages } from './log-pages.ts'

type Request = {
  page: number
  signal: AbortSignal
  answer: (total?: number) => void
  fail: () => void
}

function createList(options: { weightOf?: (row: string) => number; weight_max?: number } = {}) {
  const requests: Request[] = []
  let changes = 0
  const pages = createLogPages<string>({
    page_size: 10,
    settle_ms: 0,
    weightOf: () => 1,
    weight_max: 1_000_000,
    onChange: () => {
      changes += 1
    },
    load: (page, signal) =>
      new Promise((resolve, reject) => {
        const rows = Array.from({ length: 10 }, (_, index) => `row ${(page - 1) * 10 + index}`)
        const answer = (total = 1_000_000) => resolve({ rows, total })
        requests.push({ page, signal, answer, fail: () => reject(new Error('unavailable')) })
      }),
    ...options,
  })
  const settled = async (done: () => boolean) => await vi.waitUntil(done, { interval: 1 })
  const answerAll = async () => {
    const before = changes
    const open = requests.filter(({ signal }) => !signal.aborted)
    for (const { answer } of open) answer()
    await settled(() => changes > before)
  }
  return { pages, requests, settled, answerAll, changes: () => changes }
}

describe('a long list', () => {
  it('requests the visible page at any position', async () => {
    const { pages, requests, settled, answerAll } = createList()
    expect([pages.total(), pages.rowAt(0)]).toEqual([undefined, undefined])
    await answerAll()
    expect([pages.total(), pages.rowAt(9), pages.rowAt(10)]).toEqual([
      1_000_000,
      'row 9',
      undefined,
    ])
    pages.show(777_775, 777_782)
    await settled(() => requests.length === 3)
    expect(requests.map(({ page }) => page)).toEqual([1, 77_778, 77_779])
    await answerAll()
    await settled(() => pages.rowAt(777_782) !== undefined)
    expect(pages.rowAt(777_775)).toBe('row 777775')
  })

  it('aborts requests for pages that left the view and sends no request twice', async () => {
    const { pages, requests, settled, answerAll } = createList()
    await answerAll()
    pages.show(100, 105)
    await settled(() => requests.length === 2)
    pages.show(100, 109)
    pages.show(5000, 5005)
    await settled(() => requests.length === 3)
    expect(requests.map(({ page, signal }) => [page, signal.aborted])).toEqual([
      [1, false],
      [11, true],
      [501, false],
    ])
  })

  it('drops the least recently viewed pages, never a visible one', async () => {
    const { pages, requests, settled } = createList({ weightOf: () => 10, weight_max: 250 })
    requests[0]?.answer()
    await settled(() => pages.total() !== undefined)
    for (const page of [2, 3, 4]) {
      pages.show((page - 1) * 10, page * 10 - 1)
      await settled(() => requests.length === page)
      requests.at(-1)?.answer()
      await settled(() => pages.rowAt((page - 1) * 10) !== undefined)
    }
    expect([0, 10, 20, 30].map((row) => pages.rowAt(row) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('reports why a page is missing and repeats the request on retry', async () => {
    const { pages, requests, settled, answerAll, changes } = createList()
    requests[0]?.fail()
    await settled(() => changes() === 1)
    expect([pages.total(), String(pages.error())]).toEqual([undefined, 'Error: unavailable'])
    pages.retry()
    await answerAll()
    expect([pages.total(), pages.error()]).toEqual([1_000_000, undefined])
  })

  it('does not change after it is closed', async () => {
    const { pages, requests, settled, changes } = createList()
    requests[0]?.answer()
    await settled(() => changes() === 1)
    pages.show(50, 55)
    await settled(() => requests.length === 2)
    pages.close()
    requests[1]?.answer()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect([changes(), requests[1]?.signal.aborted]).toEqual([1, true])
  })
})
